/* The watchdog of rank 0: ends the run where MPI does not come back. Open MPI 4 may loop for ever over TCP
 * when two hosts die at once, so that nobody would hear of it. The other ranks then end by themselves. */
#ifndef PLB_MEMBERSHIP_WATCHDOG_H
#define PLB_MEMBERSHIP_WATCHDOG_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "transport/mpi.h"

struct plb_watchdog {
    const struct plb_mpi *mpi; /* NULL: nobody watches */
    pthread_t thread;
    clockid_t clock; /* CPU time of the watched thread */
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool ends; /* under the lock */
};

/* Watches the thread that calls, until plb_watchdog_stop. Without a thread for it nobody watches. */
void plb_watchdog_start(struct plb_watchdog *dog, const struct plb_mpi *mpi);
void plb_watchdog_stop(struct plb_watchdog *dog);

#endif
