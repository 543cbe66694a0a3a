/* Which files look the same, and the sentence about one that became shorter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/files.h"
#include "base/mapped.h"
#include "host/crash.h"
#include "plb/status.h"

#define BYTES (40 * 4096 + 100)

static char path[] = "/tmp/plb-files-XXXXXX";

/* A file of this length whose byte number `at` is another one. */
static struct plb_file_look look_of(int64_t bytes, int64_t at, int64_t seconds)
{
    const struct timespec times[2] = {{seconds, 5}, {seconds, 5}};
    struct plb_file_look look;
    char byte = 1;
    int fd = open(path, O_RDWR | O_TRUNC);
    assert_true(fd >= 0 && ftruncate(fd, bytes) == 0);
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    assert_int_equal(futimens(fd, times), 0);
    assert_true(plb_file_look(fd, &look));
    close(fd);
    return look;
}

static void a_file_looks_like_itself_alone(void **state)
{
    (void)state;
    struct plb_file_look one = look_of(BYTES, 7, 1000), same = look_of(BYTES, 7, 1000);
    assert_true(plb_file_looks_same(&one, &same));
    const struct plb_file_look others[] = {look_of(BYTES, 8, 1000), look_of(BYTES, BYTES - 1, 1000),
                                           look_of(BYTES + 1, 7, 1000), look_of(BYTES, 7, 1001)};
    for (int i = 0; i < 4; i++)
        assert_false(plb_file_looks_same(&one, &others[i]));
    struct plb_file_look unused;
    int folder = open("/tmp", O_RDONLY);
    assert_false(plb_file_look(folder, &unused));
    close(folder);
}

static void a_part_of_a_file_is_mapped(void **state)
{
    (void)state;
    look_of(BYTES, 5000, 1000);
    int fd = open(path, O_RDWR);
    char *in = plb_map(path, fd, 4999, 10, false), *out = plb_map(path, fd, 8190, 4, true), byte = 0;
    assert_true(in != NULL && out != NULL && in[0] == 0 && in[1] == 1);
    memset(out, 9, 4);
    assert_true(pread(fd, &byte, 1, 8193) == 1 && byte == 9);
    assert_string_equal(plb_mapped_path(in), path);
    assert_string_equal(plb_mapped_path(out + 3), path);
    assert_null(plb_mapped_path(&byte));
    struct plb_files files = {.n = 2, .at = {{.data = in, .bytes = 10}, {.data = out, .bytes = 4}}};
    assert_int_equal(plb_files_find(&files, in + 9), 0);
    assert_int_equal(plb_files_find(&files, out), 1);
    assert_int_equal(plb_files_find(&files, out + 4), -1);
    assert_int_equal(plb_files_find(&files, NULL), -1);
    plb_files_fini(&files);
    assert_null(plb_mapped_path(in));
    close(fd);
}

/* In a child, which ends by it. */
static void read_what_is_gone(int to)
{
    look_of(BYTES, 7, 1000);
    int fd = open(path, O_RDWR);
    volatile char *data = plb_map(path, fd, 0, BYTES, false);
    dup2(to, STDERR_FILENO);
    signal(SIGBUS, SIG_DFL); /* cmocka has taken it */
    plb_crash_watch(0);
    plb_crash_call("reader", "verify");
    if (data != NULL && ftruncate(fd, 4096) == 0)
        _exit(data[20 * 4096]);
    _exit(0);
}

static void the_sentence_names_a_file_that_became_shorter(void **state)
{
    (void)state;
    char text[500] = "";
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        read_what_is_gone(ends[1]);
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0); /* a sanitizer ends it otherwise */
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    assert_non_null(strstr(text, "kernel reader crashed (SIGBUS) in its function verify; /tmp/plb-files-"));
    assert_non_null(strstr(text, "became shorter"));
    close(ends[0]);
}

/* In a child, which ends by it. entry NULL: its setup does. */
static void call_exit(const char *entry, int to)
{
    struct plb_crash_call call = {.kernel = "mine", .unit = "things", .pu = 2};
    dup2(to, STDERR_FILENO);
    plb_crash_watch(4);
    if (entry != NULL)
        plb_crash_enter(&call);
    plb_crash_begin(entry, 5, 3);
    if (entry == NULL)
        plb_crash_call("mine", "setup");
    exit(3);
}

static void an_exit_of_a_kernel_is_named(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[500] = "";
        int ends[2], status;
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0)
            call_exit(i == 0 ? "mine" : NULL, ends[1]);
        close(ends[1]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == PLB_EFAILED);
        assert_true(read(ends[0], text, sizeof text - 1) > 0);
        const char *where = i == 0 ? " on its PU 2 in things 5 to 7" : " in its function setup";
        char right[500];
        snprintf(right, sizeof right,
                 "plbrun: rank 4: kernel mine called exit()%s; its functions end by return\n", where);
        assert_string_equal(text, right);
        close(ends[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_looks_like_itself_alone),
        cmocka_unit_test(a_part_of_a_file_is_mapped),
        cmocka_unit_test(the_sentence_names_a_file_that_became_shorter),
        cmocka_unit_test(an_exit_of_a_kernel_is_named),
    };
    close(mkstemp(path));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
