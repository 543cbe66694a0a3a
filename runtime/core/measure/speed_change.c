/* The change of a PU's speed: a line or a curve through what was before, and the errors that are usual. */
#include "core/measure/speed_change.h"

#include <math.h>

#include "model/fit.h"
#include "model/median.h"

#define COMPARED 16  /* earlier reports at most that one is compared with. More: drift hides a change. */
#define REDRAWN 64   /* reports after which the line of the first look is drawn again. More: it is older. */
#define CHANGED 0.15 /* relative change that three reports in a row show. Smaller: noise looks like one. */
#define CERTAIN 0.5  /* seconds by which a single report must be off to be believed. Smaller: hiccups are. */
#define BY_HALF 1.5  /* factor by which it must be off as well */
#define HINT 0.05    /* relative: a report off by less shows no change. Larger: slow changes go unseen. */

/* Reports since a change that correct it. More: fits. Fewer: their noise stays in samples. Without such a
 * correction a PU that is 2 times slower has blocks within 10 % of the right ones after 52 s, and not 24; one
 * that is 8 times slower after 81 s, and not 65 (build/bench/adaptation). */
#define SINCE 8

/* Sizes of before that differ by the first factor tell what a start costs. Then a size that is smaller than
 * all of them by at most the second one is foretold by the curve. Larger: caches look like a change of
 * speed. Smaller: where tasks become shorter because a PU is slow, that looks like a start cost. */
#define SPAN 2.0
#define FAR_BELOW 16.0

/* How many reports are looked at together, and how many times the usual error their median must be off by.
 * Larger: a change on a busy machine is followed late, or by ageing alone. Smaller: noise looks like a
 * change. Where each report has a jitter of 1 to 4, these believe 0.1 to 0.6 changes in 300 reports, and
 * eight reports of a PU that is three times slower are enough in 82 of 100 cases. With 3.5 for three reports,
 * 2 of 800 such PUs looked twice as slow as they were; without the six, 38 of 100 were followed. */
static const struct {
    int reports;
    double clear;
} windows[] = {{1, 8.0}, {3, 4.0}, {6, 2.7}};
enum { WINDOWS = 3, MOST = 6 };

/* The median error of reports before number `until`; 0 where there is none. */
static double usual(const struct plb_speed_change *c, int until)
{
    double sizes[PLB_SPEED_OFFS];
    int n = 0;
    for (int i = c->n_offs > PLB_SPEED_OFFS ? c->n_offs - PLB_SPEED_OFFS : 0; i < until; i++)
        sizes[n++] = fabs(c->offs[i % PLB_SPEED_OFFS]);
    if (n == 0)
        return 0.0;
    plb_sort(sizes, n);
    return sizes[n / 2];
}

/* Seconds that samples [from, n) should have taken by a line through those before: a first look that costs
 * little. One that is too small for the line is compared with the rate before. False where the sizes
 * of before say nothing about theirs. */
static bool first_look(struct plb_speed_change *c, const struct plb_sample *at, int from, int n,
                       double *expected)
{
    double x[COMPARED] = {0}, t[COMPARED] = {0}, low = INFINITY, high = 0.0, constant, slope;
    int used = 0;
    for (int i = from - 1; i >= 0 && used < COMPARED; i--) {
        if (!(at[i].work > 0.0) || !(at[i].execute_s > 0.0) || !isfinite(at[i].execute_s))
            continue;
        low = fmin(low, at[i].work);
        high = fmax(high, at[i].work);
        x[used] = at[i].work;
        t[used++] = at[i].execute_s;
    }
    if (used < PLB_LINE_POINTS)
        return false;
    plb_fit_line(x, t, used, &constant, &slope);
    c->drawn = n;
    c->low = low;
    c->high = high;
    c->constant = constant;
    c->slope = slope;
    for (int i = from; i < n; i++) {
        double work = at[i].work;
        if (work > high * PLB_APART)
            return false;
        expected[i - from] = work < low / PLB_APART ? work * t[0] / x[0] : constant + slope * work;
    }
    return true;
}

/* The same by the curve that fits them best. */
static bool second_look(const struct plb_sample *at, int from, int n, double *expected, int64_t *fits)
{
    struct plb_model model;
    if (fits != NULL)
        ++*fits;
    if (!plb_fit_samples(at, from, 0.0, &model))
        return false;
    const struct plb_curve *c = &model.execute;
    for (int i = from; i < n; i++) {
        double work = at[i].work;
        if (work < c->low / PLB_APART && (c->high < SPAN * c->low || work < c->low / FAR_BELOW))
            return false;
        expected[i - from] = plb_curve_time(c, work);
    }
    return true;
}

/* The change that samples [from, n) show, as a logarithm; 0 where they show none. One says it alone where it
 * is off by too much for a hiccup, several where they agree. */
static double shown(const struct plb_sample *at, int from, int n, const double *expected)
{
    double changes[MOST];
    bool alone = n - from == 1;
    for (int k = 0; k < n - from; k++) {
        const struct plb_sample *s = &at[from + k];
        double ratio = s->execute_s / expected[k], off = (double)s->tasks * fabs(s->execute_s - expected[k]);
        if (!(ratio > 0.0) || !isfinite(ratio))
            return 0.0;
        changes[k] = log(ratio);
        bool enough = alone ? fabs(changes[k]) > log(BY_HALF) && off > CERTAIN : fabs(changes[k]) > CHANGED;
        if (!enough || changes[k] * changes[0] < 0.0)
            return 0.0;
    }
    plb_sort(changes, n - from);
    return changes[(n - from) / 2];
}

/* Whether the latest sample is what the line of the last look foretells. */
static bool as_foretold(const struct plb_speed_change *c, const struct plb_sample *s, int n)
{
    double expected = c->constant + c->slope * s->work, off = s->execute_s - expected;
    return n - c->drawn <= REDRAWN && s->work <= c->high && s->work >= c->low && off < HINT * expected
        && off > -HINT * expected;
}

static void note(struct plb_speed_change *c, double ratio)
{
    if (ratio > 0.0 && isfinite(ratio))
        c->offs[c->n_offs++ % PLB_SPEED_OFFS] = log(ratio);
}

/* Whether two reports are of nearly one size: the first ones are compared with each other. */
static bool alike(const struct plb_sample *a, const struct plb_sample *b)
{
    return a->work <= PLB_APART * b->work && b->work <= PLB_APART * a->work;
}

/* All samples before a change are scaled by a factor whose logarithm this is. */
static double scale(struct plb_speed_change *c, double change)
{
    c->drawn = -REDRAWN;
    return exp(change);
}

/* A change is believed: the reports that showed it are not off any more, but for a single one, which may have
 * been a hiccup. */
static double believe(struct plb_speed_change *c, double change, int reports)
{
    double factor = scale(c, change);
    for (int i = 1; reports > 1 && i <= reports && i <= c->n_offs; i++)
        c->offs[(c->n_offs - i) % PLB_SPEED_OFFS] -= change;
    return factor;
}

double plb_speed_change(struct plb_speed_change *c, const struct plb_sample *at, int n, int *from,
                        int64_t *fits)
{
    double expected[MOST] = {0};
    int noted = c->n_offs; /* before this one */
    const struct plb_sample *last = &at[n - 1];
    double unit_s = last->execute_s / last->work;
    if (!(unit_s > 0.0) || !isfinite(unit_s))
        return 1.0;
    if (as_foretold(c, last, n)) {
        note(c, last->execute_s / (c->constant + c->slope * last->work));
        return 1.0;
    }
    if (n > 1 && n <= PLB_LINE_POINTS && alike(last, last - 1))
        note(c, last->execute_s / last->work * last[-1].work / last[-1].execute_s);
    for (int i = 0; i < WINDOWS; i++) {
        int reports = windows[i].reports;
        *from = n - reports;
        if (*from < PLB_LINE_POINTS || !first_look(c, at, *from, n, expected))
            continue;
        if (reports == 1)
            note(c, last->execute_s / expected[0]);
        double change = shown(at, *from, n, expected);
        double least = change != 0.0 ? windows[i].clear * usual(c, noted - (reports - 1)) : 0.0;
        if (!(fabs(change) > least) || !second_look(at, *from, n, expected, fits))
            continue;
        change = shown(at, *from, n, expected);
        if (fabs(change) > least) {
            c->changed = reports == 1 ? n : 0;
            return believe(c, change, reports);
        }
        c->drawn = -REDRAWN;
    }
    return 1.0;
}

double plb_speed_change_correction(struct plb_speed_change *c, const struct plb_sample *at, int n, int *from,
                                   int64_t *fits)
{
    double changes[SINCE];
    struct plb_model model;
    int since = n - c->changed, used = 0;
    *from = c->changed;
    if (c->changed <= 0 || since < 1 || since > SINCE)
        return 1.0;
    if (fits != NULL)
        ++*fits;
    if (!plb_fit_samples(at, c->changed, 0.0, &model))
        return 1.0;
    const struct plb_curve *curve = &model.execute;
    for (int i = c->changed; i < n; i++) {
        double change = log(at[i].execute_s / plb_curve_time(curve, at[i].work));
        if (at[i].work >= curve->low / SPAN && at[i].work <= PLB_APART * curve->high && isfinite(change))
            changes[used++] = change;
    }
    return used > 0 ? scale(c, plb_median(changes, used)) : 1.0;
}

void plb_speed_change_forget(struct plb_speed_change *c, int n)
{
    c->drawn -= n;
    c->changed -= n;
}

void plb_speed_change_recount(struct plb_speed_change *c)
{
    c->drawn = -REDRAWN;
    c->changed = 0;
}
