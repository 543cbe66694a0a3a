/* The clocks that the real drivers and devices use; the core never sees one. Thread-safe. */
#ifndef PLB_BASE_CLOCK_H
#define PLB_BASE_CLOCK_H

/* Seconds on a monotonic clock of this machine; only differences mean something. */
double plb_now(void);

/* Seconds of CPU time that the calling thread has used. */
double plb_thread_seconds(void);

/* Sleeps until plb_now() reaches the given time; returns at once where it has. */
void plb_sleep_until(double time);

#endif
