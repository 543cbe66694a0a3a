/* The view follows the ledger. */
#include "core/balancer_view.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define ROUNDING 1e-9 /* relative: sums of work that should be equal differ by less */
#define TINY 1e-9     /* work that balancers see where units remain that cost nothing */

/* The most work in one task of a PU. For unequal units this is a mean: the worker cuts by true sizes. */
static double grain(const struct plb_view_pus *pus, int p)
{
    const struct plb_task_limit *limit = &pus->limits[p];
    double units = pus->mean_bytes > 0.0 ? fmax(limit->bytes - pus->task_bytes, 0.0) / pus->mean_bytes
                                         : INFINITY;
    if (limit->units < INT64_MAX)
        units = fmin(units, (double)limit->units);
    return units < 1.0 ? 1.0 : floor(units);
}

void plb_balancer_view_init(struct plb_balancer_view *v, const struct plb_view_pus *pus,
                            struct plb_ledger *ledger, struct plb_history *histories, int n_phases)
{
    *v = (struct plb_balancer_view){.ledger = ledger, .histories = histories, .n_phases = n_phases};
    v->pus = plb_alloc((size_t)pus->n * sizeof *v->pus);
    v->view = (struct plb_view){.n_pus = pus->n, .pus = v->pus, .stats = &v->stats};
    for (int p = 0; p < pus->n; p++) {
        const struct plb_pu_info *info = &pus->infos[p];
        v->pus[p] = (struct plb_pu){.node = info->node,
                                    .kind = info->kind,
                                    .name = info->name,
                                    .power = info->power > 0.0 ? info->power : 1.0,
                                    .grain = grain(pus, p),
                                    .lost = pus->refused[p]};
        v->view.living += !pus->refused[p];
    }
    v->view.idle = v->view.living;
}

void plb_balancer_view_fini(struct plb_balancer_view *v)
{
    free(v->pus);
}

void plb_balancer_view_sampled(struct plb_balancer_view *v, int pu)
{
    const struct plb_history *h = plb_balancer_view_history(v, pu);
    v->pus[pu].samples = h->at;
    v->pus[pu].n_samples = h->n;
    v->pus[pu].recalled = h->recalled;
}

/* Units may remain that cost nothing: balancers must still see that there is something to grant. */
static void show_remaining(struct plb_balancer_view *v)
{
    struct plb_range front = plb_ledger_front(v->ledger);
    v->free_units = plb_ledger_free_units(v->ledger);
    v->view.remaining = v->view.next = 0.0;
    if (front.count == 0)
        return;
    double work = plb_ledger_free_work(v->ledger), next = plb_cost_work(v->map, front.first, 1);
    v->view.remaining = work > TINY ? work : TINY;
    v->view.next = next > TINY ? next : TINY;
}

void plb_balancer_view_begin(struct plb_balancer_view *v, int phase, const struct plb_cost_map *map)
{
    v->map = map;
    v->phase = phase;
    v->stats.ask_again = false;
    v->view.now = 0.0;
    v->view.total = (double)map->units;
    v->view.units = map->units;
    v->view.idle = v->view.living;
    show_remaining(v);
    for (int p = 0; p < v->view.n_pus; p++) {
        v->pus[p].outstanding = 0;
        v->pus[p].granted = v->pus[p].done = 0.0;
        plb_balancer_view_sampled(v, p);
    }
}

bool plb_balancer_view_follow(struct plb_balancer_view *v, int pu)
{
    int n;
    bool ended = false;
    const struct plb_block_change *changes = plb_ledger_changes(v->ledger, &n);
    for (int i = 0; i < n; i++) {
        const struct plb_block_change *c = &changes[i];
        struct plb_pu *seen = &v->pus[c->pu];
        if (c->freed)
            seen->granted -= c->work;
        else
            seen->done += c->work;
        seen->outstanding -= c->over;
        v->view.idle += c->over && seen->outstanding == 0 && !seen->lost;
        ended |= c->over && c->pu == pu;
    }
    if (v->map != NULL && plb_ledger_free_units(v->ledger) != v->free_units)
        show_remaining(v);
    return ended;
}

void plb_balancer_view_granted(struct plb_balancer_view *v, int pu, double work)
{
    v->view.idle -= v->pus[pu].outstanding++ == 0;
    v->pus[pu].granted += work;
    show_remaining(v);
}

double plb_balancer_view_share(const struct plb_balancer_view *v, int pu)
{
    double done = (double)plb_ledger_accepted_units(v->ledger), left = v->view.total - done;
    double own = v->pus[pu].done;
    return own > 0.0 && done > 0.0 ? left * fmin(own / done, 1.0) : left / fmax(v->view.living, 1.0);
}

void plb_balancer_view_remove(struct plb_balancer_view *v, int pu)
{
    v->view.living--;
    v->view.idle -= v->pus[pu].outstanding == 0;
    v->pus[pu].lost = true;
}

const char *plb_balancer_view_check(const struct plb_balancer_view *v)
{
    int living = 0, idle = 0;
    for (int p = 0; p < v->view.n_pus && v->map != NULL; p++) {
        const struct plb_pu *seen = &v->pus[p];
        living += !seen->lost;
        idle += !seen->lost && seen->outstanding == 0;
        if (seen->outstanding != plb_ledger_open_blocks(v->ledger, p))
            return "view: a PU's outstanding blocks are not its open ones";
        if (seen->granted - seen->done < -ROUNDING * v->view.total)
            return "view: more of a PU's work is done than was granted to it";
    }
    if (v->map != NULL && (living != v->view.living || idle != v->view.idle))
        return "view: living or idle PUs are miscounted";
    return NULL;
}
