/* The front of time and energy of a job: a few rows from the shortest time to the least energy, each with the
 * PUs that work and their shares. Pure functions; thread-safe.
 *
 * Units: work in units, time in seconds, power in watts, energy in joules. */
#ifndef PLB_MODEL_ENERGY_FRONT_H
#define PLB_MODEL_ENERGY_FRONT_H

#include "model/energy/front_rows.h"
#include "model/energy/objective_curves.h"

/* The rows, by time: each has less energy than the one before, and no choice of PUs within its time has less.
 * `power_cap`: infinite where there is none. `then_s`: a time for then_joules; NAN: none.
 *
 * Where times are in proportion to work, the rows are as good as model/energy/objective says: exact without a
 * cap. They have the corners, the least energy times delay, and deadlines in between. Where times have start
 * costs or are curves, up to PLB_CURVE_SETS PUs go by model/energy/objective_curves, and more of them by
 * sets of them (model/energy/front_sets). With a cap, or with static watts of nodes that several PUs share,
 * many PUs are taken for lines through their equal shares. False where memory is short. To be freed by
 * plb_front_fini either way. Cost: O(n log n) for each row, beside that of sets. */
bool plb_front_make(const struct plb_power_curves *job, double power_cap, double then_s,
                    struct plb_front *front);
void plb_front_fini(struct plb_front *front);

#endif
