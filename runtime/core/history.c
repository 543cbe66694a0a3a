/* Samples of one kernel on one processing unit. */
#include "core/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define CHECKED 4           /* reports that a profile is compared with */
#define STRIKES 2           /* in a row that end it */
#define DIFFERENT 1.25
#define ALIKE 5             /* earlier reports that one is compared with, */
#define ENOUGH 3            /* or at least so many, */
#define CHANGED 0.15        /* relative change that three reports in a row must show, */
#define NEAR_SIZE 2.0       /* against sizes within this factor */
#define CERTAIN 0.5         /* or one by as many seconds */
#define BY_HALF 1.5         /* and this factor, */
#define ANY_SIZE 12.0       /* against sizes within this factor */

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

/* Seconds that sample i should have taken by those of its size, within a factor, before sample `before`; 0
 * where there are too few. */
static double expected(const struct plb_history *h, int i, int before, double factor)
{
    double rate[ALIKE];
    int n = 0;
    for (int j = before - 1; j >= 0 && n < ALIKE; j--) {
        const struct plb_sample *s = &h->at[j];
        double size = h->at[i].work / s->work;
        if (size <= factor && size >= 1.0 / factor && s->execute_s > 0.0 && isfinite(s->execute_s))
            rate[n++] = s->execute_s / s->work;
    }
    if (n < ENOUGH)
        return 0.0;
    qsort(rate, (size_t)n, sizeof *rate, by_value);
    return rate[n / 2] * h->at[i].work;
}

static void scale(struct plb_history *h, int n, double factor)
{
    for (int i = 0; i < n; i++)
        h->at[i].execute_s *= factor;
}

/* Scales what is older than a change of the machine's speed. */
static void follow_change(struct plb_history *h)
{
    const struct plb_sample *last = &h->at[h->n - 1];
    double normal = expected(h, h->n - 1, h->n - 1, ANY_SIZE), ratio = last->execute_s / normal;
    bool certain = normal > 0.0 && isfinite(ratio) && ratio > 0.0 && (ratio > BY_HALF || ratio < 1.0 / BY_HALF) && (double)last->tasks * fabs(last->execute_s - normal) > CERTAIN;
    if (certain) {
        scale(h, h->n - 1, ratio);
        return;
    }
    double changes[3];
    for (int k = 0; k < 3; k++) {
        int i = h->n - 3 + k;
        double usual = i >= 0 ? expected(h, i, h->n - 3, NEAR_SIZE) : 0.0;
        changes[k] = usual > 0.0 ? log(h->at[i].execute_s / usual) : 0.0;
        if (!(fabs(changes[k]) > CHANGED) || changes[k] * changes[0] < 0.0)
            return;
    }
    qsort(changes, 3, sizeof *changes, by_value);
    scale(h, h->n - 3, exp(changes[1]));
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

void plb_history_fini(struct plb_history *h)
{
    free(h->at);
    *h = (struct plb_history){0};
}
