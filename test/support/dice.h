/* Random numbers that a seed repeats: a test that fails names its seed; PLB_SEED=<seed> shows it again. */
#ifndef TEST_DICE_H
#define TEST_DICE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/rangeset.h"
#include "plb/kernel.h"

struct dice {
    uint64_t seed, draws;
};

static inline uint64_t bits(struct dice *d)
{
    return plb_random_bits(d->seed, d->draws++);
}

/* From low to high, both included. */
static inline int64_t whole(struct dice *d, int64_t low, int64_t high)
{
    return low + (int64_t)(bits(d) % ((uint64_t)(high - low) + 1));
}

static inline bool one_in(struct dice *d, int64_t n)
{
    return whole(d, 1, n) == 1;
}

static inline double real(struct dice *d, double low, double high)
{
    return low + (high - low) * plb_random_real(d->seed, d->draws++);
}

/* A range of at most `longest` units within [0, units), not empty. */
static inline struct plb_range some_range(struct dice *d, int64_t units, int64_t longest)
{
    int64_t first = whole(d, 0, units - 1), most = units - first < longest ? units - first : longest;
    return (struct plb_range){first, whole(d, 1, most)};
}

/* The seeds of a test: `usual` of them, scaled by PLB_SEEDS over the 5000 simulated clusters of a usual run.
 * PLB_SEED names a single one. */
struct seeds {
    uint64_t first, end;
    bool single;
};

static inline struct seeds seeds(uint64_t usual)
{
    const char *count = getenv("PLB_SEEDS"), *only = getenv("PLB_SEED");
    if (only != NULL)
        return (struct seeds){strtoull(only, NULL, 10), strtoull(only, NULL, 10) + 1, true};
    uint64_t scaled = count != NULL ? usual * strtoull(count, NULL, 10) / 5000 : usual;
    return (struct seeds){0, scaled > 0 ? scaled : 1, false};
}

/* The same for a test that asks something of all of them together: as many as its question needs at least,
 * whatever PLB_SEEDS says. */
static inline struct seeds seeds_at_least(uint64_t usual, uint64_t least)
{
    struct seeds all = seeds(usual);
    all.end = all.single || all.end >= least ? all.end : least;
    return all;
}

#endif
