/* Two-way estimates: rates of PUs, and costs along the units. */
#include "core/measure/costs_seen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Reports that are kept. Larger: more memory and time. Smaller: a long pass tells the next one less. */
#define KEPT 4096

/* Relative scatter of times that machines have, whatever units cost. Larger: unequal units go unseen.
 * Smaller: the next pass takes noise for costs. */
#define TIMES 0.1

/* Turns of rates and field for each estimate. Fewer: they need more reports to agree. */
#define TURNS 2

/* Of a task's seconds, what its start takes at most. Larger: noise of small tasks looks like their cost. */
#define START 0.5

/* Sizes of a PU's tasks that differ by less tell no start cost: the relative determinant of their line. */
#define UNLIKE 0.01

/* Correlation of a PU's times with those of other PUs nearby from which costs explain them. Smaller: a PU
 * that changes is taken for expensive units. Larger: noise hides costs. */
#define AGREE 0.5

void plb_costs_seen_fini(struct plb_costs_seen *seen)
{
    free(seen->reports);
    free(seen->seen);
    free(seen->rates);
    *seen = (struct plb_costs_seen){0};
}

void plb_costs_seen_clear(struct plb_costs_seen *seen)
{
    seen->n = 0;
    seen->came = seen->stride = 0;
    seen->field = (struct plb_field){0};
}

/* ------------------------------------------------------------------------ reports */

static void thin(struct plb_costs_seen *l)
{
    for (int i = 0; 2 * i < l->n; i++) {
        l->reports[i] = l->reports[2 * i];
        l->seen[i] = l->seen[2 * i];
    }
    l->n = (l->n + 1) / 2;
    l->stride *= 2;
}

static void insert(struct plb_costs_seen *l, const struct plb_cost_report *r)
{
    struct plb_range range = r->finished.range;
    double at = ((double)range.first + 0.5 * (double)range.count) / (double)l->units;
    int i = l->n;
    if (l->n == l->capacity) {
        l->capacity = l->capacity > 0 ? 2 * l->capacity : 64;
        l->reports = plb_grow(l->reports, (size_t)l->capacity * sizeof *l->reports);
        l->seen = plb_grow(l->seen, (size_t)l->capacity * sizeof *l->seen);
    }
    while (i > 0 && l->seen[i - 1].at > at)
        i--;
    memmove(&l->reports[i + 1], &l->reports[i], (size_t)(l->n - i) * sizeof *l->reports);
    memmove(&l->seen[i + 1], &l->seen[i], (size_t)(l->n - i) * sizeof *l->seen);
    l->reports[i] = *r;
    l->seen[i] = (struct plb_field_observation){.at = at};
    l->n++;
}

bool plb_costs_seen_add(struct plb_costs_seen *l, const struct plb_cost_report *report)
{
    if (l->rates == NULL)
        l->rates = plb_alloc((size_t)l->n_pus * sizeof *l->rates);
    l->stride = l->stride > 0 ? l->stride : 1;
    if (l->came++ % l->stride != 0)
        return false;
    insert(l, report);
    if (l->n == KEPT)
        thin(l);
    return true;
}

/* --------------------------------------------------------------- rates and field */

/* Logarithm of the seconds for each work by the base, without starts. */
static double log_seconds(const struct plb_costs_seen *l, const struct plb_cost_report *r)
{
    double starts = l->rates[r->pu].start_s * r->finished.tasks;
    return log((r->finished.seconds - fmin(starts, START * r->finished.seconds)) / r->work);
}

/* Rates from the field, each report being foretold by the others. */
static void estimate_rates(struct plb_costs_seen *l)
{
    double *sums = plb_alloc(2 * (size_t)l->n_pus * sizeof *sums), *weights = sums + l->n_pus;
    for (int i = 0; i < l->n; i++) {
        const struct plb_cost_report *r = &l->reports[i];
        struct plb_estimated e = {0.0, 0.0};
        if (l->field.signal > 0.0)
            e = plb_field_at(&l->field, l->seen, l->n, l->seen[i].at, i, i + 1);
        double weight = 1.0 / (e.variance + l->field.error + TIMES * TIMES);
        sums[r->pu] += weight * (e.mean - log_seconds(l, r));
        weights[r->pu] += weight;
    }
    for (int p = 0; p < l->n_pus; p++)
        if (weights[p] > 0.0)
            l->rates[p].log_rate = sums[p] / weights[p];
    free(sums);
}

/* Values from the rates, about their mean; then the field. */
static void estimate_field(struct plb_costs_seen *l)
{
    double mean = 0.0;
    for (int i = 0; i < l->n; i++) {
        const struct plb_cost_report *r = &l->reports[i];
        l->seen[i].value = log_seconds(l, r) + l->rates[r->pu].log_rate;
        mean += l->seen[i].value / l->n;
    }
    for (int i = 0; i < l->n; i++)
        l->seen[i].value -= mean;
    for (int p = 0; p < l->n_pus; p++)
        l->rates[p].log_rate -= mean;
    plb_field_fit(&l->field, l->seen, l->n);
    plb_field_filter(&l->field, l->seen, l->n);
}

double plb_costs_at_report(const struct plb_costs_seen *seen, int i)
{
    return plb_field_at(&seen->field, seen->seen, seen->n, seen->seen[i].at, i + 1, i + 1).mean;
}

struct plb_estimated plb_costs_at(const struct plb_costs_seen *seen, double at, int before)
{
    return plb_field_at(&seen->field, seen->seen, seen->n, at, before, before);
}

/* The cost of a start for each PU: the line through its reports, relative to their times. */
static void estimate_starts(struct plb_costs_seen *l)
{
    struct sums {
        double kk, kw, ww, k, w;
    } *sums = plb_alloc((size_t)l->n_pus * sizeof *sums);
    for (int i = 0; i < l->n; i++) {
        const struct plb_cost_report *r = &l->reports[i];
        struct sums *s = &sums[r->pu];
        double k = r->finished.tasks / r->finished.seconds;
        double w = r->work * exp(plb_costs_at_report(l, i)) / r->finished.seconds;
        s->kk += k * k;
        s->kw += k * w;
        s->ww += w * w;
        s->k += k;
        s->w += w;
    }
    for (int p = 0; p < l->n_pus; p++) {
        const struct sums *s = &sums[p];
        double det = s->kk * s->ww - s->kw * s->kw;
        bool told = det > UNLIKE * s->kk * s->ww; /* sizes differ enough */
        l->rates[p].start_s = told ? fmax((s->k * s->ww - s->w * s->kw) / det, 0.0) : 0.0;
    }
    free(sums);
}

/* Whether what one PU's times say of the costs is what those of others nearby say. */
static bool others_agree(const struct plb_costs_seen *l)
{
    double own = 0.0, both = 0.0, other = 0.0;
    int last = -1, before = -1; /* the latest report, and the latest one of another PU than that */
    for (int i = 0; i < l->n; i++) {
        if (last >= 0 && l->reports[last].pu != l->reports[i].pu)
            before = last;
        if (before >= 0) {
            double x = l->seen[i].value, y = l->seen[before].value;
            own += x * x;
            both += x * y;
            other += y * y;
        }
        last = i;
    }
    return both > AGREE * sqrt(own * other);
}

void plb_costs_estimate(struct plb_costs_seen *seen)
{
    for (int turn = 0; turn < TURNS; turn++) {
        estimate_rates(seen);
        estimate_field(seen);
        estimate_starts(seen);
    }
    if (seen->field.signal > 0.0 && !others_agree(seen)) {
        seen->field.signal = 0.0;
        plb_field_filter(&seen->field, seen->seen, seen->n);
    }
}

/* -------------------------------------------------------------------- what is left */

double plb_costs_scatter(const struct plb_costs_seen *seen, const struct plb_cost_map *map)
{
    double *sums = plb_alloc(3 * (size_t)seen->n_pus * sizeof *sums), all = 0.0;
    for (int i = 0; i < seen->n; i++) {
        const struct plb_cost_report *r = &seen->reports[i];
        double work = plb_cost_work(map, r->finished.range.first, r->finished.range.count);
        double x = log(r->finished.seconds / work), *s = &sums[3 * r->pu];
        if (!isfinite(x))
            continue;
        s[0] += 1.0;
        s[1] += x;
        s[2] += x * x;
    }
    for (int p = 0; p < seen->n_pus; p++)
        if (sums[3 * p] > 0.0)
            all += sums[3 * p + 2] - sums[3 * p + 1] * sums[3 * p + 1] / sums[3 * p];
    free(sums);
    return all;
}

double plb_costs_own_part(const struct plb_costs_seen *seen)
{
    double squares = 0.0;
    for (int i = 0; i < seen->n; i++)
        squares += pow(seen->seen[i].value - plb_costs_at_report(seen, i), 2.0) / seen->n;
    return fmax(1.0 - TIMES * TIMES / squares, 0.0);
}
