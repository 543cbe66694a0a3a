/* The cheapest choice among points of PUs, of any shape, that does the work. Pure function; thread-safe.
 *
 * A point of a PU is an amount of work with its joules. Each PU works at one of its points or not at all. E
 * is the sum of their joules. The work chosen is at least W.
 *
 * The points of all PUs are summed, PU by PU, and only sums count that no other one beats in both work and
 * joules (Pareto sums; Khaleghzadeh et al., arXiv 1907.04080, treat such profiles exactly too). Most points
 * never enter a sum. The lower convex envelopes of the sets give a bound and a price of a unit, and a point
 * that costs too much at this price cannot be in a better answer. */
#ifndef PLB_MODEL_ENERGY_OBJECTIVE_POINTS_H
#define PLB_MODEL_ENERGY_OBJECTIVE_POINTS_H

#include <stdbool.h>

struct plb_power_point {
    double work, joules; /* work above 0, joules 0 or more */
};

struct plb_point_set {
    const struct plb_power_point *points; /* n of them, in any order */
    int n;
};

/* Everything is borrowed for the time of a call. */
struct plb_points_job {
    const struct plb_point_set *sets; /* of n PUs */
    int n;
    double work; /* W, above 0 */
};

struct plb_points_answer {
    double joules, bound; /* E; of the best choice, at least */
};

/* An answer whose bound equals its joules is exact. choice: room for n indices of points; -1: the PU does not
 * work. Returns 1; 0 where all PUs together cannot do the work, -1 where memory is short. */
int plb_objective_points(const struct plb_points_job *job, struct plb_points_answer *answer, int *choice);
#endif
