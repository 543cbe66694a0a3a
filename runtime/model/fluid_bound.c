#include "model/fluid_bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/speed.h"

/* A moment at which the rate of the cluster changes. */
struct step {
    double time, change; /* cost per second */
    int deaths;
};

static int by_time(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

/* Adds the steps of one PU that come after `from`. Returns its rate at `from`. */
static double add_steps(const struct plb_pu_spec *pu, double from, struct step *steps, int *n)
{
    double speed, first, before;
    double next = plb_speed_next(pu, from, &speed);
    first = before = speed;
    while (next < INFINITY) {
        double at = next;
        next = plb_speed_next(pu, at, &speed);
        steps[(*n)++] = (struct step){at, pu->rate * (speed - before), speed == 0.0};
        before = speed;
    }
    return pu->rate * first;
}

double plb_fluid_bound(const struct plb_cluster_spec *cluster, double cost, double from, bool skip_first)
{
    struct step *steps = plb_alloc(((size_t)cluster->n_pus * PLB_MAX_SLOW + 1) * sizeof *steps);
    int n = 0, first = skip_first && cluster->n_nodes > 0 ? cluster->nodes[0].n_pus : 0, alive = 0;
    double rate = 0.0, now = from;
    for (int p = first; p < cluster->n_pus; p++) {
        rate += add_steps(&cluster->pus[p], from, steps, &n);
        alive += plb_speed_death(&cluster->pus[p]) > from;
    }
    qsort(steps, (size_t)n, sizeof *steps, by_time);
    for (int i = 0; i < n && cost > rate * (steps[i].time - now); i++) {
        cost -= rate * (steps[i].time - now);
        now = steps[i].time;
        alive -= steps[i].deaths;
        rate = alive > 0 ? rate + steps[i].change : 0.0;
    }
    free(steps);
    return cost > 0.0 ? now + cost / rate - from : 0.0;
}
