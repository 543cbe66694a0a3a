/* The speed of a described PU over time: a step function, made of the `slow` lines of its .cluster file.
 *
 * The speed is 1 as described, 1/3 where a line says three times slower, and 0 from a line with factor 0 on:
 * the PU is dead, and no later line revives it. Pure functions, O(PLB_MAX_SLOW); thread-safe. */
#ifndef PLB_MODEL_SPEED_H
#define PLB_MODEL_SPEED_H

#include "model/cluster_spec.h"

/* The moment at which the PU dies; infinite where it never does. */
double plb_speed_death(const struct plb_pu_spec *pu);

/* The moment at which work that was begun at `from` ends, where it needs `seconds` at speed 1. Infinite where
 * the PU dies before. */
double plb_speed_end(const struct plb_pu_spec *pu, double from, double seconds);

/* The time after `from` at which the speed changes next, and the speed until then. Infinite where it does not
 * change any more. */
double plb_speed_next(const struct plb_pu_spec *pu, double from, double *speed);

#endif
