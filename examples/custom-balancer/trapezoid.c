/* trapezoid: blocks that shrink by the same amount each time (Tzen and Ni 1993). */
#include <math.h>
#include <stdlib.h>

#include "plb/balancer.h"

static const struct plb_option options[] = {
    {"first_part", PLB_REAL, "0.5", 0.001, 1, NULL, "the first block, as a part of an equal share"},
    {0},
};

struct state {
    double first, step, granted; /* work of the first block; by how much each is smaller; blocks so far */
};

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    double first = fmax(params[0].value * view->total / view->living, 1.0);
    double blocks = ceil(2.0 * view->total / (first + 1.0)); /* their mean is (first + 1) / 2 */
    struct state *s = malloc(sizeof *s);
    if (s != NULL)
        *s = (struct state){first, (first - 1.0) / fmax(blocks - 1.0, 1.0), 0.0};
    return s;
}

static double grant(void *state, const struct plb_view *view, int pu)
{
    struct state *s = state;
    if (view->pus[pu].outstanding > 0)
        return PLB_WAIT_OWN; /* no block ahead: it is asked again after its next report */
    return fmax(s->first - s->step * s->granted++, 1.0);
}

const struct plb_balancer plb_balancer = {.name = "trapezoid",
                                          PLB_BALANCER_HEAD,
                                          .options = options,
                                          .summary = "blocks that shrink linearly",
                                          .init = init,
                                          .grant = grant,
                                          .fini = free};
