/* Clusters with watts, drawn from seeds, and a job each, for tests of objectives. */
#ifndef TEST_POWER_CLUSTER_H
#define TEST_POWER_CLUSTER_H

#include <math.h>

#include "base/normal.h"
#include "core/work/cost.h"
#include "dice.h"
#include "model/cluster_spec.h"
#include "model/energy/power_job.h"

#define MOST_PUS 20
#define PUS_OF_NODE 4
#define UNEQUAL 1000 /* units that cost unlike amounts */

struct machine {
    struct plb_cluster_spec cluster;
    struct plb_node_spec nodes[MOST_PUS];
    struct plb_pu_spec pus[MOST_PUS];
    struct plb_cost_map map;
    struct plb_cost_map costs; /* the true ones; no prefix: as told */
    struct plb_power_pu speeds[MOST_PUS];
    double static_watts[MOST_PUS], worked_s[MOST_PUS];
    struct plb_power_job job;
};

static inline double spread(struct dice *d, double low, double high) /* evenly in the logarithm */
{
    return exp(real(d, log(low), log(high)));
}

/* 2 to 20 PUs, the quickest up to 30 times as fast as the slowest, with as unlike joules per unit. With all
 * of them the job lasts so many seconds. */
static inline void draw_lasting(struct machine *m, uint64_t seed, double least_s, double most_s)
{
    struct dice d = {.seed = seed};
    struct plb_error err = {.status = PLB_OK};
    int n = (int)whole(&d, 2, MOST_PUS);
    double sum = 0.0, seconds = spread(&d, least_s, most_s);
    *m = (struct machine){.cluster = {.nodes = m->nodes, .pus = m->pus}};
    while (m->cluster.n_pus < n) {
        int node = m->cluster.n_nodes++, pus = (int)whole(&d, 1, PUS_OF_NODE);
        pus = pus < n - m->cluster.n_pus ? pus : n - m->cluster.n_pus;
        m->nodes[node] = (struct plb_node_spec){"n", 1.25e9, 20e-6, m->cluster.n_pus, pus};
        for (int i = 0; i < pus; i++) {
            struct plb_pu_spec *pu = &m->pus[m->cluster.n_pus];
            double rate = spread(&d, 1e3, 3e4);
            *pu = (struct plb_pu_spec){.name = "p",
                                       .kind = rate > 1e4 ? PLB_GPU : PLB_CPU,
                                       .power = 1.0,
                                       .rate = rate,
                                       .overhead = one_in(&d, 2) ? spread(&d, 1e-6, 1e-4) : 0.0,
                                       .noise = real(&d, 0.0, 0.05),
                                       .memory = INFINITY,
                                       .copy_bandwidth = INFINITY,
                                       .static_watts = spread(&d, 2.0, 40.0),
                                       .dynamic_watts = spread(&d, 10.0, 300.0)};
            m->speeds[m->cluster.n_pus++] = (struct plb_power_pu){pu->rate, pu->dynamic_watts, node};
            m->static_watts[node] += pu->static_watts;
            sum += rate;
        }
    }
    assert_int_equal(plb_cost_map_init(&m->map, (int64_t)(sum * seconds), NULL, NULL, &err), PLB_OK);
    m->job = (struct plb_power_job){m->speeds,          m->static_watts, n,
                                    m->cluster.n_nodes, PLB_STATIC_JOB,  (double)m->map.units};
}

/* Log-normal, of mean 1: a few units take as long as a hundred others. */
static inline double unlike(const void *context, int64_t first, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = first; i < first + count; i++)
        sum += exp(1.3 * plb_random_normal(*(const uint64_t *)context, (uint64_t)i) - 0.5 * 1.3 * 1.3);
    return sum;
}

/* The job gets few units, whose costs differ by `seed`, and takes as long. */
static inline void make_unlike(struct machine *m, uint64_t *seed)
{
    struct plb_error err = {.status = PLB_OK};
    double scale = UNEQUAL / (double)m->map.units;
    plb_cost_map_fini(&m->map);
    assert_int_equal(plb_cost_map_init(&m->map, UNEQUAL, NULL, NULL, &err), PLB_OK);
    assert_int_equal(plb_cost_map_init(&m->costs, UNEQUAL, unlike, seed, &err), PLB_OK);
    for (int p = 0; p < m->cluster.n_pus; p++)
        m->speeds[p].speed = m->pus[p].rate *= scale;
    m->job.work = m->costs.per_work * UNEQUAL;
}

#endif
