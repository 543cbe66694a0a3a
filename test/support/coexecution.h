/* One node with GPUs and a CPU, in virtual time: what the CPU adds to the default balancer, and how far its
 * split is from the best fixed one. For the test of that promise and for the bench that prints its worst
 * cells. */
#ifndef TEST_COEXECUTION_H
#define TEST_COEXECUTION_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/work/cost.h"
#include "params.h"
#include "job/balancer_table.h"
#include "simulate/simulate.h"

#define COEXECUTION_PUS 8
#define TASK_OVERHEAD 1e-5 /* seconds */

/* The simulated job and machines. Speeds and costs are in units of the job: one GPU does it in `seconds`. */
struct coexecution {
    int gpus, units;
    double speed; /* of the CPU; the GPU's is 1; 0: no CPU */
    double half;  /* of each GPU, as a part of the job */
    double seconds;
    bool unequal; /* rows of a power law, the heaviest first */
    double noise;
    double guess;   /* the CPU's given power over its true one */
    bool cpu_first; /* PU 0 is the CPU */
};

/* Rows of an R-MAT matrix: a share a of the entries is in the first half, and so on in each half. */
static inline double rmat_row(int64_t row, int bits)
{
    double part = 1.0;
    for (int b = 0; b < bits; b++)
        part *= (row >> b) & 1 ? 0.24 : 0.76;
    return part;
}

static inline double rmat_cost(const void *context, int64_t first, int64_t count)
{
    const int *units = context;
    int bits = 1;
    while ((int64_t)1 << bits < *units)
        bits++;
    double sum = 0.0;
    for (int64_t u = first; u < first + count; u++)
        sum += rmat_row(u, bits);
    return sum;
}

static inline struct plb_cost_map coexecution_map(int units, bool unequal)
{
    struct plb_cost_map map;
    struct plb_error err = {.status = PLB_OK};
    if (plb_cost_map_init(&map, units, unequal ? rmat_cost : NULL, &units, &err) != PLB_OK)
        abort();
    map.told = true; /* equal units, too */
    return map;
}

static inline int coexecution_pus(const struct coexecution *c, double work, struct plb_pu_spec *pus)
{
    int n = 0;
    double rate = work / c->seconds;
    struct plb_pu_spec gpu = {.name = "gpu",
                              .kind = PLB_GPU,
                              .power = rate,
                              .rate = rate,
                              .half = c->half * work,
                              .overhead = TASK_OVERHEAD,
                              .noise = c->noise,
                              .memory = INFINITY,
                              .copy_bandwidth = INFINITY,
                              .slowdown = 1.0};
    struct plb_pu_spec cpu = gpu;
    snprintf(cpu.name, sizeof cpu.name, "cpu");
    cpu.kind = PLB_CPU;
    cpu.half = 0.0;
    cpu.rate = rate * c->speed;
    cpu.power = cpu.rate * c->guess;
    if (c->speed > 0.0 && c->cpu_first)
        pus[n++] = cpu;
    for (int g = 0; g < c->gpus; g++)
        pus[n++] = gpu;
    if (c->speed > 0.0 && !c->cpu_first)
        pus[n++] = cpu;
    return n;
}

/* The makespan; the share of the CPU's units goes to *share where that is not NULL. */
static inline double coexecution_run(const struct coexecution *c, const struct plb_cost_map *map,
                                     const char *balancer, bool migration, uint64_t seed, double *share)
{
    struct plb_pu_spec pus[COEXECUTION_PUS];
    struct plb_param params[MAX_PARAMS];
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated result;
    double work = plb_cost_work(map, 0, map->units) * map->per_work;
    int n = coexecution_pus(c, work, pus);
    struct plb_node_spec node = {"n", 1e10, 1e-6, 0, n};
    struct plb_cluster_spec cluster = {.n_nodes = 1, .n_pus = n, .nodes = &node, .pus = pus};
    const struct plb_balancer *b = plb_balancers[0];
    for (int i = 0; plb_balancers[i] != NULL; i++)
        b = strcmp(plb_balancers[i]->name, balancer) == 0 ? plb_balancers[i] : b;
    default_params(b, params);
    struct plb_simulation s = {.cluster = &cluster,
                               .maps = map,
                               .seed = seed,
                               .master = {.balancer = b,
                                          .params = params,
                                          .n_nodes = 1,
                                          .migration = migration,
                                          .backups = migration},
                               .migration = {.on = migration, .threshold = 1.0, .backups = migration}};
    if (plb_simulate(&s, &result, &err) != PLB_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    for (int p = 0; share != NULL && p < n; p++)
        if (pus[p].kind == PLB_CPU)
            *share = (double)plb_master_totals(result.master, p)->units / (double)map->units;
    plb_master_free(result.master);
    return result.makespan_s;
}

/* Seconds of a block on a PU without noise; nothing for nothing. */
static inline double coexecution_block(const struct plb_pu_spec *pu, double work, double per_work)
{
    return work > 0.0 ? (work * per_work + pu->half) / pu->rate + pu->overhead : 0.0;
}

/* One GPU and a CPU: the least makespan of all splits into a block each, whichever has the front. */
static inline double coexecution_best_split(const struct coexecution *c, const struct plb_cost_map *map)
{
    struct plb_pu_spec pus[COEXECUTION_PUS];
    double all = plb_cost_work(map, 0, map->units), best = INFINITY;
    struct coexecution other = *c;
    other.cpu_first = false;
    coexecution_pus(&other, all * map->per_work, pus);
    for (int front = 0; front < 2; front++) {
        int64_t low = 0, high = map->units; /* the least count in front at which the front ends last */
        for (int64_t i = 0; i < 64 && low < high; i++) {
            int64_t middle = low + (high - low) / 2;
            double w = plb_cost_work(map, 0, middle);
            if (coexecution_block(&pus[front], w, map->per_work)
                >= coexecution_block(&pus[1 - front], all - w, map->per_work))
                high = middle;
            else
                low = middle + 1;
        }
        int64_t tries[4] = {low, low > 0 ? low - 1 : 0, 0, map->units};
        for (int k = 0; k < 4; k++) {
            double w = tries[k] == map->units ? all : plb_cost_work(map, 0, tries[k]);
            best = fmin(best, fmax(coexecution_block(&pus[front], w, map->per_work),
                                   coexecution_block(&pus[1 - front], all - w, map->per_work)));
        }
    }
    return best;
}

#endif
