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
    struct timespec t = {.tv_sec = (time_t)time};
    t.tv_nsec = (long)((time - (double)t.tv_sec) * 1e9);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}
