/* Beliefs: a fit, the scatter about it, and a search for the size that is sure. */
#include "model/belief.h"

#include <math.h>

#include "model/estimate.h"
#include "model/fit.h"
#include "model/solve.h"

/* Relative spread of a prior: a factor of ten. */
#define PRIOR 9.0

/* Relative spread of one report about a curve that is not known yet. It counts as one report. Larger: the
 * first blocks are smaller. Smaller: two reports that agree by chance are believed. */
#define UNKNOWN 0.3

/* Growth of z for each time that a block reaches as far ahead as the PU was watched. Larger: more blocks
 * where machines are steady. Smaller: a block is under way for longer when a machine changes. */
#define AGE 0.1

/* Growth of z for each e-fold of the largest size seen. Larger: it takes more blocks to reach the right size.
 * Smaller: a surprise in a large block lasts long. */
#define SIZE 2.0

/* Reports after which one counts half. Larger: curves follow a change slowly. Smaller: noise moves them. */
#define HALF_LIFE 24.0

/* Halvings on the way to the sure size, at most, and how close to it is enough. Fewer, or larger: it is a
 * little too small. */
#define STEPS 24
#define CLOSE 1e-5

void plb_belief_prior(struct plb_belief *b, double rate, double start_s)
{
    *b = (struct plb_belief){.start_s = start_s, .spread = PRIOR};
    b->model.transfer_s = start_s; /* the constant that counts at every size */
    b->model.execute = (struct plb_curve){
        .terms = 1u << PLB_TERM_X, .a[PLB_TERM_X] = 1.0 / rate, .scale = 1.0, .low = 1.0, .high = 1.0};
}

static double seconds_of(const struct plb_sample *s)
{
    return s->execute_s + s->transfer_s;
}

/* A fit of relative errors lies below the mean of the times, by about the square of their scatter. This puts
 * the curve through their mean. */
static void unbias(struct plb_curve *c, const struct plb_pu *pu)
{
    double ratios = 0.0;
    int n = 0;
    for (int i = 0; i < pu->n_samples; i++) {
        double ratio = pu->samples[i].execute_s / plb_curve_time(c, pu->samples[i].work);
        if (isfinite(ratio)) {
            ratios += ratio;
            n++;
        }
    }
    for (int k = 0; n > 0 && ratios > 0.0 && k < PLB_TERMS; k++)
        c->a[k] *= ratios / n;
    c->least_slope *= n > 0 && ratios > 0.0 ? ratios / n : 1.0;
}

bool plb_belief_fit(struct plb_belief *b, const struct plb_pu *pu, double start_s)
{
    struct plb_model model;
    if (!plb_fit_samples(pu->samples, pu->n_samples, HALF_LIFE, &model))
        return false;
    b->model = model;
    b->model.grain = isfinite(pu->grain) ? pu->grain : 0.0;
    unbias(&b->model.execute, pu);
    double squares = UNKNOWN * UNKNOWN, reports = 1.0;
    b->watched_s = 0.0;
    for (int i = 0; i < pu->n_samples; i++) {
        const struct plb_sample *s = &pu->samples[i];
        double off = log(seconds_of(s) / plb_model_time(&b->model, s->work));
        double weight = exp2(-(pu->n_samples - 1 - i) / HALF_LIFE);
        if (!isfinite(off))
            continue;
        squares += weight * off * off;
        reports += weight;
        b->watched_s += seconds_of(s) * (double)s->tasks;
    }
    b->start_s = plb_start_cost(&b->model, pu);
    b->start_s = fmax(b->start_s, start_s);
    b->spread = sqrt(squares) / reports; /* of the mean: the curve's own error */
    b->spread = fmax(b->spread, sqrt(squares / reports) / 3.0);
    return b->watched_s > 0.0;
}

double plb_belief_spread(const struct plb_belief *b, double x, double wait_s)
{
    if (b->watched_s == 0.0)
        return PRIOR;
    double beyond = x > b->model.execute.high ? SIZE * log(x / b->model.execute.high) : 0.0;
    return hypot(b->spread, b->costs) + AGE * (wait_s + plb_model_time(&b->model, x)) / b->watched_s + beyond;
}

bool plb_belief_guesses(const struct plb_belief *b, double x)
{
    return plb_belief_spread(b, x, 0.0) >= PRIOR;
}

double plb_belief_late(const struct plb_belief *b, double x, double wait_s)
{
    return plb_model_time(&b->model, x) * (1.0 + plb_belief_spread(b, x, wait_s));
}

double plb_belief_sure(const struct plb_belief *b, double seconds, double wait_s, double limit)
{
    if (b->watched_s == 0.0)
        return 0.0;
    double low = 0.0, high = plb_model_work(&b->model, seconds, limit);
    if (plb_belief_late(b, high, wait_s) <= seconds)
        return high;
    for (int i = 0; i < STEPS && high - low > CLOSE * low; i++) {
        double x = 0.5 * (low + high);
        if (plb_belief_late(b, x, wait_s) <= seconds)
            low = x;
        else
            high = x;
    }
    return low;
}
