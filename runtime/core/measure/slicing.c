/* One rule, from the reports of a PU. */
#include "core/measure/slicing.h"

#include <math.h>

#include "core/work/migration.h"
#include "model/fit.h"
#include "model/rounding.h"

/* Of a PU's share: a larger block is cut also while the PU's start cost is not known. Larger: a slow PU may
 * start too much at once. With 0.2 gss takes 1.024 of the ideal on three nodes of speed 1 : 3 : 9
 * (test_slices): the slow one tells nothing for 1.2 of 1.4 s. Smaller: the blocks of a balancer's training
 * are cut, whose times then tell of starts alone. At 0.05 the co-execution test fails. */
#define LARGE 0.1

/* A PU that has reported nothing first executes this part of its share, where its block is large. More parts:
 * more starts until its speed is known. Fewer: a very slow PU needs longer for the first one. Set by the
 * random clusters. */
#define FIRST_PARTS 256.0

/* The part of a PU's share that it may hold, with its error, while blocks are not cut. Larger: a block that
 * costs more than was told ends late, 1.027 of the bound with 0.7 for a ramp (test_unknown_cost). Smaller:
 * more starts, 85 tasks of sure, and 109 with 0.3, where 49 blocks are granted (bench-ideal, simulated). */
#define MADE_UP 0.5

/* A block of at least so many strides ends at a whole one. Larger: more blocks begin where they are not
 * aligned, and the first task of each is copied. Smaller: blocks are shorter than their balancer has said,
 * here by 1 % at most. */
#define STRIDES 100

/* The most work in a task of a PU that has reported. It may be late by its error: where the rest of its share
 * makes up for that, the block need not be cut. */
static double most_of(struct plb_history *h, const struct plb_promise *p, double task_s, bool known)
{
    const struct plb_estimate *e = plb_history_estimate(h);
    double high = e->rate * task_s, low = PLB_SHORTEST * high;
    bool late = p->held * (1.0 + e->spread) > MADE_UP * p->share;
    double part = fmax(fmax(p->share, p->work) / PLB_TASK_PARTS, low);
    double most = late ? part : p->work;
    return high > 0.0 && (known || late) ? fmin(most, high) : most;
}

struct plb_slicing plb_slicing(struct plb_history *h, const struct plb_promise *p, double task_s)
{
    double share = fmax(p->share, p->work);
    struct plb_slicing s = {.most = share / FIRST_PARTS, .least = -1.0};
    bool known = h->n >= PLB_FEWEST_POINTS;
    if (h->n > 0)
        s.most = most_of(h, p, task_s, known);
    if (!(known ? p->work > s.most : p->work > LARGE * share))
        return (struct plb_slicing){INFINITY, -1.0};
    if (known)
        s.least = fmax(plb_history_good_task(h), plb_history_least_task(h));
    s.most = fmax(s.most, fmax(s.least, plb_history_least_task(h)));
    return s;
}

void plb_slicing_judge(struct plb_slicing *s, const struct plb_history *h, double share)
{
    if (h->n == 0)
        s->most = fmin(s->most, share / FIRST_PARTS);
}

/* Moves the end of a large block back, so that the next one begins at a whole stride. */
static int64_t align_end(const struct plb_cost_map *map, struct plb_range front, int64_t units)
{
    bool large = map->stride > 1 && map->chunk < 2 && units >= STRIDES * map->stride;
    return large && units < front.count ? units - (front.first + units) % map->stride : units;
}

int64_t plb_slicing_units(const struct plb_cost_map *map, struct plb_range front, double work)
{
    int64_t units = plb_cost_units(map, front.first, front.count, work);
    bool over = map->prefix != NULL && units > 1
             && plb_cost_work(map, front.first, units) > work * (1.0 + PLB_ROUNDING);
    return align_end(map, front, over ? plb_cost_whole(map, front.first, units, units - 1) : units);
}
