/* Servers of the kernel `command`: answers, and the ends of servers. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../kernels/command/progress.h"
#include "../../kernels/command/server.h"
#include "plb/kernel.h"

static int32_t cancelled;
static const struct plb_task task = {.cancelled = &cancelled};
static struct command_progress progress = {.task = &task};

static struct command_server begin(const char *script, char separator, const char *end)
{
    struct command_server s = {.separator = separator, .end = end};
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)script, NULL};
    struct command_child child = {argv, environ, "/bin/sh", NULL, 0.0, &progress};
    int reason;
    assert_true(command_server_start(&s, &child, &reason));
    return s;
}

static void finish(struct command_server *s, double grace, int exit, int signal)
{
    int status, ended_by;
    command_server_end(s, grace, &status, &ended_by);
    assert_int_equal(status, exit);
    assert_int_equal(ended_by, signal);
    close(s->err);
    free(s->to.at);
    free(s->from.at);
}

static void send(struct command_server *s, const char *text)
{
    command_server_send(s, text, strlen(text));
}

static void assert_answer(struct command_server *s, const char *wanted)
{
    const char *answer;
    size_t n;
    assert_int_equal(command_server_answer(s, 10.0, &progress, &answer, &n), COMMAND_ANSWER);
    assert_int_equal(n, strlen(wanted));
    assert_memory_equal(answer, wanted, n);
}

static enum command_heard hear(struct command_server *s, double most)
{
    const char *answer;
    size_t n;
    return command_server_answer(s, most, &progress, &answer, &n);
}

static void each_line_has_its_answer(void **state)
{
    (void)state;
    struct command_server s = begin("while read l; do echo \"<$l>\"; echo \"! $l\" >&2; done; exit 3", '\n',
                                    NULL);
    struct command_text errors = {NULL, 0, 0};
    send(&s, "a\nb c\n");
    assert_answer(&s, "<a>\n");
    assert_answer(&s, "<b c>\n");
    assert_false(command_server_chatters(&s));
    command_server_errors(&s, &errors);
    send(&s, "\n");
    assert_answer(&s, "<>\n");
    command_server_errors(&s, &errors);
    assert_true(strncmp(errors.at, "! a\n", 4) == 0);
    free(errors.at);
    finish(&s, 10.0, 3, 0);
}

static void an_answer_ends_as_it_is_said(void **state)
{
    (void)state;
    struct command_server s = begin(
        "while read l; do printf 'x %s\\nEN\\nEND \\n' $l; sleep 0.01; printf 'E'; "
        "sleep 0.01; echo ND; done; echo more",
        '\n', "END");
    send(&s, "1\n2\n");
    assert_answer(&s, "x 1\nEN\nEND \n");
    assert_answer(&s, "x 2\nEN\nEND \n");
    finish(&s, 10.0, 0, 0);
    struct command_server bare = begin("while read l; do echo END; done", '\n', "END");
    send(&bare, "1\n");
    assert_answer(&bare, "");
    finish(&bare, 10.0, 0, 0);
}

static void nul_ends_lines_of_any_text(void **state)
{
    (void)state;
    struct command_server s = begin("exec stdbuf -o0 cat", '\0', NULL);
    const char *answer;
    size_t n;
    command_server_send(&s, "two\nlines\0last", 15);
    assert_int_equal(command_server_answer(&s, 10.0, &progress, &answer, &n), COMMAND_ANSWER);
    assert_true(n == 10 && memcmp(answer, "two\nlines", 10) == 0);
    assert_int_equal(command_server_answer(&s, 10.0, &progress, &answer, &n), COMMAND_ANSWER);
    assert_true(n == 5 && memcmp(answer, "last", 5) == 0);
    finish(&s, 10.0, 0, 0);
}

/* The pipes have room for 64 KiB each. */
static void neither_side_waits_for_the_other(void **state)
{
    (void)state;
    enum { LINES = 40, BYTES = 100000 };
    struct command_server s = begin("exec cat", '\n', NULL);
    char *line = malloc(BYTES);
    const char *answer;
    size_t n;
    assert_non_null(line);
    memset(line, 'x', BYTES);
    line[BYTES - 1] = '\n';
    for (int i = 0; i < LINES; i++) {
        line[0] = (char)('A' + i);
        command_server_send(&s, line, BYTES);
    }
    for (int i = 0; i < LINES; i++) {
        assert_int_equal(command_server_answer(&s, 60.0, &progress, &answer, &n), COMMAND_ANSWER);
        assert_true(n == BYTES && answer[0] == 'A' + i);
    }
    free(line);
    finish(&s, 10.0, 0, 0);
}

static void the_end_of_a_server_is_seen(void **state)
{
    (void)state;
    struct command_server s = begin("read l; echo $l; read l; exit 7", '\n', NULL);
    send(&s, "a\nb\nc\n");
    assert_answer(&s, "a\n"); /* what it wrote before counts */
    assert_int_equal(hear(&s, 10.0), COMMAND_ENDED);
    finish(&s, 0.0, 7, 0);
    struct command_server left = begin("sleep 98 & kill -9 $$", '\n', NULL); /* its output stays open */
    send(&left, "a\n");
    assert_int_equal(hear(&left, 10.0), COMMAND_ENDED);
    finish(&left, 0.0, 0, SIGKILL);
    struct command_server closed = begin("exec >&-; exec sleep 98", '\n', NULL);
    send(&closed, "a\n");
    assert_int_equal(hear(&closed, 10.0), COMMAND_ENDED);
    finish(&closed, 0.0, 0, SIGTERM);
}

static void a_server_may_be_too_late_or_unwanted(void **state)
{
    (void)state;
    struct command_server s = begin("read l; exec sleep 98", '\n', NULL);
    send(&s, "a\n");
    assert_int_equal(hear(&s, 0.1), COMMAND_LATE);
    cancelled = 1;
    assert_int_equal(hear(&s, 10.0), COMMAND_CANCELLED);
    cancelled = 0;
    finish(&s, -1.0, 0, SIGKILL);
}

static void more_than_an_answer_is_noticed(void **state)
{
    (void)state;
    struct command_server s = begin("while read l; do printf 'a\\nb\\n'; done", '\n', NULL);
    send(&s, "1\n");
    assert_answer(&s, "a\n");
    for (int i = 0; i < 1000 && !command_server_chatters(&s); i++)
        usleep(10000);
    assert_true(command_server_chatters(&s));
    finish(&s, 10.0, 0, 0);
}

static void it_has_time_to_end(void **state)
{
    (void)state;
    struct command_server s = begin("cat >/dev/null; sleep 0.3; exit 5", '\n', NULL);
    finish(&s, 10.0, 5, 0);
    struct command_server deaf = begin("exec sleep 98", '\n', NULL);
    finish(&deaf, 0.1, 0, SIGTERM);
}

__attribute__((unused)) static void one_that_is_not_there_does_not_start(void **state)
{
    (void)state;
    struct command_server s = {.separator = '\n'};
    char *argv[] = {(char[]){"no"}, NULL};
    struct command_child child = {argv, environ, "/no/such/program", NULL, 0.0, &progress};
    int reason = 0;
    assert_false(command_server_start(&s, &child, &reason));
    assert_int_equal(reason, 2); /* ENOENT */
    free(s.to.at);
    free(s.from.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_has_its_answer),
        cmocka_unit_test(an_answer_ends_as_it_is_said),
        cmocka_unit_test(nul_ends_lines_of_any_text),
        cmocka_unit_test(neither_side_waits_for_the_other),
        cmocka_unit_test(the_end_of_a_server_is_seen),
        cmocka_unit_test(a_server_may_be_too_late_or_unwanted),
        cmocka_unit_test(more_than_an_answer_is_noticed),
        cmocka_unit_test(it_has_time_to_end),
#ifndef __SANITIZE_THREAD__ /* it makes vfork a fork, whose child cannot say why */
        cmocka_unit_test(one_that_is_not_there_does_not_start),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
