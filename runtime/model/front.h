/* The front of time and energy of a job: a few rows from the shortest time to the least energy, each with the
 * PUs that work and their shares. Pure functions; thread-safe.
 *
 * Units: work in units, time in seconds, power in watts, energy in joules. */
#ifndef PLB_MODEL_FRONT_H
#define PLB_MODEL_FRONT_H

#include "model/objective_curves.h"

/* Rows at most. More: a table is longer than a screen. Fewer: deadlines in between are further from a row. */
#define PLB_FRONT_ROWS 20

struct plb_front_row {
    double seconds, joules;
    int working;     /* PUs that have work */
    const double *x; /* of each PU: its units */
};

struct plb_front {
    int n;         /* rows; 0 where no PU may work */
    int least_edp; /* the row with the least energy times delay; 0 is least time, n - 1 least energy */
    struct plb_front_row rows[PLB_FRONT_ROWS];
    double then_joules; /* the least energy within the seconds that were asked for; NAN: it cannot be done */
    double *x;          /* of all rows */
};

/* The rows, by time: each has less energy than the one before, and no choice of PUs within its time has less.
 * `power_cap`: infinite where there is none. `then_s`: a time for then_joules; NAN: none.
 *
 * Where times are in proportion to work, the rows are as good as model/objective says: exact without a cap.
 * They have the corners, the least energy times delay, and deadlines in between. Where times have start costs
 * or are curves, up to PLB_CURVE_SETS PUs go by model/objective_curves, and more of them by points on their
 * curves. With a cap, or with static watts of nodes that several PUs share, many PUs are taken for lines
 * through their equal shares. False where memory is short. To be freed by plb_front_fini either way. Cost:
 * O(n log n) for each row, beside that of sets. */
bool plb_front_make(const struct plb_power_curves *job, double power_cap, double then_s,
                    struct plb_front *front);
void plb_front_fini(struct plb_front *front);

#endif
