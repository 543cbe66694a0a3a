/* One simulated run of a random cluster. */
#ifndef TEST_RANDOM_RUN_H
#define TEST_RANDOM_RUN_H

#include "job/balancer_table.h"
#include "params.h"
#include "random_cluster.h"
#include "simulate/simulate.h"

/* Events of one simulation at most. More: a balancer that never ends takes longer to be found. Fewer: a long
 * but sound run is taken for one. The longest sound runs have a few million. */
#define RANDOM_EVENTS 30000000

/* With the balancer's defaults, and plbrun's. `costs` are the true ones. As plb_simulate: the master of the
 * result is to be freed. */
static inline int random_run(const struct random_cluster *r, const struct plb_balancer *b,
                             const struct plb_cost_map *costs, uint64_t seed, struct plb_simulated *result,
                             struct plb_error *err)
{
    struct plb_param params[MAX_PARAMS];
    default_params(b, params);
    struct plb_simulation s = {
        .cluster = &r->cluster,
        .maps = &r->map,
        .true_maps = costs,
        .inputs = r->inputs,
        .results = r->results,
        .master = {.balancer = b,
                   .params = params,
                   .sizes = &r->sizes,
                   .units = r->law.units,
                   .pulled_bytes = RANDOM_PULLED_BYTES,
                   .migration = true,
                   .backups = true,
                   .learn_costs = true},
        .migration = {.on = true,
                      .backups = true,
                      .threshold = 1.0,
                      .by_power = b->basis != NULL && b->basis(params) == PLB_BY_POWER,
                      .seed = seed},
        .seed = seed,
        .max_events = RANDOM_EVENTS,
    };
    return plb_simulate(&s, result, err);
}

#endif
