/* make bench-passes: the steps of the kernel stencil in plain MPI, as somebody who knows MPI would write
 * them. Each rank has equal parts of the rows; in a step it sends its border rows to its neighbours, computes
 * the rows between them meanwhile, and all find the greatest change. Prints the milliseconds of a step, from
 * the second one on.
 *
 *     stencil_mpi ROWS COLUMNS STEPS THREADS */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../kernels/stencil/row.h"

struct part {
    int64_t first, count, rows, columns; /* of the plate: the rows of this rank, and all */
    int rank, size, threads;
    double *now, *then; /* count + 2 rows: one of each neighbour */
};

/* Some rows of this rank, from 1 on. */
static double compute(const struct part *p, int64_t from, int64_t until)
{
    double change = 0.0;
#pragma omp parallel for num_threads(p->threads) reduction(max : change)
    for (int64_t i = from; i < until; i++) {
        int64_t row = p->first + i - 1, at = i * p->columns;
        if (row == 0 || row == p->rows - 1)
            stencil_border(p->now + at, p->then + at, p->columns);
        else
            change = fmax(change, stencil_row(p->now + at, p->then + at, p->columns, 0.25));
    }
    return change;
}

static double step(struct part *p)
{
    MPI_Request requests[4];
    int n = 0, columns = (int)p->columns;
    double change, most;
    if (p->rank > 0) {
        MPI_Irecv(p->now, columns, MPI_DOUBLE, p->rank - 1, 0, MPI_COMM_WORLD, &requests[n++]);
        MPI_Isend(p->now + p->columns, columns, MPI_DOUBLE, p->rank - 1, 0, MPI_COMM_WORLD, &requests[n++]);
    }
    if (p->rank < p->size - 1) {
        double *last = p->now + p->count * p->columns;
        MPI_Irecv(last + p->columns, columns, MPI_DOUBLE, p->rank + 1, 0, MPI_COMM_WORLD, &requests[n++]);
        MPI_Isend(last, columns, MPI_DOUBLE, p->rank + 1, 0, MPI_COMM_WORLD, &requests[n++]);
    }
    change = compute(p, 2, p->count);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    change = fmax(change, fmax(compute(p, 1, 2), p->count > 1 ? compute(p, p->count, p->count + 1) : 0.0));
    MPI_Allreduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double *other = p->now;
    p->now = p->then;
    p->then = other;
    return most;
}

/* Zeroed rows in huge pages, where there are any. `at` bytes from the begin of a page, so that two arrays are
 * not at equal places of the caches. */
static double *rows_of(const struct part *p, size_t at)
{
    const size_t huge = (size_t)2 << 20;
    size_t bytes = (size_t)((p->count + 2) * p->columns) * sizeof(double) + at;
    char *memory = aligned_alloc(huge, (bytes + huge - 1) / huge * huge);
    if (memory == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    madvise(memory, bytes, MADV_HUGEPAGE);
#pragma omp parallel for num_threads(p->threads)
    for (int64_t i = 0; i < p->count + 2; i++)
        memset(memory + at + (size_t)(i * p->columns) * sizeof(double), 0,
               (size_t)p->columns * sizeof(double));
    return (double *)(memory + at);
}

int main(int argc, char **argv)
{
    struct part p = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.size);
    p.rows = argc > 4 ? atoll(argv[1]) : 0;
    p.columns = argc > 4 ? atoll(argv[2]) : 0;
    p.threads = argc > 4 ? atoi(argv[4]) : 0;
    if (p.rows < p.size || p.columns < 3 || p.threads < 1) {
        fprintf(stderr, "stencil_mpi ROWS COLUMNS STEPS THREADS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    p.first = p.rows * p.rank / p.size;
    p.count = p.rows * (p.rank + 1) / p.size - p.first;
    p.now = rows_of(&p, 0);
    p.then = rows_of(&p, 4096 + 512);
#pragma omp parallel for num_threads(p.threads)
    for (int64_t i = 1; i <= p.count; i++)
        for (int64_t k = 0; k < p.columns; k++)
            p.now[i * p.columns + k] = stencil_start(p.rows, p.columns, p.first + i - 1, k);
    double change = step(&p), began = MPI_Wtime();
    int64_t steps = atoll(argv[3]), made = 1;
    for (; made < steps && change > 0.0; made++)
        change = step(&p);
    if (p.rank == 0)
        printf("%.4f\n", 1e3 * (MPI_Wtime() - began) / (double)(made - 1));
    MPI_Finalize();
    return 0;
}
