/* Clusters of mixed kinds, of any size, and a count of what a balancer is asked in a simulated run
 * on one.
 *
 * Each node has four CPUs beside four GPUs of two speeds and two accelerators. The cases differ in
 * the CPUs: useful ones, ones that are a thousand times slower than a GPU, and ones whose memory is
 * too small, so that the master refuses them. */
#ifndef TEST_MIXED_H
#define TEST_MIXED_H

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/clock.h"
#include "simulate/simulate.h"
#include "job/balancer_table.h"
#include "params.h"

#define PUS_OF_A_NODE 10

enum mixed_case { CPUS_USEFUL, CPUS_SLOW, CPUS_REFUSED, MIXED_CASES };

static const char *const mixed_case_names[MIXED_CASES] = {"useful CPUs", "slow CPUs", "refused CPUs"};

/* The calls of the policy; `grant_s`, where it is not NULL, gets the real seconds of the
 * first calls of grant. */
struct mixed_calls {
    int64_t questions, blocks;
    double *grant_s;
    int n_times, max_times;
};

struct mixed_result {
    struct plb_error err;
    int n_pus;
    int64_t solves;
    struct plb_simulated simulated; /* its master is gone */
    double wall_s;                  /* real seconds of the whole simulation */
};

/* Stands between the master and the balancer. There is one at a time: a policy cannot be told which
 * it is. */
static struct {
    const struct plb_balancer *inner;
    struct mixed_calls *calls;
} mixed_watched;

static inline void *mixed_init(const struct plb_view *view, const struct plb_param *params)
{
    return mixed_watched.inner->init(view, params);
}

static inline double mixed_grant(void *state, const struct plb_view *view, int pu)
{
    struct mixed_calls *c = mixed_watched.calls;
    bool timed = c->n_times < c->max_times;
    double began = timed ? plb_now() : 0.0;
    double work = mixed_watched.inner->grant(state, view, pu);
    if (timed)
        c->grant_s[c->n_times++] = plb_now() - began;
    c->questions++;
    c->blocks += work > 0.0;
    return work;
}

static inline void mixed_done(void *state, const struct plb_view *view, int pu,
                              const struct plb_sample *sample)
{
    if (mixed_watched.inner->done != NULL)
        mixed_watched.inner->done(state, view, pu, sample);
}

static inline void mixed_block_end(void *state, const struct plb_view *view, int pu)
{
    if (mixed_watched.inner->block_end != NULL)
        mixed_watched.inner->block_end(state, view, pu);
}

static inline void mixed_lost(void *state, const struct plb_view *view, int pu)
{
    if (mixed_watched.inner->lost != NULL)
        mixed_watched.inner->lost(state, view, pu);
}

static inline void mixed_fini(void *state)
{
    mixed_watched.inner->fini(state);
}

static inline struct plb_pu_spec mixed_pu(int p, enum mixed_case which)
{
    int k = p % PUS_OF_A_NODE;
    bool cpu = k < 4, gpu = k >= 4 && k < 8;
    double rate = cpu ? which == CPUS_SLOW ? 5.0 : 500.0 : k < 6 ? 7000.0 : gpu ? 4000.0 : 1000.0;
    return (struct plb_pu_spec){.name = "p",
                                .kind = cpu ? PLB_CPU
                                      : gpu ? PLB_GPU
                                            : PLB_ACCELERATOR,
                                .power = rate,
                                .rate = rate,
                                .overhead = cpu ? 0.0 : 2e-5,
                                .noise = 0.03,
                                .memory = cpu && which == CPUS_REFUSED ? 1e-3 : INFINITY,
                                .copy_bandwidth = INFINITY};
}

static inline struct plb_cluster_spec mixed_cluster(int nodes, enum mixed_case which)
{
    int n = nodes * PUS_OF_A_NODE;
    struct plb_cluster_spec c = {.n_nodes = nodes, .n_pus = n};
    c.nodes = plb_alloc((size_t)nodes * sizeof *c.nodes);
    c.pus = plb_alloc((size_t)n * sizeof *c.pus);
    for (int i = 0; i < nodes; i++)
        c.nodes[i] = (struct plb_node_spec){"n", 1.25e10, 5e-6, i * PUS_OF_A_NODE, PUS_OF_A_NODE};
    for (int p = 0; p < n; p++)
        c.pus[p] = mixed_pu(p, which);
    return c;
}

/* Runs one balancer, with this many units for each PU. */
static inline struct mixed_result mixed_run(const struct plb_balancer *b, int nodes, enum mixed_case which,
                                            double units, struct mixed_calls *calls)
{
    struct mixed_result r = {.err = {.status = PLB_OK}, .n_pus = nodes * PUS_OF_A_NODE};
    struct plb_param params[MAX_PARAMS];
    struct plb_cost_map map;
    struct plb_cluster_spec cluster = mixed_cluster(nodes, which);
    struct plb_balancer watched = *b;
    watched.init = mixed_init;
    watched.grant = mixed_grant;
    watched.done = mixed_done;
    watched.block_end = mixed_block_end;
    watched.lost = mixed_lost;
    watched.fini = mixed_fini;
    mixed_watched.inner = b;
    mixed_watched.calls = calls;
    plb_cost_map_init(&map, (int64_t)(units * r.n_pus), NULL, NULL, &r.err);
    default_params(b, params);
    struct plb_sizes sizes = {.unit_bytes = 8.0};
    struct plb_simulation s = {
        .cluster = &cluster,
        .maps = &map,
        .seed = 1,
        .inputs = sizes,
        .master = {.balancer = &watched, .params = params, .sizes = &sizes, .units = map.units}};
    double began = plb_now();
    plb_simulate(&s, &r.simulated, &r.err);
    r.wall_s = plb_now() - began;
    r.solves = plb_master_stats(r.simulated.master)->solves;
    plb_master_free(r.simulated.master);
    plb_cost_map_fini(&map);
    free(cluster.nodes);
    free(cluster.pus);
    return r;
}

#endif
