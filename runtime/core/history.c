/* Samples of one kernel on one processing unit. */
#include "core/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "core/migration.h"

#define CHECKED 4           /* reports that a profile is compared with */
#define STRIKES 2           /* in a row that end it */
#define DIFFERENT 1.25
#define COMPARED 16         /* earlier reports at most that one is compared with, */
#define ENOUGH 3            /* and at least */
#define CHANGED 0.15        /* relative change that three reports in a row must show, */
#define CERTAIN 0.5         /* or one by as many seconds */
#define BY_HALF 1.5         /* and this factor, */
#define SURPRISING 0.1      /* relative scatter of times about their curve */
#define CHANGES 2           /* of speed: more than these and they are no machine's */
#define NEAR_SIZE 1.25      /* at sizes at most this far outside those of before */

static void forget(struct plb_history *h, int n)
{
    h->n -= n;
    h->recalled = h->recalled > n ? h->recalled - n : 0;
    memmove(h->at, h->at + n, (size_t)h->n * sizeof *h->at);
}

void plb_history_recall(struct plb_history *h, const struct plb_sample *samples, int n)
{
    int most = PLB_MAX_SAMPLES / 2, kept = n < most ? n : most;
    if (h->at == NULL)
        h->at = plb_alloc(PLB_MAX_SAMPLES * sizeof *h->at);
    memcpy(h->at, samples + n - kept, (size_t)kept * sizeof *h->at);
    h->n = h->recalled = kept;
    h->checked = h->strikes = 0;
    h->dropped = false;
}

/* Compares a report with what the profile alone predicts; a small size that it knows nothing about
 * says nothing. */
static void check(struct plb_history *h, const struct plb_sample *s)
{
    struct plb_model model;
    plb_fit_samples(h->at, h->recalled, 0.0, &model);
    double ratio = s->execute_s / plb_curve_time(&model.execute, s->work);
    if (s->work < model.execute.low / 2.0)
        return;
    h->checked++;
    bool agrees = ratio < DIFFERENT && ratio > 1.0 / DIFFERENT;
    h->strikes = agrees ? 0 : h->strikes + 1;
    if (h->strikes < STRIKES)
        return;
    forget(h, h->recalled);
    h->dropped = true;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Seconds that samples [from, n) should have taken by a line through those before: a first look that costs
 * little. False where the sizes of before say nothing about theirs. */
static bool first_look(const struct plb_history *h, int from, double expected[3])
{
    double x[COMPARED], t[COMPARED], low = INFINITY, high = 0.0, constant, slope;
    int n = 0;
    for (int i = from - 1; i >= 0 && n < COMPARED; i--) {
        if (!(h->at[i].work > 0.0) || !(h->at[i].execute_s > 0.0) || !isfinite(h->at[i].execute_s))
            continue;
        low = fmin(low, h->at[i].work);
        high = fmax(high, h->at[i].work);
        x[n] = h->at[i].work;
        t[n++] = h->at[i].execute_s;
    }
    plb_fit_line(x, t, n, &constant, &slope);
    for (int i = from; i < h->n; i++) {
        double work = h->at[i].work;
        if (work > high * NEAR_SIZE || work < low / NEAR_SIZE)
            return false;
        expected[i - from] = constant + slope * work;
    }
    return n >= ENOUGH;
}

/* The same by the curve that fits them best. */
static bool second_look(const struct plb_history *h, int from, double expected[3])
{
    struct plb_model model;
    if (!plb_fit_samples(h->at, from, 0.0, &model))
        return false;
    for (int i = from; i < h->n; i++)
        expected[i - from] = plb_curve_time(&model.execute, h->at[i].work);
    return true;
}

/* What the samples [from, n) say of a change, as a factor on times; 1 where they say nothing. One says it alone
 * where it is off by too much for a hiccup, three where they agree. */
static double change_of(const struct plb_history *h, int from, const double expected[3])
{
    double changes[3];
    int n = h->n - from;
    for (int k = 0; k < n; k++) {
        const struct plb_sample *s = &h->at[from + k];
        double ratio = s->execute_s / expected[k], off = (double)s->tasks * fabs(s->execute_s - expected[k]);
        if (!(ratio > 0.0) || !isfinite(ratio))
            return 1.0;
        changes[k] = log(ratio);
        bool enough = n == 1 ? fabs(changes[k]) > log(BY_HALF) && off > CERTAIN : fabs(changes[k]) > CHANGED;
        if (!enough || changes[k] * changes[0] < 0.0)
            return 1.0;
    }
    qsort(changes, (size_t)n, sizeof *changes, by_value);
    return exp(changes[n / 2]);
}

/* Scales what is older than a change of the machine's speed. */
static void follow_change(struct plb_history *h)
{
    double expected[3];
    for (int n = 1; n <= 3; n += 2) {
        int from = h->n - n;
        if (from < ENOUGH || !first_look(h, from, expected) || change_of(h, from, expected) == 1.0)
            continue;
        double factor = second_look(h, from, expected) ? change_of(h, from, expected) : 1.0;
        for (int i = 0; i < from; i++)
            h->at[i].execute_s *= factor;
        h->changes += factor != 1.0;
        if (factor != 1.0)
            return;
    }
}

void plb_history_add(struct plb_history *h, const struct plb_sample *sample)
{
    if (h->at == NULL)
        h->at = plb_alloc(PLB_MAX_SAMPLES * sizeof *h->at);
    if (h->n == PLB_MAX_SAMPLES)
        forget(h, h->n / 2); /* the older half is the less true one */
    h->at[h->n++] = *sample;
    if (h->recalled > 0 && h->checked < CHECKED)
        check(h, sample);
    else
        follow_change(h);
}

bool plb_history_surprises(const struct plb_history *h)
{
    struct plb_model model;
    double squares = 0.0;
    int n = 0;
    if (h->changes > CHANGES)
        return true;
    if (!plb_fit_samples(h->at, h->n, 0.0, &model))
        return false;
    for (int i = 0; i < h->n; i++) {
        double off = log(h->at[i].execute_s / plb_curve_time(&model.execute, h->at[i].work));
        if (isfinite(off)) {
            squares += off * off;
            n++;
        }
    }
    return n >= ENOUGH && squares > n * SURPRISING * SURPRISING;
}

/* What starting a task costs is what the smallest one took beyond its work; an excess of less than 30 % may be
 * noise. */
double plb_history_least_task(const struct plb_history *h)
{
    struct plb_model model;
    if (!plb_fit_samples(h->at, h->n, 0.0, &model))
        return 0.0;
    double low = model.execute.low, slope = plb_model_slope(&model, model.execute.high);
    double best = fmax(plb_model_best_rate(&model), slope > 0.0 ? 1.0 / slope : 0.0); /* larger ones may be better yet */
    double start = plb_model_time(&model, low) - 1.3 * low / best;
    return start > 0.0 ? start * best * PLB_STARTS : 0.0;
}

void plb_history_fini(struct plb_history *h)
{
    free(h->at);
    *h = (struct plb_history){0};
}
