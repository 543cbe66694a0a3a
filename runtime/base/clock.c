/* POSIX clocks as doubles. */
#include "base/clock.h"

#include <errno.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct timespec timespec(double time)
{
    struct timespec t = {.tv_sec = (time_t)time};
    t.tv_nsec = (long)((time - (double)t.tv_sec) * 1e9);
    return t;
}

double plb_now(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double plb_thread_seconds(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

void plb_sleep_until(double time)
{
    struct timespec t = timespec(time);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

void plb_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void plb_condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, double time)
{
    struct timespec t = timespec(time);
    pthread_cond_timedwait(condition, lock, &t);
}
