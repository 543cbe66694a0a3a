/* A line through decaying sums, with a start that is at least that of an empty task. */
#include "model/estimate.h"

#include <math.h>

/* Relative spread of one report about a line that is not known yet. It counts as one report. Larger: the
 * first blocks are smaller. Smaller: two reports that agree by chance are believed. */
#define UNKNOWN 0.2

/* A report counts by the time that was expected of it, as far as that is off by this factor at most.
 * Larger: one report after a change of speed decides the line. Smaller: where times scatter, the short ones
 * do. */
#define OFF 2.0

/* The part of its least time that a start may be beyond that of an empty task, by a prior: a standard
 * deviation. Larger: two tasks decide. Smaller: starts are taken for work for longer. */
#define PERHAPS_START 1.0

void plb_estimate_prior(struct plb_estimate *e, double rate, double empty_s)
{
    *e = (struct plb_estimate){.start_s = empty_s,
                               .rate = rate,
                               .spread = PLB_PRIOR_SPREAD,
                               .costs = e->costs,
                               .grain = e->grain,
                               .empty_s = empty_s};
}

/* The line: of least squares, to which a prior of the start is added as one more equation. The start is
 * what is surely one, a standard error less than that: the rest counts as work. */
static void draw_line(struct plb_estimate *e)
{
    const struct plb_estimate_sums *s = &e->sums;
    double deviation = PERHAPS_START * e->least_s, variance = e->scatter * e->scatter;
    double known = variance / (deviation * deviation); /* weight of that equation */
    double w = s->w + known, wt = s->wt + known * fmin(e->empty_s, e->least_s);
    double det = w * s->wxx - s->wx * s->wx;
    double start = (wt * s->wxx - s->wxt * s->wx) / det, least = fmin(e->empty_s, e->least_s);
    e->start_error = e->scatter * sqrt(s->wxx / det);
    start = fmin(fmax(start - e->start_error, least), s->wt / s->w);
    double slope = (s->wxt - start * s->wx) / s->wxx;
    double floor = PLB_LEAST_WORK * e->scatter * (s->wt / s->w) / e->high;
    e->start_s = start;
    e->rate = 1.0 / fmax(slope, floor);
}

/* The relative scatter of reports about the line: what was expected before any of them counts as one. */
static void find_scatter(struct plb_estimate *e)
{
    const struct plb_estimate_sums *s = &e->sums;
    double start = e->start_s, slope = 1.0 / e->rate;
    double squares = s->wtt - 2.0 * (start * s->wt + slope * s->wxt) + start * start * s->w
                   + 2.0 * start * slope * s->wx + slope * slope * s->wxx;
    squares = fmax(squares, 0.0) + UNKNOWN * UNKNOWN;
    e->scatter = sqrt(squares / (s->n + 1.0));
    e->spread = fmax(e->scatter / sqrt(s->n + 1.0), e->scatter / 3.0);
}

void plb_estimate_add(struct plb_estimate *e, const struct plb_sample *sample)
{
    double x = sample->work, t = sample->execute_s + sample->transfer_s;
    if (!(x > 0.0 && t > 0.0 && isfinite(x + t) && isfinite(x / t * (x / t))))
        return;
    struct plb_estimate_sums *s = &e->sums;
    if (!plb_estimate_reported(e)) {
        e->scatter = UNKNOWN;
        e->least_s = INFINITY;
    }
    double as_before = fmin(fmax(plb_estimate_seconds(e, x), t / OFF), OFF * t);
    double expected = plb_estimate_reported(e) ? as_before : t;
    double keep = exp2(-1.0 / PLB_HALF_LIFE), w = 1.0 / (expected * expected);
    *s = (struct plb_estimate_sums){
        keep * s->n + 1.0,    keep * s->w + w,           keep * s->wx + w * x,     keep * s->wxx + w * x * x,
        keep * s->wt + w * t, keep * s->wxt + w * x * t, keep * s->wtt + w * t * t};
    e->high = fmax(e->high, x);
    e->least_s = fmin(e->least_s, t);
    e->watched_s += t * (double)sample->tasks;
    e->tasks += (double)sample->tasks;
    draw_line(e);
    find_scatter(e);
}

/* Tasks of a block, of which each has a start. */
static double tasks(const struct plb_estimate *e, double x)
{
    return e->grain > 0.0 && x > e->grain ? x / e->grain : 1.0;
}

double plb_estimate_seconds(const struct plb_estimate *e, double x)
{
    return x > 0.0 && e->rate > 0.0 ? tasks(e, x) * e->start_s + x / e->rate : 0.0;
}

double plb_estimate_work(const struct plb_estimate *e, double seconds, double limit)
{
    double left = seconds - e->start_s;
    if (!(left > 0.0) || !(e->rate > 0.0))
        return 0.0;
    double x = left * e->rate;
    if (e->grain > 0.0 && x > e->grain)
        x = seconds / (e->start_s / e->grain + 1.0 / e->rate);
    return fmin(x, limit);
}

/* z(x), without the spread. */
static double unsure(const struct plb_estimate *e, double x)
{
    double beyond = x > e->high ? PLB_SIZE_SPREAD * log(x / e->high) : 0.0;
    double costs = hypot(e->spread, e->costs) - e->spread; /* the spread has a summand of its own */
    return costs + PLB_AGE_SPREAD * plb_estimate_seconds(e, x) / e->watched_s + beyond;
}

double plb_estimate_late(const struct plb_estimate *e, double x)
{
    if (!plb_estimate_reported(e))
        return (1.0 + PLB_PRIOR_SPREAD) * plb_estimate_seconds(e, x);
    double at_high = e->start_s + e->high / e->rate, work = x / e->rate;
    return tasks(e, x) * e->start_s * (1.0 + e->spread) + work * (1.0 + unsure(e, x))
         + e->spread * at_high * x / e->high;
}
