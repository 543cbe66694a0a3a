/* The front of time and energy where each PU is known by measured points of any shape. Pure function;
 * thread-safe.
 *
 * A point of a PU is an amount of work with its seconds and joules. Each PU works at one of its points or not
 * at all. T is the largest seconds of the points chosen, E the sum of their joules and static watts · T. The
 * work chosen is at least W.
 *
 * For a given T, the points within T of all PUs are summed, PU by PU, and only sums count that no other one
 * beats in both work and joules (Pareto sums; Khaleghzadeh et al., arXiv 1907.04080, treat such profiles
 * exactly too). Most points never enter a sum. The lower convex envelopes of the sets give a bound and a
 * price of a unit, and a point that costs too much at this price cannot be in a better answer. */
#ifndef PLB_MODEL_ENERGY_OBJECTIVE_POINTS_H
#define PLB_MODEL_ENERGY_OBJECTIVE_POINTS_H

#include <stdbool.h>

struct plb_power_point {
    double work, seconds, joules; /* work above 0, joules 0 or more */
};

struct plb_point_set {
    const struct plb_power_point *points; /* n of them, in any order */
    int n;
};

/* Everything is borrowed for the time of a call. */
struct plb_points_job {
    const struct plb_point_set *sets; /* of n PUs */
    int n;
    double static_watts; /* drawn until T */
    double work;         /* W, above 0 */
};

struct plb_points_answer {
    double seconds, joules; /* T, E */
    double limit;           /* the T that was asked for: `seconds` or more */
    double dynamic,
        bound; /* joules without static ones: of this choice; of the best within `limit`, at least */
};

/* The front, from the shortest time to the least energy. At most `levels` values of T are tried, which are
 * seconds of points. Where there are more, they are spread evenly in their order, and the true front may have
 * points between two answers. An answer whose bound equals its dynamic joules is exact for its limit.
 * front: room for `levels`. choice: room for levels · n indices of points, n for each answer; -1: the PU does
 * not work. Returns the number of answers; 0 where all PUs together cannot do the work, -1 where memory is
 * short. */
int plb_objective_points(const struct plb_points_job *job, int levels, struct plb_points_answer *front,
                         int *choice);
#endif
