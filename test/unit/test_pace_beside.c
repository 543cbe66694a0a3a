/* The communication thread beside programs that want its core: it notices news far sooner than a thread that
 * yields. Both are measured in turn, on one core, and compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "every_rank/pace.h"
#include "host/thread.h"

enum { PROGRAMS = 2, TRIES = 8 };
#define ROUND_S 0.4

/* This process and its children share one of the CPUs that it may use. */
static void stay_on_one_core(void)
{
    cpu_set_t all, one;
    size_t cpu = 0;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

static pid_t start_program(void)
{
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile int i = 0; getppid() == parent;)
        i = i + 1;
    _exit(0);
}

struct round {
    bool only_yields;
    int noticed; /* how often a thread has seen news that come 50 us after the last ones */
};

static void *run_round(void *argument)
{
    int n = 0;
    struct round *round = argument;
    struct plb_pace pace;
    if (!round->only_yields)
        plb_thread_wakes_fast();
    double end = plb_now() + ROUND_S;
    plb_pace_init(&pace, 1, 1, 1);
    for (double now = plb_now(); now < end; now = plb_now()) {
        if (now >= pace.moved + 50e-6) {
            plb_pace_moved(&pace, now);
            n++;
        } else if (round->only_yields) {
            sched_yield();
        } else if (plb_pace_at_once(&pace, now, PLB_PACE_AWAITING, PLB_PACE_SOME)) {
            plb_pace_yield(&pace);
        } else {
            plb_sleep_until(now + plb_pace_sleep(&pace, now, PLB_PACE_AWAITING, PLB_PACE_SOME));
        }
    }
    round->noticed = n;
    return NULL;
}

/* In a thread of its own, since a thread that wakes fast stays one that does. */
static int noticed(bool only_yields)
{
    struct round round = {.only_yields = only_yields};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_round, &round), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return round.noticed;
}

/* Other processes of the machine may take the core from one of the two, so it is tried several times. */
static void news_are_noticed_sooner_than_by_yields(void **state)
{
    (void)state;
    int with_pace = 0, with_yields = 1;
    pid_t programs[PROGRAMS];
    stay_on_one_core();
    for (int i = 0; i < PROGRAMS; i++)
        programs[i] = start_program();
    for (int i = 0; i < TRIES && with_pace <= 8 * with_yields; i++) {
        with_yields = noticed(true);
        with_pace = noticed(false);
        print_message("noticed %d times, and %d times by yields\n", with_pace, with_yields);
    }
    for (int i = 0; i < PROGRAMS; i++) {
        kill(programs[i], SIGKILL);
        waitpid(programs[i], NULL, 0);
    }
    assert_true(with_pace > 8 * with_yields);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(news_are_noticed_sooner_than_by_yields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
