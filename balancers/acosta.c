/* acosta: after Acosta, Blanco and Almeida (ISPA 2012), as PLB-HeC's authors compare with it.
 *
 * The work is cut into `iterations` equal parts, each executed by all PUs together with a barrier
 * at its end. The first is shared equally. After each, relative power RP_p = x_p / t_p, and where
 * the times differ by more than `threshold` of the longest, x_p ← X · RP_p / Σ RP. It converges
 * asymptotically.
 *
 * Cost: O(1) per question; O(P) per iteration, which is P questions. Weak by its barriers: the time
 * between the first PU's end and the last's is idle. */
#include <math.h>
#include <stdlib.h>

#include "model/rounding.h"
#include "plb/balancer.h"

enum { ITERATIONS, THRESHOLD };

static const struct plb_option options[] = {
    [ITERATIONS] = {"iterations", PLB_INT, "20", 1, 1e9, NULL, "acosta: parts that the work is cut into"},
    [THRESHOLD] = {"threshold", PLB_REAL, "0.1", 1e-6, 1e6, NULL,
                   "difference of finish times, as a part of a block's time, that brings a rebalance"},
    {0},
};

struct acosta_pu {
    double x;       /* work: its share of an iteration */
    double seconds; /* its time in this iteration */
    double before;  /* work granted to it before this iteration */
    bool granted;   /* has had its block of this iteration */
};

struct state {
    const struct plb_param *params;
    double part; /* X, work of an iteration */
    int granted; /* living PUs that have had their block of this iteration */
    bool again;  /* a PU was lost: the next question shares equally */
    struct acosta_pu pus[];
};

static void share_equally(struct state *s, const struct plb_view *view)
{
    for (int p = 0; p < view->n_pus; p++)
        s->pus[p].x = view->pus[p].lost ? 0.0 : s->part / view->living;
    s->again = false;
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    struct state *s = calloc(1, sizeof *s + (size_t)view->n_pus * sizeof *s->pus);
    if (s == NULL)
        return NULL;
    s->params = params;
    s->part = fmax(view->total / params[ITERATIONS].value, 1.0);
    share_equally(s, view);
    return s;
}

/* All have finished their part: new shares where the times differ. */
static void end_iteration(struct state *s, const struct plb_view *view)
{
    double longest = 0.0, shortest = INFINITY, power = 0.0;
    for (int p = 0; p < view->n_pus; p++) {
        struct acosta_pu *pu = &s->pus[p];
        if (view->pus[p].lost || !pu->granted)
            continue;
        pu->seconds = isfinite(pu->seconds) && pu->seconds > 0.0 ? pu->seconds : PLB_ALMOST_NONE;
        longest = fmax(longest, pu->seconds);
        shortest = fmin(shortest, pu->seconds);
        power += (view->pus[p].granted - pu->before) / pu->seconds;
    }
    bool differ = longest - shortest > s->params[THRESHOLD].value * longest;
    for (int p = 0; p < view->n_pus; p++) {
        struct acosta_pu *pu = &s->pus[p];
        if (differ && power > 0.0 && !view->pus[p].lost && pu->granted)
            pu->x = s->part * (view->pus[p].granted - pu->before) / pu->seconds / power;
        pu->before = view->pus[p].granted;
        pu->seconds = 0.0;
        pu->granted = false;
    }
    s->granted = 0;
    view->stats->ask_again = true; /* the barrier is lifted */
}

static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    if (s->again)
        share_equally(s, view);
    if (s->granted == view->living && view->idle == view->living)
        end_iteration(s, view);
    if (s->pus[p].granted)
        return PLB_WAIT;
    s->pus[p].granted = true;
    s->granted++;
    return fmax(s->pus[p].x, 1.0);
}

static void done(void *state, const struct plb_view *view, int p, const struct plb_sample *sample)
{
    struct state *s = state;
    (void)view;
    s->pus[p].seconds += (sample->execute_s + sample->transfer_s) * (double)sample->tasks;
}

static void lost(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    (void)view;
    s->granted -= s->pus[p].granted;
    s->pus[p].granted = false;
    s->again = true;
}

const struct plb_balancer plb_balancer_acosta = {
    .name = "acosta",
    PLB_BALANCER_HEAD,
    .summary = "iterations with a barrier, shares by relative power",
    .options = options,
    .init = init,
    .grant = grant,
    .done = done,
    .lost = lost,
    .fini = free,
};
