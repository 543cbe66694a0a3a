/* static: shares fixed before the run, in proportion to the given powers (Li et al., R_i = c_i / Σ c).
 *
 * Each PU gets its whole share as one block. Nothing is measured, so it costs nothing, and it is as
 * good as the powers are. A share that comes back from a lost PU is split again among the others. */
#include <stdlib.h>

#include "plb/balancer.h"

struct state {
    double *due;                /* work still owed to each PU */
};

static void share_out(struct state *s, const struct plb_view *view)
{
    double sum = 0.0;
    for (int p = 0; p < view->n_pus; p++)
        sum += view->pus[p].lost ? 0.0 : view->pus[p].power;
    for (int p = 0; p < view->n_pus; p++)
        s->due[p] = view->pus[p].lost ? 0.0 : view->remaining * view->pus[p].power / sum;
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    (void)params;
    struct state *s = calloc(1, sizeof *s);
    double *due = calloc((size_t)view->n_pus, sizeof *due);
    if (s == NULL || due == NULL) {
        free(s);
        free(due);
        return NULL;
    }
    s->due = due;
    share_out(s, view);
    return s;
}

static double grant(void *state, const struct plb_view *view, int pu)
{
    struct state *s = state;
    bool others = false;
    for (int p = 0; p < view->n_pus && !others; p++)
        others = p != pu && s->due[p] > 0.0;
    /* The last one takes what rounding to whole units has left. */
    double work = s->due[pu] > 0.0 && !others ? view->remaining : s->due[pu];
    if (!others && work == 0.0 && view->pus[pu].outstanding == 0)
        work = view->remaining;
    s->due[pu] = 0.0;
    return work;
}

static void lost(void *state, const struct plb_view *view, int pu)
{
    (void)pu;
    share_out(state, view);
}

static void fini(void *state)
{
    struct state *s = state;
    free(s->due);
    free(s);
}

const struct plb_balancer plb_balancer_static = {
    PLB_BALANCER_HEAD,
    .name = "static",
    .summary = "shares fixed beforehand by the given power of each PU",
    .init = init,
    .grant = grant,
    .lost = lost,
    .fini = fini,
};
