/* Estimates from samples: one fit, and a pass over at most PLB_MAX_SAMPLES samples. Weak where a PU has
 * reported one size only: what starting a block costs is then part of the work. */
#include "model/estimate.h"

#include <math.h>

#include "model/fit.h"

/* Relative error of one report's time. Larger: a real start cost is taken for noise, and blocks
 * become too small. Smaller: noise is taken for a start cost, and blocks become too large. */
#define NOISE 0.4

/* Relative error of a curve's slope at its far end, however many reports there are. Larger and
 * smaller: as NOISE. After a change of speed slopes were a tenth off, and blocks two to four times
 * too long. */
#define MISFIT 0.2

/* Reports after which the latest one bounds the slope too. Larger: a curve that flattens at its far end
 * makes a start cost out of nothing for longer. Smaller: a single report decides too early. */
#define MANY_REPORTS 8

/* Part of its best rate at which a block is large enough. Larger: blocks are larger, and PUs end
 * further apart. Smaller: small blocks waste time. */
#define NEAR_BEST 0.9

/* Ratio of the sizes at which the smallest such block is looked for. */
#define SIZE_STEP 1.25

/* Seconds of a report whose time says nothing, and its work at least: any numbers far below real
 * ones. */
#define NO_TIME 1e-9
#define NO_WORK 1e-9

double plb_sample_rate(const struct plb_sample *sample)
{
    double seconds = sample->execute_s + sample->transfer_s;
    return fmax(sample->work, NO_WORK) / (isfinite(seconds) && seconds > 0.0 ? seconds : NO_TIME);
}

/* What the quickest report took beyond its work. A small report tells the start cost best. An excess
 * that is small may be noise; of many reports a smaller excess is. The work counts by the curve's
 * slope, or by the latest rate where that is slower: a curve may flatten at its far end by chance. */
double plb_start_cost(const struct plb_model *m, const struct plb_pu *pu, double rate)
{
    double quickest = INFINITY, work = 0.0;
    for (int i = 0; i < pu->n_samples; i++) {
        double seconds = pu->samples[i].execute_s + pu->samples[i].transfer_s;
        if (seconds < quickest) {
            quickest = seconds;
            work = pu->samples[i].work;
        }
    }
    double slope = plb_model_slope(m, m->execute.high);
    if (pu->n_samples > MANY_REPORTS)
        slope = fmax(slope, 1.0 / rate);
    double start = quickest - (1.0 + fmax(NOISE / sqrt(pu->n_samples), MISFIT)) * work * slope;
    return isfinite(start) && start > 0.0 ? start : 0.0;
}

/* The smallest measured size whose rate is near the best one. If that is the smallest of all, smaller
 * ones may do as well; then the start cost says which. */
static double least_block(const struct plb_model *m, double start)
{
    double size = m->execute.low, best = plb_model_best_rate(m);
    while (size < m->execute.high && size / plb_model_time(m, size) < NEAR_BEST * best)
        size *= SIZE_STEP;
    if (size > m->execute.low)
        return fmin(size, m->execute.high);
    return fmin(size, NEAR_BEST / (1.0 - NEAR_BEST) * start / plb_model_slope(m, m->execute.high));
}

/* The first report contains the PU's warm-up, so it is left out once there are three, unless a profile
 * comes first. A history that is half full has forgotten its first report. */
bool plb_estimate(const struct plb_pu *pu, double half_life, double rate, struct plb_model *model,
                  struct plb_estimate *estimate)
{
    int first = pu->n_samples >= 3 && pu->recalled == 0 && pu->n_samples < PLB_MAX_SAMPLES / 2 ? 1 : 0;
    if (!plb_fit_samples(pu->samples + first, pu->n_samples - first, half_life, model))
        return false;
    model->grain = isfinite(pu->grain) ? pu->grain : 0.0;
    estimate->start_s = plb_start_cost(model, pu, rate);
    estimate->least = least_block(model, estimate->start_s);
    return true;
}

double plb_retry_block(const struct plb_pu *pu, double unit, double left_s)
{
    double size = 0.0, quickest = INFINITY;
    for (int i = 0; i < pu->n_samples; i++) {
        double seconds = pu->samples[i].execute_s + pu->samples[i].transfer_s;
        if (pu->samples[i].work >= 1.0 && seconds > 0.0 && seconds < quickest) {
            quickest = seconds;
            size = pu->samples[i].work;
        }
    }
    return quickest * fmax(unit / size, 1.0) < 0.5 * left_s ? size : 0.0;
}
