/* The points of a k-means, and its first centroids. */
#ifndef START_H
#define START_H

#include "nearest.h"

/* The points of a job. */
struct points {
    struct shape shape; /* but for .labels */
    int64_t n;
    void *data;     /* rank 0's memory or a file's; NULL in a simulation of points that are made up */
    double largest; /* magnitude of a coordinate; 0 in a simulation */
};

/* Reads the points as the options say, or makes them, and checks that each coordinate is a number. PLB_OK, or
 * PLB_EINPUT after plb_app_error. */
int points_read(struct plb_app *app, struct points *p);

/* The first centroids, clusters x dimensions: those of a file; else k-means++ (Arthur and Vassilvitskii,
 * 2007) on points of a sample. Not for simulations. Returns as above. */
int start_centroids(struct plb_app *app, const struct points *p, double *centroids);

#endif
