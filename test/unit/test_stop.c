/* An end by a signal is said once: not again where the reason was told. Files that are begun do not stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"
#include "folder.h"

/* Puts into `text` the words of a child on stderr that gets SIGTERM after `explained`, or not. */
static void said_at_an_end(bool speaks, bool explained, char text[200])
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        plb_stop_prepare(speaks);
        if (explained)
            plb_stop_is_explained();
        raise(SIGTERM);
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; n < 199 && (got = read(ends[0], text + n, 199 - n)) > 0; n += (size_t)got)
        continue;
    text[n] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

static void an_end_is_said(void **state)
{
    (void)state;
    char text[200];
    said_at_an_end(true, false, text);
    assert_string_equal(text, "plbrun: interrupted; no output is written\n");
}

static void one_that_is_explained_says_no_more(void **state)
{
    (void)state;
    char text[200];
    said_at_an_end(true, true, text);
    assert_string_equal(text, "");
}

static void another_rank_says_nothing(void **state)
{
    (void)state;
    char text[200];
    said_at_an_end(false, false, text);
    assert_string_equal(text, "");
}

/* As launchers and batch systems send them. Another one half a second later ends the program. */
static void two_signals_at_once_are_one_request(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        plb_stop_prepare(false);
        plb_stop_listen(true);
        raise(SIGINT);
        raise(SIGTERM);
        plb_stop_listen(false);
        raise(SIGTERM);
        if (plb_stop_asked() != SIGINT)
            _exit(1);
        usleep(600000);
        raise(SIGHUP);
        _exit(2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGHUP);
}

/* The signal that ends a child after it has done this; 0: it has ended by itself. */
static int signal_of(void (*act)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        plb_stop_prepare(false);
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void wish(void)
{
    raise(SIGUSR1);
}

static void heed_and_wish(void)
{
    plb_stop_heed_wishes();
    if (plb_stop_wished())
        _exit(1);
    raise(SIGUSR1);
    usleep(600000);
    raise(SIGUSR1); /* nobody listens */
    if (!plb_stop_wished() || plb_stop_asked() != 0)
        _exit(2);
}

static void wish_twice(void)
{
    plb_stop_heed_wishes();
    plb_stop_listen(true);
    raise(SIGUSR1);
    raise(SIGUSR1); /* the same wish */
    if (plb_stop_asked() != 0)
        _exit(3);
    usleep(600000);
    raise(SIGUSR1);
    if (plb_stop_asked() != SIGUSR1 || strcmp(plb_stop_name(), "SIGUSR1") != 0)
        _exit(4);
    plb_stop_listen(false);
    usleep(600000);
    raise(SIGUSR1); /* rank 0 writes what the run has made */
}

static void a_wish_waits_where_it_is_heeded(void **state)
{
    (void)state;
    assert_int_equal(signal_of(wish), SIGUSR1);
    assert_int_equal(signal_of(heed_and_wish), 0);
    assert_int_equal(signal_of(wish_twice), 0);
}

/* A kernel, or a library, calls exit. */
static void an_exit_leaves_no_file(void **state)
{
    const struct folder *folder = *state;
    char kept[140], removed[140];
    int status;
    snprintf(kept, sizeof kept, "%s/kept", folder->path);
    snprintf(removed, sizeof removed, "%s/removed", folder->path);
    put(folder->file, "x", 1);
    put(kept, "x", 1);
    put(removed, "x", 1);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        plb_stop_prepare(false);
        plb_stop_remove(folder->file);
        plb_stop_remove(kept);
        plb_stop_remove(removed);
        plb_stop_keep(kept);
        plb_stop_keep(NULL);
        exit(3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert_int_not_equal(access(folder->file, F_OK), 0);
    assert_int_not_equal(access(removed, F_OK), 0);
    assert_int_equal(unlink(kept), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_end_is_said),
        cmocka_unit_test(one_that_is_explained_says_no_more),
        cmocka_unit_test(another_rank_says_nothing),
        cmocka_unit_test(two_signals_at_once_are_one_request),
        cmocka_unit_test(a_wish_waits_where_it_is_heeded),
        TEST_IN_FOLDER(an_exit_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
