/* Distances are sums of squared differences, and not |c|^2 - 2 c x: that needs one instruction less for each
 * coordinate, and loses digits where points are far from the origin. */
#include "nearest.h"

#include <math.h>
#include <string.h>

#include "transpose.h"

typedef float narrow_reals __attribute__((vector_size(WIDE * sizeof(float))));

PLB_CLONES static void turn(const struct shape *s, const void *points, int64_t n, double *x)
{
    const int64_t d = s->dimensions;
    int64_t j = 0;
    for (; j + WIDE <= d; j += WIDE)
        for (int64_t first = 0; first < LANES; first += WIDE) {
            reals v[WIDE];
            for (int64_t r = 0; r < WIDE; r++) {
                const int64_t at = (first + r < n ? first + r : n - 1) * d + j;
                narrow_reals few;
                if (s->narrow) {
                    memcpy(&few, (const float *)points + at, sizeof few);
                    v[r] = __builtin_convertvector(few, reals);
                } else {
                    memcpy(&v[r], (const double *)points + at, sizeof v[r]);
                }
            }
            transpose(v);
            for (int64_t k = 0; k < WIDE; k++)
                memcpy(x + (j + k) * LANES + first, &v[k], sizeof v[k]);
        }
    for (; j < d; j++)
        for (int64_t l = 0; l < LANES; l++)
            x[j * LANES + l] = coordinate(s, points, l < n ? l : n - 1, j);
}

void side_by_side(const struct shape *s, const void *points, int64_t n, double *x)
{
    turn(s, points, n, x);
}

PLB_CLONES static void compare_all(const double *x, int64_t dimensions, const double *centroids,
                                   int64_t clusters, double square[LANES], double label[LANES])
{
    double best[LANES], which[LANES];
    for (int l = 0; l < LANES; l++) {
        best[l] = INFINITY;
        which[l] = 0.0;
    }
    for (int64_t c = 0; c < clusters; c += 2) {
        const double *one = centroids + c * dimensions, *other = c + 1 < clusters ? one + dimensions : one;
        double a[LANES] = {0.0}, b[LANES] = {0.0};
        for (int64_t j = 0; j < dimensions; j++)
            for (int l = 0; l < LANES; l++) {
                double p = x[j * LANES + l] - one[j], q = x[j * LANES + l] - other[j];
                a[l] = fma(p, p, a[l]);
                b[l] = fma(q, q, b[l]);
            }
        for (int l = 0; l < LANES; l++) {
            which[l] = a[l] < best[l] ? (double)c : which[l];
            best[l] = a[l] < best[l] ? a[l] : best[l];
            which[l] = b[l] < best[l] ? (double)(c + 1) : which[l];
            best[l] = b[l] < best[l] ? b[l] : best[l];
        }
    }
    memcpy(square, best, sizeof best);
    memcpy(label, which, sizeof which);
}

void nearest(const struct shape *s, const double *x, const double *centroids, double square[LANES],
             double label[LANES])
{
    compare_all(x, s->dimensions, centroids, s->clusters, square, label);
}

PLB_CLONES static void add_wide(double *sum, const double *point, int64_t dimensions)
{
    for (int64_t j = 0; j < dimensions; j++)
        sum[j] += point[j];
}

PLB_CLONES static void add_narrow(double *sum, const float *point, int64_t dimensions)
{
    for (int64_t j = 0; j < dimensions; j++)
        sum[j] += (double)point[j];
}

void assign_points(const struct shape *s, const void *points, int64_t count, const double *centroids,
                   double *x, double *sums, int32_t *labels)
{
    const int64_t d = s->dimensions;
    const size_t row = (size_t)d * (s->narrow ? sizeof(float) : sizeof(double));
    for (int64_t i = 0; i < count; i += LANES) {
        int64_t n = count - i < LANES ? count - i : LANES;
        const char *at = (const char *)points + (size_t)i * row;
        double square[LANES], label[LANES];
        side_by_side(s, at, n, x);
        nearest(s, x, centroids, square, label);
        for (int64_t l = 0; l < n; l++, at += row) {
            double *sum = sums + (int64_t)label[l] * (d + 1);
            if (s->narrow)
                add_narrow(sum, (const float *)(const void *)at, d);
            else
                add_wide(sum, (const double *)(const void *)at, d);
            sum[d] += 1.0;
            sums[sums_of(s) - 1] += square[l];
            if (labels != NULL)
                labels[i + l] = (int32_t)label[l];
        }
    }
}
