/* Finish times of PUs that still have something to do: shares with a common end, and who could finish
 * one more unit first. Pure functions; thread-safe. busy_s[p]: seconds until PU p has done what it
 * was granted. PUs whose model is unknown get nothing and finish nothing. */
#ifndef PLB_MODEL_FINISH_H
#define PLB_MODEL_FINISH_H

#include "model/solve.h"
#include "plb/balancer.h"

/* Seconds until a PU has done what was granted to it; 0 where that is nothing. O(1). */
double plb_busy(const struct plb_pu *pu, double now);

/* As plb_solve, but PU p begins after busy_s[p] seconds; solution->seconds counts from now. O(n log
 * n). */
bool plb_solve_busy(const struct plb_model *models, const double *busy_s, int n, double total,
                    enum plb_solver solver, double *x, struct plb_solution *solution);

/* Seconds until `work` in units of `unit` each is finished, where each unit goes to the PU that ends it
 * first; `seconds`, the time by a solve, where units are many or memory is short. O(n + units · log n). */
double plb_last_units(const struct plb_model *models, const double *busy_s, int n, double unit, double work,
                      double seconds);

#endif
