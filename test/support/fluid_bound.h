/* The fluid bound: no run on a described cluster is shorter, whatever the balancer.
 *
 * The work is taken for a fluid: all PUs work from the first moment to the last, each at its momentary speed,
 * and nothing starts, waits or travels. A makespan below the bound means that the simulation gave time away.
 *
 * Weak where starts, whole units or links matter: then no run comes near it. Noise is not part of it: a run
 * with noise may be a little shorter. Pure, O(n log n) in the number of `slow` lines; thread-safe. */
#ifndef TEST_FLUID_BOUND_H
#define TEST_FLUID_BOUND_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/cluster_spec.h"
#include "model/speed.h"

/* A moment at which the rate of the cluster changes. */
struct fluid_step {
    double time, change; /* cost per second */
    int deaths;
};

static inline int fluid_by_time(const void *a, const void *b)
{
    const struct fluid_step *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

/* Adds the steps of one PU that come after `from`. Returns its rate at `from`. */
static inline double fluid_add_steps(const struct plb_pu_spec *pu, double from, struct fluid_step *steps,
                                     int *n)
{
    double speed, first, before;
    double next = plb_speed_next(pu, from, &speed);
    first = before = speed;
    while (next < INFINITY) {
        double at = next;
        next = plb_speed_next(pu, at, &speed);
        steps[(*n)++] = (struct fluid_step){at, pu->rate * (speed - before), speed == 0.0};
        before = speed;
    }
    return pu->rate * first;
}

/* Seconds that work of this cost, in the kernel's measure, needs at least when it is begun at `from`. With
 * `skip_first` the PUs of node 0 do not work. Infinite where all PUs die before the work is done. */
static inline double fluid_bound(const struct plb_cluster_spec *cluster, double cost, double from,
                                 bool skip_first)
{
    struct fluid_step *steps = plb_alloc(((size_t)cluster->n_pus * PLB_MAX_SLOW + 1) * sizeof *steps);
    int n = 0, first = skip_first && cluster->n_nodes > 0 ? cluster->nodes[0].n_pus : 0, alive = 0;
    double rate = 0.0, now = from;
    for (int p = first; p < cluster->n_pus; p++) {
        rate += fluid_add_steps(&cluster->pus[p], from, steps, &n);
        alive += plb_speed_death(&cluster->pus[p]) > from;
    }
    qsort(steps, (size_t)n, sizeof *steps, fluid_by_time);
    for (int i = 0; i < n && cost > rate * (steps[i].time - now); i++) {
        cost -= rate * (steps[i].time - now);
        now = steps[i].time;
        alive -= steps[i].deaths;
        rate = alive > 0 ? rate + steps[i].change : 0.0;
    }
    free(steps);
    return cost > 0.0 ? now + cost / rate - from : 0.0;
}

#endif
