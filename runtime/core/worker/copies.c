/* A queue per PU, and a set of units. */
#include "core/worker/copies.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

void plb_copies_init(struct plb_copies *c, int n_pus)
{
    *c = (struct plb_copies){.n_pus = n_pus};
    c->of = plb_alloc((size_t)n_pus * sizeof *c->of);
    c->audits = plb_alloc((size_t)n_pus * sizeof *c->audits);
}

void plb_copies_fini(struct plb_copies *c)
{
    for (int pu = 0; pu < c->n_pus; pu++) {
        plb_queue_fini(&c->of[pu]);
        plb_queue_fini(&c->audits[pu]);
    }
    plb_rangeset_fini(&c->elsewhere);
    plb_rangeset_fini(&c->suspect);
    plb_rangeset_fini(&c->aside);
    free(c->of);
    free(c->audits);
}

void plb_copies_begin(struct plb_copies *c)
{
    plb_rangeset_clear(&c->elsewhere);
    plb_rangeset_clear(&c->suspect);
    plb_rangeset_clear(&c->aside);
    for (int pu = 0; pu < c->n_pus; pu++)
        plb_copies_drop(c, pu);
}

void plb_copies_cancel(struct plb_copies *c, struct plb_range range)
{
    plb_rangeset_add(&c->elsewhere, range);
    for (int pu = 0; pu < c->n_pus; pu++)
        plb_queue_remove(&c->of[pu], range, true);
}

void plb_copies_ban(struct plb_copies *c, struct plb_range range, bool aside)
{
    plb_rangeset_add(&c->suspect, range);
    if (aside)
        plb_rangeset_add(&c->aside, range);
    if (aside) /* a task that runs may end */
        plb_rangeset_add(&c->elsewhere, range);
}

void plb_copies_sweep(const struct plb_copies *c, struct plb_queue *queue)
{
    for (int i = 0; i < c->suspect.n && queue->n > 0; i++)
        plb_queue_remove(queue, c->suspect.at[i], false);
    for (int i = 0; i < c->aside.n && queue->n > 0; i++)
        plb_queue_remove(queue, c->aside.at[i], true);
}

bool plb_copies_banned(const struct plb_copies *c, const struct plb_slice *task)
{
    bool alone = task->hop >= PLB_HOPS;
    return !task->audit && plb_rangeset_overlaps(alone ? &c->aside : &c->suspect, task->range);
}

bool plb_copies_accepted(const struct plb_copies *c, struct plb_range range)
{
    return plb_rangeset_has(&c->elsewhere, range);
}

bool plb_copies_take_audit(struct plb_copies *c, int pu, const struct plb_cost_map *map,
                           struct plb_slice *task)
{
    const struct plb_task_limit any = {INT64_MAX, INFINITY};
    const struct plb_cut whole = {.high = INFINITY};
    return plb_queue_take(&c->audits[pu], map, &plb_no_sizes, &any, &whole, task);
}

void plb_copies_drop(struct plb_copies *c, int pu)
{
    plb_queue_clear(&c->of[pu]);
    plb_queue_clear(&c->audits[pu]);
}
