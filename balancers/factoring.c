/* factoring: after Hummel, Schonberg and Flynn (Communications of the ACM 35, 1992).
 *
 * Work is handed out in batches of P equal chunks, each batch half of what remains when it begins:
 * chunks of R / 2P. More even than guided self-scheduling where the times of chunks vary, since less is
 * committed early. A chunk is kept ahead only while chunks are large (more than 1 % of a fair share). */
#include <stdlib.h>

#include "plb/balancer.h"

struct state {
    int alive, left;            /* left: chunks of this batch not granted yet */
    double chunk;
};

static void count(struct state *s, const struct plb_view *view)
{
    s->alive = 0;
    s->left = 0;
    for (int p = 0; p < view->n_pus; p++)
        s->alive += !view->pus[p].lost;
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    (void)params;
    struct state *s = calloc(1, sizeof *s);
    if (s != NULL)
        count(s, view);
    return s;
}

static double grant(void *state, const struct plb_view *view, int pu)
{
    struct state *s = state;
    if (s->left == 0) {
        s->left = s->alive;
        s->chunk = view->remaining / (2.0 * s->alive);
        s->chunk = s->chunk > 1.0 ? s->chunk : 1.0;
    }
    if (view->pus[pu].outstanding > 0 && s->chunk <= 0.01 * view->total / s->alive)
        return PLB_WAIT_OWN;
    s->left--;
    return s->chunk;
}

static void lost(void *state, const struct plb_view *view, int pu)
{
    (void)pu;
    count(state, view);
}

const struct plb_balancer plb_balancer_factoring = {
    PLB_BALANCER_HEAD,
    .name = "factoring",
    .summary = "batches of P equal chunks, each batch half of what remains",
    .init = init,
    .grant = grant,
    .lost = lost,
    .fini = free,
};
