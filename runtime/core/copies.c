/* A queue per PU, and a set of units. */
#include "core/copies.h"

#include <stdlib.h>

#include "base/memory.h"

void plb_copies_init(struct plb_copies *c, int n_pus)
{
    *c = (struct plb_copies){.n_pus = n_pus};
    c->of = plb_alloc((size_t)n_pus * sizeof *c->of);
}

void plb_copies_fini(struct plb_copies *c)
{
    for (int pu = 0; pu < c->n_pus; pu++)
        plb_queue_fini(&c->of[pu]);
    plb_rangeset_fini(&c->elsewhere);
    free(c->of);
}

void plb_copies_begin(struct plb_copies *c)
{
    plb_rangeset_clear(&c->elsewhere);
    for (int pu = 0; pu < c->n_pus; pu++)
        plb_queue_clear(&c->of[pu]);
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
