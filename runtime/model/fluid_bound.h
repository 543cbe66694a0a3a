/* The fluid bound: no run on a described cluster is shorter, whatever the balancer.
 *
 * The work is taken for a fluid: all PUs work from the first moment to the last, each at its momentary speed,
 * and nothing starts, waits or travels. A makespan below the bound means that the simulation gave time away.
 *
 * Weak where starts, whole units or links matter: then no run comes near it. Noise is not part of it: a run
 * with noise may be a little shorter. Pure, O(n log n) in the number of `slow` lines; thread-safe. */
#ifndef PLB_MODEL_FLUID_BOUND_H
#define PLB_MODEL_FLUID_BOUND_H

#include <stdbool.h>

#include "model/cluster_spec.h"

/* Seconds that work of this cost, in the kernel's measure, needs at least when it is begun at `from`. With
 * `skip_first` the PUs of node 0 do not work. Infinite where all PUs die before the work is done. */
double plb_fluid_bound(const struct plb_cluster_spec *cluster, double cost, double from, bool skip_first);

#endif
