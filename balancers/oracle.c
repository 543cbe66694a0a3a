/* oracle: the optimum that only a simulation can know (model/optimum.h), granted as it is. The
 * yardstick of all others: no training, no adaptation.
 *
 * Whole units are shared out by largest remainder. Each PU gets its share in the number of blocks
 * that the optimum asks for, so that moving data hides behind work. Cost: O(1) per question, O(P
 * log P) at the start. Weak where the simulation has noise or changes of speed: the optimum does
 * not know them. */
#include <math.h>
#include <stdlib.h>

#include "plb/balancer.h"

struct oracle_pu {
    double left; /* work still owed */
    int blocks;  /* to grant it in */
};

struct state {
    int owing; /* living PUs that are still owed something */
    struct oracle_pu pus[];
};

/* A PU's part of a unit that rounding down has cut off. */
struct remainder {
    double part;
    int pu;
};

static int by_part(const void *a, const void *b)
{
    const struct remainder *x = a, *y = b;
    if (x->part != y->part)
        return x->part > y->part ? -1 : 1;
    return x->pu - y->pu;
}

/* Rounds shares to whole units, of average cost, whose sum is the pass. False where there is no
 * memory. */
static bool round_shares(struct state *s, const struct plb_view *view)
{
    struct remainder *cut = malloc((size_t)view->n_pus * sizeof *cut);
    double rest = view->total, shared = 0.0;
    if (cut == NULL)
        return false;
    for (int p = 0; p < view->n_pus; p++) {
        double whole = floor(s->pus[p].left);
        shared += s->pus[p].left;
        rest -= whole;
        cut[p] = (struct remainder){s->pus[p].left - whole, p};
        s->pus[p].left = whole;
    }
    qsort(cut, (size_t)view->n_pus, sizeof *cut, by_part);
    for (int i = 0; i < view->n_pus && rest > 0.5 && shared > 0.0; i++, rest -= 1.0)
        s->pus[cut[i].pu].left += 1.0;
    free(cut);
    return true;
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
        if (!view->pus[p].lost && ideal != NULL)
            s->pus[p] = (struct oracle_pu){ideal->work, ideal->blocks};
        else if (!view->pus[p].lost)
            s->pus[p] = (struct oracle_pu){1.0, 1};
        sum += s->pus[p].left;
    }
    for (int p = 0; p < view->n_pus; p++)
        s->pus[p].left *= sum > 0.0 ? view->total / sum : 0.0;
    if (!round_shares(s, view)) {
        free(s);
        return NULL;
    }
    for (int p = 0; p < view->n_pus; p++)
        s->owing += s->pus[p].left > 0.0;
    return s;
}

/* A loss, or rounding by unequal costs, may leave work that nobody is owed: an idle PU gets all of
 * it. */
static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    struct oracle_pu *pu = &s->pus[p];
    if (pu->left <= 0.0)
        return s->owing == 0 && view->pus[p].outstanding == 0 ? view->remaining : PLB_WAIT;
    double block = pu->blocks > 1 ? round(pu->left / pu->blocks) : pu->left;
    block = fmin(fmax(block, 1.0), pu->left);
    pu->left -= block;
    pu->blocks--;
    s->owing -= pu->left <= 0.0;
    if (s->owing == 0)
        view->stats->ask_again = true;
    return block;
}

static void lost(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    (void)view;
    s->owing -= s->pus[p].left > 0.0;
    s->pus[p].left = 0.0;
}

const struct plb_balancer plb_balancer_oracle = {
    .name = "oracle",
    PLB_BALANCER_HEAD,
    .summary = "the optimum by the true curves of a simulation, for comparison",
    .simulation_only = true,
    .init = init,
    .grant = grant,
    .lost = lost,
    .fini = free,
};
