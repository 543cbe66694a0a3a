/* First by every PU's own rate; where that is too doubtful, by the rate of PUs like it. */
#include "model/bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Relative spread of tasks up to which their sizes tell what starts cost. Larger: small tasks of expensive
 * units look like starts. Smaller: ordinary noise hides what starts cost. Noise of a shared machine stays
 * below it. A guess. */
#define EVEN 0.25

#define NO_IDEA 20.0 /* error of a rate, as a logarithm, beyond which it may be anything */

struct rated {
    double rate, held, seconds; /* held: by tasks of the size of most work */
    double error;               /* of the rate, as a logarithm */
};

/* The bound, and its standard error: each rate in turn is an error larger, and smaller. */
static double mean_busy(const struct rated *at, int n, double *error)
{
    double done = 0.0, rate = 0.0, squares = 0.0;
    for (int p = 0; p < n; p++) {
        done += at[p].rate * at[p].seconds;
        rate += at[p].rate;
    }
    double bound = done / rate;
    for (int p = 0; p < n; p++) {
        double off = 0.0;
        for (int sign = -1; sign <= 1; sign += 2) {
            double more = at[p].rate * expm1(sign * fmin(at[p].error, NO_IDEA));
            off = fmax(off, fabs((done + more * at[p].seconds) / (rate + more) - bound));
        }
        squares += off * off;
    }
    *error = sqrt(squares);
    return bound;
}

/* The error of a rate from so many reports, where tasks in general scatter by `deviation`. */
static double rate_error(const struct plb_timed *reports, int n, double deviation)
{
    double general = deviation / sqrt(n > 0 ? n : 1), own = plb_timed_error(reports, n);
    return isfinite(own) ? fmax(own, general) : general;
}

/* Every PU by its own rate. False where one has none. */
static bool rate_each(const struct plb_bound_pu *pus, int n, double deviation, bool told, struct rated *rated)
{
    for (int p = 0; p < n; p++) {
        const struct plb_tally *t = pus[p].tally;
        double mean = t->seconds > 0.0 ? t->work / t->seconds : pus[p].best_rate;
        rated[p] = (struct rated){0};
        if (pus[p].refused)
            continue;
        if (!(mean > 0.0))
            return false;
        rated[p] = (struct rated){mean, mean, t->seconds, 0.0};
        if (t->seconds > 0.0)
            rated[p].error = rate_error(t->at, t->n, deviation);
        if (t->seconds > 0.0 && told && deviation <= EVEN)
            rated[p].held = plb_tally_held_rate(t);
    }
    return true;
}

/* The reports of PUs of one kind, each weighted so that a tally counts by its time. Returns how many. */
static int pool(const struct plb_bound_pu *pus, int n, int kind, struct plb_timed *reports,
                struct plb_timed *sum)
{
    int count = 0;
    *sum = (struct plb_timed){0};
    for (int p = 0; p < n; p++) {
        const struct plb_tally *t = pus[p].tally;
        double kept = 0.0;
        if (pus[p].alike != kind || pus[p].refused)
            continue;
        sum->work += t->work;
        sum->seconds += t->seconds;
        for (int i = 0; i < t->n; i++)
            kept += t->at[i].seconds;
        for (int i = 0; i < t->n; i++) {
            double weight = t->seconds / kept;
            reports[count++] = (struct plb_timed){t->at[i].work * weight, t->at[i].seconds * weight,
                                                  t->at[i].tasks * weight};
        }
    }
    return count;
}

/* Every PU by the rate of its kind. Errors belong to the kind: they go with its PUs' sum. False where a kind
 * has none. `rated` has one entry for each kind. */
static bool rate_kinds(const struct plb_bound_pu *pus, int n, double deviation, struct rated *rated)
{
    int all = 0;
    for (int p = 0; p < n; p++)
        all += pus[p].tally->n;
    struct plb_timed *reports = plb_alloc((size_t)all * sizeof *reports), sum;
    int *members = plb_alloc((size_t)n * sizeof *members);
    bool known = true;
    for (int p = 0; p < n; p++)
        members[pus[p].alike] += !pus[p].refused;
    for (int kind = 0; kind < n; kind++) {
        rated[kind] = (struct rated){0};
        if (members[kind] == 0)
            continue;
        int count = pool(pus, n, kind, reports, &sum);
        double rate = sum.seconds > 0.0 ? members[kind] * sum.work / sum.seconds : 0.0;
        known = known && rate > 0.0;
        rated[kind] = (struct rated){rate, rate, sum.seconds / members[kind],
                                     rate_error(reports, count, deviation)};
    }
    free(members);
    free(reports);
    return known;
}

/* How much tasks scatter. Where no PU has shown it, told costs are believed, and others may be anything. */
static double scatter(const struct plb_bound_pu *pus, int n, bool told)
{
    struct plb_spread spread = {0};
    for (int p = 0; p < n; p++)
        plb_spread_add(&spread, pus[p].tally);
    double deviation = plb_spread_deviation(&spread);
    return isfinite(deviation) ? deviation : told ? 0.0 : NO_IDEA;
}

/* The bound by these rates, or NAN where it is too doubtful. */
static double sure_bound(const struct rated *rated, int n)
{
    double error, held = 0.0, mean = 0.0, bound = mean_busy(rated, n, &error);
    for (int p = 0; p < n; p++) {
        held += rated[p].held;
        mean += rated[p].rate;
    }
    return error <= PLB_BOUND_ERROR * bound ? bound * mean / held : (double)NAN;
}

double plb_bound(const struct plb_bound_pu *pus, int n, double work, bool told)
{
    double deviation = scatter(pus, n, told), executed = 0.0, bound = NAN;
    struct rated *rated = plb_alloc((size_t)n * sizeof *rated);
    if (rate_each(pus, n, deviation, told, rated))
        bound = sure_bound(rated, n);
    if (isnan(bound) && rate_kinds(pus, n, deviation, rated))
        bound = sure_bound(rated, n);
    free(rated);
    for (int p = 0; p < n; p++)
        executed += pus[p].tally->work;
    if (!(work > 0.0))
        return 0.0;
    return executed > work ? bound * work / executed : bound;
}
