/* Profiles as files, in a folder of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "profile/profile_file.h"

static char scratch[] = "/tmp/test_profile.XXXXXX";
static char folder[100];

static const struct plb_profile_key gpu = {
    "matmul", "0123456789abcdef", "gpu fast (2)", "emulated gpu", 1, "Some CPU @ 2.20GHz, slowdown 2"};

static char *path_of(const struct plb_profile_key *key, const char *end)
{
    static char path[400];
    char name[PLB_PROFILE_NAME];
    plb_profile_name(key, name);
    snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
    return path;
}

static bool there(const struct plb_profile_key *key, const char *end)
{
    return access(path_of(key, end), F_OK) == 0;
}

static struct plb_profile example(void)
{
    struct plb_profile p = {.n = 3};
    for (int i = 0; i < 3; i++)
        p.at[i] = (struct plb_sample){1e6 * (i + 1), 0.0123456789 * (i + 1), 1e-5 * i, 7 + i, 0.0, true};
    return p;
}

static void save(const struct plb_profile_key *key)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_profile p = example();
    if (plb_profile_save(folder, key, &p, &err) != PLB_OK)
        fail_msg("%s", err.text);
}

/* The file's text, ended by a 0. */
static size_t get(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(text, 1, size - 1, f);
    text[n] = '\0';
    fclose(f);
    return n;
}

/* Loading refuses the file, says so, and sets it aside. */
static void refused(const struct plb_profile_key *key, const char *because)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_profile p = example();
    unlink(path_of(key, ".damaged"));
    if (plb_profile_load(folder, key, &p, &err) == PLB_OK)
        fail_msg("a profile that should say '%s' was believed", because);
    assert_int_equal(p.n, 0);
    if (strstr(err.text, because) == NULL || strstr(err.text, "renamed to") == NULL
        || strstr(err.text, folder) == NULL)
        fail_msg("expected '%s': %s", because, err.text);
    assert_false(there(key, ""));
    assert_true(there(key, ".damaged"));
}

static void nothing_yet_is_no_mistake(void **state)
{
    (void)state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_profile p = example();
    assert_int_equal(plb_profile_load(folder, &gpu, &p, &err), PLB_OK);
    assert_int_equal(p.n, 0);
}

static void what_is_saved_is_loaded(void **state)
{
    (void)state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_profile p, wanted = example();
    save(&gpu);
    save(&gpu); /* replaces it */
    assert_int_equal(plb_profile_load(folder, &gpu, &p, &err), PLB_OK);
    assert_int_equal(p.n, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(p.at[i].work - wanted.at[i].work) < 1e-6 * wanted.at[i].work);
        assert_true(fabs(p.at[i].execute_s - wanted.at[i].execute_s) < 1e-6 * wanted.at[i].execute_s);
        assert_true(fabs(p.at[i].transfer_s - wanted.at[i].transfer_s) < 1e-12);
        assert_int_equal(p.at[i].tasks, wanted.at[i].tasks);
        assert_true(p.at[i].block_end && p.at[i].time == 0.0);
    }
    unlink(path_of(&gpu, ""));
}

static void names_can_be_read(void **state)
{
    (void)state;
    char name[PLB_PROFILE_NAME], other[PLB_PROFILE_NAME];
    plb_profile_name(&gpu, name);
    assert_true(strncmp(name, "matmul-gpu-fast-2-", 18) == 0);
    assert_string_equal(name + strlen(name) - 8, ".profile");
    struct plb_profile_key keys[6];
    for (int i = 0; i < 6; i++)
        keys[i] = gpu;
    strcpy(keys[0].build, "0123456789abcdee");
    strcpy(keys[1].pu, "gpu fast [2]"); /* the same when made safe */
    strcpy(keys[2].kind, "gpu");
    keys[3].threads = 2;
    strcpy(keys[4].model, "Some CPU @ 2.20GHz, slowdown 3");
    strcpy(keys[5].kernel, "../../x");
    for (int i = 0; i < 6; i++) {
        plb_profile_name(&keys[i], other);
        assert_string_not_equal(name, other);
        assert_null(strchr(other, '/'));
        assert_true(other[0] != '.');
    }
    memset(keys[0].kernel, 'k', sizeof keys[0].kernel - 1);
    memset(keys[0].pu, 'p', sizeof keys[0].pu - 1);
    plb_profile_name(&keys[0], other);
    assert_string_equal(other + strlen(other) - 8, ".profile");
    char text[] = "  \"a#b;c\td'  ";
    plb_profile_clean(text);
    assert_string_equal(text, "_a_b_c_d_");
}

static void a_file_cut_anywhere_is_set_aside(void **state)
{
    (void)state;
    char text[4000];
    save(&gpu);
    size_t size = get(path_of(&gpu, ""), text, sizeof text);
    assert_true(size > 300 && size < sizeof text - 1);
    for (size_t n = 0; n < size; n++) {
        put(path_of(&gpu, ""), text, n);
        refused(&gpu, n + 1 < size ? "" : "it was truncated");
    }
    struct stat info;
    assert_true(stat(path_of(&gpu, ".damaged"), &info) == 0
                && (size_t)info.st_size == size - 1); /* kept as it was */
    unlink(path_of(&gpu, ".damaged"));
}

static void a_changed_byte_is_noticed(void **state)
{
    (void)state;
    char text[4000];
    save(&gpu);
    size_t size = get(path_of(&gpu, ""), text, sizeof text);
    for (size_t i = 0; i < size; i++) {
        text[i] = (char)(text[i] ^ 1);
        put(path_of(&gpu, ""), text, size);
        refused(&gpu, "damaged");
        text[i] = (char)(text[i] ^ 1);
    }
    *strstr(text, "0.0123") = '9';
    put(path_of(&gpu, ""), text, size);
    refused(&gpu, "its checksum is wrong");
    memset(text, '\0', sizeof text);
    put(path_of(&gpu, ""), text, sizeof text);
    refused(&gpu, "it was truncated");
    assert_int_equal(mkdir(path_of(&gpu, ""), 0700), 0);
    unlink(path_of(&gpu, ".damaged"));
    refused(&gpu, "not a regular file");
    rmdir(path_of(&gpu, ".damaged"));
}

/* Saves the example with `from` replaced by `to` and the checksum (FNV-1a, 64 bits) made right again. */
static void forge(const char *from, const char *to)
{
    char text[8000], forged[16000], *at;
    uint64_t h = 0xcbf29ce484222325u;
    save(&gpu);
    get(path_of(&gpu, ""), text, sizeof text);
    at = strstr(text, from);
    assert_non_null(at);
    *strstr(text, "checksum = ") = '\0';
    int n = snprintf(forged, sizeof forged, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    for (int i = 0; i < n; i++)
        h = (h ^ (unsigned char)forged[i]) * 0x100000001b3u;
    n += snprintf(forged + n, sizeof forged - (size_t)n, "checksum = %016" PRIx64 "\n", h);
    put(path_of(&gpu, ""), forged, (size_t)n);
}

static void only_what_can_have_been_measured_is_believed(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "1000000 nan 0 7",
        "1000000 inf 0 7",
        "1000000 0 0 7",
        "1000000 -1 0 7",
        "0 1 0 7",
        "-1e6 1 0 7",
        "1e999 1 0 7",
        "1e6 1 -1 7",
        "1e6 1 nan 7",
        "1e6 1 0 0",
        "1e6 1 0",
        "1e6 1 0 7 8",
        "",
        "x",
    };
    struct plb_error err = {.status = PLB_OK};
    struct plb_profile p;
    forge("1000000 0.0123456789 0 7", "1000000 0.5 0 7");
    assert_int_equal(plb_profile_load(folder, &gpu, &p, &err), PLB_OK); /* the forgery itself is good */
    assert_true(p.n == 3 && p.at[0].execute_s == 0.5);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        forge("1000000 0.0123456789 0 7", rows[i]);
        refused(&gpu, "four numbers");
    }
    char many[PLB_PROFILE_ROWS * 20] = "";
    for (int i = 0; i < PLB_PROFILE_ROWS - 2; i++)
        strcat(many, "task = 1e6 1 0 7\n");
    forge("task = 1000000 ", strcat(many, "task = 1000000 "));
    refused(&gpu, "four numbers");
    forge("format = 1", "format = 2");
    refused(&gpu, "format");
    forge("format = 1", "");
    refused(&gpu, "format");
    forge("threads = 1", "threads = many");
    refused(&gpu, "key");
    forge("[samples]", "[else]");
    refused(&gpu, "no sample");
    forge("[samples]", "[samples");
    refused(&gpu, "unknown line");
    unlink(path_of(&gpu, ".damaged"));
}

static void the_profile_of_another_pu_is_refused(void **state)
{
    (void)state;
    struct plb_profile_key other = gpu;
    char from[400];
    strcpy(other.model, "Other CPU, slowdown 2");
    save(&other);
    snprintf(from, sizeof from, "%s", path_of(&other, ""));
    assert_int_equal(rename(from, path_of(&gpu, "")), 0);
    refused(&gpu, "belongs to another PU, kernel or machine");
    unlink(path_of(&gpu, ".damaged"));
}

static void the_profile_of_another_build_is_left_alone(void **state)
{
    (void)state;
    struct plb_profile_key other = gpu;
    struct plb_error err = {.status = PLB_OK};
    struct plb_profile p = example();
    strcpy(other.build, "fedcba9876543210");
    save(&other);
    assert_int_equal(plb_profile_load(folder, &gpu, &p, &err), PLB_OK);
    assert_int_equal(p.n, 0);
    assert_true(there(&other, ""));
    unlink(path_of(&other, ""));
}

static void the_folder_follows_the_rules(void **state)
{
    (void)state;
    char found[200], wanted[200];
    struct stat info;
    struct plb_error err = {.status = PLB_OK};
    setenv("XDG_CACHE_HOME", "/x/cache", 1);
    setenv("HOME", "/home/me", 1);
    assert_true(plb_profile_folder(found, sizeof found));
    assert_string_equal(found, "/x/cache/plbrun/profiles");
    assert_false(plb_profile_folder(found, 10));
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_true(plb_profile_folder(found, sizeof found));
    assert_string_equal(found, "/home/me/.cache/plbrun/profiles");
    unsetenv("HOME");
    assert_false(plb_profile_folder(found, sizeof found));
    snprintf(wanted, sizeof wanted, "%s/a/b", scratch);
    setenv("XDG_CACHE_HOME", wanted, 1);
    assert_true(plb_profile_folder(found, sizeof found));
    assert_int_equal(plb_profile_make_folder(found, &err), PLB_OK);
    assert_int_equal(plb_profile_make_folder(found, &err), PLB_OK); /* it may be there */
    assert_true(stat(found, &info) == 0 && (info.st_mode & 0777) == 0700);
    snprintf(found, sizeof found, "%s/file", scratch);
    put(found, "", 0);
    snprintf(wanted, sizeof wanted, "%s/file/plbrun/profiles", scratch);
    assert_int_equal(plb_profile_make_folder(wanted, &err), PLB_EFAILED);
    assert_non_null(strstr(err.text, "/file/plbrun cannot be created"));
    err = (struct plb_error){.status = PLB_OK};
    struct plb_profile p = example();
    assert_int_equal(plb_profile_save(wanted, &gpu, &p, &err), PLB_EFAILED);
}

static struct plb_sample task(double work, double seconds)
{
    return (struct plb_sample){work, seconds, 0.0, 1, 5.0, false};
}

static void many_samples_become_few_over_all_sizes(void **state)
{
    (void)state;
    struct plb_sample samples[1000];
    struct plb_profile p;
    for (int i = 0; i < 1000; i++) /* 1 to 1e6, evenly by ratio, in no order */
        samples[i * 7 % 1000] = task(pow(10.0, 6.0 * i / 999.0), 0.01 * pow(10.0, 6.0 * i / 999.0));
    plb_profile_pool(samples, 1000, 0, &p);
    assert_int_equal(p.n, PLB_PROFILE_ROWS);
    for (int i = 1; i < p.n; i++)
        assert_true(p.at[i].work > p.at[i - 1].work && p.at[i].work < 3.0 * p.at[i - 1].work);
    assert_true(p.at[0].work < 1.6 && p.at[p.n - 1].work > 6e5);
    assert_true(plb_profile_spreads(&p));
}

static void each_size_gives_its_median(void **state)
{
    (void)state;
    const struct plb_sample samples[] = {
        task(100.0, 1.0),   task(100.0, 9.0),   task(100.0, 1.1),
        task(100.0, 0.01),  task(100.0, 1.2),   /* median 1.1 */
        task(1000.0, 20.0), task(1000.0, 10.0), /* the faster of two */
        task(NAN, 1.0),     task(50.0, NAN),    task(0.0, 1.0),
        task(1e9, 0.0),     task(-5.0, 1.0),    task(INFINITY, 1.0),
    };
    struct plb_profile p;
    plb_profile_pool(samples, 13, 0, &p);
    assert_int_equal(p.n, 2);
    assert_true(p.at[0].work == 100.0 && p.at[0].execute_s == 1.1);
    assert_true(p.at[1].work == 1000.0 && p.at[1].execute_s == 10.0);
    assert_true(p.at[0].time == 0.0 && p.at[0].block_end);
    plb_profile_pool(samples + 7, 6, 0, &p);
    assert_int_equal(p.n, 0);
    assert_false(plb_profile_spreads(&p));
    const struct plb_sample extremes[] = {task(5e-324, 1.0), task(1.7e308, 1.0)};
    plb_profile_pool(extremes, 2, 0, &p);
    assert_int_equal(p.n, 2);
    const struct plb_sample alike[] = {task(100.0, 1.0), task(140.0, 1.4)};
    plb_profile_pool(alike, 2, 0, &p);
    assert_false(plb_profile_spreads(&p));
}

static void what_is_new_replaces_what_is_old(void **state)
{
    (void)state;
    const struct plb_sample samples[] = {
        task(10.0, 1.0),  task(100.0, 1.0),  task(100.0, 1.0), task(100.0, 1.0), /* old */
        task(100.0, 5.0), task(1000.0, 7.0),                                     /* new */
    };
    struct plb_profile p;
    plb_profile_pool(samples, 6, 4, &p);
    assert_int_equal(p.n, 3);
    assert_true(p.at[0].work == 10.0 && p.at[0].execute_s == 1.0);
    assert_true(p.at[1].work == 100.0 && p.at[1].execute_s == 5.0);
    assert_true(p.at[2].work == 1000.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_yet_is_no_mistake),
        cmocka_unit_test(what_is_saved_is_loaded),
        cmocka_unit_test(names_can_be_read),
        cmocka_unit_test(a_file_cut_anywhere_is_set_aside),
        cmocka_unit_test(a_changed_byte_is_noticed),
        cmocka_unit_test(only_what_can_have_been_measured_is_believed),
        cmocka_unit_test(the_profile_of_another_pu_is_refused),
        cmocka_unit_test(the_profile_of_another_build_is_left_alone),
        cmocka_unit_test(the_folder_follows_the_rules),
        cmocka_unit_test(many_samples_become_few_over_all_sizes),
        cmocka_unit_test(each_size_gives_its_median),
        cmocka_unit_test(what_is_new_replaces_what_is_old),
    };
    if (mkdtemp(scratch) == NULL)
        return 1;
    snprintf(folder, sizeof folder, "%s/profiles", scratch);
    struct plb_error err = {.status = PLB_OK};
    if (plb_profile_make_folder(folder, &err) != PLB_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[120];
    snprintf(command, sizeof command, "rm -r %s", scratch);
    return system(command) == 0 ? failed : 1;
}
