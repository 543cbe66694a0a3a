/* The cost of a steal: a STEAL and its GIFT between two ranks, through the worker and the transport,
 * beside a plain MPI round trip of the same bytes in the same run. Start with mpirun -np 2. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "core/worker/worker.h"
#include "transport/mpi.h"

#define ROUNDS 20000
#define BATCHES 15

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Seconds of a round trip; rank 1 asks. */
static double plain(int rank)
{
    struct plb_message m = {.type = PLB_STEAL};
    double began = plb_now();
    for (int i = 0; i < ROUNDS; i++) {
        if (rank == 1)
            MPI_Send(&m, sizeof m, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
        MPI_Recv(&m, sizeof m, MPI_BYTE, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0)
            MPI_Send(&m, sizeof m, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
    }
    return (plb_now() - began) / ROUNDS;
}

static void next_message(struct plb_mpi *mpi, struct plb_message *m)
{
    while (!plb_mpi_receive(mpi, m))
        plb_mpi_progress(mpi);
}

/* The victim's queue is filled again for each thief. */
static double steal(struct plb_mpi *mpi, int rank, struct plb_worker *worker, int pass,
                    struct plb_outbox *out)
{
    double began = plb_now();
    for (int i = 0; i < ROUNDS; i++) {
        struct plb_message m;
        out->n = 0;
        if (rank == 1) {
            plb_outbox_add(out, PLB_STEAL, 1, 0, pass)->steal.power = 3.0;
            plb_mpi_send(mpi, &out->at[0]);
            plb_mpi_flush(mpi);
            next_message(mpi, &m);
            plb_worker_receive(worker, &m, out);
            continue;
        }
        next_message(mpi, &m);
        struct plb_message block = {.type = PLB_BLOCK, .pass = pass, .block = {{0, 1000}, 0, 10}};
        plb_worker_receive(worker, &block, out);
        plb_worker_receive(worker, &m, out);
        plb_mpi_send(mpi, &out->at[0]);
        plb_mpi_flush(mpi);
        struct plb_slice task;
        while (plb_worker_take(worker, 0, &task))
            continue;
    }
    return (plb_now() - began) / ROUNDS;
}

int main(int argc, char **argv)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_mpi *mpi = plb_mpi_open(&argc, &argv, 0, &err);
    struct plb_cost_map map;
    struct plb_outbox out = {0};
    struct plb_migration on = {.on = true};
    double trips[BATCHES], steals[BATCHES];
    int rank = plb_mpi_rank(mpi);
    plb_cost_map_init(&map, 1000, NULL, NULL, &err);
    struct plb_sizes none = {0};
    struct plb_worker_pu pu = {1.0, {INT64_MAX, INFINITY}, false};
    struct plb_worker_config config = {rank, 2, 1, &pu, &none, &map, 1, on};
    struct plb_worker *worker = plb_worker_new(&config);
    for (int b = 0; b < BATCHES; b++) {
        trips[b] = plain(rank);
        plb_mpi_meet(mpi);
        struct plb_message pass = {.type = PLB_PASS, .pass = b + 1};
        plb_worker_receive(worker, &pass, &out);
        steals[b] = steal(mpi, rank, worker, b + 1, &out);
        plb_mpi_meet(mpi);
    }
    qsort(trips, BATCHES, sizeof *trips, by_value);
    qsort(steals, BATCHES, sizeof *steals, by_value);
    if (rank == 1)
        printf("a steal between two ranks          %8.2f us   plain MPI round trip of %zu bytes %.2f us   "
               "ratio %.2f (wanted at most 2)\n",
               1e6 * steals[BATCHES / 2], sizeof(struct plb_message), 1e6 * trips[BATCHES / 2],
               steals[BATCHES / 2] / trips[BATCHES / 2]);
    plb_worker_free(worker);
    plb_outbox_fini(&out);
    plb_mpi_close(mpi, 10.0);
    return 0;
}
