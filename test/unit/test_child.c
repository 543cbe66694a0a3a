/* A child process that makes calls: what it sees, how it ends, and that none is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "host/child.h"
#include "skip.h"

enum way { PID, READ, WRITE, SEGV, KILL, EXIT, HANG, THREADS };

struct request {
    enum way way;
    volatile int *at;
    int value;
};

static volatile int *exits; /* exit handlers that ran; shared */

static int threads(void)
{
    int n = 0;
#pragma omp parallel for num_threads(4) reduction(+ : n)
    for (int i = 0; i < 100; i++)
        n += i;
    return n;
}

static int work(void *context, void *request)
{
    struct request *r = request;
    assert_ptr_equal(context, &exits);
    switch (r->way) {
    case PID: return (int)getpid();
    case READ: return *r->at;
    case WRITE: *r->at = r->value; return 0;
    case SEGV:
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
        break; /* cmocka has a handler */
    case KILL: raise(SIGKILL); break;
    case EXIT: exit(3);
    case HANG:
        *r->at = (int)getpid();
        for (;;)
            pause();
    case THREADS: return threads();
    }
    return -1;
}

static void count_exits(void)
{
    ++*exits;
}

static int call(struct plb_child *c, struct request request)
{
    struct plb_child_end end;
    struct plb_error err = {.status = PLB_OK};
    int result = -1;
    *(struct request *)plb_child_request(c) = request;
    assert_int_equal(plb_child_call(c, &result, &end, &err), PLB_CHILD_ANSWERED);
    return result;
}

static struct plb_child_end ends(struct plb_child *c, struct request request)
{
    struct plb_child_end end = {0};
    struct plb_error err = {.status = PLB_OK};
    int result;
    *(struct request *)plb_child_request(c) = request;
    assert_int_equal(plb_child_call(c, &result, &end, &err), PLB_CHILD_ENDED);
    return end;
}

static struct plb_child *new_child(void)
{
    return plb_child_new(work, &exits, sizeof(struct request));
}

static void no_child_is_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void another_process_makes_all_calls(void **state)
{
    (void)state;
    struct plb_child *c = new_child();
    int pid = call(c, (struct request){PID, NULL, 0});
    assert_int_not_equal(pid, getpid());
    assert_int_equal(call(c, (struct request){PID, NULL, 0}), pid);
    plb_child_free(c);
    no_child_is_left();
}

static void memory_is_as_at_the_fork_unless_it_is_shared(void **state)
{
    (void)state;
    static volatile int private = 1;
    struct plb_child *c = new_child();
    volatile int *shared = plb_child_alloc(c, sizeof *shared);
    assert_int_equal(call(c, (struct request){READ, &private, 0}), 1);
    private = 2;
    *shared = 3;
    assert_int_equal(call(c, (struct request){READ, &private, 0}), 1);
    assert_int_equal(call(c, (struct request){READ, shared, 0}), 3);
    call(c, (struct request){WRITE, &private, 4});
    call(c, (struct request){WRITE, shared, 5});
    assert_int_equal(private, 2);
    assert_int_equal(*shared, 5);
    plb_child_renew(c);
    assert_int_equal(call(c, (struct request){READ, &private, 0}), 2);
    volatile int *more = plb_child_alloc(c, sizeof *more);
    call(c, (struct request){WRITE, more, 6});
    assert_int_equal(*more, 6);
    plb_child_free(c);
    plb_shared_free((void *)shared, sizeof *shared);
    plb_shared_free((void *)more, sizeof *more);
    no_child_is_left();
}

static void a_child_that_ends_takes_its_call_alone(void **state)
{
    (void)state;
    struct plb_child *c = new_child();
    assert_int_equal(ends(c, (struct request){SEGV, NULL, 0}).signal, SIGSEGV);
    assert_int_not_equal(call(c, (struct request){PID, NULL, 0}), getpid());
    struct plb_child_end end = ends(c, (struct request){KILL, NULL, 0});
    assert_int_equal(end.signal, SIGKILL);
    assert_false(end.asked);
    end = ends(c, (struct request){EXIT, NULL, 0});
    assert_int_equal(end.signal, 0);
    assert_int_equal(end.status, 3);
    assert_int_equal(*exits, 0); /* they are the parent's */
    call(c, (struct request){PID, NULL, 0});
    plb_child_free(c);
    no_child_is_left();
}

/* Its death between two calls is not the death of a call. */
static void a_child_that_ends_idle_is_replaced(void **state)
{
    (void)state;
    struct plb_child *c = new_child();
    pid_t pid = call(c, (struct request){PID, NULL, 0});
    siginfo_t info;
    kill(pid, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_not_equal(call(c, (struct request){PID, NULL, 0}), pid);
    plb_child_kill(c);
    call(c, (struct request){PID, NULL, 0});
    plb_child_free(c);
    no_child_is_left();
}

struct killer {
    struct plb_child *child;
    volatile int *began;
};

static void *kill_it(void *killer)
{
    struct killer *k = killer;
    while (__atomic_load_n(k->began, __ATOMIC_ACQUIRE) == 0)
        usleep(1000);
    plb_child_kill(k->child);
    return NULL;
}

static void any_thread_may_end_a_call(void **state)
{
    (void)state;
    pthread_t thread;
    struct killer k = {.child = new_child()};
    k.began = plb_child_alloc(k.child, sizeof *k.began);
    assert_int_equal(pthread_create(&thread, NULL, kill_it, &k), 0);
    struct plb_child_end end = ends(k.child, (struct request){HANG, k.began, 0});
    assert_int_equal(end.signal, SIGKILL);
    assert_true(end.asked);
    pthread_join(thread, NULL);
    plb_child_free(k.child);
    plb_shared_free((void *)k.began, sizeof *k.began);
    no_child_is_left();
}

static void a_child_starts_threads_of_openmp(void **state)
{
    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip_since("the thread sanitizer ends a child that starts threads");
#endif
    struct plb_child *c = new_child();
    assert_int_equal(call(c, (struct request){THREADS, NULL, 0}), 4950);
    assert_int_equal(call(c, (struct request){THREADS, NULL, 0}), 4950);
    plb_child_free(c);
}

/* The parent is killed in the middle of a call. Its child then becomes this process's. */
static void a_child_ends_with_its_parent(void **state)
{
    (void)state;
    volatile int *began = plb_shared_alloc(sizeof *began);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    pid_t parent = fork();
    if (parent == 0) {
        ends(new_child(), (struct request){HANG, began, 0});
        _exit(0);
    }
    while (__atomic_load_n(began, __ATOMIC_ACQUIRE) == 0)
        usleep(1000);
    kill(parent, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    for (int i = 0; i < 10000 && waitpid(*began, &status, WNOHANG) == 0; i++)
        usleep(1000);
    kill(*began, SIGKILL);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    plb_shared_free((void *)began, sizeof *began);
    no_child_is_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_process_makes_all_calls),
        cmocka_unit_test(memory_is_as_at_the_fork_unless_it_is_shared),
        cmocka_unit_test(a_child_that_ends_takes_its_call_alone),
        cmocka_unit_test(a_child_that_ends_idle_is_replaced),
        cmocka_unit_test(any_thread_may_end_a_call),
        cmocka_unit_test(a_child_starts_threads_of_openmp),
        cmocka_unit_test(a_child_ends_with_its_parent),
    };
    exits = plb_shared_alloc(sizeof *exits);
    atexit(count_exits); /* before any child: handlers that a child brings run first */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
