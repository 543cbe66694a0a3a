/* gss: guided self-scheduling (Polychronopoulos and Kuck, IEEE Transactions on Computers C-36,
 * 1987).
 *
 * A PU that asks gets 1 / P of what remains: ⌈R / P⌉ units. Chunks shrink by themselves, so the end
 * is even. While much remains, each PU has one chunk ahead. Cost: O(1) per question. Weak where PUs
 * are unlike: the rule does not tell them apart, so the first chunk of a slow one may be too large
 * for it. */
#include <math.h>
#include <stdlib.h>

#include "model/batch.h"
#include "plb/balancer.h"

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    (void)view;
    (void)params;
    return malloc(1); /* gss remembers nothing */
}

static double grant(void *state, const struct plb_view *view, int pu)
{
    (void)state;
    if (view->pus[pu].outstanding > 0 && view->remaining <= PLB_AHEAD_WHILE * view->total)
        return PLB_WAIT_OWN;
    return fmax(view->remaining / view->living, 1.0);
}

const struct plb_balancer plb_balancer_gss = {
    .name = "gss",
    PLB_BALANCER_HEAD,
    .summary = "guided self-scheduling: 1 / P of what remains, to whoever asks",
    .init = init,
    .grant = grant,
    .fini = free,
};
