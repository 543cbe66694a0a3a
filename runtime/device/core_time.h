/* Time that the threads of a PU had on cores, and time that they waited for one: other programs, or more
 * threads than cores, take cores away. By the scheduler's own counts (/proc/thread-self/schedstat). On a
 * system without them nothing is known. */
#ifndef PLB_DEVICE_CORE_TIME_H
#define PLB_DEVICE_CORE_TIME_H

#include "device/device.h"

struct plb_core_time {
    int *files; /* of the threads; NULL before the first look */
    int n;
    double read_at;         /* plb_now() of the latest look; 0: none */
    double cpu_s, waited_s; /* of all threads until then */
};

/* In shared memory. */
void plb_core_time_init(struct plb_core_time *t);

/* Adds the seconds of the calling thread and of its OpenMP team to times, since the call before that has
 * added some: one in 50 ms, the first 50 ms after init. Other calls add nothing, and cost 0.05 us. */
void plb_core_time_add(struct plb_core_time *t, int threads, struct plb_device_times *times);

void plb_core_time_fini(struct plb_core_time *t);

/* Seconds that the calling thread has waited for a core in its life; 0 where nobody knows. Takes 4 us. */
double plb_core_time_waited(void);

#endif
