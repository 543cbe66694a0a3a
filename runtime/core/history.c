/* Samples of one kernel on one processing unit. */
#include "core/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define CHECKED 4           /* reports that a profile is compared with */
#define STRIKES 2           /* in a row that end it */
#define DIFFERENT 1.25

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

void plb_history_add(struct plb_history *h, const struct plb_sample *sample)
{
    if (h->at == NULL)
        h->at = plb_alloc(PLB_MAX_SAMPLES * sizeof *h->at);
    if (h->n == PLB_MAX_SAMPLES)
        forget(h, h->n / 2); /* the older half is the less true one */
    h->at[h->n++] = *sample;
    if (h->recalled > 0 && h->checked < CHECKED)
        check(h, sample);
}

void plb_history_fini(struct plb_history *h)
{
    free(h->at);
    *h = (struct plb_history){0};
}
