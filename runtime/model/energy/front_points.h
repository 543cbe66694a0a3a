/* The front of time and energy of many PUs that have start costs. Part of model/energy/front. Pure functions;
 * thread-safe.
 *
 * For a time, a set of PUs shares the work by price: the cheapest units first, each PU for all of the time,
 * the last one in part. That is exact where times are lines with a start. Of few PUs all sets are tried. Of
 * more, Pareto sums of points on their curves give a set. */
#ifndef PLB_MODEL_ENERGY_FRONT_POINTS_H
#define PLB_MODEL_ENERGY_FRONT_POINTS_H

#include "model/energy/front_rows.h"
#include "model/energy/objective_curves.h"

/* Points of a PU for each time. More: a call takes longer. Fewer: a dearer PU may be chosen where a part of a
 * point is needed. */
#define PLB_FRONT_POINTS 32

/* Whether points can stand for the job: static watts must count as those of the job do, or as those of the
 * only PU of a node. */
bool plb_front_points_fit(const struct plb_power_curves *job);

/* Fills in rows, from the shortest time on; `levels` times at most are tried, up to `most_s` where that is
 * finite. front->x has room for `levels` rows. False where memory is short. Cost: that of
 * plb_objective_points for each time, twice. */
bool plb_front_points(const struct plb_power_curves *job, int levels, double most_s, struct plb_front *front);

#endif
