/* Which centroid is nearest to a point. */
#ifndef NEAREST_H
#define NEAREST_H

#include "plb/kernel.h"

/* Points that are compared side by side: two vectors of AVX-512, or four of AVX2, for each of two centroids.
 * More: accumulators do not fit the registers of AVX2. Fewer: sums wait for each other. */
#define LANES 16

/* The constants of a job. */
struct shape {
    int64_t clusters, dimensions;
    int32_t narrow; /* 1: points are float32, else float64 */
    int32_t labels; /* 1: labels are wanted */
};

/* Elements of the sums of a task: for each cluster the sum of its points and their number; behind them the
 * inertia, which is the sum of squared distances. */
static inline int64_t sums_of(const struct shape *s)
{
    return s->clusters * (s->dimensions + 1) + 1;
}

/* Coordinate j of a point. */
static inline double coordinate(const struct shape *s, const void *points, int64_t point, int64_t j)
{
    int64_t at = point * s->dimensions + j;
    return s->narrow ? (double)((const float *)points)[at] : ((const double *)points)[at];
}

/* Lays n points, 1 to LANES, side by side: coordinate j of lane l goes to x[j * LANES + l]. Lanes beyond n
 * repeat the last point. x: dimensions * LANES numbers, aligned to 64 bytes. */
void side_by_side(const struct shape *s, const void *points, int64_t n, double *x);

/* The nearest centroid of each lane, and the square of its distance, in float64. Of equally near ones the
 * first counts. The bits are the same with every instruction set. */
void nearest(const struct shape *s, const double *x, const double *centroids, double square[LANES],
             double label[LANES]);

/* Finds the clusters of `count` points and adds them to the sums, in the order of the points. labels: one
 * for each point, or NULL. x as above, for the function to use. */
void assign_points(const struct shape *s, const void *points, int64_t count, const double *centroids,
                   double *x, double *sums, int32_t *labels);

#endif
