/* Lines through the times of tasks, which noise and unequal units can spoil. */
#include "outcome/fill_starts.h"

#include <math.h>

#include "model/fit.h"
#include "model/starts.h"

/* The part of a PU's time that its work takes at least, beside starts. Smaller: noise makes rates that no PU
 * has. */
#define LEAST_WORKING 0.01

/* Tasks that take less than so many times what the best rate says show noise and no start, as in
 * core/measure/history.c. */
#define NOISE 1.3

/* Relative spread of a PU's tasks up to which their sizes tell what starts cost, as in model/bound.c. */
#define EVEN 0.25

/* Whether the samples' times are those that were measured. Where the PU has become faster or slower, a
 * history scales older ones, so that they tell of the present machine. On a busy machine that may be a
 * thousandfold; the seconds that the run took are those of the tally. */
static bool as_measured(const struct plb_history *h)
{
    return h->changes == 0;
}

/* Sizes and times as they were measured; returns how many. */
static int points_of(const struct plb_history *h, const struct plb_tally *tally, double x[PLB_MAX_SAMPLES],
                     double t[PLB_MAX_SAMPLES])
{
    int n = as_measured(h) ? h->n : tally->n < PLB_MAX_SAMPLES ? tally->n : PLB_MAX_SAMPLES;
    for (int i = 0; i < n; i++) {
        x[i] = as_measured(h) ? h->at[i].work : tally->at[i].work / tally->at[i].tasks;
        t[i] = as_measured(h) ? h->at[i].execute_s + h->at[i].transfer_s
                              : tally->at[i].seconds / tally->at[i].tasks;
    }
    return n;
}

void plb_starts_add_line(const struct plb_history *h, const struct plb_tally *tally, struct plb_report_pu *pu)
{
    double x[PLB_MAX_SAMPLES], t[PLB_MAX_SAMPLES], slope;
    int n = points_of(h, tally, x, t);
    plb_fit_line(x, t, n, &pu->start_s, &slope);
    double starts = tally->tasks * pu->start_s;
    if (!(tally->seconds - starts > LEAST_WORKING * tally->seconds))
        pu->start_s = starts = 0.0;
    pu->work_rate = tally->work > 0.0 ? tally->work / (tally->seconds - starts) : (double)NAN;
    if (!isfinite(pu->work_rate))
        pu->work_rate = pu->start_s = (double)NAN;
}

double plb_starts_of(const struct plb_history *h, const struct plb_tally *tally)
{
    const struct plb_model *model = &h->belief.model;
    struct plb_spread spread = {0};
    double starts = tally->tasks * plb_starts_by_medians(tally);
    plb_spread_add(&spread, tally);
    if (plb_spread_deviation(&spread) <= EVEN && plb_model_known(model)) {
        double low = model->execute.low, best = plb_model_best_rate(model);
        double excess = plb_curve_time(&model->execute, low) - NOISE * low / best;
        starts = fmax(starts, tally->tasks * fmax(as_measured(h) ? excess : 0.0, h->start_s));
    }
    return fmin(starts, tally->seconds);
}
