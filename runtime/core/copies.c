/* A queue per PU, and a set of units. */
#include "core/copies.h"

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
    free(c->of);
    free(c->audits);
}

void plb_copies_begin(struct plb_copies *c)
{
    plb_rangeset_clear(&c->elsewhere);
    for (int pu = 0; pu < c->n_pus; pu++)
        plb_copies_drop(c, pu);
}

void plb_copies_cancel(struct plb_copies *c, struct plb_range range)
{
    plb_rangeset_add(&c->elsewhere, range);
    for (int pu = 0; pu < c->n_pus; pu++)
        plb_queue_remove(&c->of[pu], range);
}

/* Ranges of the set do not touch: a range that is in it lies in one of them. */
bool plb_copies_accepted(const struct plb_copies *c, struct plb_range range)
{
    const struct plb_rangeset *set = &c->elsewhere;
    for (int i = 0; i < set->n; i++)
        if (set->at[i].first <= range.first
            && set->at[i].first + set->at[i].count >= range.first + range.count)
            return true;
    return false;
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
