/* Only CPU time counts: a process that is stopped, or has no core, is not to be blamed. */
#include "membership/watchdog.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "membership/launch.h"

/* Seconds of CPU time in one call of MPI. Larger: a run that hangs ends later. Smaller: a call that copies
 * gigabytes could end a run. */
#define LONGEST_CALL 5.0

/* Seconds between looks. */
#define LOOK 0.25

static double cpu_time(const struct plb_watchdog *dog)
{
    struct timespec t = {0, 0};
    clock_gettime(dog->clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void end_run(void)
{
    plb_log(PLB_LOG_ERROR,
            "MPI hangs on rank 0: one call has taken %.0f s, as in Open MPI 4 over TCP if two hosts are lost "
            "at once; the run ends here; if it has a journal, continue with --resume",
            LONGEST_CALL);
    plb_launch_tell(PLB_EFAILED, false);
    fflush(NULL);
    _exit(PLB_EFAILED);
}

static void *watch(void *dog)
{
    struct plb_watchdog *d = dog;
    unsigned turn = 0;
    double began = 0.0;
    pthread_mutex_lock(&d->lock);
    while (!d->ends) {
        unsigned now = plb_mpi_turns(d->mpi);
        if (now != turn || now % 2 == 0) {
            turn = now;
            began = cpu_time(d);
        } else if (cpu_time(d) - began > LONGEST_CALL) {
            end_run();
        }
        plb_condition_wait_until(&d->end, &d->lock, plb_now() + LOOK);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

void plb_watchdog_start(struct plb_watchdog *d, const struct plb_mpi *mpi)
{
    d->mpi = mpi;
    d->ends = false;
    pthread_mutex_init(&d->lock, NULL);
    plb_condition_init(&d->end);
    if (pthread_getcpuclockid(pthread_self(), &d->clock) != 0
        || pthread_create(&d->thread, NULL, watch, d) != 0)
        d->mpi = NULL;
}

void plb_watchdog_stop(struct plb_watchdog *d)
{
    if (d->mpi == NULL)
        return;
    pthread_mutex_lock(&d->lock);
    d->ends = true;
    pthread_cond_signal(&d->end);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
    pthread_cond_destroy(&d->end);
    pthread_mutex_destroy(&d->lock);
    d->mpi = NULL;
}
