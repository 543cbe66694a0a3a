/* The search for the best predictors: of some targets, among sets of genes. */
#ifndef SEARCH_H
#define SEARCH_H

#include "plb/kernel.h"

/* Genes that are looked at side by side: two vectors of 64-bit words of AVX-512. More: counts do not fit the
 * registers. Fewer: each has more to load for itself. */
#define LANES 16

#define MOST_SET 3

enum split { BY_TARGET, BY_PREDICTOR }; /* a unit is a target, or the first gene of a set */

/* The constants of a job. */
struct search {
    int64_t genes, targets, top;
    int64_t samples;            /* pairs of predictors' and target's samples: one less in a time series */
    double alpha, scale;        /* scale: a power of two */
    int32_t levels, set, split; /* set: genes of a set */
    int32_t series;             /* 1: predictors explain the target's next sample */
    int32_t self;               /* 1: a target may be in a set */
};

static inline int64_t words_of(const struct search *s)
{
    return (s->samples + 63) / 64;
}

/* Genes in whole groups of lanes. */
static inline int64_t lanes_of(const struct search *s)
{
    return (s->genes + LANES - 1) / LANES * LANES;
}

/* Bit planes. Plane l of a gene has a bit for each sample with level l + 1; level 0 needs none. Word w of
 * plane l of gene g. */
static inline int64_t word_at(const struct search *s, int64_t g, int64_t l, int64_t w)
{
    const int64_t words = words_of(s);
    return ((g / LANES * (s->levels - 1) + l) * words + w) * LANES + g % LANES;
}

static inline int64_t words_in_planes(const struct search *s)
{
    return lanes_of(s) * (s->levels - 1) * words_of(s);
}

/* The genes of a set as one number above 0, in the order of ties. */
static inline int64_t index_of(const struct search *s, const int64_t *genes)
{
    int64_t index = 0;
    for (int i = 0; i < s->set; i++)
        index = index * s->genes + genes[i];
    return index + 1;
}

static inline void genes_of(const struct search *s, int64_t index, int64_t *genes)
{
    index--;
    for (int i = s->set; i-- > 0; index /= s->genes)
        genes[i] = index % s->genes;
}

/* Inputs of a search. n log2 n comes from rank 0, so that all machines have the same bits. It is a whole
 * number, in parts of 1 / scale. */
struct tables {
    const uint64_t *x, *y;  /* bit planes of genes as predictors, and as targets: another sample */
    const int64_t *n_log_n; /* samples + 1 */
    const int64_t *target;  /* the gene of each target */
};

/* The mean conditional entropy of a target, in bits, with a penalty for patterns that no sample has (Borelli,
 * de Camargo, Martins and Rozante, 2013). count[p * levels + y]: samples with pattern p of the set and level
 * y of the target. Sums are whole numbers, so that they do not depend on the order of patterns: sets that are
 * equally good have the same bits. They have the same bits wherever they are computed, too. */
static inline double score_of(const struct search *s, const int64_t *n_log_n, const int32_t *count,
                              int patterns)
{
    int64_t of_target = n_log_n[s->samples], with_samples = 0, each = 0, unseen = 0;
    for (int32_t y = 0; y < s->levels; y++) {
        int64_t all = 0;
        for (int p = 0; p < patterns; p++)
            all += count[p * s->levels + y];
        of_target -= n_log_n[all];
    }
    for (int p = 0; p < patterns; p++) {
        int64_t seen = 0;
        for (int32_t y = 0; y < s->levels; y++)
            seen += count[p * s->levels + y];
        int64_t entropy = n_log_n[seen]; /* times the samples of the pattern */
        for (int32_t y = 0; y < s->levels; y++)
            entropy -= n_log_n[count[p * s->levels + y]];
        with_samples += entropy;
        each += seen > 0 ? entropy / seen : 0;
        unseen += seen == 0;
    }
    each += unseen * (of_target / s->samples);
    return ((double)with_samples + s->alpha * (double)each)
         / (s->scale * (s->alpha * (double)patterns + (double)s->samples));
}

static inline int patterns_of(const struct search *s)
{
    int patterns = s->levels;
    for (int i = 1; i < s->set; i++)
        patterns *= s->levels;
    return patterns;
}

/* Targets that are searched for side by side, so that they share the counts of a set. More: their counts do
 * not fit the cache. */
#define BATCH 16

/* Finds the best sets of targets t to t + n - 1, n at most BATCH, among those whose first gene is `first` to
 * `end` - 1. best: n lists of s->top pairs, sorted as PLB_TOP_MIN does; what is found is added to them.
 * false: there is no memory. */
bool search_batch(const struct plb_task *task, const struct tables *in, int64_t t, int64_t n, int64_t first,
                  int64_t end, struct plb_pair_float64 *best);

#endif
