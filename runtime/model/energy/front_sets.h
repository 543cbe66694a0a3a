/* The front of time and energy of many PUs that have start costs. Part of model/energy/front. Pure functions;
 * thread-safe.
 *
 * For a time, a set of PUs shares the work by price: the cheapest units first, each PU for all of the time,
 * the last one in part. That is exact where times are lines with a start. Of few PUs all sets are tried. Of
 * more, those are a set whose whole work is cheapest; one or two PUs turn into it or out of it where that
 * saves energy. Weak at: a better set that differs by three. */
#ifndef PLB_MODEL_ENERGY_FRONT_SETS_H
#define PLB_MODEL_ENERGY_FRONT_SETS_H

#include "model/energy/front_rows.h"
#include "model/energy/objective_curves.h"

/* Whether sets can stand for the job: static watts must count as those of the job do, or as those of the
 * only PU of a node. */
bool plb_front_sets_fit(const struct plb_power_curves *job);

/* Fills in rows, from the shortest time on; `levels` times at most are tried, up to `most_s` where that is
 * finite. front->x has room for `levels` rows. False where memory is short. */
bool plb_front_sets(const struct plb_power_curves *job, int levels, double most_s, struct plb_front *front);

#endif
