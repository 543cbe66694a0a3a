/* A value along a line, such as what units cost beside what was told, seen here and there and with errors:
 * what is it elsewhere? Near what was seen it is like that, far away like the mean of all. How far a place
 * tells of another one, and how large the errors are, is learned from what was seen.
 *
 * The value is taken for an Ornstein-Uhlenbeck process about 0 with independent errors, and its parameters
 * are the most likely ones. Then a filter from the left and one from the right give the best linear estimate
 * at every place. Cost: O(n) for a fit and for a filter, O(1) for a place. Pure functions; thread-safe. */
#ifndef PLB_MODEL_FIELD_H
#define PLB_MODEL_FIELD_H

#include <stdbool.h>

/* Observations from which neighbours may tell. Fewer: chance looks like a trend. More: later. */
#define PLB_FIELD_POINTS 8

/* An estimate and its variance. */
struct plb_estimated {
    double mean, variance;
};

/* One observation, at a place between 0 and 1; `left` and `right` are what the filters say there. */
struct plb_field_observation {
    double at, value;
    struct plb_estimated left, right; /* by it and by all on that side of it */
};

struct plb_field {
    double error;            /* variance of an observation about the field */
    double signal;           /* variance of the field about 0; 0: neighbours tell nothing */
    double length;           /* distance at which a place tells 1/e of another one */
    int length_at, ratio_at; /* where the last fit found them, for the next one; 0 before the first */
};

/* Fits the field to n observations in the order of their places, whose values have mean 0. Where neighbours
 * do not surely tell of each other, `signal` becomes 0. */
void plb_field_fit(struct plb_field *field, const struct plb_field_observation *seen, int n);

/* Runs both filters over the observations. */
void plb_field_filter(const struct plb_field *field, struct plb_field_observation *seen, int n);

/* The field at a place, of which observations [0, before) are on the left, and those from `after` on are on
 * the right. Those between are left out. */
struct plb_estimated plb_field_at(const struct plb_field *field, const struct plb_field_observation *seen,
                                  int n, double at, int before, int after);

#endif
