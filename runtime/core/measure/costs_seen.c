/* Two-way estimates: rates of PUs, and costs along the units. */
#include "core/measure/costs_seen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/fit.h"

/* Reports that are kept. Larger: more memory and time. Smaller: a long pass tells the next one less. */
#define KEPT 4096

/* Turns of rates and field for each estimate. Fewer: they need more reports to agree. */
#define TURNS 2

/* A task whose start takes more than this part of its seconds tells nothing of its units: noise of a start
 * would look like their cost. Larger: it does. Smaller: costs are learned later. On four clusters of costly
 * starts (145, 347, 437 and 566 of bench-random) 0.3, 0.7 and 0.9 are as good. */
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

static double starts_of(const struct plb_costs_seen *l, const struct plb_cost_report *r)
{
    return l->rates[r->pu].start_s * r->finished.tasks;
}

/* Whether a report tells of its units, and not of starts alone. */
static bool tells(const struct plb_costs_seen *l, const struct plb_cost_report *r)
{
    return starts_of(l, r) <= START * r->finished.seconds;
}

/* Logarithm of the seconds for each work by the base, without starts, of a report that tells. */
static double log_seconds(const struct plb_costs_seen *l, const struct plb_cost_report *r)
{
    return log((r->finished.seconds - starts_of(l, r)) / r->work);
}

/* Rates from the field, each report being foretold by the others. */
static void estimate_rates(struct plb_costs_seen *l)
{
    double *sums = plb_alloc(2 * (size_t)l->n_pus * sizeof *sums), *weights = sums + l->n_pus;
    for (int i = 0; i < l->n; i++) {
        const struct plb_cost_report *r = &l->reports[i];
        struct plb_estimated e = {0.0, 0.0};
        if (!tells(l, r))
            continue;
        if (l->field.signal > 0.0)
            e = plb_field_at(&l->field, l->seen, l->n, l->seen[i].at, i, i + 1);
        double weight = 1.0 / (e.variance + l->field.error + PLB_MACHINE_NOISE * PLB_MACHINE_NOISE);
        sums[r->pu] += weight * (e.mean - log_seconds(l, r));
        weights[r->pu] += weight;
    }
    for (int p = 0; p < l->n_pus; p++)
        if (weights[p] > 0.0)
            l->rates[p].log_rate = sums[p] / weights[p];
    free(sums);
}

/* Values from the rates, about their mean; then the field. A report that tells nothing is as the mean. */
static void estimate_field(struct plb_costs_seen *l)
{
    double mean = 0.0;
    int n = 0;
    for (int i = 0; i < l->n; i++) {
        const struct plb_cost_report *r = &l->reports[i];
        if (!tells(l, r))
            continue;
        l->seen[i].value = log_seconds(l, r) + l->rates[r->pu].log_rate;
        mean += l->seen[i].value;
        n++;
    }
    mean = n > 0 ? mean / n : 0.0;
    for (int i = 0; i < l->n; i++)
        l->seen[i].value = tells(l, &l->reports[i]) ? l->seen[i].value - mean : 0.0;
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

/* A line through the reports of a PU, relative to their times: seconds of `k` starts and of `x`. */
struct line {
    double kk, kx, xx, k, x;
};

static void add_to_line(struct line *s, double k, double x)
{
    s->kk += k * k;
    s->kx += k * x;
    s->xx += x * x;
    s->k += k;
    s->x += x;
}

/* Seconds of a start; 0 where sizes do not differ enough. */
static double start_of(const struct line *s)
{
    double det = s->kk * s->xx - s->kx * s->kx;
    return det > UNLIKE * s->kk * s->xx ? fmax((s->k * s->xx - s->x * s->kx) / det, 0.0) : 0.0;
}

/* The cost of a start for each PU, as far as it is one by work and by units: where costs were told wrong,
 * tasks of the same units look like starts by their work, and tasks of the same work by their units. */
static void estimate_starts(struct plb_costs_seen *l)
{
    struct line *by_work = plb_alloc(2 * (size_t)l->n_pus * sizeof *by_work), *by_units = by_work + l->n_pus;
    for (int i = 0; i < l->n; i++) {
        const struct plb_cost_report *r = &l->reports[i];
        double seconds = r->finished.seconds, k = r->finished.tasks / seconds;
        double field = l->field.signal > 0.0 ? plb_costs_at_report(l, i) : 0.0;
        add_to_line(&by_work[r->pu], k, r->work * exp(field) / seconds);
        add_to_line(&by_units[r->pu], k, (double)r->finished.range.count / seconds);
    }
    for (int p = 0; p < l->n_pus; p++)
        l->rates[p].start_s = fmin(start_of(&by_work[p]), start_of(&by_units[p]));
    free(by_work);
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
        estimate_starts(seen);
        estimate_rates(seen);
        estimate_field(seen);
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

double plb_costs_own(const struct plb_costs_seen *seen, int i)
{
    return tells(seen, &seen->reports[i]) ? seen->seen[i].value - plb_costs_at_report(seen, i) : 0.0;
}

double plb_costs_own_part(const struct plb_costs_seen *seen)
{
    double squares = 0.0;
    for (int i = 0; i < seen->n; i++)
        squares += pow(plb_costs_own(seen, i), 2.0) / seen->n;
    return fmax(1.0 - PLB_MACHINE_NOISE * PLB_MACHINE_NOISE / squares, 0.0);
}
