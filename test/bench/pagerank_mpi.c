/* make bench-passes: the passes of the kernel pagerank in plain MPI, as somebody who knows MPI would write
 * them. Each rank has pages with as many links as the others; in a pass it computes what its pages give, all
 * get that (MPI_Allgatherv) and the two sums. Prints the milliseconds of a pass, from the second one on.
 *
 *     pagerank_mpi PAGES LINKS PASSES THREADS */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernels/pagerank/graph.h"

#define SEED 1
#define DAMPING 0.85
#define PAGE 4 /* links that are as much work as a page itself */

struct graph {
    int64_t pages, mean, first, end; /* first to end: of this rank */
    int64_t *offsets;
    int32_t *from; /* of this rank's pages */
    int32_t *out;
    int *counts, *at; /* by rank: its pages, and the first of them */
    int rank, size, threads;
};

static void *allocate(int64_t n, size_t size)
{
    void *memory = calloc((size_t)n, size);
    if (memory == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

/* Cuts the pages into parts of as much work. */
static void cut(struct graph *g)
{
    int64_t all = g->offsets[g->pages] + PAGE * g->pages, page = 0;
    g->counts = allocate(g->size, sizeof *g->counts);
    g->at = allocate(g->size, sizeof *g->at);
    for (int r = 0; r < g->size; r++) {
        g->at[r] = (int)page;
        while (page < g->pages
               && (r == g->size - 1 || g->offsets[page] + PAGE * page < all * (r + 1) / g->size))
            page++;
        g->counts[r] = (int)page - g->at[r];
    }
    g->first = g->at[g->rank];
    g->end = g->first + g->counts[g->rank];
}

static void draw(struct graph *g)
{
    g->offsets = allocate(g->pages + 1, sizeof *g->offsets);
    g->out = allocate(g->pages, sizeof *g->out);
    for (int64_t p = 0; p < g->pages; p++)
        g->offsets[p + 1] = g->offsets[p] + pagerank_links_to(g->pages, g->mean, SEED, p);
    cut(g);
    int64_t base = g->offsets[g->first];
    g->from = allocate(g->offsets[g->end] - base + 1, sizeof *g->from);
    for (int64_t i = 0; i < g->offsets[g->pages]; i++) {
        int32_t from = pagerank_source(g->pages, SEED, i);
        g->out[from]++;
        if (i >= base && i < g->offsets[g->end])
            g->from[i - base] = from;
    }
}

/* Returns by how much all ranks have changed; *stuck becomes the rank of the pages without links. */
static double pass(const struct graph *g, const double *gives, double *next, double *stuck)
{
    const int64_t base = g->offsets[g->first];
    double change = 0.0, left = 0.0, all[2], anywhere = (1.0 - DAMPING + DAMPING * *stuck) / (double)g->pages;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(g->threads) reduction(+ : change, left)
    for (int64_t p = g->first; p < g->end; p++) {
        double sum = pagerank_gets(g->from + (g->offsets[p] - base), g->offsets[p + 1] - g->offsets[p],
                                   gives);
        double rank = anywhere + DAMPING * sum, links = g->out[p] > 0 ? (double)g->out[p] : 1.0;
        change += fabs(rank - gives[p] * links);
        left += g->out[p] > 0 ? 0.0 : rank;
        next[p] = rank / links;
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, next, g->counts, g->at, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allreduce((double[]){change, left}, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *stuck = all[1];
    return all[0];
}

int main(int argc, char **argv)
{
    struct graph g = {0};
    double stuck = 0.0, change = 0.0, began = 0.0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g.size);
    g.pages = argc > 4 ? atoll(argv[1]) : 0;
    g.mean = argc > 4 ? atoll(argv[2]) : 0;
    g.threads = argc > 4 ? atoi(argv[4]) : 0;
    if (g.pages < g.size || g.pages > 2147483647 || g.mean < 1 || g.threads < 1) {
        fprintf(stderr, "pagerank_mpi PAGES LINKS PASSES THREADS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    draw(&g);
    double *gives = allocate(g.pages, sizeof *gives), *next = allocate(g.pages, sizeof *next);
    for (int64_t p = 0; p < g.pages; p++) {
        gives[p] = 1.0 / (double)g.pages / (g.out[p] > 0 ? (double)g.out[p] : 1.0);
        stuck += g.out[p] > 0 ? 0.0 : gives[p];
    }
    int64_t passes = atoll(argv[3]);
    for (int64_t made = 0; made < passes; made++) {
        change = pass(&g, gives, next, &stuck);
        double *other = gives;
        gives = next;
        next = other;
        began = made == 0 ? MPI_Wtime() : began;
    }
    if (g.rank == 0)
        printf("%.4f %.3g\n", 1e3 * (MPI_Wtime() - began) / (double)(passes - 1), change);
    MPI_Finalize();
    return 0;
}
