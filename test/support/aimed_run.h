/* Simulated runs with an objective on drawn clusters, beside the optimum that knows all rates and watts. */
#ifndef TEST_AIMED_RUN_H
#define TEST_AIMED_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/balancer_table.h"
#include "model/energy/objective.h"
#include "model/energy/pieces.h"
#include "params.h"
#include "power_cluster.h"
#include "report/trace.h"
#include "simulate/simulate.h"
#include "watts_over_time.h"

#define MOST_CLUSTERS 1000

/* With all PUs the job lasts 10 to 60 s. */
static inline void draw(struct machine *m, uint64_t seed)
{
    draw_lasting(m, seed, 10.0, 60.0);
}

struct outcome {
    double seconds, joules;
    double best_seconds, best_joules; /* of the optimum that knows everything */
    bool met;                         /* the optimum meets the deadline */
    int64_t messages;
    double watts; /* the most at any time from SETTLED seconds on */
};

/* Seconds after which all PUs have been trained. */
#define SETTLED 3.0

static inline double dynamic_joules(const struct machine *m)
{
    double joules = 0.0;
    for (int p = 0; p < m->cluster.n_pus; p++)
        joules += m->pus[p].dynamic_watts * m->worked_s[p];
    return joules;
}

/* The most dynamic watts at any time from SETTLED seconds on. */
static inline double most_watts(const struct machine *m, const struct plb_trace *trace)
{
    int64_t n;
    struct watts_at *at = watts_over_time(m, trace, &n);
    double most = 0.0;
    for (int64_t i = 0; i < n; i++)
        most = at[i].time >= SETTLED ? fmax(most, at[i].dynamic) : most;
    free(at);
    return most;
}

static inline struct plb_simulation simulation_of(struct machine *m, const char *balancer, uint64_t seed,
                                                  struct plb_param params[MAX_PARAMS])
{
    struct plb_error err = {.status = PLB_OK};
    const struct plb_balancer *b = plb_balancer_find(balancer, "test", &err);
    assert_non_null(b);
    default_params(b, params);
    bool by_power = b->basis != NULL && b->basis(params) == PLB_BY_POWER;
    for (int p = 0; p < m->cluster.n_pus; p++)
        m->pus[p].power = by_power ? m->pus[p].rate : 1.0;
    memset(m->worked_s, 0, sizeof m->worked_s);
    return (struct plb_simulation){
        .cluster = &m->cluster,
        .maps = &m->map,
        .true_maps = m->costs.prefix != NULL ? &m->costs : NULL,
        .seed = seed,
        .worked_s = m->worked_s,
        .migration = {.on = true, .backups = true, .threshold = 1.0, .seed = seed, .by_power = by_power},
        .master = {
            .balancer = b, .params = params, .units = m->map.units, .migration = true, .backups = true}};
}

static inline struct outcome simulate(struct machine *m, const struct plb_goal *goal, const char *balancer,
                                      uint64_t seed)
{
    struct plb_param params[MAX_PARAMS];
    struct plb_simulated result;
    struct plb_aim_answer best;
    struct plb_error err = {.status = PLB_OK};
    double x[MOST_PUS], still = 0.0;
    struct plb_simulation s = simulation_of(m, balancer, seed, params);
    struct plb_trace trace = {.on = 1};
    s.master.goal = *goal;
    s.trace = &trace;
    if (plb_simulate(&s, &result, &err) != PLB_OK)
        fail_msg("seed %llu, %s: %s", (unsigned long long)seed, balancer, err.text);
    struct outcome o = {.seconds = result.makespan_s, .messages = result.messages};
    plb_master_free(result.master);
    for (int p = 0; p < m->cluster.n_pus; p++)
        still += m->pus[p].static_watts;
    o.joules = still * o.seconds + dynamic_joules(m);
    o.watts = still + most_watts(m, &trace);
    plb_trace_fini(&trace);
    struct plb_aim aim = {goal->objective, goal->deadline_s > 0.0 ? goal->deadline_s : INFINITY,
                          goal->power_cap > 0.0 ? goal->power_cap : INFINITY};
    assert_true(plb_objective_lines(&m->job, &aim, x, &best));
    o.best_seconds = best.seconds;
    o.best_joules = best.joules;
    o.met = best.state == PLB_AIM_MET;
    return o;
}

struct ratios {
    double at[MOST_CLUSTERS];
    int n;
};

static inline int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double mean_of(const struct ratios *r)
{
    double mean = 0.0;
    for (int i = 0; i < r->n; i++)
        mean += r->at[i] / r->n;
    return mean;
}

/* Prints them, and returns their mean. */
static inline double tell(const char *what, const char *balancer, struct ratios *r)
{
    double mean = mean_of(r);
    qsort(r->at, (size_t)r->n, sizeof *r->at, by_value);
    print_message("%s with %s, %d clusters: median %.3f, mean %.3f, 90 %% %.3f, 97 %% %.3f, most %.3f\n",
                  what, balancer, r->n, r->at[r->n / 2], mean, r->at[r->n * 9 / 10], r->at[r->n * 97 / 100],
                  r->at[r->n - 1]);
    return mean;
}

/* Adds a ratio; above `most` the test fails. */
static inline void add(struct ratios *r, uint64_t seed, const char *what, const char *balancer, double ratio,
                       double most)
{
    r->at[r->n++] = ratio;
    if (ratio > most)
        fail_msg("seed %llu, %s with %s: %.4f", (unsigned long long)seed, what, balancer, ratio);
}

#endif
