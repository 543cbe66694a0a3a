/* The clocks of the real driver and of the devices. The core never sees one: it is told the time.
 * Thread-safe. */
#ifndef PLB_BASE_CLOCK_H
#define PLB_BASE_CLOCK_H

#include <pthread.h>

/* Seconds on a monotonic clock of this machine. Only differences have a meaning. */
double plb_now(void);

/* Seconds of CPU time that the calling thread has used. */
double plb_thread_seconds(void);

/* Sleeps until plb_now() is `time`. Returns at once where it is already later. */
void plb_sleep_until(double time);

/* Makes a condition whose timed waits use the clock of plb_now(). */
void plb_condition_init(pthread_cond_t *condition);

/* Waits until the condition is signalled or plb_now() is `time`. `lock` is held by the caller, as for
 * pthread_cond_wait. */
void plb_condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, double time);

#endif
