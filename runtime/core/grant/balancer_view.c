/* The view follows the ledger. */
#include "core/grant/balancer_view.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/rounding.h"

/* Relative change of the rate for a power of 1 by which priors are set again. Larger: they are older.
 * Smaller: each report of a PU costs the time of all others. */
#define NEWER 0.01

/* Seconds from fit to fit of a PU that is known, for each PU: a tenth of the master's time goes into fits at
 * most. Larger: beliefs are older. Smaller: a master of many PUs with short tasks does nothing else. */
#define BETWEEN_FITS 150e-6

/* A PU overruns when it has not reported for so many times the seconds of all that it holds. Larger: more is
 * queued behind a slow unit. Smaller: noise keeps a PU from having a block ahead. */
#define OVERRUN 2.0

/* The most work in one task of a PU. For unequal units this is a mean: the worker cuts by true sizes. */
static double grain(const struct plb_view_facts *facts, int p)
{
    const struct plb_task_limit *limit = &facts->limits[p];
    double units = facts->mean_bytes > 0.0 ? fmax(limit->bytes - facts->task_bytes, 0.0) / facts->mean_bytes
                                           : INFINITY;
    if (limit->units < INT64_MAX)
        units = fmin(units, (double)limit->units);
    return units < 1.0 ? 1.0 : floor(units);
}

void plb_balancer_view_init(struct plb_balancer_view *v, const struct plb_view_facts *facts,
                            struct plb_ledger *ledger, struct plb_history *histories, int n_phases)
{
    *v = (struct plb_balancer_view){.ledger = ledger, .histories = histories, .n_phases = n_phases};
    v->facts = *facts;
    v->room = facts->pus->room;
    v->pus = plb_alloc((size_t)v->room * sizeof *v->pus);
    v->shown = plb_alloc((size_t)v->room * sizeof *v->shown);
    v->view = (struct plb_view){.pus = v->pus, .stats = &v->stats, .result_s = facts->result_s};
    for (int p = 0; p < facts->pus->n; p++)
        plb_balancer_view_add(v);
}

void plb_balancer_view_add(struct plb_balancer_view *v)
{
    int p = v->view.n_pus++;
    const struct plb_pu_info *info = &v->facts.pus->infos[p];
    bool works = plb_pus_works(v->facts.pus, p);
    v->pus[p] = (struct plb_pu){.node = info->node,
                                .kind = info->kind,
                                .name = info->name,
                                .power = info->power > 0.0 ? info->power : 1.0,
                                .grain = grain(&v->facts, p),
                                .lost = !works};
    v->view.living += works;
    v->view.idle += works;
    for (int phase = 0; phase < v->n_phases; phase++)
        v->histories[p * v->n_phases + phase].start_s = info->start_s;
    v->pus[p].estimate = plb_history_estimate(plb_balancer_view_history(v, p));
}

void plb_balancer_view_fini(struct plb_balancer_view *v)
{
    free(v->pus);
    free(v->shown);
}

/* ------------------------------------------------------------------------- beliefs */

/* When a PU is expected to have done what it has, after any change of it. */
static void expect_end(struct plb_balancer_view *v, int pu)
{
    struct plb_pu *seen = &v->pus[pu];
    if (v->beliefs)
        seen->end = seen->begun + plb_model_time(&seen->belief->model, seen->granted - seen->done);
}

/* Sets the priors of PUs that have not reported: by their powers, at the rate that others have shown. */
static void set_priors(struct plb_balancer_view *v, double rate)
{
    v->prior_rate = rate;
    for (int p = 0; p < v->view.n_pus; p++) {
        struct plb_history *h = plb_balancer_view_history(v, p);
        struct plb_estimate *e = plb_history_estimate(h);
        if (!plb_estimate_reported(e))
            plb_estimate_prior(e, rate * v->pus[p].power, h->start_s);
        if (!v->beliefs || plb_belief_reported(&h->belief))
            continue;
        plb_belief_prior(&h->belief, rate * v->pus[p].power, h->start_s);
        expect_end(v, p);
    }
}

/* A PU has shown another rate than before; 0 where it is gone. */
static void show_rate(struct plb_balancer_view *v, int pu, double rate)
{
    double power = v->pus[pu].power;
    v->rate_sum += rate - v->shown[pu];
    v->power_sum += power * ((rate > 0.0) - (v->shown[pu] > 0.0));
    v->shown[pu] = rate;
}

static double rate_of_power(const struct plb_balancer_view *v)
{
    return v->rate_sum > 0.0 && v->power_sum > 0.0 ? v->rate_sum / v->power_sum : 1.0;
}

static void follow_rate(struct plb_balancer_view *v, int pu)
{
    show_rate(v, pu, plb_estimate_rate(plb_history_estimate(plb_balancer_view_history(v, pu))));
}

static void believe(struct plb_balancer_view *v, int pu)
{
    struct plb_history *h = plb_balancer_view_history(v, pu);
    follow_rate(v, pu);
    if (!v->beliefs)
        return;
    plb_history_follow(h);
    h->belief.costs = v->view.cost_spread;
}

/* ---------------------------------------------------------------- what the view follows */

static void show_samples(struct plb_balancer_view *v, int pu)
{
    struct plb_history *h = plb_balancer_view_history(v, pu);
    h->grain = isfinite(v->pus[pu].grain) ? v->pus[pu].grain : 0.0;
    h->rest = BETWEEN_FITS * v->view.living;
    h->fits = &v->stats.fits;
    v->pus[pu].samples = h->at;
    v->pus[pu].n_samples = h->n;
    v->pus[pu].from_profile = h->from_profile;
    v->pus[pu].belief = v->beliefs ? &h->belief : NULL;
    v->pus[pu].estimate = plb_history_estimate(h);
}

void plb_balancer_view_sampled(struct plb_balancer_view *v, int pu)
{
    show_samples(v, pu);
    v->pus[pu].begun = v->view.now;
    if (v->free_units > 0)
        believe(v, pu);
    else /* nobody asks what is believed */
        follow_rate(v, pu);
    double rate = rate_of_power(v);
    if (fabs(rate - v->prior_rate) > NEWER * v->prior_rate)
        set_priors(v, rate);
    expect_end(v, pu);
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
    v->view.remaining = work > PLB_ALMOST_NONE ? work : PLB_ALMOST_NONE;
    v->view.next = next > PLB_ALMOST_NONE ? next : PLB_ALMOST_NONE;
}

void plb_balancer_view_begin(struct plb_balancer_view *v, int phase, const struct plb_cost_map *map)
{
    v->map = map;
    v->phase = phase;
    v->stats.ask_again = false;
    v->view.now = 0.0;
    v->view.total = fmax(plb_ledger_free_work(v->ledger), PLB_ALMOST_NONE);
    v->before = plb_ledger_accepted_units(v->ledger);
    v->view.units = plb_ledger_free_units(v->ledger);
    v->view.idle = v->view.living;
    v->view.cost_spread = 0.0;
    v->done = 0.0;
    show_remaining(v);
    for (int p = 0; p < v->view.n_pus; p++) {
        v->pus[p].outstanding = 0;
        v->pus[p].granted = v->pus[p].done = 0.0;
        v->pus[p].begun = v->pus[p].end = 0.0;
        plb_balancer_view_history(v, p)->unknown_cost = !map->told;
        show_samples(v, p);
    }
    v->rate_sum = v->power_sum = 0.0;
    for (int p = 0; p < v->view.n_pus; p++) {
        v->shown[p] = 0.0;
        if (!v->pus[p].lost)
            believe(v, p);
    }
    set_priors(v, rate_of_power(v));
}

/* Sums up the work of the open blocks, by PU. Returns all of it. */
static double sum_held(struct plb_balancer_view *v)
{
    struct plb_held held;
    double sum = 0.0;
    for (int64_t at = 0; plb_ledger_next_held(v->ledger, &at, &held);) {
        double work = plb_cost_work(v->map, held.range.first, held.range.count);
        v->pus[held.pu].granted += work;
        sum += work;
    }
    return sum;
}

void plb_balancer_view_restart(struct plb_balancer_view *v)
{
    for (int p = 0; p < v->view.n_pus; p++) {
        v->pus[p].granted = v->pus[p].done = 0.0;
        plb_balancer_view_history(v, p)->unknown_cost = !v->map->told;
        show_samples(v, p);
    }
    v->stats.ask_again = false;
    v->view.total = fmax(plb_ledger_free_work(v->ledger) + sum_held(v), PLB_ALMOST_NONE);
    v->view.units = plb_ledger_free_units(v->ledger) + plb_ledger_held_units(v->ledger);
    v->before = plb_ledger_accepted_units(v->ledger);
    v->done = 0.0;
    show_remaining(v);
    for (int p = 0; p < v->view.n_pus; p++)
        if (!v->pus[p].lost)
            believe(v, p);
    set_priors(v, rate_of_power(v));
    for (int p = 0; p < v->view.n_pus; p++)
        expect_end(v, p);
}

/* Work of the pass without what an earlier run has done: that is as much per unit as what this one has. */
static double own_total(const struct plb_balancer_view *v, double left)
{
    int64_t accepted = plb_ledger_accepted_units(v->ledger);
    double done = fmax(plb_cost_total(v->map) - left, 0.0);
    return left + (accepted > 0 ? done * (double)(accepted - v->before) / (double)accepted : done);
}

/* The map counts open work. Work that is done is scaled, so that the sum is the total. */
void plb_balancer_view_recount(struct plb_balancer_view *v, double cost_spread)
{
    double done = 0.0, left = plb_ledger_free_work(v->ledger);
    for (int p = 0; p < v->view.n_pus; p++) {
        done += v->pus[p].done;
        v->pus[p].granted = 0.0;
    }
    left += sum_held(v);
    double total = own_total(v, left);
    for (int p = 0; p < v->view.n_pus; p++) {
        v->pus[p].done *= done > 0.0 ? fmax(total - left, 0.0) / done : 1.0;
        v->pus[p].granted += v->pus[p].done;
        if (!v->pus[p].lost)
            believe(v, p);
        else /* one that is left out may be wanted again */
            plb_history_estimate(plb_balancer_view_history(v, p));
        expect_end(v, p);
    }
    v->view.total = total;
    v->view.cost_spread = cost_spread;
    v->done = total - left;
    show_remaining(v);
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
        v->done += c->freed ? 0.0 : c->work;
        seen->outstanding -= c->over;
        v->view.idle += c->over && seen->outstanding == 0 && !seen->lost;
        if (c->over)
            seen->begun = v->view.now;
        expect_end(v, c->pu);
        ended |= c->over && c->pu == pu;
    }
    if (v->map != NULL && plb_ledger_free_units(v->ledger) != v->free_units)
        show_remaining(v);
    return ended;
}

void plb_balancer_view_granted(struct plb_balancer_view *v, int pu, double work)
{
    struct plb_pu *seen = &v->pus[pu];
    if (seen->outstanding == 0)
        seen->begun = v->view.now;
    v->view.idle -= seen->outstanding++ == 0;
    seen->granted += work;
    expect_end(v, pu);
    show_remaining(v);
}

double plb_balancer_view_share(const struct plb_balancer_view *v, int pu)
{
    double left = v->view.total - v->done, own = v->pus[pu].done;
    return own > 0.0 && v->done > 0.0 ? left * fmin(own / v->done, 1.0) : left / fmax(v->view.living, 1.0);
}

bool plb_balancer_view_overruns(const struct plb_balancer_view *v, int pu)
{
    const struct plb_pu *seen = &v->pus[pu];
    if (seen->outstanding == 0 || seen->n_samples == 0)
        return false;
    double seconds = plb_estimate_seconds(seen->estimate, seen->granted - seen->done);
    return v->view.now - seen->begun > OVERRUN * seconds;
}

void plb_balancer_view_turn(struct plb_balancer_view *v, int pu)
{
    bool lost = !plb_pus_works(v->facts.pus, pu);
    v->view.living += v->pus[pu].lost - lost;
    v->view.idle += v->pus[pu].outstanding == 0 ? v->pus[pu].lost - lost : 0;
    v->pus[pu].lost = lost;
    if (lost)
        show_rate(v, pu, 0.0);
    else
        v->pus[pu].begun = v->view.now;
}

const char *plb_balancer_view_check(const struct plb_balancer_view *v)
{
    int living = 0, idle = 0;
    for (int p = 0; p < v->view.n_pus && v->map != NULL; p++) {
        const struct plb_pu *seen = &v->pus[p];
        if (seen->lost == plb_pus_works(v->facts.pus, p))
            return "view: a PU that works is lost to the balancer, or another one is not";
        living += !seen->lost;
        idle += !seen->lost && seen->outstanding == 0;
        if (seen->outstanding != plb_ledger_open_blocks(v->ledger, p))
            return "view: a PU's outstanding blocks are not its open ones";
        if (seen->granted - seen->done < -PLB_ROUNDING * v->view.total)
            return "view: more of a PU's work is done than was granted to it";
    }
    if (v->map != NULL && (living != v->view.living || idle != v->view.idle))
        return "view: living or idle PUs are miscounted";
    return NULL;
}
