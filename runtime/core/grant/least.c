/* One number per PU, and how old it is. */
#include "core/grant/least.h"

#include <stdlib.h>

#include "base/memory.h"

#define MANY 256 /* PUs above which surprises cut no blocks. Larger: fits cost the master too much. */
#define STALE 8  /* reports after which a curve is fitted anew in the tail. Smaller: fits cost more. */

void plb_least_init(struct plb_least *l, struct plb_balancer_view *seen)
{
    l->seen = seen;
    l->of = plb_alloc((size_t)seen->room * sizeof *l->of);
}

void plb_least_fini(struct plb_least *l)
{
    free(l->of);
}

void plb_least_begin(struct plb_least *l)
{
    for (int p = 0; p < l->seen->view.n_pus; p++)
        l->of[p] = (struct plb_least_task){0};
}

bool plb_least_many(const struct plb_least *l)
{
    return l->seen->view.n_pus > MANY;
}

void plb_least_look(struct plb_least *l, int p)
{
    struct plb_history *h = plb_balancer_view_history(l->seen, p);
    int age = h->n - l->of[p].at, oldest = plb_least_many(l) ? STALE : 1;
    if (l->of[p].at > 0 && age >= 0 && age < oldest)
        return;
    l->of[p].work = plb_history_least_task(h);
    l->of[p].at = h->n;
}

int64_t plb_least_units(const struct plb_least *l, int p)
{
    double units = l->of[p].work < l->seen->pus[p].grain ? l->of[p].work : l->seen->pus[p].grain;
    return units < 1e18 ? (int64_t)units : (int64_t)1e18;
}
