/* A task is predicted by a line: its PU's start cost, and its work at one rate. A curve of more terms would
 * follow unequal units, which are what this file looks for. */
#include "model/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/fit.h"
#include "model/rounding.h"

#define PARTS 16     /* of the jackknife. More: trends over the run count less. Fewer: a rougher error. */
#define MANY 8       /* reports from which on one is left out. More: a hiccup of a short run is a cost. */
#define ALONE 3.0    /* times the second one. Larger: two hiccups count. Smaller: costly units go unseen. */
#define MATTERS 0.25 /* of all time: such a report is not left out. Larger: a costly unit goes unseen. */

static bool sensible(double x)
{
    return isfinite(x) && x >= 0.0;
}

/* Drops every second report, but not the first ones. */
static void thin(struct plb_tally *t)
{
    for (int i = 1; i < t->n && t->stride * i < PLB_TALLY_FIRST; i += 2)
        t->first[t->n_first++] = t->at[i];
    for (int i = 0; 2 * i < t->n; i++)
        t->at[i] = t->at[2 * i];
    t->n = (t->n + 1) / 2;
    t->stride *= 2;
}

void plb_tally_add(struct plb_tally *t, const struct plb_timed *report)
{
    if (!sensible(report->work) || !sensible(report->seconds))
        return;
    t->work += report->work;
    t->seconds += report->seconds;
    t->tasks += report->tasks;
    t->stride = t->stride > 0 ? t->stride : 1;
    if (t->reports++ % t->stride != 0 || !(report->work > 0.0) || !(report->seconds > 0.0))
        return;
    t->at = plb_room(t->at, t->n, &t->capacity, sizeof *t->at);
    t->at[t->n++] = *report;
    if (t->n == PLB_TALLY_KEPT)
        thin(t);
}

void plb_tally_fini(struct plb_tally *t)
{
    free(t->at);
    *t = (struct plb_tally){0};
}

/* Seconds that a task takes to start, and for each work. */
struct line {
    double start, slope;
};

/* Least squares, relative to the times; neither part is negative. */
static struct line fit(const struct plb_timed *at, int n)
{
    double kk = 0.0, kw = 0.0, ww = 0.0, k1 = 0.0, w1 = 0.0;
    for (int i = 0; i < n; i++) {
        double k = at[i].tasks / at[i].seconds, w = at[i].work / at[i].seconds;
        kk += k * k;
        kw += k * w;
        ww += w * w;
        k1 += k;
        w1 += w;
    }
    double det = kk * ww - kw * kw;
    struct line line = {0.0, w1 / ww};
    if (!(det > PLB_ROUNDING * kk * ww))
        return line;
    struct line both = {(k1 * ww - w1 * kw) / det, (kk * w1 - kw * k1) / det};
    if (both.slope < 0.0)
        return (struct line){k1 / kk, 0.0};
    return both.start < 0.0 ? line : both;
}

static double predicted(const struct line *line, const struct plb_timed *report)
{
    return line->start * report->tasks + line->slope * report->work;
}

double plb_tally_held_rate(const struct plb_tally *t)
{
    double mean = t->seconds > 0.0 ? t->work / t->seconds : 0.0, work = 0.0, squares = 0.0, expected = 0.0;
    if (t->n < PLB_LINE_POINTS)
        return mean;
    struct line line = fit(t->at, t->n);
    for (int i = 0; i < t->n; i++) {
        work += t->at[i].work;
        squares += t->at[i].work * t->at[i].work / t->at[i].tasks;
        expected += predicted(&line, &t->at[i]);
    }
    double size = squares / work; /* the mean over units of work, not over tasks */
    return mean * fmax(expected / work * size / (line.start + line.slope * size), 1.0);
}

/* The one report of many that took far longer beyond its part than any other: somebody had the core
 * meanwhile, or memory was touched for the first time. -1: there is none, or it took so long that it
 * matters. */
static int outlier(const struct plb_tally *t, const struct line *line, double seconds, double expected)
{
    int worst = -1;
    double most = 0.0, second = 0.0;
    for (int i = 0; i < t->n && t->n >= MANY; i++) {
        double late = t->at[i].seconds - predicted(line, &t->at[i]) * seconds / expected;
        second = fmax(second, fmin(most, late));
        worst = late > most ? i : worst;
        most = fmax(most, late);
    }
    return most > ALONE * second && most < MATTERS * seconds ? worst : -1;
}

void plb_spread_add(struct plb_spread *spread, const struct plb_tally *t)
{
    if (t->n < PLB_LINE_POINTS)
        return;
    struct line line = fit(t->at, t->n);
    double seconds = 0.0, expected = 0.0;
    for (int i = 0; i < t->n; i++) {
        seconds += t->at[i].seconds;
        expected += predicted(&line, &t->at[i]);
    }
    int left_out = outlier(t, &line, seconds, expected);
    for (int i = 0; i < t->n; i++) {
        double mean = predicted(&line, &t->at[i]) * seconds / expected, times = t->at[i].seconds / mean;
        double weight = mean * t->seconds / seconds;
        spread->seconds += weight;
        spread->squares += weight * (times - 1.0) * (times - 1.0);
        if (i == left_out)
            continue;
        spread->apart += weight * fabs(times - 1.0);
        spread->least = spread->least > 0.0 ? fmin(spread->least, times) : times;
        spread->most = fmax(spread->most, times);
    }
}

double plb_spread_deviation(const struct plb_spread *spread)
{
    return spread->seconds > 0.0 ? sqrt(spread->squares / spread->seconds) : (double)NAN;
}

double plb_spread_apart(const struct plb_spread *spread)
{
    return spread->seconds > 0.0 ? spread->apart / spread->seconds : (double)NAN;
}

double plb_timed_error(const struct plb_timed *reports, int n)
{
    double seconds[PARTS] = {0}, expected[PARTS] = {0}, logs[PARTS], all = 0.0, foreseen = 0.0, mean = 0.0;
    double squares = 0.0;
    if (n < PLB_LINE_POINTS)
        return INFINITY;
    int parts = n < PARTS ? n : PARTS;
    struct line line = fit(reports, n);
    for (int i = 0; i < n; i++) {
        int part = (int)((int64_t)i * parts / n);
        double x = predicted(&line, &reports[i]);
        seconds[part] += reports[i].seconds;
        expected[part] += x;
        all += reports[i].seconds;
        foreseen += x;
    }
    for (int i = 0; i < parts; i++) {
        logs[i] = log((all - seconds[i]) / (foreseen - expected[i]));
        mean += logs[i] / parts;
    }
    for (int i = 0; i < parts; i++)
        squares += (logs[i] - mean) * (logs[i] - mean);
    double error = sqrt(squares * (parts - 1) / parts);
    return isfinite(error) ? error : (double)INFINITY;
}
