/* The costs of the units of a random job: a pure function of a seed and the unit. The bench of random
 * clusters and the kernel test/kernels/random.c share it, so that plbrun simulates the very same job. */
#ifndef TEST_RANDOM_LAW_H
#define TEST_RANDOM_LAW_H

#include <math.h>
#include <stdint.h>

#include "plb/kernel.h"

enum law_kind {
    LAW_EQUAL,   /* every unit costs 1 */
    LAW_RAMP,    /* costs rise evenly, as the rows of a triangle do */
    LAW_SCATTER, /* each unit by itself, evenly in the logarithm, between 1 / width and width */
    LAW_POWER,   /* rows of an R-MAT matrix: the first ones are the heaviest */
    LAW_HUMP, /* a smooth hill in the middle, width times as high as the plain, as rows of Mandelbrot's set */
    LAW_FEW,  /* one unit in a hundred, and at least one, costs width times as much as the others */
    LAW_STEP, /* no random cluster has it: the first two fifths cost 1, the others width: what is seen first
                 foretells nothing */
    LAW_BAND, /* nor this one: from 0.36 to 0.66 units cost width, the others 1 */
    LAW_KINDS /* one more than the last */
};
#define LAW_CHOICES "equal|ramp|scatter|power|hump|few|step|band" /* in the enum's order, as law_names */
static const char *const law_names[] = {"equal", "ramp", "scatter", "power", "hump", "few", "step", "band"};

struct law {
    enum law_kind kind;
    uint64_t seed;
    int64_t units;
    double width;
};

/* An R-MAT row: a part 0.76 of the entries is in the first half, and so on in each half. */
static inline double law_power(const struct law *law, int64_t unit)
{
    double part = 1.0;
    for (int64_t all = 1; all < law->units; all *= 2, unit /= 2)
        part *= unit & 1 ? 2.0 * 0.24 : 2.0 * 0.76;
    return part;
}

static inline double law_unit(const struct law *law, int64_t unit)
{
    double x = ((double)unit + 0.5) / (double)law->units;
    switch (law->kind) {
    case LAW_RAMP: return 2.0 * x;
    case LAW_SCATTER: return pow(law->width, 2.0 * plb_random_real(law->seed, (uint64_t)unit) - 1.0);
    case LAW_POWER: return law_power(law, unit);
    case LAW_HUMP: return 1.0 + (law->width - 1.0) * exp(-50.0 * (x - 0.5) * (x - 0.5));
    case LAW_FEW: return unit % 100 == (int64_t)(law->seed % 100 % (uint64_t)law->units) ? law->width : 1.0;
    case LAW_STEP: return x < 0.4 ? 1.0 : law->width;
    case LAW_BAND: return x >= 0.36 && x < 0.66 ? law->width : 1.0;
    default: return 1.0;
    }
}

/* No unit costs more. */
static inline double law_largest(const struct law *law)
{
    switch (law->kind) {
    case LAW_EQUAL: return 1.0;
    case LAW_RAMP: return 2.0;
    case LAW_POWER: return law_power(law, 0);
    default: return law->width;
    }
}

/* The cost of units [first, first + count). O(count). `context` is a struct law. */
static inline double law_sum(const void *context, int64_t first, int64_t count)
{
    const struct law *law = context;
    double sum = 0.0;
    if (law->kind == LAW_EQUAL)
        return (double)count;
    for (int64_t u = first; u < first + count; u++)
        sum += law_unit(law, u);
    return sum;
}

#endif
