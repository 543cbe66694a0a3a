/* Lines through the times of tasks, which noise and unequal units can spoil. */
#include "drive/fill_starts.h"

#include <math.h>

#include "model/fit.h"
#include "model/starts.h"

/* The part of a PU's time that its work takes at least, beside starts. Smaller: noise makes rates that no PU
 * has. */
#define LEAST_WORKING 0.01

/* Tasks that take less than so many times what the best rate says show noise and no start, as in
 * core/history.c. */
#define NOISE 1.3

/* Relative spread of a PU's tasks up to which their sizes tell what starts cost, as in model/bound.c. */
#define EVEN 0.25

void plb_starts_add_line(struct plb_master *master, int phase, int p, struct plb_report_pu *pu)
{
    const struct plb_history *h = plb_master_history(master, phase, p);
    const struct plb_tally *tally = plb_work_count_tally(plb_master_work(master), phase, p);
    double x[PLB_MAX_SAMPLES], t[PLB_MAX_SAMPLES], slope;
    for (int i = 0; i < h->n; i++) {
        x[i] = h->at[i].work;
        t[i] = h->at[i].execute_s + h->at[i].transfer_s;
    }
    plb_fit_line(x, t, h->n, &pu->start_s, &slope);
    double starts = tally->tasks * pu->start_s;
    if (!(tally->seconds - starts > LEAST_WORKING * tally->seconds))
        pu->start_s = starts = 0.0;
    pu->work_rate = tally->work > 0.0 ? tally->work / (tally->seconds - starts) : (double)NAN;
    if (!isfinite(pu->work_rate))
        pu->work_rate = pu->start_s = (double)NAN;
}

double plb_starts_of(struct plb_master *master, int phase, int p)
{
    const struct plb_history *h = plb_master_history(master, phase, p);
    const struct plb_tally *tally = plb_work_count_tally(plb_master_work(master), phase, p);
    const struct plb_model *model = &h->belief.model;
    struct plb_spread spread = {0};
    double by_medians = tally->tasks * plb_starts_by_medians(tally);
    plb_spread_add(&spread, tally);
    if (!(plb_spread_deviation(&spread) <= EVEN) || !plb_model_known(model))
        return by_medians;
    double low = model->execute.low, best = plb_model_best_rate(model);
    double excess = plb_curve_time(&model->execute, low) - NOISE * low / best;
    return fmax(tally->tasks * fmax(excess, h->start_s), by_medians);
}
