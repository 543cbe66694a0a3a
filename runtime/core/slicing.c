/* One rule, from the reports of a PU. */
#include "core/slicing.h"

#include <math.h>

#include "core/migration.h"

/* Reports from which a PU's start cost is known. Fewer: tasks are cut by a guess. More: later. As many as the
 * training rounds of PLB-HeC. */
#define ENOUGH 4

/* Of a PU's share: a larger block is cut also while the PU's start cost is not known. Larger: a slow PU may
 * start too much at once. Smaller: the blocks of a balancer's training are cut, whose times then tell of
 * starts alone; at 0.05 the co-execution test fails. */
#define LARGE 0.2

/* A PU that has reported nothing first executes this part of its share, where its block is large. More parts:
 * more starts until its speed is known. Fewer: a very slow PU needs longer for the first one. Set by the
 * random clusters. */
#define FIRST_PARTS 256.0

#define ROUNDING 1e-9 /* relative: work that differs from whole units by less is whole */

/* Work per second in the latest report, or 0. */
static double latest_rate(const struct plb_history *h)
{
    if (h->n == 0)
        return 0.0;
    const struct plb_sample *last = &h->at[h->n - 1];
    double seconds = last->execute_s + last->transfer_s;
    return seconds > 0.0 && isfinite(seconds) ? last->work / seconds : 0.0;
}

struct plb_slicing plb_slicing(struct plb_history *h, double work, double share, double task_s)
{
    struct plb_slicing s = {.most = share / (h->n == 0 ? FIRST_PARTS : PLB_TASK_PARTS), .least = -1.0};
    double rate = latest_rate(h), high = rate * task_s, low = PLB_SHORTEST * high;
    bool known = h->n >= ENOUGH;
    s.most = rate > 0.0 ? fmin(fmax(s.most, low), high) : s.most;
    bool large = known ? work > s.most && work >= 2.0 * low : work > LARGE * share;
    if (!large)
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

int64_t plb_slicing_units(const struct plb_cost_map *map, struct plb_range front, double work)
{
    int64_t units = plb_cost_units(map, front.first, front.count, work);
    bool over = map->prefix != NULL && units > 1
             && plb_cost_work(map, front.first, units) > work * (1.0 + ROUNDING);
    return over ? plb_cost_whole(map, front.first, units, units - 1) : units;
}
