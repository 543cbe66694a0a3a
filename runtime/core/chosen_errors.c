/* How wrong rates may be, where nobody tells what units cost: a PU that has had one dear unit seems slow. */
#include <math.h>

#include "core/chosen.h"
#include "core/chosen_inside.h"

/* Standard errors by which a rate may be wrong. Fewer: a PU is left out for its first unit, if that was a
 * dear one. More: PUs that should not, work longer. */
#define ERRORS 1.0

/* Reports of a PU below which those of all tell its error. Fewer: two cheap units look like certainty. More:
 * PUs whose units are alike are doubted, since others' are not. */
#define REPORTS 3

/* Relative error of a rate that stands on one report, where nobody has two. Larger: training of few blocks
 * lasts longer. Smaller: the first units decide. */
#define ALONE 0.5

/* Relative error from which on a rate is that of all reports, and not of the latest ones. Larger: a few units
 * decide. Smaller: a PU that has become slower is believed later. */
#define UNSURE 0.05

void plb_chosen_note(struct chosen_pu *own, const struct plb_sample *s)
{
    struct chosen_sums *sums = &own->sums;
    double work = s->work * (double)s->tasks, seconds = (s->execute_s + s->transfer_s) * (double)s->tasks;
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
        if (!c->untold || c->by_power || view->pus[p].recalled > 0 || s->n == 0)
            continue;
        own->error = s->n >= REPORTS ? sqrt(variance_of(s)) / s->work
                   : work > 0.0      ? sqrt(variance / work / s->work)
                                     : ALONE;
    }
}

double plb_chosen_steady(const struct chosen_pu *own, double latest)
{
    return own->error > UNSURE && own->sums.n > 0 ? own->sums.work / own->sums.seconds : latest;
}

void plb_chosen_keep_unsure(struct plb_chosen *c, const struct plb_view *view)
{
    double dearest = 0.0; /* joules of a unit */
    for (int p = 0; p < view->n_pus; p++)
        if (c->x[p] > 0.0 && c->pus[p].rate > 0.0)
            dearest = fmax(dearest,
                           c->speeds[p].dynamic_watts / c->pus[p].rate * (1.0 + ERRORS * c->pus[p].error));
    for (int p = 0; p < view->n_pus; p++)
        if (!(c->x[p] > 0.0) && c->pus[p].rate > 0.0 && c->pus[p].error > 0.0
            && c->speeds[p].dynamic_watts / c->pus[p].rate < dearest * (1.0 + ERRORS * c->pus[p].error))
            c->x[p] = c->pus[p].rate;
}
