/* Choosing samples: classes of size, and the median of each. */
#include "profile/pool.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static bool positive(double number)
{
    return isfinite(number) && number > 0.0;
}

struct candidate {
    struct plb_sample sample;
    int class;
    bool old;
};

/* Orders by class, then newer before older, then by speed. */
static int by_class(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    double p = x->sample.execute_s / x->sample.work, q = y->sample.execute_s / y->sample.work;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->old != y->old)
        return x->old ? 1 : -1;
    return (p > q) - (p < q);
}

static int by_size(const void *a, const void *b)
{
    const struct plb_sample *x = a, *y = b;
    return (x->work > y->work) - (x->work < y->work);
}

/* Finds the usable samples and gives each its class. Returns how many there are. */
static int classify(const struct plb_sample *samples, int n, int old, struct candidate *out)
{
    double low = INFINITY, high = 0.0;
    int m = 0;
    for (int i = 0; i < n; i++) {
        const struct plb_sample *s = &samples[i];
        if (!positive(s->work) || !positive(s->execute_s))
            continue;
        struct plb_sample kept = {
            s->work, s->execute_s, positive(s->transfer_s) ? s->transfer_s : 0.0, s->tasks > 0 ? s->tasks : 1,
            0.0,     true};
        out[m] = (struct candidate){kept, 0, i < old};
        low = fmin(low, s->work);
        high = fmax(high, s->work);
        m++;
    }
    for (int i = 0; i < m && high > low; i++) {
        int class = (int)(PLB_PROFILE_ROWS * (log(out[i].sample.work) - log(low)) / (log(high) - log(low)));
        out[i].class = class < PLB_PROFILE_ROWS ? class : PLB_PROFILE_ROWS - 1;
    }
    return m;
}

void plb_profile_pool(const struct plb_sample *samples, int n, int old, struct plb_profile *profile)
{
    struct candidate *all = plb_alloc((size_t)n * sizeof *all);
    int m = classify(samples, n, old, all);
    qsort(all, (size_t)m, sizeof *all, by_class);
    *profile = (struct plb_profile){0};
    for (int first = 0, end = 0, alike; first < m; first = end) {
        for (; end < m && all[end].class == all[first].class; end++)
            ;
        for (alike = first; alike < end && all[alike].old == all[first].old; alike++)
            ;
        profile->at[profile->n++] = all[first + (alike - first - 1) / 2].sample;
    }
    qsort(profile->at, (size_t)profile->n, sizeof *profile->at, by_size);
    free(all);
}

bool plb_profile_spreads(const struct plb_profile *profile)
{
    return profile->n > 1 && profile->at[profile->n - 1].work >= PLB_PROFILE_SPREAD * profile->at[0].work;
}
