/* The cost of BEATs for rank 0: the time of its thread for as many as a thousand nodes say, each in a frame
 * of its own, from MPI to core/liveness. Rounds with BEATs and without take turns, so that what a look costs
 * anyhow does not count. The other ranks play the nodes. Start with mpirun -np 9: over TCP each BEAT of
 * another rank is a read of another socket. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "core/liveness.h"
#include "membership/life.h"
#include "transport/mpi.h"

#define NODES 1000
#define SECONDS 0.4 /* of a round */
#define ROUNDS 25
#define LOOK 300e-6 /* the sleep of rank 0 while others may ask for work */

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Rank 0 looks for so long, as when it serves a run. Returns its thread's seconds, and counts BEATs. */
static double listen(struct plb_mpi *mpi, struct plb_liveness *liveness, int64_t *beats)
{
    double until = plb_now() + SECONDS, began = plb_thread_seconds();
    *beats = 0;
    while (plb_now() < until) {
        struct plb_message m;
        plb_mpi_progress(mpi);
        while (plb_mpi_receive(mpi, &m)) {
            plb_liveness_heard(liveness, m.from, plb_now());
            ++*beats;
        }
        plb_liveness_look(liveness, plb_now());
        plb_sleep_until(plb_now() + LOOK);
    }
    return plb_thread_seconds() - began;
}

/* Says the BEATs of its part of the nodes, evenly. Returns its thread's seconds for each. */
static double speak(struct plb_mpi *mpi)
{
    double between = plb_liveness_beat(NODES + 1) * (plb_mpi_size(mpi) - 1) / NODES;
    double began = plb_thread_seconds(), now = plb_now(), until = now + SECONDS;
    struct plb_outbox out = {0};
    int said = 0;
    plb_outbox_add(&out, PLB_BEAT, plb_mpi_rank(mpi), 0, 0);
    for (double next = now; (now = plb_now()) < until; said++) {
        plb_mpi_send(mpi, &out.at[0]);
        plb_mpi_flush(mpi);
        plb_mpi_progress(mpi);
        plb_sleep_until(next += between);
    }
    plb_outbox_fini(&out);
    return (plb_thread_seconds() - began) / said;
}

/* Rank 0: seconds that a BEAT costs in each round. The others: in theirs. */
static void measure(struct plb_mpi *mpi, struct plb_liveness *liveness, double *costs, double *per_second)
{
    int64_t all = 0;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t beats, late;
        plb_mpi_meet(mpi);
        if (plb_mpi_rank(mpi) > 0) {
            costs[i] = speak(mpi);
            plb_mpi_drain(mpi, 5.0);
            plb_mpi_meet(mpi);
            continue;
        }
        double busy = listen(mpi, liveness, &beats);
        plb_mpi_meet(mpi);
        listen(mpi, liveness, &late);
        costs[i] = (busy - listen(mpi, liveness, &late)) / (double)beats;
        all += beats;
    }
    *per_second = (double)all / ROUNDS / SECONDS;
    qsort(costs, ROUNDS, sizeof *costs, by_value);
}

int main(int argc, char **argv)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_mpi *mpi = plb_mpi_open(&argc, &argv, 0, &err);
    int n = plb_mpi_size(mpi), rank = plb_mpi_rank(mpi);
    int *hosts = plb_alloc((size_t)n * sizeof *hosts);
    struct plb_liveness *liveness = plb_liveness_new(n, hosts, PLB_LOST_AFTER, plb_now());
    double costs[ROUNDS], per_second;
    measure(mpi, liveness, costs, &per_second);
    double cost = costs[ROUNDS / 2];
    if (rank == 0)
        printf(
            "the BEATs of %d nodes           %8.2f %% of rank 0's core (wanted at most 2): %.2f us for each, "
            "at %.0f a second\n",
            NODES, 100.0 * cost * NODES / plb_liveness_beat(NODES + 1), 1e6 * cost, per_second);
    if (rank == 1)
        printf("the BEATs of a node                %8.4f %% of its core (wanted at most 0.1): %.2f us for "
               "each\n",
               100.0 * cost / PLB_BEAT_SECONDS, 1e6 * cost);
    plb_mpi_meet(mpi);
    plb_liveness_free(liveness);
    free(hosts);
    plb_mpi_close(mpi, PLB_FAREWELL);
    return 0;
}
