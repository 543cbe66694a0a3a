/* A simulated run drawn from a seed: unlike PUs, unlike and untrue costs, units of unequal size, little
 * memory, several passes over two phases, late and overtaking messages, nodes and PUs that die, hang or come
 * back, devices that fail, units that kill their executors. */
#ifndef TEST_SCENARIO_H
#define TEST_SCENARIO_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "job/balancer_table.h"
#include "fluid_bound.h"
#include "params.h"
#include "simulate/simulate.h"

#define MAX_NODES 6
#define MAX_PUS 3 /* of a node */
#define MAX_UNITS 3000
#define MAX_PASSES 3
#define PHASES 2
#define MAX_DEADLY 4
#define STEADY 1500000001 /* to that of its passes that are like each other */

static inline int int_in(struct dice *d, int low, int high) /* inclusive */
{
    return (int)whole(d, low, high);
}

static inline double spread(struct dice *d, double low, double high) /* evenly in the logarithm */
{
    return exp(real(d, log(low), log(high)));
}

struct scenario {
    struct plb_cluster_spec cluster;
    struct plb_node_spec nodes[MAX_NODES];
    struct plb_pu_spec pus[MAX_NODES * MAX_PUS];
    struct plb_cost_map maps[PHASES];
    double costs[PHASES][MAX_UNITS];
    int phases[MAX_PASSES + 1]; /* the last one: of a pass that makes lost results again */
    int64_t fed[MAX_PASSES];    /* by pass: the inputs that results of the pass before become, as a mask */
    int64_t offsets[MAX_UNITS + 1];
    struct plb_sizes sizes;
    struct plb_fault faults[2 * MAX_NODES];
    struct plb_deadly_unit deadly[MAX_DEADLY];
    int hosts[MAX_NODES];              /* by node */
    double wrong[MAX_NODES * MAX_PUS]; /* the part of its results that is */
    struct plb_param params[MAX_PARAMS];
    struct plb_rangeset accepted; /* units of the first pass that an earlier run has done */
    struct plb_simulation simulation;
    int spared; /* the node that nothing kills */
    double join_at[MAX_NODES];
    double bound; /* seconds that the run lasts at least; the times of faults are multiples of it */
};

static inline int64_t units_in_both(struct plb_range a, struct plb_range b)
{
    int64_t first = a.first > b.first ? a.first : b.first;
    double end = fmin((double)(a.first + a.count), (double)(b.first + b.count));
    return end > (double)first ? (int64_t)end - first : 0;
}

static inline double sum_of_costs(const void *context, int64_t first, int64_t count)
{
    const double *costs = context;
    double sum = 0.0;
    for (int64_t u = first; u < first + count; u++)
        sum += costs[u];
    return sum;
}

static inline void draw_cluster(struct scenario *s, struct dice *d)
{
    s->cluster = (struct plb_cluster_spec){
        .n_nodes = int_in(d, 1, MAX_NODES), .nodes = s->nodes, .pus = s->pus};
    for (int n = 0; n < s->cluster.n_nodes; n++) {
        int pus = int_in(d, 1, MAX_PUS);
        s->nodes[n] = (struct plb_node_spec){"n", spread(d, 1e6, 1e10), spread(d, 1e-6, 1e-2),
                                             s->cluster.n_pus, pus};
        for (int i = 0; i < pus; i++)
            s->pus[s->cluster.n_pus++] = (struct plb_pu_spec){
                .name = "p",
                .power = spread(d, 1.0, 100.0),
                .rate = spread(d, 1e2, 1e6),
                .half = one_in(d, 2) ? spread(d, 1.0, 1e4) : 0.0,
                .overhead = one_in(d, 2) ? spread(d, 1e-6, 1e-2) : 0.0,
                .noise = one_in(d, 3) ? 0.0 : real(d, 0.0, 0.5),
                .memory = INFINITY,
                .copy_bandwidth = INFINITY};
    }
}

static inline void draw_work(struct scenario *s, struct dice *d)
{
    struct plb_error err = {.status = PLB_OK};
    int units = one_in(d, 10) ? int_in(d, 1, 10) : int_in(d, 1, MAX_UNITS);
    for (int k = 0; k < PHASES; k++) {
        int kind = int_in(d, 0, 2);
        for (int u = 0; u < units; u++)
            s->costs[k][u] = kind == 0 ? 1.0 : kind == 1 ? spread(d, 0.01, 100.0) : (double)int_in(d, 0, 1);
        if (plb_cost_map_init(&s->maps[k], units, sum_of_costs, s->costs[k], &err) != PLB_OK)
            abort();
    }
    for (int i = 0; i < MAX_PASSES; i++)
        s->phases[i] = int_in(d, 0, PHASES - 1);
    s->simulation.maps = s->maps;
    s->simulation.phases = s->phases;
    s->simulation.passes = one_in(d, 3) ? MAX_PASSES : 1;
    s->simulation.cost_error = one_in(d, 3) ? real(d, 0.0, 1.0) : 0.0;
}

/* Inputs, equal or not; outputs; reduced arrays. */
static inline void draw_sizes(struct scenario *s, struct dice *d)
{
    struct plb_sizes *inputs = &s->simulation.inputs, *results = &s->simulation.results;
    bool indexed = one_in(d, 3);
    for (int u = 0; u < (int)s->maps[0].units; u++)
        s->offsets[u + 1] = s->offsets[u] + (one_in(d, 20) ? int_in(d, 0, 1000) : int_in(d, 0, 30));
    inputs->unit_bytes = one_in(d, 2) ? spread(d, 1.0, 1e5) : 0.0;
    results->unit_bytes = one_in(d, 2) ? spread(d, 1.0, 1e5) : 0.0;
    results->task_bytes = one_in(d, 4) ? spread(d, 8.0, 1e4) : 0.0;
    if (indexed) {
        inputs->n_indexed = 1;
        inputs->indexed[0].offsets = s->offsets;
        inputs->indexed[0].element_bytes = 8.0;
    }
    s->sizes = *inputs;
    s->sizes.unit_bytes += results->unit_bytes;
    s->sizes.task_bytes = results->task_bytes;
    s->sizes.replicated_bytes = one_in(d, 3) ? spread(d, 1.0, 1e6) : 0.0;
}

static inline void draw_master(struct scenario *s, struct dice *d)
{
    struct plb_simulation *sim = &s->simulation;
    int n_balancers = 0;
    while (plb_balancers[n_balancers] != NULL)
        n_balancers++;
    const struct plb_balancer *b = plb_balancers[int_in(d, 0, n_balancers - 1)];
    default_params(b, s->params);
    sim->master = (struct plb_master_config){.balancer = b,
                                             .params = s->params,
                                             .n_nodes = s->cluster.n_nodes,
                                             .sizes = &s->sizes,
                                             .units = s->maps[0].units,
                                             .pulled_bytes = one_in(d, 2) ? 1e5 : 0.0,
                                             .phases = PHASES,
                                             .grain = one_in(d, 4) ? int_in(d, 1, 50) : 0.0,
                                             .migration = !one_in(d, 3),
                                             .whole_results = s->sizes.task_bytes > 0.0};
    sim->migration = (struct plb_migration){.on = sim->master.migration,
                                            .victim = (enum plb_victim)int_in(d, 0, 3),
                                            .threshold = one_in(d, 2) ? spread(d, 0.1, 100.0) : 0.0,
                                            .by_power = one_in(d, 2),
                                            .seed = d->seed};
    sim->master.victim = sim->migration.victim;
    sim->master.resident = d->seed % 2 == 0;
    if (sim->master.whole_results && d->seed % 3 == 0) /* a run with chunks */
        s->sizes.chunk = s->maps[0].chunk = s->maps[1].chunk = 2 + (int64_t)(d->seed % 29);
    if (one_in(d, 4))
        sim->message_s = sim->frame_s = spread(d, 1e-7, 1e-4);
}

/* Some PUs hold a few units, or none and are refused; the first of a node holds all. */
static inline void draw_memories(struct scenario *s, struct dice *d)
{
    double largest = plb_sizes_largest(&s->sizes, s->maps[0].units);
    for (int n = 0; n < s->cluster.n_nodes; n++)
        for (int i = 1; i < s->nodes[n].n_pus; i++)
            if (one_in(d, 4))
                s->pus[s->nodes[n].first_pu + i].memory = s->sizes.replicated_bytes
                                                        + PLB_TASKS_IN_MEMORY * largest
                                                              * spread(d, 0.3, 30.0);
}

/* Passes that are like each other, on PUs that are not too unlike, so that shares may stand. */
static inline void draw_steady(struct scenario *s)
{
    struct dice dice = {s->simulation.seed + STEADY, 0}, *d = &dice;
    struct plb_simulation *sim = &s->simulation;
    if (!one_in(d, 6))
        return;
    sim->passes = MAX_PASSES;
    for (int pass = 1; pass <= MAX_PASSES; pass++)
        s->phases[pass] = s->phases[0];
    for (int b = 0; plb_balancers[b] != NULL; b++)
        if (plb_balancers[b]->stands)
            sim->master.balancer = plb_balancers[b];
    default_params(sim->master.balancer, s->params);
    sim->master.grain = 0.0;
    for (int p = 0; p < s->cluster.n_pus; p++) {
        s->pus[p].rate = spread(d, 1e4, 1e6);
        s->pus[p].half = 0.0;
        s->pus[p].overhead = one_in(d, 2) ? spread(d, 1e-6, 1e-4) : 0.0;
        s->pus[p].noise *= 0.2;
    }
    sim->master.task_s = sim->migration.task_s = spread(d, 0.1, 10.0);
}

/* The speeds of PUs change while the run lasts. Some PUs may die so, but none of the spared node. */
static inline void draw_speeds(struct scenario *s, struct dice *d, bool deaths, int spared)
{
    for (int n = 0; n < s->cluster.n_nodes; n++)
        for (int i = 0; i < s->nodes[n].n_pus; i++) {
            struct plb_pu_spec *pu = &s->pus[s->nodes[n].first_pu + i];
            for (pu->n_slow = 0; pu->n_slow < 3 && one_in(d, 4); pu->n_slow++) {
                double before = pu->n_slow > 0 ? pu->slow_at[pu->n_slow - 1] : 0.0;
                pu->slow_at[pu->n_slow] = before + real(d, 0.0, 1.0) * s->bound;
                pu->slow_by[pu->n_slow] = deaths && n != spared && one_in(d, 5) ? 0.0 : spread(d, 0.2, 10.0);
            }
        }
}

/* The moment of a fault. */
static inline void draw_moment(struct scenario *s, struct dice *d, struct plb_fault *f)
{
    f->at = one_in(d, 10) ? -1.0 : s->bound * (one_in(d, 2) ? real(d, 0.0, 2.0) : spread(d, 0.01, 30.0));
    if (s->simulation.migration.on && one_in(d, 2)) {
        f->when = (enum plb_moment)int_in(d, PLB_AFTER_GIVING, PLB_AFTER_EMPTY);
        f->count = int_in(d, 1, 2);
    }
}

static inline void draw_fault(struct scenario *s, struct dice *d, int node)
{
    static const enum plb_fault_kind kinds[] = {PLB_DIES,  PLB_DIES,    PLB_HANGS,  PLB_HANGS,
                                                PLB_STOPS, PLB_UNHEARD, PLB_UNHEARD};
    struct plb_fault *f = &s->faults[s->simulation.n_faults++];
    *f = (struct plb_fault){.kind = kinds[int_in(d, 0, 6)], .node = node, .pu = -1};
    f->lasts = s->simulation.lost_after * spread(d, 0.1, 30.0);
    if (f->kind == PLB_STOPS && node == 0) /* which shares a process with the master */
        f->kind = PLB_UNHEARD;
    if (f->kind == PLB_HANGS && one_in(d, 2))
        f->pu = s->nodes[node].first_pu + int_in(d, 0, s->nodes[node].n_pus - 1);
    draw_moment(s, d, f);
    if (f->when == PLB_AFTER_GIVING && f->pu < 0 && one_in(d, 2))
        f->kind = PLB_DIES; /* so that GIFT and MOVED are lost */
}

/* The device of one PU fails. The first PU of the spared node does not. */
static inline void draw_breakdown(struct scenario *s, struct dice *d, int node, int spared)
{
    int lowest = node == spared ? 1 : 0, pus = s->nodes[node].n_pus;
    if (lowest >= pus || !one_in(d, 6))
        return;
    struct plb_fault *f = &s->faults[s->simulation.n_faults++];
    *f = (struct plb_fault){
        .kind = PLB_BREAKS, .node = node, .pu = s->nodes[node].first_pu + int_in(d, lowest, pus - 1)};
    draw_moment(s, d, f);
}

/* How silence is judged, and which nodes share a host. */
static inline void draw_life(struct scenario *s, struct dice *d)
{
    struct plb_simulation *sim = &s->simulation;
    bool share = one_in(d, 2);
    double slowest = 100.0 * fmax(sim->message_s + sim->frame_s, PLB_MESSAGE_SECONDS + PLB_FRAME_SECONDS);
    for (int n = 0; n < s->cluster.n_nodes; n++)
        slowest = fmax(slowest, 4.0 * s->nodes[n].latency);
    sim->lost_after = fmax(s->bound * spread(d, 1e-3, 1.0), slowest);
    sim->beat_s = sim->lost_after / spread(d, 2.5, 20.0);
    sim->stuck_s = s->bound * spread(d, 1e-3, 100.0);
    sim->hosts = s->hosts;
    for (int n = 0; n < s->cluster.n_nodes; n++)
        s->hosts[n] = share ? int_in(d, 0, 2) : n;
}

/* Messages that are late, and nodes that do not live to the end. One is spared. */
static inline void draw_stress(struct scenario *s, struct dice *d)
{
    struct plb_simulation *sim = &s->simulation;
    int spared = s->spared = int_in(d, 0, s->cluster.n_nodes - 1);
    int dying = one_in(d, 2) ? int_in(d, 0, s->cluster.n_nodes - 1) : 0;
    draw_speeds(s, d, one_in(d, 2), spared);
    draw_life(s, d);
    for (int n = 0; n < s->cluster.n_nodes && sim->n_faults < dying; n++)
        if (n != spared)
            draw_fault(s, d, n);
    for (int n = 0; n < s->cluster.n_nodes; n++)
        draw_breakdown(s, d, n, spared);
    sim->delay = one_in(d, 2) ? s->bound * spread(d, 1e-4, 0.3) : 0.0;
    sim->lost_messages = 0.5 * int_in(d, 0, 2);
}

/* An earlier run broke, and this one goes on: some units of the first pass are accepted from the start. */
static inline void draw_accepted(struct scenario *s, struct dice *d)
{
    int64_t units = s->maps[0].units;
    for (int i = one_in(d, 4) ? int_in(d, 1, 6) : 0; i > 0; i--) {
        int first = int_in(d, 0, (int)units - 1);
        plb_rangeset_add(&s->accepted, (struct plb_range){first, int_in(d, 1, (int)units - first)});
    }
    if (s->accepted.units == units || s->sizes.chunk > 0) /* a run with chunks has no journal */
        plb_rangeset_clear(&s->accepted);
    s->simulation.master.accepted = &s->accepted;
}

/* Some runs are audited, and in some of them PUs compute wrongly. */
static inline void draw_audits(struct scenario *s, struct dice *d)
{
    struct plb_simulation *sim = &s->simulation;
    if (!one_in(d, 3))
        return;
    sim->master.audit = one_in(d, 4) ? 1.0 : spread(d, 0.01, 0.5);
    sim->master.seed = d->seed;
    sim->wrong = one_in(d, 2) ? s->wrong : NULL;
    for (int p = 0; p < s->cluster.n_pus; p++)
        s->wrong[p] = one_in(d, 4) ? real(d, 0.0, 1.0) : 0.0;
}

/* Whether nothing but units kills nodes or PUs. */
static inline bool is_peaceful(const struct scenario *s)
{
    for (int p = 0; p < s->cluster.n_pus; p++)
        for (int i = 0; i < s->pus[p].n_slow; i++)
            if (s->pus[p].slow_by[i] == 0.0)
                return false;
    return s->simulation.n_faults == 0;
}

/* Some units kill their executors: child processes, whatever else dies, or nodes. Each of these units may
 * kill two nodes, and two more with copies. Others must be left to execute the rest. */
static inline void draw_deadly(struct scenario *s, struct dice *d)
{
    struct plb_simulation *sim = &s->simulation;
    if (!one_in(d, 4))
        return;
    sim->master.isolated = one_in(d, 3);
    int most = sim->master.isolated ? MAX_DEADLY
             : !is_peaceful(s)      ? 0
             : sim->master.backups  ? (s->cluster.n_nodes - 1) / 4
                                    : (s->cluster.n_nodes - 1) / 2;
    sim->deadly = s->deadly;
    sim->n_deadly = most > 0 ? int_in(d, 1, most) : 0;
    for (int i = 0; i < sim->n_deadly; i++)
        s->deadly[i] = (struct plb_deadly_unit){int_in(d, 0, PHASES - 1),
                                                int_in(d, 0, (int)s->maps[0].units - 1)};
}

/* The scenario of a seed. Release it with free_scenario. */
static inline void make_scenario(struct scenario *s, uint64_t seed)
{
    struct dice dice = {seed, 0}, *d = &dice;
    memset(s, 0, sizeof *s);
    s->simulation = (struct plb_simulation){
        .cluster = &s->cluster, .seed = seed, .faults = s->faults, .max_events = 3000000};
    draw_cluster(s, d);
    draw_work(s, d);
    draw_sizes(s, d);
    draw_master(s, d);
    draw_memories(s, d);
    draw_steady(s);
    for (int pass = 0; pass < s->simulation.passes; pass++) {
        const struct plb_cost_map *map = &s->maps[s->phases[pass]];
        s->bound += fluid_bound(&s->cluster, map->per_work * (double)map->units, 0.0, false);
    }
    draw_stress(s, d);
    s->simulation.master.backups = one_in(d, 2);
    s->simulation.migration.backups = s->simulation.master.backups;
    s->simulation.master.learn_costs = one_in(d, 2);
    draw_accepted(s, d);
    draw_audits(s, d);
    s->simulation.hung_after = one_in(d, 2) ? s->bound * spread(d, 0.05, 0.5) : 0.0;
    draw_deadly(s, d);
}

static inline void free_scenario(struct scenario *s)
{
    for (int k = 0; k < PHASES; k++)
        plb_cost_map_fini(&s->maps[k]);
    plb_rangeset_fini(&s->accepted);
}

/* PUs of which the master has heard that their device has failed. */
static inline int failed_pus(const struct plb_master *master)
{
    int failed = 0;
    for (int p = 0; p < plb_master_pus(master); p++)
        failed += plb_master_totals(master, p)->failure[0] != '\0';
    return failed;
}

#endif
