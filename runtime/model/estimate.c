/* Estimates from samples: a pass over at most PLB_MAX_SAMPLES samples. Weak where a PU has
 * reported one size only: what starting a block costs is then part of the work. */
#include "model/estimate.h"

#include <math.h>

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

/* Part of the largest size from which on a report is large. Larger: an old one counts. Smaller: a start makes
 * it slow. */
#define LARGE 0.5

/* Seconds of a report whose time says nothing, and its work at least: any numbers far below real
 * ones. */
#define NO_TIME 1e-9
#define NO_WORK 1e-9

double plb_sample_rate(const struct plb_sample *sample)
{
    double seconds = sample->execute_s + sample->transfer_s;
    return fmax(sample->work, NO_WORK) / (isfinite(seconds) && seconds > 0.0 ? seconds : NO_TIME);
}

static double seconds_of(const struct plb_sample *s)
{
    return s->execute_s + s->transfer_s;
}

/* The smallest size that took about as long as the quickest report. Where a start is all that counts, a large
 * report may be the quickest by chance. */
static double smallest_quick(const struct plb_pu *pu, double quickest, double error)
{
    double work = INFINITY;
    for (int i = 0; i < pu->n_samples; i++)
        if (seconds_of(&pu->samples[i]) <= quickest * (1.0 + error))
            work = fmin(work, pu->samples[i].work);
    return work;
}

/* The rate of the latest large report. That of a small one is mostly its start. */
static double latest_rate(const struct plb_pu *pu, double largest)
{
    int i = pu->n_samples - 1;
    while (i > 0 && pu->samples[i].work < LARGE * largest)
        i--;
    return plb_sample_rate(&pu->samples[i]);
}

/* The excess of the quickest report beyond its work. A small report tells the start cost best. An excess
 * that is small may be noise; of many reports a smaller excess is. The work counts by the curve's
 * slope, or by the latest rate where that is slower: a curve may flatten at its far end by chance. */
double plb_start_cost(const struct plb_model *m, const struct plb_pu *pu)
{
    double slope = plb_model_slope(m, m->execute.high), quickest = INFINITY;
    double error = fmax(NOISE / sqrt(pu->n_samples), MISFIT);
    for (int i = 0; i < pu->n_samples; i++)
        quickest = fmin(quickest, seconds_of(&pu->samples[i]));
    if (pu->n_samples > MANY_REPORTS)
        slope = fmax(slope, 1.0 / latest_rate(pu, m->execute.high));
    double start = quickest - (1.0 + error) * smallest_quick(pu, quickest, error) * slope;
    return isfinite(start) && start > 0.0 ? start : 0.0;
}
