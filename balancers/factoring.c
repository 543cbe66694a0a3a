/* factoring: after Hummel, Schonberg and Flynn (Communications of the ACM 35, 1992).
 *
 * Work is handed out in batches of P equal chunks. A batch is half of what remains when it begins,
 * so a chunk is R / 2P. More even than guided self-scheduling where the times of chunks vary, since
 * less is committed early. While chunks are large, each PU has one ahead. Cost: O(1) per question.
 * Weak where PUs are unlike: all get equal chunks. */
#include <math.h>
#include <stdlib.h>

#include "model/batch.h"
#include "plb/balancer.h"

struct state {
    int left;     /* chunks of this batch that are not granted yet */
    double chunk; /* work */
};

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    (void)view;
    (void)params;
    return calloc(1, sizeof(struct state));
}

static double grant(void *state, const struct plb_view *view, int pu)
{
    struct state *s = state;
    if (s->left == 0) {
        s->left = view->living;
        s->chunk = fmax(view->remaining / (2.0 * view->living), 1.0);
    }
    if (view->pus[pu].outstanding > 0 && s->chunk <= PLB_AHEAD_WHILE * view->total / view->living)
        return PLB_WAIT_OWN;
    s->left--;
    return s->chunk;
}

/* The work of the lost PU is shared again, among fewer: a new batch. */
static void lost(void *state, const struct plb_view *view, int pu)
{
    struct state *s = state;
    (void)view;
    (void)pu;
    s->left = 0;
}

const struct plb_balancer plb_balancer_factoring = {
    .name = "factoring",
    PLB_BALANCER_HEAD,
    .summary = "batches of P equal chunks, each batch half of what remains",
    .init = init,
    .grant = grant,
    .lost = lost,
    .fini = free,
};
