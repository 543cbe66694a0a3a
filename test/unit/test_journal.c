/* Records and snapshots: whatever byte is torn off or changed, what is read was written, or there is nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "folder.h"
#include "journal/found.h"
#include "journal/identity.h"
#include "journal/joblog.h"
#include "journal/snapshot.h"
#include "journal/state.h"

enum { UNITS = 100, ID = 77 };

static struct plb_journal_files open_files(const char *path, int flags)
{
    struct plb_journal_files files = {
        .path = strdup(path), .fd = open(path, flags, 0600), .data = -1, .direct = -1};
    assert_true(files.fd >= 0);
    return files;
}

static void append_units(int fd, int pass, int64_t first, int64_t count)
{
    struct plb_record_pass of = {.pass = pass};
    struct plb_record_done done = {.first = first, .count = count};
    assert_true(plb_record_append(fd, PLB_RECORD_DONE, &of, sizeof of, &done, sizeof done));
}

/* A journal with the units 10 to 19, and a last record with 40 to 44. Returns where that record begins. */
static size_t write_journal(const char *path, const char *job)
{
    struct plb_record_job head = {.id = ID};
    struct stat info;
    struct plb_journal_files files = open_files(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
    memcpy(head.magic, PLB_RECORD_MAGIC, sizeof head.magic);
    assert_true(plb_record_append(files.fd, PLB_RECORD_JOB, &head, sizeof head, job, strlen(job)));
    append_units(files.fd, 1, 10, 10);
    assert_int_equal(fstat(files.fd, &info), 0);
    append_units(files.fd, 1, 40, 5);
    plb_journal_files_close(&files);
    return (size_t)info.st_size;
}

static char *read_file(const char *path, size_t *bytes)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_journal_files files = open_files(path, O_RDONLY);
    char *contents;
    assert_true(plb_journal_files_read(&files, &contents, bytes, &err));
    plb_journal_files_close(&files);
    return contents;
}

/* The accepted units of pass 1; -1 where the file is refused. */
static int64_t units_in(const char *path)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_found found;
    struct plb_rangeset units = {0};
    struct plb_journal_files files = open_files(path, O_RDONLY);
    int64_t n = -1;
    if (plb_found_read(&found, &files, &err) == PLB_OK) {
        assert_true(plb_found_units(&found, 1, UNITS, &units));
        n = units.units;
        for (int i = 0; i < units.n; i++)
            assert_true((units.at[i].first == 10 && units.at[i].count == 10)
                        || (units.at[i].first == 40 && units.at[i].count == 5));
    }
    plb_found_fini(&found);
    plb_rangeset_fini(&units);
    plb_journal_files_close(&files);
    return n;
}

static void a_torn_record_does_not_count(void **state)
{
    const struct folder *folder = *state;
    size_t bytes, last = write_journal(folder->file, "kernel\tmine\n");
    char *whole = read_file(folder->file, &bytes);
    assert_int_equal(units_in(folder->file), 15);
    for (size_t n = last; n < bytes; n++) {
        put(folder->file, whole, n);
        assert_int_equal(units_in(folder->file), 10);
    }
    free(whole);
}

static void a_changed_bit_is_seen(void **state)
{
    const struct folder *folder = *state;
    size_t bytes, last = write_journal(folder->file, "kernel\tmine\n");
    char *whole = read_file(folder->file, &bytes);
    for (size_t n = last; n < bytes; n++)
        for (int bit = 0; bit < 8; bit++) {
            whole[n] = (char)(whole[n] ^ 1 << bit);
            put(folder->file, whole, bytes);
            assert_int_equal(units_in(folder->file), 10);
            whole[n] = (char)(whole[n] ^ 1 << bit);
        }
    free(whole);
}

/* A job that is torn off is one that has kept nothing; a changed one is refused, or taken for a torn one. */
/* Units 10 to 19 were damaged on disk and 10 to 13 executed again: these count, and 14 to 19 do not. */
static void the_last_record_of_a_unit_tells_whether_its_outputs_are_whole(void **state)
{
    static const struct plb_range ranges[] = {{10, 10}, {40, 5}, {10, 4}};
    const struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    int64_t memory[UNITS];
    struct plb_dataset set = {.n = 1, .on_rank0 = true, .units = UNITS};
    struct plb_record_pass of = {.pass = 1};
    struct plb_rangeset units = {0};
    struct plb_found found;
    for (int u = 0; u < UNITS; u++)
        memory[u] = u;
    set.at[0] = (struct plb_data){.name = "out", .mode = PLB_OUTPUT, .data = memory, .unit_bytes = 8};
    set.host[0] = memory;
    write_journal(folder->file, "kernel\tmine\n");
    struct plb_journal_files files = open_files(folder->file, O_RDWR | O_APPEND);
    for (int i = 0; i < 3; i++) {
        struct plb_record_done done = {.first = ranges[i].first, .count = ranges[i].count};
        done.sum = plb_journal_files_sum(&set, ranges[i]) + (i == 0);
        assert_true(plb_record_append(files.fd, PLB_RECORD_DONE, &of, sizeof of, &done, sizeof done));
    }
    assert_int_equal(plb_found_read(&found, &files, &err), PLB_OK);
    assert_true(plb_found_units(&found, 1, UNITS, &units));
    assert_int_equal(units.units, 15);
    plb_found_check(&found, 1, &set, &units);
    assert_int_equal(units.units, 9);
    assert_true(plb_rangeset_overlaps(&units, (struct plb_range){13, 1}));
    assert_false(plb_rangeset_overlaps(&units, (struct plb_range){14, 6}));
    plb_found_check(&found, 2, &set, &units); /* records of another pass tell nothing */
    assert_int_equal(units.units, 9);
    plb_found_fini(&found);
    plb_rangeset_fini(&units);
    plb_journal_files_close(&files);
}

static void a_damaged_head_gives_no_units(void **state)
{
    const struct folder *folder = *state;
    size_t bytes;
    write_journal(folder->file, "kernel\tmine\n");
    char *whole = read_file(folder->file, &bytes);
    for (size_t n = 0; n < 44; n++) { /* without the zeros at its end */
        put(folder->file, whole, n);
        assert_int_equal(units_in(folder->file), 0);
        whole[n] ^= 4;
        put(folder->file, whole, bytes);
        assert_true(units_in(folder->file) <= 0);
        whole[n] ^= 4;
    }
    put(folder->file, "no journal at all", 17);
    assert_int_equal(units_in(folder->file), -1);
    free(whole);
}

static void units_beyond_the_job_are_refused(void **state)
{
    const struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_found found;
    struct plb_rangeset units = {0};
    write_journal(folder->file, "kernel\tmine\n");
    struct plb_journal_files files = open_files(folder->file, O_RDONLY);
    assert_int_equal(plb_found_read(&found, &files, &err), PLB_OK);
    assert_int_equal(found.what, PLB_FOUND_BROKEN);
    assert_int_equal(found.id, ID);
    assert_int_equal(found.last_pass, 1);
    assert_false(plb_found_units(&found, 1, 44, &units));
    assert_true(plb_found_units(&found, 2, 44, &units));
    plb_found_fini(&found);
    plb_rangeset_fini(&units);
    plb_journal_files_close(&files);
}

/* Sums with the units 3 to 5 in them, of pass 2. */
static void a_snapshot_is_whole_or_not_there(void **state)
{
    const struct folder *folder = *state;
    const struct plb_snapshot of = {.id = ID, .pass = 2}, other = {.id = ID + 1, .pass = 2};
    struct plb_rangeset in = {0}, out = {0};
    char sums[16] = "fifteen letters", read[16] = "";
    size_t bytes;
    plb_rangeset_add(&in, (struct plb_range){3, 3});
    assert_true(plb_state_write_sums(folder->file, &of, &in, sums, sizeof sums));
    assert_true(plb_state_read_sums(folder->file, &of, UNITS, &out, read, sizeof read));
    assert_int_equal(out.units, 3);
    assert_int_equal(out.at[0].first, 3);
    assert_string_equal(read, sums);
    assert_false(plb_state_read_sums(folder->file, &other, UNITS, &out, read, sizeof read));
    assert_int_equal(out.units, 0);
    char *whole = read_file(folder->file, &bytes);
    for (size_t n = 0; n < bytes; n++) {
        put(folder->file, whole, n);
        assert_false(plb_state_read_sums(folder->file, &of, UNITS, &out, read, sizeof read));
        whole[n] ^= 16;
        put(folder->file, whole, bytes);
        assert_false(plb_state_read_sums(folder->file, &of, UNITS, &out, read, sizeof read));
        assert_int_equal(out.units, 0);
        whole[n] ^= 16;
    }
    free(whole);
    plb_rangeset_fini(&in);
    plb_rangeset_fini(&out);
}

/* A snapshot with sums that another program has written: bytes that have no meaning follow its parts. */
static void sums_of_another_length_are_refused(void **state)
{
    const struct folder *folder = *state;
    const struct plb_snapshot of = {.id = ID, .pass = 2};
    struct plb_rangeset out = {0};
    struct plb_range range = {3, 3};
    int64_t n = 1;
    char sums[16] = "fifteen letters", read[16] = "", more[5] = "more";
    const struct plb_snapshot_part parts[] = {
        {&n, sizeof n}, {&range, sizeof range}, {sums, sizeof sums}, {more, sizeof more}};
    assert_true(plb_snapshot_write(folder->file, &of, parts, 3));
    assert_true(plb_state_read_sums(folder->file, &of, UNITS, &out, read, sizeof read));
    assert_true(plb_snapshot_write(folder->file, &of, parts, 4));
    assert_false(plb_state_read_sums(folder->file, &of, UNITS, &out, read, sizeof read));
    plb_rangeset_fini(&out);
}

/* Whether the begin of a pass of a kernel with one phase is read, where it has these numbers. */
static bool reads_pass(const char *path, int pass, int before, int64_t changed)
{
    static const struct plb_kernel kernel = {.name = "mine"};
    double buffer[2] = {1.0, 2.0};
    struct plb_pass_state state;
    int read = 0;
    struct plb_snapshot head = {.id = ID, .pass = pass};
    struct plb_pass_state begin = {.changed = changed, .passes = {before}};
    struct plb_snapshot_part parts[] = {{&begin, sizeof begin}, {buffer, sizeof buffer}};
    struct plb_app *app = plb_alloc(sizeof *app);
    app->kernel = &kernel;
    app->n_data = 1;
    app->data[0] = (struct plb_data){.mode = PLB_REPLICATE, .data = buffer, .bytes = sizeof buffer};
    assert_true(plb_snapshot_write(path, &head, parts, (changed & 1) != 0 ? 2 : 1));
    bool right = plb_state_read_pass(path, ID, app, &state, &read) == PLB_OK;
    if (right) {
        assert_int_equal(read, pass);
        assert_int_equal(state.changed, changed);
        assert_int_equal(app->passes[0], before);
    }
    free(app);
    return right;
}

static void a_pass_that_no_run_has_is_refused(void **state)
{
    const struct folder *folder = *state;
    assert_true(reads_pass(folder->file, 3, 2, 1));
    assert_true(reads_pass(folder->file, 3, 2, 0));
    assert_false(reads_pass(folder->file, 0, -1, 1));
    assert_false(reads_pass(folder->file, 0, 0, 1));
    assert_false(reads_pass(folder->file, 3, 1, 1));
    assert_false(reads_pass(folder->file, 3, 2, 1 | (int64_t)1 << 40));
}

/* A host's name without an end, and ranges that no job has. */
static void a_joblog_of_strange_records_has_its_lines(void **state)
{
    const struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_record_pu pu = {.node = 0};
    char *text = NULL, host[sizeof pu.host + 1] = "";
    size_t size;
    memset(host, 'h', sizeof pu.host);
    memset(pu.host, 'h', sizeof pu.host);
    write_journal(folder->file, "kernel\tmine\n");
    struct plb_journal_files files = open_files(folder->file, O_RDWR | O_APPEND);
    assert_true(plb_record_append(files.fd, PLB_RECORD_PUS, &pu, sizeof pu, "", 0));
    append_units(files.fd, 1, INT64_MAX, 7);
    append_units(files.fd, 1, -5, 3);
    append_units(files.fd, 1, 5, 0);
    append_units(files.fd, 1, 60, 2);
    plb_journal_files_close(&files);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(plb_joblog_print(folder->file, out, &err), PLB_OK);
    fclose(out);
    char *last = strstr(text, "\n3\t");
    assert_non_null(last);
    assert_memory_equal(last + 3, host, sizeof pu.host);
    assert_string_equal(last + 3 + sizeof pu.host,
                        "\t0.000\t     0.000\t0\t0\t0\t0\tmine, pass 1: units 60 to 61\n");
    free(text);
}

/* Results that a journal names for people alone: no run takes them for kept. */
static void told_results_do_not_count(void **state)
{
    const struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_record_past told[] = {{{1, 0}, {.first = 60, .count = 5}}, {{2, 0}, {.first = 0, .count = 2}}};
    struct plb_found found;
    char *text = NULL;
    size_t size;
    write_journal(folder->file, "kernel\tmine\n");
    struct plb_journal_files files = open_files(folder->file, O_RDWR | O_APPEND);
    assert_true(plb_record_append(files.fd, PLB_RECORD_PAST, told, sizeof told, "", 0));
    assert_int_equal(plb_found_read(&found, &files, &err), PLB_OK);
    assert_int_equal(found.what, PLB_FOUND_BROKEN);
    assert_int_equal(found.last_pass, 1);
    plb_found_fini(&found);
    plb_journal_files_close(&files);
    assert_int_equal(units_in(folder->file), 15);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(plb_joblog_print(folder->file, out, &err), PLB_OK);
    fclose(out);
    assert_non_null(strstr(text, "mine, pass 1: units 40 to 44\n3\t"));
    assert_non_null(strstr(text, "mine, pass 1: units 60 to 64\n4\t"));
    assert_non_null(strstr(text, "mine, pass 2: units 0 to 1\n"));
    free(text);
}

static void differs(const char *text_a, const char *text_b, const char *name, const char *a, const char *b)
{
    const char *found = "", *there = "", *here = "";
    char *copy_a = strdup(text_a), *copy_b = strdup(text_b);
    bool same = plb_identity_same(copy_a, copy_b, &found, &there, &here);
    assert_int_equal(same, name == NULL);
    if (name != NULL) {
        assert_string_equal(found, name);
        assert_string_equal(there, a);
        assert_string_equal(here, b);
    }
    free(copy_a);
    free(copy_b);
}

static void the_first_difference_has_a_name(void **state)
{
    char value[8];
    (void)state;
    differs("kernel\tmine\nunits\t5\n", "kernel\tmine\nunits\t5\n", NULL, "", "");
    differs("kernel\tmine\nunits\t5\n", "kernel\tmine\nunits\t6\n", "units", "5", "6");
    differs("kernel\tmine\n", "kernel\tmine\nunits\t6\n", "units", "nothing", "6");
    differs("kernel\tmine\nmore\t1\n", "kernel\tmine\nless\t1\n", "more", "1", "nothing");
    plb_identity_value("kernel\tmine\nunits\t5\n", "units", value, sizeof value);
    assert_string_equal(value, "5");
    plb_identity_value("kernel\tmine\nunits\t5\n", "unit", value, sizeof value);
    assert_string_equal(value, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(a_torn_record_does_not_count),
        TEST_IN_FOLDER(a_changed_bit_is_seen),
        TEST_IN_FOLDER(the_last_record_of_a_unit_tells_whether_its_outputs_are_whole),
        TEST_IN_FOLDER(a_damaged_head_gives_no_units),
        TEST_IN_FOLDER(units_beyond_the_job_are_refused),
        TEST_IN_FOLDER(a_snapshot_is_whole_or_not_there),
        TEST_IN_FOLDER(sums_of_another_length_are_refused),
        TEST_IN_FOLDER(a_pass_that_no_run_has_is_refused),
        TEST_IN_FOLDER(a_joblog_of_strange_records_has_its_lines),
        TEST_IN_FOLDER(told_results_do_not_count),
        cmocka_unit_test(the_first_difference_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
