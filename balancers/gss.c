/* gss: guided self-scheduling (Polychronopoulos and Kuck, IEEE Transactions on Computers C-36, 1987).
 *
 * A PU that asks gets 1 / P of what remains: ⌈R / P⌉ units. Chunks shrink by themselves, so the end is
 * even; unlike PUs are not told apart, so the first chunk of a slow one may be too large for it. A
 * chunk is kept ahead only while chunks are large (more than 1 % of a fair share). */
#include <stdlib.h>

#include "plb/balancer.h"

struct state {
    int alive;
};

static void count(struct state *s, const struct plb_view *view)
{
    s->alive = 0;
    for (int p = 0; p < view->n_pus; p++)
        s->alive += !view->pus[p].lost;
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    (void)params;
    struct state *s = malloc(sizeof *s);
    if (s != NULL)
        count(s, view);
    return s;
}

static double grant(void *state, const struct plb_view *view, int pu)
{
    const struct state *s = state;
    double chunk = view->remaining / s->alive;
    bool large = chunk > 0.01 * view->total / s->alive;
    return view->pus[pu].outstanding == 0 || large ? (chunk > 1.0 ? chunk : 1.0) : PLB_WAIT_OWN;
}

static void lost(void *state, const struct plb_view *view, int pu)
{
    (void)pu;
    count(state, view);
}

const struct plb_balancer plb_balancer_gss = {
    PLB_BALANCER_HEAD,
    .name = "gss",
    .summary = "guided self-scheduling: 1 / P of what remains, to whoever asks",
    .init = init,
    .grant = grant,
    .lost = lost,
    .fini = free,
};
