/* A look at the other processes of the host, now and then. */
#include "membership/early_loss.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/stop.h"
#include "membership/launch.h"

/* Seconds between two looks. Larger: a lost rank is noticed later. Smaller: broadcasts are slower. */
#define LOOK 50e-3

/* Seconds that news of a loss may take to go out to all. Larger: a rank ends later where others are gone,
 * too. Smaller: some may not hear it, and wait. */
#define DELIVERY 1.0

struct plb_early_loss {
    struct plb_mpi *mpi;
    struct plb_neighbours *neighbours;
    int rank, size;
    double looked; /* plb_now() */
};

/* One for all says why. */
static void end_process(const struct plb_early_loss *watch, int lost)
{
    if (lost == 0)
        plb_log(watch->rank == 1 ? PLB_LOG_ERROR : PLB_LOG_INFO,
                "the process of rank 0 has ended before the first pass; rank %d ends", watch->rank);
    else
        plb_log(watch->rank == 0 ? PLB_LOG_ERROR : PLB_LOG_INFO,
                "rank %d was lost before the first pass: its process has ended; the run cannot begin; start "
                "it again",
                lost);
    plb_stop_is_explained();
    if (watch->rank == 0)
        plb_launch_tell(PLB_EFAILED, false);
    else if (lost == 0)
        plb_launch_tell_lost();
    plb_stop_clean();
    if (plb_launch_survives()) /* they have nothing to lose */
        plb_neighbours_see_off(watch->neighbours, watch->rank, 0.0);
    _exit(PLB_EFAILED);
}

static void tell_all(const struct plb_early_loss *watch, int lost)
{
    for (int i = 0; i < watch->size; i++)
        if (i != watch->rank && i != lost)
            plb_mpi_tell_lost(watch->mpi, i, lost);
    plb_mpi_drain(watch->mpi, DELIVERY);
}

static void look(void *watcher)
{
    struct plb_early_loss *watch = watcher;
    double now = plb_now();
    if (now < watch->looked + LOOK)
        return;
    watch->looked = now;
    for (int lost; (lost = plb_neighbours_ended(watch->neighbours)) >= 0;) {
        if (watch->rank != 0 && lost != 0) {
            plb_mpi_tell_lost(watch->mpi, 0, lost);
            continue;
        }
        tell_all(watch, lost);
        end_process(watch, lost);
    }
    int told = plb_mpi_hear_lost(watch->mpi);
    if (told > 0 && watch->rank == 0)
        tell_all(watch, told);
    if (told >= 0)
        end_process(watch, told);
}

struct plb_early_loss *plb_early_loss_watch(struct plb_mpi *mpi)
{
    struct plb_early_loss *watch = plb_alloc(sizeof *watch);
    *watch = (struct plb_early_loss){.mpi = mpi,
                                     .neighbours = plb_neighbours_new(mpi),
                                     .rank = plb_mpi_rank(mpi),
                                     .size = plb_mpi_size(mpi)};
    plb_mpi_watch(mpi, look, watch);
    return watch;
}

struct plb_neighbours *plb_early_loss_end(struct plb_early_loss *watch)
{
    struct plb_neighbours *neighbours = watch->neighbours;
    plb_mpi_watch(watch->mpi, NULL, NULL);
    free(watch);
    return neighbours;
}
