/* greedy: equal pieces, each to the first idle PU, as in the papers' comparisons.
 *
 * While many pieces remain, one is kept ahead at each PU so that none waits for a round trip; towards
 * the end a piece goes only to a PU that has nothing at all, which halves the imbalance of the last
 * pieces. Weak where a slow PU takes one of the last pieces: the run then lasts a piece longer. */
#include <stdlib.h>

#include "plb/balancer.h"

enum { PIECES };

static const struct plb_option options[] = {
    [PIECES] = {"pieces", PLB_INT, "0", 0, 1e12, NULL, "greedy: equal pieces to cut the work into; 0 = 32 for each PU"},
    {0},
};

struct state {
    double piece;               /* work */
};

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    struct state *s = malloc(sizeof *s);
    double pieces = params[PIECES].value > 0.0 ? params[PIECES].value : 32.0 * view->n_pus;
    if (s != NULL)
        s->piece = view->total / pieces;
    return s;
}

static double grant(void *state, const struct plb_view *view, int pu)
{
    const struct state *s = state;
    bool plenty = view->remaining > s->piece * 2.0 * view->n_pus;
    return view->pus[pu].outstanding == 0 || plenty ? s->piece : PLB_WAIT_OWN;
}

const struct plb_balancer plb_balancer_greedy = {
    PLB_BALANCER_HEAD,
    .name = "greedy",
    .summary = "equal pieces, each to the first idle PU",
    .options = options,
    .init = init,
    .grant = grant,
    .fini = free,
};
