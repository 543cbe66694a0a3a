/* PUs that are not among the best as far as is known, but are worth another unit: what it costs is compared
 * with what it may teach (the knowledge gradient, Frazier and Powell 2010, for one unit and for several). */
#include <math.h>

#include "core/grant/selection.h"
#include "core/grant/selection_inside.h"

/* Units that a PU may be tried with in one go, at most: twice as many in each step. Larger: time. Smaller: a
 * PU that needs many to be known is given up. */
#define MOST_UNITS 64

/* Part of the costs of units that counts: the trial ends early where the first of them show that the PU is
 * expensive. Larger: good PUs are given up, which costs energy times delay most. Smaller: expensive ones are
 * tried for longer. */
#define COSTS 0.5

/* Marks the nodes whose static watts count while the chosen ones work. Returns the sum of these watts. */
static double mark_nodes_on(struct plb_selection *c, int n_pus)
{
    double watts = 0.0;
    for (int i = 0; i < c->n_nodes; i++)
        c->on[i] = c->goal.rule == PLB_STATIC_JOB;
    for (int p = 0; p < n_pus; p++)
        c->on[c->all->infos[p].node] = c->on[c->all->infos[p].node] || c->x[p] > 0.0;
    for (int i = 0; i < c->n_nodes; i++)
        watts += c->on[i] ? c->static_watts[i] : 0.0;
    return watts;
}

/* The part of the normal distribution below x. */
static double below(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

/* A PU that may be tried. */
struct trial {
    double rate, enough;   /* its rate, and from which one on it is among the best */
    double error, of_unit; /* variances of the logarithms: of rate / enough, and of a report of one unit */
    double unit, left_s;   /* work of a unit, and seconds to the end */
};

/* Whether so many units are worth it, both in seconds of the PU's watts: what is saved until the end if they
 * show that it is quick, and what they cost more than on others. */
static bool is_worth(const struct trial *t, int units)
{
    double s = t->error / sqrt(t->error + t->of_unit / units), m = log(t->rate / t->enough);
    double seconds = units * t->unit / t->rate * exp(0.5 * t->error), others = units * t->unit / t->enough;
    double saves = exp(m + 0.5 * s * s) * below(m / s + s) - below(m / s);
    return saves * (t->left_s - seconds) > COSTS * (seconds - others);
}

static bool is_worth_trying(const struct trial *t)
{
    for (int units = 1; units <= MOST_UNITS; units *= 2)
        if (is_worth(t, units))
            return true;
    return false;
}

void plb_selection_keep_tried(struct plb_selection *c, const struct plb_view *view, double left)
{
    double watts = mark_nodes_on(c, view->n_pus), rate = 0.0, squares = 0.0;
    for (int p = 0; p < view->n_pus; p++) {
        const struct selection_pu *own = &c->pus[p];
        bool works = c->x[p] > 0.0 && own->rate > 0.0;
        watts += works ? c->speeds[p].dynamic_watts : 0.0;
        rate += works ? own->rate : 0.0;
        squares += works ? pow(own->rate * own->error, 2.0) : 0.0;
    }
    for (int p = 0; p < view->n_pus; p++) {
        struct selection_pu *own = &c->pus[p];
        int node = c->all->infos[p].node;
        double besides = c->speeds[p].dynamic_watts + (c->on[node] ? 0.0 : c->static_watts[node]);
        double more = besides / watts;
        own->tried = false;
        if (c->x[p] > 0.0 || !(own->rate > 0.0 && own->error > 0.0 && rate > 0.0 && view->remaining > 0.0))
            continue;
        struct trial t = {.rate = own->rate,
                          .enough = rate
                                  * (c->goal.objective == PLB_OBJECTIVE_EDP ? sqrt(1.0 + more) - 1.0 : more),
                          .error = own->error * own->error + squares / (rate * rate),
                          .of_unit = log1p(c->unlike / view->next),
                          .unit = view->next,
                          .left_s = left / rate};
        own->tried = is_worth_trying(&t);
        c->x[p] = own->tried ? own->rate : 0.0;
    }
}

bool plb_selection_has_enough(const struct plb_selection *c, const struct plb_view *view, int p)
{
    return c->pus[p].tried && view->pus[p].outstanding > 0;
}
