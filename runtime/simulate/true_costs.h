/* True costs that differ from the told ones, for simulations: what a kernel says of its units is a guess. */
#ifndef PLB_SIMULATE_TRUE_COSTS_H
#define PLB_SIMULATE_TRUE_COSTS_H

#include "core/work/cost.h"

/* Regions of equal length into which the units are divided; all units of one err alike. More: the errors
 * cancel within a block. Fewer: a PU meets only one or two of them. */
#define PLB_COST_REGIONS 64

/* Makes a map whose costs are those of `told` times a log-normal factor for each region, of this spread. The
 * map is released with plb_cost_map_fini. Pure; thread-safe. */
void plb_true_costs(const struct plb_cost_map *told, double error, uint64_t seed, struct plb_cost_map *map);

#endif
