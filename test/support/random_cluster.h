/* Random clusters with a job each, drawn from their number: the distribution of `make bench-random`.
 *
 * Each aspect has its own random sequence, so that a change of one leaves the others as they are. T is the
 * job's length: what its work lasts when all PUs work all the time. "log" means evenly in the logarithm.
 *
 *   PUs        2 to 200, log; all on one node in one cluster of five, else 1 to 8 on each node
 *   speeds     fastest : slowest is 1 : 1 in one of ten, else up to 10,000 : 1, log; PUs spread over that
 *              range or, in half of the clusters, of two classes; kinds are drawn without regard to speed
 *   length T   0.1 to 300 s, log
 *   units      1 to 1,000,000, log; equal in 2 of 5, else by one of the laws of random_law.h
 *   costs      unequal ones are told rightly in half of the clusters, wrongly (spread 0.1 to 1) in a quarter,
 *              not at all in a quarter
 *   starts     none in one of three, else 1e-6 T to 3 T, log, on seven PUs of ten, each up to 3 times less or
 *              more; a random part of it is a half-rate, the rest overhead
 *   noise      none in one of three, else 0 to 40 %, and up to as much on each PU
 *   data       none in one of three, else rank 0's link would need 1e-3 T to 3 T, log, for all of it
 *   links      rank 0's 1e8 to 1e10 bytes/s, log, the others up to ten times slower; latency 1e-6 to 0.2 s,
 *              log, each up to ten times less
 *   copies     with data, PUs other than CPUs need up to 0.3 of T's pace for them in half of the clusters
 *   memory     with data, half of the PUs are small in one cluster of five: a few units, or none at all
 *   powers     true in one of three, all 1 in one of four, else wrong by up to 3 to 1,000 times, log
 *   change     none in half of the clusters; else a step, a ramp, flutter, a warm-up, a late slow-down (by
 *              2 to 20 times) of the strongest PU, of a node, or of a random half; or deaths, if T is 2 s or
 *              more
 *
 * Even numbers up to 1,000 are for tuning balancers, odd ones for reporting. Choices were made by both. Those
 * from FRESH_CLUSTERS on are for a single look at a change that is finished. */
#ifndef TEST_RANDOM_CLUSTER_H
#define TEST_RANDOM_CLUSTER_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/work/cost.h"
#include "core/work/sizes.h"
#include "dice.h"
#include "model/cluster_spec.h"
#include "random_law.h"
#include "simulate/true_costs.h"

#define RANDOM_PUS 200
#define RANDOM_NODE_PUS 8
#define FRESH_CLUSTERS 1000001

/* As TASK_BYTES of job/job.c, which is what plbrun simulates with. */
#define RANDOM_PULLED_BYTES 32e6

enum change { NO_CHANGE, STEP, RAMP, FLUTTER, WARM_UP, LATE, DEATH, CHANGES };
static const char *const change_names[] = {"", "step", "ramp", "flutter", "warm-up", "late", "death"};

struct random_cluster {
    int number;
    struct plb_cluster_spec cluster;
    struct plb_node_spec nodes[RANDOM_PUS];
    struct plb_pu_spec pus[RANDOM_PUS];
    struct law law;
    bool told;                  /* balancers are told the law, else that units are equal */
    double cost_error;          /* spread of true costs around it */
    struct plb_cost_map map;    /* as told */
    struct plb_cost_map by_law; /* true but for the cost error */
    struct plb_sizes inputs, results, sizes;
    double seconds;                                  /* T */
    double speeds;                                   /* fastest over slowest, at most */
    double start, noise, load, latency, power_error; /* scales, see above; power_error 0: all 1, 1: true */
    bool small_memory;
    enum change change;
};

/* An aspect's random sequence. */
static inline struct dice aspect(const struct random_cluster *r, int number)
{
    return (struct dice){(uint64_t)r->number * 64 + (uint64_t)number, 0};
}

static inline double log_between(struct dice *d, double low, double high)
{
    return exp(real(d, log(low), log(high)));
}

/* Names are the keys of a .cluster file's sections. */
static inline void draw_nodes(struct random_cluster *r)
{
    struct dice d = aspect(r, 1);
    int n_pus = (int)round(log_between(&d, 2.0, RANDOM_PUS)), most = 1 << whole(&d, 0, 3);
    bool one_node = one_in(&d, 5);
    struct plb_cluster_spec *c = &r->cluster;
    *c = (struct plb_cluster_spec){.nodes = r->nodes, .pus = r->pus};
    while (c->n_pus < n_pus) {
        int64_t count = one_node ? n_pus : whole(&d, 1, most);
        count = count < n_pus - c->n_pus ? count : n_pus - c->n_pus;
        struct plb_node_spec *node = &r->nodes[c->n_nodes];
        *node = (struct plb_node_spec){.first_pu = c->n_pus, .n_pus = (int)count};
        snprintf(node->name, sizeof node->name, "n%d", c->n_nodes++);
        for (; count > 0; count--) {
            struct plb_pu_spec *pu = &r->pus[c->n_pus];
            *pu = (struct plb_pu_spec){.kind = (enum plb_pu_kind)whole(&d, PLB_CPU, PLB_ACCELERATOR),
                                       .memory = INFINITY,
                                       .copy_bandwidth = INFINITY,
                                       .slowdown = 1.0};
            snprintf(pu->name, sizeof pu->name, "p%d", c->n_pus++);
        }
    }
}

static inline void draw_work(struct random_cluster *r)
{
    struct dice d = aspect(r, 2);
    struct plb_error err = {.status = PLB_OK};
    r->seconds = log_between(&d, 0.1, 300.0);
    r->law = (struct law){.units = (int64_t)round(log_between(&d, 1.0, 1e6)), .seed = bits(&d) >> 12};
    if (whole(&d, 1, 5) > 2)
        r->law.kind = (enum law_kind)whole(&d, LAW_RAMP, LAW_FEW);
    r->law.width = log_between(&d, 2.0, 100.0);
    int64_t told = whole(&d, 1, 4);
    double error = real(&d, 0.1, 1.0);
    bool unequal = r->law.kind != LAW_EQUAL;
    r->told = !unequal || told > 1;
    r->cost_error = unequal && told == 2 ? error : 0.0;
    if (plb_cost_map_init(&r->by_law, r->law.units, unequal ? law_sum : NULL, &r->law, &err) != PLB_OK
        || plb_cost_map_init(&r->map, r->law.units, unequal && r->told ? law_sum : NULL, &r->law, &err)
               != PLB_OK)
        abort();
    r->map.told = r->told; /* equal units, too */
}

static inline void draw_speeds(struct random_cluster *r)
{
    struct dice d = aspect(r, 3);
    r->speeds = one_in(&d, 10) ? 1.0 : log_between(&d, 1.0, 1e4);
    bool classes = one_in(&d, 2);
    double slow = real(&d, 0.0, 1.0), sum = 0.0; /* slow: the part of the slow class */
    for (int p = 0; p < r->cluster.n_pus; p++) {
        double u = real(&d, 0.0, 1.0);
        r->pus[p].rate = pow(r->speeds, classes ? -(double)(u < slow) : -u);
        sum += r->pus[p].rate;
    }
    for (int p = 0; p < r->cluster.n_pus; p++)
        r->pus[p].rate *= r->by_law.per_work * (double)r->law.units / (r->seconds * sum);
}

static inline void draw_starts(struct random_cluster *r)
{
    struct dice d = aspect(r, 4);
    r->start = one_in(&d, 3) ? 0.0 : r->seconds * log_between(&d, 1e-6, 3.0);
    for (int p = 0; p < r->cluster.n_pus; p++) {
        double start = whole(&d, 1, 10) <= 7 ? r->start * log_between(&d, 1.0 / 3.0, 3.0) : 0.0;
        double half = real(&d, 0.0, 1.0);
        r->pus[p].half = half * start * r->pus[p].rate;
        r->pus[p].overhead = (1.0 - half) * start;
    }
    r->noise = one_in(&d, 3) ? 0.0 : real(&d, 0.0, 0.4);
    bool same = one_in(&d, 2);
    for (int p = 0; p < r->cluster.n_pus; p++)
        r->pus[p].noise = r->noise * (same ? 1.0 : real(&d, 0.0, 1.0));
}

static inline void draw_data(struct random_cluster *r)
{
    struct dice d = aspect(r, 5);
    double bandwidth = log_between(&d, 1e8, 1e10), inputs = real(&d, 0.0, 1.0);
    r->latency = log_between(&d, 1e-6, 0.2);
    r->load = one_in(&d, 3) ? 0.0 : log_between(&d, 1e-3, 3.0);
    for (int n = 0; n < r->cluster.n_nodes; n++) {
        r->nodes[n].bandwidth = n == 0 ? bandwidth : bandwidth * log_between(&d, 0.1, 1.0);
        r->nodes[n].latency = r->latency * log_between(&d, 0.1, 1.0);
    }
    double bytes = r->load * r->seconds * bandwidth / (double)r->law.units;
    r->inputs.unit_bytes = floor(bytes * inputs);
    r->results.unit_bytes = floor(bytes - r->inputs.unit_bytes);
    r->sizes.unit_bytes = r->inputs.unit_bytes + r->results.unit_bytes;
    bool copies = one_in(&d, 2);
    for (int p = 0; p < r->cluster.n_pus; p++) {
        double pace = log_between(&d, 1e-3, 0.3), latency = log_between(&d, 1e-6, 1e-4);
        if (!copies || r->sizes.unit_bytes <= 0.0 || r->pus[p].kind == PLB_CPU)
            continue;
        double unit = r->by_law.per_work / r->pus[p].rate; /* seconds */
        r->pus[p].copy_bandwidth = r->sizes.unit_bytes / (pace * unit);
        r->pus[p].copy_latency = latency;
    }
}

static inline int fastest_pu(const struct random_cluster *r)
{
    int best = 0;
    for (int p = 1; p < r->cluster.n_pus; p++)
        best = r->pus[p].rate > r->pus[best].rate ? p : best;
    return best;
}

/* A small memory holds some units; no fewer than a thousandth of the PU's part, since a simulation of a
 * million tasks takes long. The fastest PU is never refused. */
static inline void draw_memories(struct random_cluster *r)
{
    struct dice d = aspect(r, 6);
    int fastest = fastest_pu(r);
    r->small_memory = one_in(&d, 5) && r->sizes.unit_bytes > 0.0;
    double work = r->by_law.per_work * (double)r->law.units;
    for (int p = 0; p < r->cluster.n_pus && r->small_memory; p++) {
        double units = log_between(&d, p == fastest ? 1.0 : 0.3, 1e3);
        double part = r->pus[p].rate * r->seconds / work * (double)r->law.units;
        if (one_in(&d, 2))
            r->pus[p].memory = PLB_TASKS_IN_MEMORY * r->sizes.unit_bytes * fmax(units, 1e-3 * part);
    }
}

static inline void draw_powers(struct random_cluster *r)
{
    struct dice d = aspect(r, 7);
    int64_t kind = whole(&d, 1, 12);
    double error = log_between(&d, 3.0, 1000.0);
    r->power_error = kind <= 4 ? 1.0 : kind <= 7 ? 0.0 : error;
    for (int p = 0; p < r->cluster.n_pus; p++) {
        double wrong = log_between(&d, 1.0 / error, error);
        double rate = r->pus[p].rate / r->pus[fastest_pu(r)].rate;
        r->pus[p].power = kind <= 4 ? rate : kind <= 7 ? 1.0 : rate * wrong;
    }
}

/* From second `at` on, `by` times slower than described. */
static inline void slow_down(struct plb_pu_spec *pu, double at, double by)
{
    pu->slow_at[pu->n_slow] = at;
    pu->slow_by[pu->n_slow++] = by;
}

static inline void change_speed(struct random_cluster *r, struct plb_pu_spec *pu, double at, double by)
{
    double t = r->seconds;
    switch (r->change) {
    case STEP: slow_down(pu, at * t, by); break;
    case RAMP:
        for (int i = 0; i < PLB_MAX_SLOW; i++)
            slow_down(pu, t * (at + (1.0 - at) * i / PLB_MAX_SLOW), pow(by, (i + 1.0) / PLB_MAX_SLOW));
        break;
    case FLUTTER:
        for (int i = 0; i < PLB_MAX_SLOW; i++)
            slow_down(pu, t * at * (i + 1), i & 1 ? 1.0 : by);
        break;
    case WARM_UP:
        slow_down(pu, 0.0, by);
        slow_down(pu, 0.5 * at * t, sqrt(by));
        slow_down(pu, at * t, 1.0);
        break;
    case LATE: slow_down(pu, t * (0.8 + 0.2 * at), by); break;
    default: break;
    }
}

/* Deaths take whole nodes with them: those that leave a third of all speed at least. */
static inline void kill_some(struct random_cluster *r, struct dice *d)
{
    double all = 0.0, left;
    for (int p = 0; p < r->cluster.n_pus; p++)
        all += r->pus[p].rate;
    left = all;
    for (int deaths = (int)whole(d, 1, 3); deaths > 0; deaths--) {
        const struct plb_node_spec *node = &r->nodes[whole(d, 0, r->cluster.n_nodes - 1)];
        double lost = 0.0, at = real(d, 0.05, 1.0) * r->seconds;
        bool again = false;
        for (int p = node->first_pu; p < node->first_pu + node->n_pus; p++) {
            lost += r->pus[p].rate;
            again |= r->pus[p].n_slow > 0;
        }
        if (again || left - lost < all / 3.0)
            continue;
        left -= lost;
        slow_down(&r->pus[node->first_pu + whole(d, 0, node->n_pus - 1)], at, 0.0);
    }
}

static inline void draw_change(struct random_cluster *r)
{
    struct dice d = aspect(r, 8);
    int64_t kind = whole(&d, 1, 2 * (CHANGES - 1)), who = whole(&d, 1, 3);
    const struct plb_node_spec *node = &r->nodes[whole(&d, 0, r->cluster.n_nodes - 1)];
    double at = real(&d, 0.0, 1.0), by = log_between(&d, 2.0, 20.0);
    r->change = kind < CHANGES && (kind != DEATH || r->seconds >= 2.0) ? (enum change)kind : NO_CHANGE;
    if (r->change == DEATH)
        kill_some(r, &d);
    at = r->change == FLUTTER ? 0.02 + 0.2 * at : at;
    for (int p = 0; p < r->cluster.n_pus; p++) {
        bool half = one_in(&d, 2), on_node = p >= node->first_pu && p < node->first_pu + node->n_pus;
        if (who == 1 ? p == fastest_pu(r) : who == 2 ? on_node : half)
            change_speed(r, &r->pus[p], at, by);
    }
}

/* The cluster with this number. Release it with free_random_cluster. It must not be moved. */
static inline void make_random_cluster(struct random_cluster *r, int number)
{
    memset(r, 0, sizeof *r);
    r->number = number;
    draw_nodes(r);
    draw_work(r);
    draw_speeds(r);
    draw_starts(r);
    draw_data(r);
    draw_memories(r);
    draw_powers(r);
    draw_change(r);
}

static inline void free_random_cluster(struct random_cluster *r)
{
    plb_cost_map_fini(&r->map);
    plb_cost_map_fini(&r->by_law);
}

/* The true costs of units with this seed of the simulation. Release it. */
static inline struct plb_cost_map random_true_map(const struct random_cluster *r, uint64_t seed)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_cost_map map;
    if (r->cost_error > 0.0)
        plb_true_costs(&r->by_law, r->cost_error, seed + 3, &map); /* as simulate/simulate draws them */
    else if (plb_cost_map_init(&map, r->law.units, r->law.kind == LAW_EQUAL ? NULL : law_sum, &r->law, &err)
             != PLB_OK)
        abort();
    return map;
}

#endif
