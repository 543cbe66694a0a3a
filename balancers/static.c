/* static: shares fixed before the run.
 *
 * `static.source = power`: in proportion to the given powers (Li et al., R_i = c_i / Σ c).
 * `profile`: by the curves of an earlier run, for equal finish times (de Camargo 2012); plbrun
 * makes sure that there are some. Each PU gets its whole share as one block. The rest of a
 * lost PU is shared again among the others.
 *
 * Cost: O(1) per question; a pass over all PUs at the start and after a loss. Weak where powers or
 * profile are wrong: nothing is measured, so nothing is corrected. */
#include <stdlib.h>

#include "model/belief.h"
#include "model/solve.h"
#include "plb/balancer.h"

enum { SOURCE };
enum { POWER, PROFILE }; /* choices of SOURCE */

static const struct plb_option options[] = {
    [SOURCE] = {"static.source", PLB_TEXT, "power", 0, 0, "power|profile",
                "static: what shares follow, given powers or the curves of an earlier run"},
    {0},
};

struct state {
    bool by_profile;
    bool again;  /* a PU was lost: what remains is shared again */
    int owing;   /* PUs that are still owed something */
    double *due; /* work still owed to each PU */
};

static void share_by_power(struct state *s, const struct plb_view *view)
{
    double sum = 0.0;
    for (int p = 0; p < view->n_pus; p++)
        sum += view->pus[p].lost ? 0.0 : view->pus[p].power;
    for (int p = 0; p < view->n_pus; p++)
        s->due[p] = view->pus[p].lost ? 0.0 : view->remaining * view->pus[p].power / sum;
}

/* False where no PU has a curve. */
static bool share_by_profile(struct state *s, const struct plb_view *view)
{
    struct plb_model *models = calloc((size_t)view->n_pus, sizeof *models);
    struct plb_solution solution;
    if (models != NULL)
        for (int p = 0; p < view->n_pus; p++)
            models[p] = plb_belief_curves(&view->pus[p], PLB_FEW_TERMS);
    bool shared = models != NULL && view->remaining > 0.0
               && plb_solve(models, view->n_pus, view->remaining, PLB_SOLVER_AUTO, s->due, &solution);
    view->stats->solves += shared;
    free(models);
    return shared;
}

static void share_out(struct state *s, const struct plb_view *view)
{
    if (!s->by_profile || !share_by_profile(s, view))
        share_by_power(s, view);
    s->owing = 0;
    for (int p = 0; p < view->n_pus; p++)
        s->owing += s->due[p] > 0.0;
    s->again = false;
}

static enum plb_basis basis(const struct plb_param *params)
{
    return params[SOURCE].value == PROFILE ? PLB_BY_PROFILE : PLB_BY_POWER;
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    struct state *s = calloc(1, sizeof *s);
    double *due = calloc((size_t)view->n_pus, sizeof *due);
    if (s == NULL || due == NULL) {
        free(s);
        free(due);
        return NULL;
    }
    s->by_profile = params[SOURCE].value == PROFILE;
    s->due = due;
    share_out(s, view);
    return s;
}

static double grant(void *state, const struct plb_view *view, int pu)
{
    struct state *s = state;
    if (s->again)
        share_out(s, view);
    double work = s->due[pu];
    s->due[pu] = 0.0;
    s->owing -= work > 0.0;
    /* The last PU takes what rounding to whole units has left. If units come back later, an idle one does. */
    if (s->owing == 0 && (work > 0.0 || view->pus[pu].outstanding == 0))
        work = view->remaining;
    return work > 0.0 ? work : PLB_WAIT_OWN;
}

static void lost(void *state, const struct plb_view *view, int pu)
{
    struct state *s = state;
    (void)view;
    (void)pu;
    s->again = true;
}

static void fini(void *state)
{
    struct state *s = state;
    free(s->due);
    free(s);
}

const struct plb_balancer plb_balancer_static = {
    .name = "static",
    PLB_BALANCER_HEAD,
    .summary = "shares fixed beforehand, by the given power of each PU or by an earlier run's profile",
    .beliefs = true,
    .options = options,
    .basis = basis,
    .init = init,
    .grant = grant,
    .lost = lost,
    .fini = fini,
};
