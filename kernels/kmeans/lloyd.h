/* The work of rank 0 between two passes of a k-means. */
#ifndef LLOYD_H
#define LLOYD_H

#include "start.h"

/* The variance of the points, as a mean over coordinates: from the sums of a pass with these centroids. */
double variance(const struct points *p, const double *centroids, const double *sums);

/* Each cluster without points gets the point that is farthest from its centroid, of those that are left: its
 * sum, and the other cluster has it no more. So does scikit-learn. Rank 0 looks at all points for that.
 * Returns how many clusters have got a point; `sums` is what a pass with these centroids has made. */
int64_t fill_empty(struct plb_app *app, const struct points *p, const double *centroids, double *sums);

/* Moves each centroid to the mean of its points, and returns the sum of the squares of the ways. A centroid
 * without points stays. */
double move_centroids(const struct shape *s, const double *sums, double *centroids);

/* Checks what a k-means ends with, by plain loops. `before` are the centroids of the pass before the last
 * one, `sums` those of the last pass. PLB_OK; or PLB_EVERIFY after plb_app_error. */
int check_end(struct plb_app *app, const struct points *p, const double *before, const double *centroids,
              const double *sums, const int32_t *labels);

#endif
