/* How wrong rates may be, where nobody tells what units cost: a PU that has had one dear unit seems slow. */
#include <math.h>

#include "core/grant/chosen.h"
#include "core/grant/chosen_inside.h"

/* Standard errors by which a rate may be wrong. Fewer: a PU is left out for its first unit, if that was an
 * expensive one. More: PUs that should not, work longer. On 100 clusters of unlike units 0.5, 1 and 2 needed
 * 1.15, 1.19 and 1.27 of the least energy; energy times delay was at most 2.0, 1.6 and 1.2 of that of all
 * PUs. */
#define ERRORS 1.0

/* Reports of a PU below which those of all tell its error. Fewer: two cheap units look like certainty. More:
 * PUs whose units are alike are doubted, since others' are not. */
#define REPORTS 3

/* Relative error of a rate that stands on one report, where nobody has two. Larger: training of few blocks
 * lasts longer. Smaller: the first units decide. */
#define ALONE 0.25

/* Relative error from which on a rate is that of all reports, and not the estimate. Larger: a few units
 * decide. Smaller: a PU that has become slower is believed later. */
#define UNSURE 0.05

void plb_chosen_note(struct chosen_pu *own, const struct plb_sample *s)
{
    struct chosen_sums *sums = &own->sums;
    double transfer_s = sums->n > 0 ? s->transfer_s
                                    : 0.0; /* the first is long: ranks had not spoken before */
    double work = s->work * (double)s->tasks, seconds = (s->execute_s + transfer_s) * (double)s->tasks;
    if (!(work > 0.0 && seconds > 0.0 && isfinite(work + seconds)))
        return;
    sums->n++;
    sums->work += work;
    sums->seconds += seconds;
    sums->ww += work * work;
    sums->wt += work * seconds;
    sums->tt += seconds * seconds;
}

/* Of the work of a PU's reports about its mean rate: a sum of squares. */
static double variance_of(const struct chosen_sums *s)
{
    double rate = s->seconds > 0.0 ? s->work / s->seconds : 0.0;
    double squares = rate * rate * s->tt - 2.0 * rate * s->wt + s->ww;
    return s->n > 1 ? fmax(squares, 0.0) * s->n / (s->n - 1) : 0.0;
}

void plb_chosen_find_errors(struct plb_chosen *c, const struct plb_view *view)
{
    double variance = 0.0, work = 0.0;
    for (int p = 0; p < view->n_pus; p++) {
        variance += variance_of(&c->pus[p].sums);
        work += c->pus[p].sums.n > 1 ? c->pus[p].sums.work : 0.0;
    }
    for (int p = 0; p < view->n_pus; p++) {
        struct chosen_pu *own = &c->pus[p];
        const struct chosen_sums *s = &own->sums;
        own->error = 0.0;
        if (!c->unknown_cost || c->by_power || view->pus[p].recalled > 0 || s->n == 0)
            continue;
        own->error = s->n >= REPORTS ? sqrt(variance_of(s)) / s->work
                   : work > 0.0      ? sqrt(variance / work / s->work)
                                     : ALONE;
    }
}

double plb_chosen_steady(const struct chosen_pu *own, double estimated)
{
    return own->error > UNSURE && own->sums.n > 0 ? own->sums.work / own->sums.seconds : estimated;
}

/* The factor by which a rate may be wrong. */
static double doubt(const struct chosen_pu *own)
{
    return 1.0 + ERRORS * own->error;
}

/* Marks the nodes whose static watts count while the chosen ones work. Returns the sum of these watts. */
static double mark_nodes_on(struct plb_chosen *c, int n_pus)
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

void plb_chosen_keep_unsure(struct plb_chosen *c, const struct plb_view *view)
{
    double watts = mark_nodes_on(c, view->n_pus), rate = 0.0;
    for (int p = 0; p < view->n_pus; p++) {
        bool works = c->x[p] > 0.0 && c->pus[p].rate > 0.0;
        watts += works ? c->speeds[p].dynamic_watts : 0.0;
        rate += works ? c->pus[p].rate / doubt(&c->pus[p]) : 0.0;
    }
    if (!(rate > 0.0))
        return;
    bool edp = c->goal.objective == PLB_OBJECTIVE_EDP;
    for (int p = 0; p < view->n_pus; p++) {
        const struct chosen_pu *own = &c->pus[p];
        int node = c->all->infos[p].node;
        double besides = c->speeds[p].dynamic_watts + (c->on[node] ? 0.0 : c->static_watts[node]);
        double more = own->rate * doubt(own)
                    / rate; /* of the rate, and so of the watts that lower the goal */
        double most = watts * (edp ? more * (2.0 + more) : more);
        if (!(c->x[p] > 0.0) && own->rate > 0.0 && own->error > 0.0 && besides < most)
            c->x[p] = own->rate;
    }
}
