/* Links between pages: how a made-up graph is drawn, and what a page gets over its links. The kernel and its
 * twin in plain MPI (test/bench/pagerank_mpi.c) both execute it. */
#ifndef PAGERANK_GRAPH_H
#define PAGERANK_GRAPH_H

#include <math.h>
#include <stdint.h>

#include "plb/kernel.h"

/* Links to a page: few to most of them, very many to some, with a tail as 1 / links², and `mean` on
 * average. */
static inline int64_t pagerank_links_to(int64_t pages, int64_t mean, uint64_t seed, int64_t page)
{
    double links = 0.5 * (double)mean / sqrt(1.0 - plb_random_real(seed, (uint64_t)page));
    return links < (double)pages ? (int64_t)links : pages;
}

/* The page that link number `link` of the graph comes from: pages of low numbers have more of them. */
static inline int32_t pagerank_source(int64_t pages, uint64_t seed, int64_t link)
{
    double u = plb_random_real(seed + 1, (uint64_t)link);
    return (int32_t)((double)pages * u * u);
}

/* The sum of what a page gets from others: `gives` has the part of its rank that each page hands to one
 * link. */
static inline double pagerank_gets(const int32_t *from, int64_t links, const double *gives)
{
    double even = 0.0, odd = 0.0; /* two sums, so that one need not wait for the other */
    int64_t i = 0;
    for (; i + 1 < links; i += 2) {
        even += gives[from[i]];
        odd += gives[from[i + 1]];
    }
    return even + odd + (i < links ? gives[from[i]] : 0.0);
}

#endif
