/* Sets are scanned by a lower bound of their score, many side by side. Sets whose bound lets them be among
 * the best so far are then scored as `score_of` does it. So the result depends on no order and on no
 * instruction set.
 *
 * It costs an AND and a popcount for each set, target and 64 samples with two levels; with three levels four
 * times that for each gene of a set. Sets of three cost three times (eight times with three levels) what sets
 * of two do. It is weak where nearly all sets are equally good: then each one is scored. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

/* First genes of an item: threads take items one by one. More: some wait for the last one. Fewer: what is
 * counted once for a tile costs more. */
#define CHUNK 64

/* The bound is computed in float32: this much of alpha * patterns + samples is added to the limit. */
#define SLACK 1e-5

/* A batch: its threads share this. */
struct batch {
    const struct search *s;
    const struct tables *in;
    const uint64_t *y; /* planes of the targets, one after the other */
    int64_t t, n, first, end, tiles, chunks;
    float penalty[BATCH];
    double worst[BATCH]; /* no pair of a list may have a larger score than this */
};

/* One of its threads. */
struct worker {
    struct scan scan;
    struct batch *batch;
    int64_t genes[MOST_SET], group0; /* of the scan: the set's first genes, the first group of the tile */
    struct plb_pair_float64 *best;
    void *memory;
};

static uint64_t samples_in_word(const struct search *s, int64_t w)
{
    int64_t left = s->samples - 64 * w;
    return left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
}

/* Word w of the samples in which a gene has a level. */
static uint64_t level_word(const struct search *s, const uint64_t *planes, int64_t gene, int64_t level,
                           int64_t w)
{
    if (level > 0)
        return planes[word_at(s, gene, level - 1, w)];
    uint64_t others = planes[word_at(s, gene, 0, w)];
    for (int64_t l = 2; l < s->levels; l++)
        others |= planes[word_at(s, gene, l - 1, w)];
    return samples_in_word(s, w) & ~others;
}

static void update_limit(struct worker *worker, int64_t t)
{
    struct batch *b = worker->batch;
    const struct search *s = b->s;
    const double weight = s->alpha * patterns_of(s) + (double)s->samples;
    double own = worker->best[(t + 1) * s->top - 1].value, worst;
    __atomic_load(&b->worst[t], &worst, __ATOMIC_RELAXED);
    if (own < worst)
        __atomic_store(&b->worst[t], &own, __ATOMIC_RELAXED);
    worker->scan.limit[t] = (float)((own < worst ? own : worst) * weight + SLACK * weight);
}

/* Scores lane l. */
static double score_lane(const struct batch *b, int l, const float *with, const float *with_y)
{
    const struct search *s = b->s;
    const int patterns = patterns_of(s);
    int32_t count[MOST_BEGINS * MOST_LEVELS * MOST_LEVELS];
    for (int p = 0; p < patterns; p++) {
        int32_t *of = count + p * s->levels;
        of[0] = (int32_t)with[p * LANES + l];
        for (int y = 1; y < s->levels; y++) {
            of[y] = (int32_t)with_y[((y - 1) * MOST_BEGINS * MOST_LEVELS + p) * LANES + l];
            of[0] -= of[y];
        }
    }
    return score_of(s, b->in->n_log_n, count, patterns);
}

/* Scores the lanes of a group that may be good enough. */
static void look_closely(struct scan *scan, int64_t t, int64_t group, unsigned hits, const float *with,
                         const float *with_y)
{
    struct worker *worker = scan->user;
    const struct batch *b = worker->batch;
    const struct search *s = b->s;
    const int64_t target = b->in->target[b->t + t];
    int64_t *last = &worker->genes[s->set - 1];
    for (int l = 0; l < LANES; l++) {
        *last = (worker->group0 + group) * LANES + l;
        bool wanted = (hits >> l & 1) != 0 && *last < s->genes
                   && (s->set > 1 ? *last > last[-1] : *last >= b->first && *last < b->end);
        for (int i = 0; i < s->set && !s->self; i++)
            wanted = wanted && worker->genes[i] != target;
        if (!wanted)
            continue;
        struct plb_pair_float64 pair = {score_lane(b, l, with, with_y), index_of(s, worker->genes)};
        plb_top_add(PLB_TOP_MIN, PLB_FLOAT64, worker->best + t * s->top, (size_t)s->top, &pair);
    }
    update_limit(worker, t);
}

/* All sets that begin with these genes and end in a tile. */
static void try_begin(struct batch *b, struct worker *worker)
{
    const struct search *s = b->s;
    struct scan *scan = &worker->scan;
    const int64_t words = words_of(s);
    for (int p = scan->begins - 1; p >= 0; p--) {
        int64_t n = 0;
        for (int64_t w = 0; w < words; w++) {
            uint64_t both = samples_in_word(s, w);
            for (int i = s->set - 2, rest = p; i >= 0; i--, rest /= s->levels)
                both &= level_word(s, b->in->x, worker->genes[i], rest % s->levels, w);
            scan->begin[p * words + w] = both;
            n += __builtin_popcountll(both);
        }
        scan->has_begin[p] = (float)n;
    }
    scan->from = s->set > 1 ? (worker->genes[s->set - 2] + 1) / LANES - worker->group0 : 0;
    scan->from = scan->from > 0 ? scan->from : 0;
    for (int64_t t = 0; t < b->n; t++)
        update_limit(worker, t);
    scan_begin(scan);
}

static void try_item(struct batch *b, struct worker *worker, int64_t item)
{
    const struct search *s = b->s;
    struct scan *scan = &worker->scan;
    const int64_t tile = item / b->chunks, groups = lanes_of(s) / LANES;
    const int64_t from = b->first + item % b->chunks * CHUNK;
    const int64_t to = from + CHUNK < b->end ? from + CHUNK : b->end;
    int64_t *genes = worker->genes, last = (tile + 1) * TILE * LANES;
    last = last < s->genes ? last : s->genes;
    scan->to = groups - tile * TILE < TILE ? groups - tile * TILE : TILE;
    worker->group0 = tile * TILE;
    scan->x = b->in->x + word_at(s, tile * TILE * LANES, 0, 0);
    if (s->set > 1 && from + s->set - 1 >= last) /* no set of these ends in the tile */
        return;
    scan_tile(scan);
    if (s->set == 1)
        try_begin(b, worker);
    for (genes[0] = from; s->set == 2 && genes[0] < to && genes[0] + 1 < last; genes[0]++)
        try_begin(b, worker);
    for (genes[0] = from; s->set == 3 && genes[0] < to; genes[0]++)
        for (genes[1] = genes[0] + 1; genes[1] + 1 < last; genes[1]++)
            try_begin(b, worker);
}

/* Cuts what a worker needs from one piece of memory. */
static bool worker_init(struct worker *worker, struct batch *b)
{
    const struct search *s = b->s;
    struct scan *scan = &worker->scan;
    const int64_t words = words_of(s), planes = s->levels - 1, patterns = patterns_of(s);
    const int64_t begins = patterns / s->levels, both = begins * words + begins * planes * words;
    const int64_t rows = TILE * planes + BATCH * planes * TILE * planes + TILE * (2 * patterns + 1);
    const int64_t floats = rows * LANES + begins + BATCH * planes * begins;
    const size_t pairs = (size_t)(BATCH * s->top) * sizeof *worker->best;
    const size_t bytes = (size_t)floats * sizeof(float) + (size_t)both * sizeof(uint64_t) + pairs;
    worker->memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (worker->memory == NULL)
        return false;
    worker->batch = b;
    scan->user = worker;
    scan->found = look_closely;
    scan->s = s;
    scan->begins = (int)begins;
    scan->n = b->n;
    scan->y = b->y;
    memcpy(scan->penalty, b->penalty, sizeof scan->penalty);
    scan->has_x = worker->memory;
    scan->has_xy = scan->has_x + TILE * planes * LANES;
    scan->weights = scan->has_xy + BATCH * planes * TILE * planes * LANES;
    scan->begin = (uint64_t *)(scan->weights + TILE * (2 * patterns + 1) * LANES);
    scan->mask = scan->begin + begins * words;
    worker->best = (struct plb_pair_float64 *)(scan->mask + begins * planes * words);
    scan->has_begin = (float *)(worker->best + BATCH * s->top);
    scan->has_y = scan->has_begin + begins;
    for (int64_t i = 0; i < BATCH * s->top; i++)
        worker->best[i] = (struct plb_pair_float64){INFINITY, PLB_NO_INDEX};
    return true;
}

/* Copies the planes of the targets, and computes what an unseen pattern costs each. */
static uint64_t *begin_batch(struct batch *b)
{
    const struct search *s = b->s;
    const int64_t words = words_of(s), planes = s->levels - 1;
    uint64_t *y = malloc((size_t)(b->n * planes * words) * sizeof *y);
    for (int64_t t = 0; t < b->n && y != NULL; t++) {
        int64_t entropy = b->in->n_log_n[s->samples];
        int64_t left = s->samples;
        for (int64_t l = 0; l < planes; l++) {
            int64_t n = 0;
            for (int64_t w = 0; w < words; w++) {
                uint64_t word = b->in->y[word_at(s, b->in->target[b->t + t], l, w)];
                y[(t * planes + l) * words + w] = word;
                n += __builtin_popcountll(word);
            }
            entropy -= b->in->n_log_n[n];
            left -= n;
        }
        b->penalty[t] = (float)(s->alpha * (double)(entropy - b->in->n_log_n[left])
                                / (s->scale * (double)s->samples));
    }
    return y;
}

bool search_batch(const struct plb_task *task, const struct tables *in, int64_t t, int64_t n, int64_t first,
                  int64_t end, struct plb_pair_float64 *best)
{
    const struct search *s = task->args;
    const int64_t tile = TILE * LANES;
    struct batch b = {.s = s, .in = in, .t = t, .n = n, .first = first, .end = end};
    uint64_t *y = begin_batch(&b);
    bool failed = false;
    if (y == NULL)
        return false;
    b.y = y;
    b.tiles = (s->genes + tile - 1) / tile;
    b.chunks = s->set > 1 ? (end - first + CHUNK - 1) / CHUNK : 1;
    for (int64_t i = 0; i < n; i++)
        b.worst[i] = best[(i + 1) * s->top - 1].value;
#pragma omp parallel num_threads(task->threads) reduction(|| : failed)
    {
        struct worker worker = {.memory = NULL};
        bool there = !failed && worker_init(&worker, &b);
        failed = failed || !there;
#pragma omp for schedule(dynamic, 1)
        for (int64_t item = b.tiles * b.chunks - 1; item >= 0; item--)
            if (there && !plb_task_cancelled(task))
                try_item(&b, &worker, item);
#pragma omp critical(grn_merge)
        for (int64_t i = 0; there && i < n * s->top; i++)
            if (worker.best[i].index != PLB_NO_INDEX)
                plb_top_add(PLB_TOP_MIN, PLB_FLOAT64, best + i / s->top * s->top, (size_t)s->top,
                            &worker.best[i]);
        free(worker.memory);
    }
    free(y);
    return !failed;
}
