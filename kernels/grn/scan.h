/* The inner loops of the search: which sets with a given begin may be good enough to be looked at closely. */
#ifndef SCAN_H
#define SCAN_H

#include "search.h"

/* Groups of lanes that are scanned together for all targets of a batch. More: they do not fit the cache of
 * the first or second level. Fewer: what is made once for a tile costs more. */
#define TILE 16

#define MOST_LEVELS 3
#define MOST_BEGINS 9 /* patterns of a set without its last gene */

/* A scan. Rows of floats have LANES of them; counts below 2^24 are exact there. */
struct scan {
    const struct search *s;
    int begins;        /* patterns of the genes before the last one; 1 where there is none */
    int64_t from, to;  /* groups of the tile that are scanned */
    int64_t n;         /* targets */
    const uint64_t *x; /* planes of the tile's groups */
    const uint64_t *y; /* planes of the targets, a target's after the other's: level, word */
    uint64_t *begin;   /* begins x words: samples that have this pattern */
    float *has_begin;  /* begins: samples */
    float *has_x;      /* group, level: row, samples where the last gene has it */
    float *has_y;      /* target, level: samples */
    float *has_xy;     /* target, level of y, group, level of x: row */
    float *weights;    /* group: samples of each pattern, a row each; their weights; how many are unseen */
    uint64_t *mask;    /* for the scan to use: begins x words */
    float penalty[BATCH], limit[BATCH];
    void *user;
    /* Called for each group of lanes of which some may be good enough: those whose bit in `hits` is set.
     * `with` has the samples of each pattern of these sets, a row each; with_y those of them in which target
     * t has a level above 0: level, pattern, row. It may lower limits. */
    void (*found)(struct scan *scan, int64_t t, int64_t group, unsigned hits, const float *with,
                  const float *with_y);
};

/* Counts has_xy and has_x of all groups of a tile. */
void scan_tile(struct scan *scan);

/* Makes the weights of the begin, and looks at all groups from `from` to `to` - 1. A lane is found if its
 * score, times alpha * patterns + samples, is limit or less; others may be found, too. */
void scan_begin(struct scan *scan);

#endif
