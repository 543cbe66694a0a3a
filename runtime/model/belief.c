/* Beliefs: a fit, the scatter about it, and a search for the size that is sure. */
#include "model/belief.h"

#include <math.h>

#include "model/fit.h"
#include "model/rounding.h"
#include "model/solve.h"

/* Relative spread of one report about a curve that is not known yet. It counts as one report. Larger: the
 * first blocks are smaller. Smaller: two reports that agree by chance are believed. */
#define UNKNOWN 0.3

/* Relative: how close to a size is enough. Larger: it is a little too small. Smaller: it takes longer. */
#define CLOSE 1e-5

/* Relative error of what a report would take without its start. Larger: a real start cost is taken for noise,
 * and blocks become too small. Smaller: noise is taken for a start cost, and blocks become too large. Between
 * 0.2 and 0.4 the tuning half does not tell them apart. */
#define MISFIT 0.3

/* A block that takes less than this part of the largest one counts less for the height of the curve. Larger:
 * a few large blocks decide it. Smaller: noise of the smallest ones does, by factors of hundreds. */
#define SMALL 0.01

void plb_belief_prior(struct plb_belief *b, double rate, double start_s)
{
    *b = (struct plb_belief){.start_s = start_s, .spread = PLB_PRIOR_SPREAD};
    b->model.transfer_s = start_s; /* the constant that counts at every size */
    b->model.execute = (struct plb_curve){
        .terms = 1u << PLB_TERM_X, .a[PLB_TERM_X] = 1.0 / rate, .scale = 1.0, .low = 1.0, .high = 1.0};
}

static double seconds_of(const struct plb_sample *s)
{
    return s->execute_s + s->transfer_s;
}

/* A fit of relative errors lies below the mean of the times, by about the square of their scatter. This puts
 * the curve through their mean. Beyond a start the smallest blocks take noise, which may be many times what
 * the curve has for them: they count less. */
static void unbias(struct plb_curve *c, const struct plb_sample *samples, int n)
{
    double ratios = 0.0, weights = 0.0, largest = plb_curve_time(c, c->high);
    for (int i = 0; i < n; i++) {
        double f = plb_curve_time(c, samples[i].work), ratio = samples[i].execute_s / f;
        double w = fmin(1.0, f / (SMALL * largest));
        if (isfinite(ratio) && w > 0.0) {
            ratios += w * ratio;
            weights += w;
        }
    }
    double ratio = weights > 0.0 && ratios > 0.0 ? ratios / weights : 1.0;
    for (int k = 0; k < PLB_TERMS; k++)
        c->a[k] *= ratio;
    c->least_slope *= ratio;
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

/* The excess of the quickest report beyond its work. A small report tells the start cost best. A small excess
 * may be noise. */
static double start_cost(const struct plb_model *m, const struct plb_pu *pu)
{
    double slope = plb_model_slope(m, m->execute.high), quickest = INFINITY;
    for (int i = 0; i < pu->n_samples; i++)
        quickest = fmin(quickest, seconds_of(&pu->samples[i]));
    double start = quickest - (1.0 + MISFIT) * smallest_quick(pu, quickest, MISFIT) * slope;
    return isfinite(start) && start > 0.0 ? start : 0.0;
}

/* A fit of what the samples took beyond a start of so many seconds. Else the start would look like the time
 * of work, and the slope beyond the sizes seen is a part of that at least. */
static bool fit_beyond(const struct plb_pu *pu, double start_s, double half_life, struct plb_model *model)
{
    struct plb_sample beyond[PLB_MAX_SAMPLES];
    for (int i = 0; i < pu->n_samples; i++) {
        beyond[i] = pu->samples[i];
        beyond[i].execute_s = fmax(beyond[i].execute_s - start_s, PLB_LEAST_WORK * beyond[i].execute_s);
    }
    if (!plb_fit_samples(beyond, pu->n_samples, isfinite(half_life) ? half_life : 0.0, model))
        return false;
    unbias(&model->execute, beyond, pu->n_samples);
    model->execute.start_s = start_s;
    model->grain = isfinite(pu->grain) ? pu->grain : 0.0;
    return true;
}

/* Seconds of the starts in a block that takes m seconds. */
static double starts_of(const struct plb_belief *b, double x, double m)
{
    double tasks = b->model.grain > 0.0 && x > b->model.grain ? x / b->model.grain : 1.0;
    return fmin(tasks * b->start_s, m);
}

bool plb_belief_fit(struct plb_belief *b, const struct plb_pu *pu, double start_s, double half_life)
{
    struct plb_model model;
    if (!fit_beyond(pu, start_s, half_life, &model))
        return false;
    b->model = model;
    b->start_s = fmax(start_cost(&model, pu), start_s);
    double executed = b->start_s - model.transfer_s; /* the part of it that is no transfer */
    if (executed > start_s && fit_beyond(pu, executed, half_life, &model))
        b->model = model;
    double squares = UNKNOWN * UNKNOWN, reports = 1.0;
    b->watched_s = 0.0;
    double weights[PLB_MAX_SAMPLES];
    plb_fit_weights(pu->samples, pu->n_samples, half_life, weights);
    for (int i = 0; i < pu->n_samples; i++) {
        const struct plb_sample *s = &pu->samples[i];
        double off = log(seconds_of(s) / plb_model_time(&b->model, s->work));
        if (!isfinite(off))
            continue;
        squares += weights[i] * off * off;
        reports += weights[i];
        b->watched_s += seconds_of(s) * (double)s->tasks;
    }
    b->spread = sqrt(squares) / reports; /* of the mean: the curve's own error */
    b->spread = fmax(b->spread, sqrt(squares / reports) / 3.0);
    double largest = plb_model_time(&b->model, b->model.execute.high);
    double work = largest - starts_of(b, b->model.execute.high, largest);
    b->work_spread = b->spread * largest / fmax(work, PLB_LEAST_WORK * PLB_LEAST_WORK * largest);
    return b->watched_s > 0.0;
}

struct plb_model plb_belief_curves(const struct plb_pu *pu, enum plb_terms terms)
{
    struct plb_model model = {0};
    if (pu->lost || !plb_belief_reported(pu->belief))
        return model;
    if (terms != PLB_ALL_TERMS || !plb_fit_all_terms(pu->samples, pu->n_samples, &model))
        return pu->belief->model;
    model.grain = pu->belief->model.grain;
    return model;
}

double plb_belief_spread(const struct plb_belief *b, double x, double wait_s)
{
    if (b->watched_s == 0.0)
        return PLB_PRIOR_SPREAD;
    double beyond = x > b->model.execute.high ? PLB_SIZE_SPREAD * log(x / b->model.execute.high) : 0.0;
    return hypot(b->work_spread, b->costs)
         + PLB_AGE_SPREAD * (wait_s + plb_model_time(&b->model, x)) / b->watched_s + beyond;
}

bool plb_belief_guesses(const struct plb_belief *b, double x)
{
    return plb_belief_spread(b, x, 0.0) >= PLB_PRIOR_SPREAD;
}

double plb_belief_late(const struct plb_belief *b, double x, double wait_s)
{
    double m = plb_model_time(&b->model, x), s = plb_belief_reported(b) ? starts_of(b, x, m) : 0.0;
    return s * (1.0 + b->spread) + (m - s) * (1.0 + plb_belief_spread(b, x, wait_s));
}

/* The largest size whose late(x), less `timely` times m(x), is at most `seconds`. */
static double largest(const struct plb_belief *b, double seconds, double wait_s, double timely, double limit)
{
    double low = 0.0, high = limit, x = limit;
    for (int i = 0; i < PLB_HALVINGS && high - low > CLOSE * low; i++) {
        if (plb_belief_late(b, x, wait_s) - timely * plb_model_time(&b->model, x) <= seconds)
            low = x;
        else
            high = x;
        x = low > 0.0 && low < 0.1 * high ? sqrt(low * high) : 0.5 * (low + high);
    }
    return low;
}

double plb_belief_sure(const struct plb_belief *b, double seconds, double wait_s, double limit)
{
    if (!plb_belief_reported(b))
        return 0.0;
    return largest(b, seconds, wait_s, 0.0, plb_model_work(&b->model, seconds, limit));
}

double plb_belief_harmless(const struct plb_belief *b, double seconds, double wait_s, double limit)
{
    return plb_belief_reported(b) ? largest(b, seconds, wait_s, 1.0, limit) : 0.0;
}
