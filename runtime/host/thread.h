/* How the system treats the calling thread. */
#ifndef PLB_HOST_THREAD_H
#define PLB_HOST_THREAD_H

/* Asks the system to run the calling thread as soon as it wakes up: sleeps end in time, and where all cores
 * are busy, it has short time slices, which come sooner. For a thread that sleeps most of the time. Threads
 * that it starts later have none of this, but for sleeps that end in time. A system that cannot do it goes on
 * as before. */
void plb_thread_wakes_fast(void);

/* Ends the threads of OpenMP that the calling thread has kept, with their threadprivate data. Its next
 * parallel region starts others. Kept threads sleep, but libgomp counts them. Where it counts more threads
 * than cores, those of other teams sleep between their regions, too, and each region begins some 50 us late.
 * It does nothing with another OpenMP than libgomp. Not in a child that a thread with a team has forked. */
void plb_thread_ends_team(void);

/* CPUs that the calling thread may use, at least 1. */
int plb_thread_cores(void);

#endif
