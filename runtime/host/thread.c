/* Timer slack, and the time slices of Linux 6.12. */
#include "host/thread.h"

#include <omp.h>
#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nanoseconds by which a sleep may last longer, so that the system wakes several threads together. Larger:
 * sleeps of 20 us last longer. The system's own value is 50,000. */
#define SLACK 1000

/* Nanoseconds of a time slice, the least that Linux takes. Larger: the thread waits longer for a core, where
 * other threads have longer slices of all cores. */
#define SLICE 100000

/* Of linux/sched.h and linux/sched/types.h, which older systems lack. */
#define RESET_ON_FORK 1u

struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

void plb_thread_wakes_fast(void)
{
    struct attributes a = {.size = sizeof a};
    prctl(PR_SET_TIMERSLACK, SLACK, 0, 0, 0);
    if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) != 0 || a.policy != 0)
        return; /* somebody has chosen a policy */
    a.size = sizeof a;
    a.flags |= RESET_ON_FORK;
    a.runtime = SLICE;
    syscall(SYS_sched_setattr, 0, &a, 0);
}

void plb_thread_ends_team(void)
{
#if __GNUC__ >= 9 && !defined(__clang__)
    omp_pause_resource(omp_pause_soft, omp_get_initial_device());
#endif
}

int plb_thread_cores(void)
{
    cpu_set_t all;
    return sched_getaffinity(0, sizeof all, &all) == 0 ? CPU_COUNT(&all) : CPU_SETSIZE;
}
