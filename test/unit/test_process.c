/* Processes by number and start: a number that is used again names another process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/process.h"
#include "skip.h"

/* A child that waits, with a name that looks like the end of one. */
static int start_child(void)
{
    int ends[2];
    char byte = 0;
    assert_int_equal(pipe(ends), 0);
    int pid = (int)fork();
    if (pid == 0) {
        prctl(PR_SET_NAME, "a) R 1 (b", 0, 0, 0);
        if (write(ends[1], &byte, 1) == 1)
            pause();
        _exit(1);
    }
    assert_true(pid > 0);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return pid;
}

/* Valgrind 3.19 does not know the call. */
static void skip_without_pidfds(void)
{
    int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (fd < 0 && errno == ENOSYS)
        skip_since("the system has no pidfd_open");
    assert_int_equal(close(fd), 0);
}

static void end_child(int pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_process_is_opened_by_number_and_start(void **state)
{
    (void)state;
    skip_without_pidfds();
    int pid = start_child();
    long long started = plb_process_started(pid);
    assert_true(started > 0 && started >= plb_process_started((int)getpid()));
    int fd = plb_process_open(pid, started);
    struct pollfd at = {.fd = fd, .events = POLLIN};
    assert_true(fd >= 0);
    assert_int_equal(poll(&at, 1, 0), 0);
    end_child(pid);
    assert_int_equal(poll(&at, 1, 0), 1);
    close(fd);
}

/* As one that has the number of a process that has ended. */
static void another_process_of_that_number_is_not_opened(void **state)
{
    (void)state;
    int pid = start_child();
    long long started = plb_process_started(pid);
    assert_true(plb_process_open(pid, started - 1) < 0);
    assert_true(plb_process_open(pid, 0) < 0);
    end_child(pid);
    assert_true(plb_process_open(pid, started) < 0);
    assert_true(plb_process_started(pid) == 0 && plb_process_state(pid) == '?');
}

static void the_state_of_a_process_is_seen(void **state)
{
    (void)state;
    int pid = start_child(), status;
    char now = plb_process_state(pid);
    assert_true(now == 'S' || now == 'R');
    kill(pid, SIGSTOP);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_int_equal(plb_process_state(pid), 'T');
    end_child(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_opened_by_number_and_start),
        cmocka_unit_test(another_process_of_that_number_is_not_opened),
        cmocka_unit_test(the_state_of_a_process_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
