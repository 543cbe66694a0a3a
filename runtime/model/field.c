/* Maximum likelihood on a grid, and two filters. */
#include "model/field.h"

#include <math.h>

/* Logarithm of the likelihood ratio from which neighbours surely tell. Smaller: chance bends the field.
 * Larger: it follows later. 10 is a chance of one in 20,000, since a run looks many times. */
#define SURE 10.0

/* Standard deviation below which the field is not worth following. Larger: errors of costs stay. Smaller:
 * the slow changes of machines are taken for costs. */
#define LITTLE 0.03

/* The grid: lengths, and variances of the field over those of errors. Both are powers of 4. */
#define LENGTHS 11
#define SHORTEST 0x1p-16
#define RATIOS 12
#define SMALLEST 0x1p-4

static double length_of(int i)
{
    return SHORTEST * exp2(2.0 * (i - 1));
}

static double ratio_of(int i)
{
    return SMALLEST * exp2(2.0 * (i - 1));
}

/* The estimate of another place, from one at a distance. */
static struct plb_estimated carried(const struct plb_field *f, struct plb_estimated e, double distance)
{
    double part = exp(-distance / f->length);
    return (struct plb_estimated){part * e.mean, f->signal + part * part * (e.variance - f->signal)};
}

static struct plb_estimated seen_too(const struct plb_field *f, struct plb_estimated e, double value)
{
    double gain = e.variance / (e.variance + f->error);
    return (struct plb_estimated){e.mean + gain * (value - e.mean), (1.0 - gain) * e.variance};
}

/* Logarithm of the likelihood of a field with this ratio, at the most likely size of errors, which is
 * written to `error`. */
static double likelihood(double ratio, double length, const struct plb_field_observation *seen, int n,
                         double *error)
{
    const struct plb_field f = {1.0, ratio, length, 0, 0};
    struct plb_estimated e = {0.0, ratio};
    double squares = 0.0, logs = 0.0;
    for (int i = 0; i < n; i++) {
        if (i > 0)
            e = carried(&f, e, seen[i].at - seen[i - 1].at);
        double off = seen[i].value - e.mean, variance = e.variance + 1.0;
        squares += off * off / variance;
        logs += log(variance);
        e = seen_too(&f, e, seen[i].value);
    }
    *error = squares / n;
    return -0.5 * (n * log(fmax(*error, 1e-12)) + logs);
}

/* Goes to the best place of the grid from the last one, step by step. */
static double climb(struct plb_field *f, const struct plb_field_observation *seen, int n)
{
    static const int steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    double best = likelihood(ratio_of(f->ratio_at), length_of(f->length_at), seen, n, &f->error);
    for (bool better = true; better;) {
        better = false;
        for (int k = 0; k < 4; k++) {
            int length = f->length_at + steps[k][0], ratio = f->ratio_at + steps[k][1];
            double error;
            if (length < 1 || length > LENGTHS || ratio < 1 || ratio > RATIOS)
                continue;
            double l = likelihood(ratio_of(ratio), length_of(length), seen, n, &error);
            if (l > best + 1e-9 * fabs(best)) {
                best = l;
                f->length_at = length;
                f->ratio_at = ratio;
                f->error = error;
                better = true;
            }
        }
    }
    return best;
}

void plb_field_fit(struct plb_field *f, const struct plb_field_observation *seen, int n)
{
    double alone, none = n >= PLB_FIELD_POINTS ? likelihood(0.0, 1.0, seen, n, &alone) : 0.0;
    f->signal = 0.0;
    if (n < PLB_FIELD_POINTS)
        return;
    if (f->length_at == 0)
        *f = (struct plb_field){.length_at = LENGTHS - 4, .ratio_at = RATIOS / 3};
    double best = climb(f, seen, n), signal = f->error * ratio_of(f->ratio_at);
    f->length = length_of(f->length_at);
    if (best - none > SURE && signal > LITTLE * LITTLE)
        f->signal = signal;
    else
        f->error = alone;
}

void plb_field_filter(const struct plb_field *f, struct plb_field_observation *seen, int n)
{
    struct plb_estimated e = {0.0, f->signal};
    for (int i = 0; i < n; i++) {
        if (i > 0)
            e = carried(f, e, seen[i].at - seen[i - 1].at);
        seen[i].left = e = seen_too(f, e, seen[i].value);
    }
    e = (struct plb_estimated){0.0, f->signal};
    for (int i = n - 1; i >= 0; i--) {
        if (i < n - 1)
            e = carried(f, e, seen[i + 1].at - seen[i].at);
        seen[i].right = e = seen_too(f, e, seen[i].value);
    }
}

struct plb_estimated plb_field_at(const struct plb_field *f, const struct plb_field_observation *seen, int n,
                                  double at, int before, int after)
{
    struct plb_estimated left = {0.0, f->signal}, right = left;
    if (!(f->signal > 0.0))
        return left;
    if (before > 0)
        left = carried(f, seen[before - 1].left, at - seen[before - 1].at);
    if (after < n)
        right = carried(f, seen[after].right, seen[after].at - at);
    /* Both contain what is known of any place, which counts once. */
    double precision = 1.0 / left.variance + 1.0 / right.variance - 1.0 / f->signal;
    return (struct plb_estimated){(left.mean / left.variance + right.mean / right.variance) / precision,
                                  1.0 / precision};
}
