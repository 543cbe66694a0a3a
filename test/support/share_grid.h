/* The least value of shares, found on a grid: for each set of PUs a grid that shrinks about its best point.
 * For tests of what shares out work among a few PUs. */
#ifndef TEST_SHARE_GRID_H
#define TEST_SHARE_GRID_H

#include <math.h>
#include <string.h>

#define FEW 4 /* PUs, at most */

/* The value of n shares; INFINITY where they are not allowed. */
typedef double (*value_fn)(const void *context, const double *x);

#define STEPS 11
#define ZOOMS 24

static inline double grid_of_set(value_fn value_of, const void *context, double work, const int *set, int n)
{
    double centre[FEW], width = 1.0, least = INFINITY;
    for (int i = 0; i < n; i++)
        centre[i] = 1.0 / n;
    for (int zoom = 0; zoom < ZOOMS; zoom++, width *= 0.65) {
        int points = 1;
        double from[FEW], best[FEW];
        for (int i = 0; i < n - 1; i++, points *= STEPS)
            from[i] = fmin(fmax(centre[i] - 0.5 * width, 0.0), 1.0 - width);
        memcpy(best, centre, sizeof best);
        for (int point = 0; point < points; point++) {
            double x[FEW] = {0}, left = 1.0, f[FEW];
            for (int i = 0, rest = point; i < n - 1; i++, rest /= STEPS) {
                f[i] = from[i] + width * (rest % STEPS) / (STEPS - 1);
                left -= f[i];
            }
            if (left < -1e-12)
                continue;
            f[n - 1] = fmax(left, 0.0);
            for (int i = 0; i < n; i++)
                x[set[i]] = f[i] * work;
            double value = value_of(context, x);
            if (value < least) {
                least = value;
                memcpy(best, f, sizeof best);
            }
        }
        memcpy(centre, best, sizeof centre);
    }
    return least;
}

static inline double brute_force(value_fn value_of, const void *context, double work, int n)
{
    double least = INFINITY;
    for (int sets = 1; sets < 1 << n; sets++) {
        int set[FEW], size = 0;
        for (int i = 0; i < n; i++)
            if (sets & 1 << i)
                set[size++] = i;
        least = fmin(least, grid_of_set(value_of, context, work, set, size));
    }
    return least;
}

#endif
