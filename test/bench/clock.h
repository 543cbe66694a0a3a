/* The clock of make bench-kernels. */
#ifndef CLOCK_H
#define CLOCK_H

#include <omp.h>
#include <time.h>

/* Seconds. With one thread these are CPU time, so that other programs on the machine disturb little. */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(omp_get_max_threads() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
