/* The clocks that the real drivers and devices use; the core never sees one. Thread-safe. */
#ifndef PLB_BASE_CLOCK_H
#define PLB_BASE_CLOCK_H

#include <pthread.h>

/* Seconds on a monotonic clock of this machine; only differences mean something. */
double plb_now(void);

/* Seconds of CPU time that the calling thread has used. */
double plb_thread_seconds(void);

/* Sleeps until plb_now() reaches the given time; returns at once where it has. */
void plb_sleep_until(double time);

/* A condition whose timed waits go by plb_now(), and a wait until that reaches the given time or the
 * condition is signalled. */
void plb_condition_init(pthread_cond_t *condition);
void plb_condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, double time);

#endif
