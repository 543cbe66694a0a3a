/* oracle: the optimum that only a simulation can know (run/optimum.h), granted as it is. The yardstick of
 * all others: no training, no messages back, no adaptation. It knows the true curves, not the noise.
 *
 * Whole units are shared out by largest remainder. Each PU gets its share in the number of pieces that
 * the optimum asks for, so that moving data hides behind work. */
#include <math.h>
#include <stdlib.h>

#include "plb/balancer.h"

struct pu {
    double left;                /* work still owed */
    int pieces;                 /* to cut it into */
};

struct state {
    int64_t owing;              /* PUs that are still owed something */
    struct pu pus[];
};

/* Rounds shares to whole units, of average cost, that sum up to all. */
static void round_shares(struct state *s, const struct plb_view *view)
{
    double rest = view->total, shared = 0.0;
    for (int p = 0; p < view->n_pus; p++) {
        rest -= floor(s->pus[p].left);
        shared += s->pus[p].left;
    }
    for (; rest > 0.5 && shared > 0.0; rest -= 1.0) {
        int most = 0;
        for (int p = 1; p < view->n_pus; p++)
            if (s->pus[p].left - floor(s->pus[p].left) > s->pus[most].left - floor(s->pus[most].left))
                most = p;
        s->pus[most].left = floor(s->pus[most].left) + 1.0;
    }
    for (int p = 0; p < view->n_pus; p++)
        s->pus[p].left = floor(s->pus[p].left);
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    struct state *s = calloc(1, sizeof *s + (size_t)view->n_pus * sizeof *s->pus);
    double sum = 0.0;
    (void)params;
    if (s == NULL)
        return NULL;
    for (int p = 0; p < view->n_pus; p++) {
        const struct plb_ideal *ideal = view->pus[p].ideal;
        if (!view->pus[p].lost)
            s->pus[p] = (struct pu){ideal != NULL ? ideal->work : 1.0, ideal != NULL ? ideal->pieces : 1};
        sum += s->pus[p].left;
    }
    for (int p = 0; p < view->n_pus; p++)
        s->pus[p].left *= sum > 0.0 ? view->total / sum : 0.0;
    round_shares(s, view);
    for (int p = 0; p < view->n_pus; p++)
        s->owing += s->pus[p].left > 0.0;
    return s;
}

static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    struct pu *pu = &s->pus[p];
    if (pu->left <= 0.0) /* what a loss or rounding by unequal costs has left */
        return s->owing == 0 && view->pus[p].outstanding == 0 ? view->remaining : PLB_WAIT;
    double piece = pu->pieces > 1 ? round(pu->left / pu->pieces) : pu->left;
    piece = fmin(fmax(piece, 1.0), pu->left);
    pu->left -= piece;
    pu->pieces--;
    s->owing -= pu->left <= 0.0;
    return piece;
}

static void lost(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    (void)view;
    s->owing -= s->pus[p].left > 0.0;
    s->pus[p].left = 0.0;
}

const struct plb_balancer plb_balancer_oracle = {
    PLB_BALANCER_HEAD,
    .name = "oracle",
    .summary = "the optimum by the true curves, a yardstick",
    .simulation_only = true,
    .init = init,
    .grant = grant,
    .lost = lost,
    .fini = free,
};
