/* Runs with an objective, on clusters drawn from seeds whose rates nobody knows before: how far their energy,
 * or energy times delay, is above the least that model/energy/objective finds with all rates and watts known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
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

#define CLUSTERS 200 /* at most */
#define USUAL 30     /* in a usual run */
#define FEWEST 8     /* of which a mean says anything */
#define SURE 3.0     /* standard errors between a mean and its limit */

/* With all PUs the job lasts 10 to 60 s. */
static void draw(struct machine *m, uint64_t seed)
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

static double dynamic_joules(const struct machine *m)
{
    double joules = 0.0;
    for (int p = 0; p < m->cluster.n_pus; p++)
        joules += m->pus[p].dynamic_watts * m->worked_s[p];
    return joules;
}

/* The most dynamic watts at any time from SETTLED seconds on. */
static double most_watts(const struct machine *m, const struct plb_trace *trace)
{
    int64_t n;
    struct watts_at *at = watts_over_time(m, trace, &n);
    double most = 0.0;
    for (int64_t i = 0; i < n; i++)
        most = at[i].time >= SETTLED ? fmax(most, at[i].dynamic) : most;
    free(at);
    return most;
}

static struct plb_simulation simulation_of(struct machine *m, const char *balancer, uint64_t seed,
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

static struct outcome simulate(struct machine *m, const struct plb_goal *goal, const char *balancer,
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

/* ------------------------------------------------------------------------------ ratios */

struct ratios {
    double at[CLUSTERS];
    int n;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean_of(const struct ratios *r)
{
    double mean = 0.0;
    for (int i = 0; i < r->n; i++)
        mean += r->at[i] / r->n;
    return mean;
}

/* Whether so many clusters decide on which side of a limit their mean is. */
static bool decided(const struct ratios *r, double limit)
{
    double mean = mean_of(r), squares = 0.0;
    for (int i = 0; i < r->n; i++)
        squares += (r->at[i] - mean) * (r->at[i] - mean);
    return r->n >= FEWEST && fabs(mean - limit) > SURE * sqrt(squares / (r->n - 1) / r->n);
}

/* Whether this seed is one of a test with a limit for the mean: after the usual ones others follow until they
 * decide. */
static bool is_drawn(const struct ratios *r, struct seeds all, uint64_t seed, double limit)
{
    return r->n < CLUSTERS && (seed < all.end || (!all.single && !decided(r, limit)));
}

/* Prints them, and returns their mean. */
static double tell(const char *what, const char *balancer, struct ratios *r)
{
    double mean = mean_of(r);
    qsort(r->at, (size_t)r->n, sizeof *r->at, by_value);
    print_message("%s with %s, %d clusters: median %.3f, mean %.3f, 90 %% %.3f, most %.3f\n", what, balancer,
                  r->n, r->at[r->n / 2], mean, r->at[r->n * 9 / 10], r->at[r->n - 1]);
    return mean;
}

/* Adds a ratio; above `most` the test fails. */
static void add(struct ratios *r, uint64_t seed, const char *what, const char *balancer, double ratio,
                double most)
{
    r->at[r->n++] = ratio;
    if (ratio > most)
        fail_msg("seed %llu, %s with %s: %.4f", (unsigned long long)seed, what, balancer, ratio);
}

static void distribution(enum plb_objective objective, const char *balancer, uint64_t clusters, double most,
                         double most_mean)
{
    const char *what = objective == PLB_OBJECTIVE_EDP ? "energy times delay" : "energy";
    struct ratios r = {.n = 0};
    struct seeds all = seeds(clusters);
    for (uint64_t seed = all.first; is_drawn(&r, all, seed, most_mean); seed++) {
        struct machine m;
        draw(&m, seed);
        struct plb_goal goal = {.objective = objective};
        struct outcome o = simulate(&m, &goal, balancer, seed);
        add(&r, seed, what, balancer,
            plb_objective_value(objective, o.seconds, o.joules)
                / plb_objective_value(objective, o.best_seconds, o.best_joules),
            most);
        plb_cost_map_fini(&m.map);
    }
    double mean = tell(what, balancer, &r);
    if (!all.single && mean > most_mean)
        fail_msg("%s with %s: %.4f in the mean", what, balancer, mean);
}

static void both(const char *balancer, uint64_t clusters, double most, double most_mean)
{
    distribution(PLB_OBJECTIVE_ENERGY, balancer, clusters, most, most_mean);
    distribution(PLB_OBJECTIVE_EDP, balancer, clusters, most, most_mean);
}

static void by_sure(void **state)
{
    (void)state;
    both("sure", USUAL, 1.03, 1.01);
}

/* By powers that are true: it has nothing to learn, but noise is never corrected. */
static void by_static(void **state)
{
    (void)state;
    both("static", USUAL / 2, 1.03, 1.01);
}

/* All PUs wait for the slowest one in their training, and again where a PU comes back. */
static void by_the_papers(void **state)
{
    (void)state;
    both("plb-hec", USUAL, 1.15, 1.03);
    both("plb-hac", USUAL, 1.15, 1.03);
}

/* ------------------------------------------------------------------------------ limits */

/* The shortest and the cheapest time, and the watts of all PUs and of the least that can work. */
static void limits_of(const struct machine *m, double *shortest, double *cheapest, double *most,
                      double *least)
{
    struct plb_aim aim = {PLB_OBJECTIVE_ENERGY, INFINITY, INFINITY};
    struct plb_aim_answer best;
    double x[MOST_PUS], rate = 0.0, one = INFINITY;
    assert_true(plb_objective_lines(&m->job, &aim, x, &best));
    *cheapest = best.seconds;
    *most = 0.0;
    *least = 0.0;
    for (int p = 0; p < m->cluster.n_pus; p++) {
        rate += m->pus[p].rate;
        *least += m->pus[p].static_watts;
        *most += m->pus[p].static_watts + m->pus[p].dynamic_watts;
        one = fmin(one, m->pus[p].dynamic_watts);
    }
    *least += one;
    *shortest = m->job.work / rate;
}

static void deadlines(void **state)
{
    (void)state;
    struct ratios late = {.n = 0}, energy = {.n = 0};
    struct seeds all = seeds(USUAL);
    for (uint64_t seed = all.first; seed < all.end && late.n < CLUSTERS; seed++) {
        struct machine m;
        struct dice d = {.seed = seed + 1000000};
        double shortest, cheapest, most, least;
        draw(&m, seed);
        limits_of(&m, &shortest, &cheapest, &most, &least);
        struct plb_goal goal = {.objective = PLB_OBJECTIVE_ENERGY,
                                .deadline_s = real(&d, 1.05 * shortest, fmax(cheapest, 1.1 * shortest))};
        struct outcome o = simulate(&m, &goal, "sure", seed);
        assert_true(o.met);
        add(&late, seed, "the end over the deadline", "sure", o.seconds / goal.deadline_s, 1.0);
        add(&energy, seed, "energy with a deadline", "sure", o.joules / o.best_joules, 1.2);
        plb_cost_map_fini(&m.map);
    }
    tell("the end over the deadline", "sure", &late);
    tell("energy with a deadline", "sure", &energy);
}

static void caps(void **state)
{
    (void)state;
    struct ratios watts = {.n = 0}, time = {.n = 0};
    struct seeds all = seeds(USUAL);
    for (uint64_t seed = all.first; seed < all.end && watts.n < CLUSTERS; seed++) {
        struct machine m;
        struct dice d = {.seed = seed + 2000000};
        double shortest, cheapest, most, least;
        draw(&m, seed);
        limits_of(&m, &shortest, &cheapest, &most, &least);
        struct plb_goal goal = {.power_cap = real(&d, least, most)};
        struct outcome o = simulate(&m, &goal, "sure", seed);
        add(&watts, seed, "watts over the cap", "sure", o.watts / goal.power_cap, 1.0 + 1e-9);
        add(&time, seed, "time under a cap", "sure", o.seconds / o.best_seconds, 1.03);
        plb_cost_map_fini(&m.map);
    }
    tell("watts over the cap", "sure", &watts);
    tell("time under a cap", "sure", &time);
}

#define MOST_MEAN 1.3   /* of the least energy */
#define MOST_OF_ALL 0.6 /* of the energy where all PUs work */
#define MOST_EDP 0.85   /* of the energy times delay where all PUs work */

/* Few units whose costs nobody tells. PUs that have had one know little of their rate: leaving them out
 * must not cost more energy, or energy times delay, than if all had worked. */
static void untold_costs(void **state)
{
    (void)state;
    struct ratios energy = {.n = 0}, all_work = {.n = 0}, edp = {.n = 0};
    struct seeds all = seeds(USUAL + 10);
    struct plb_goal joules = {.objective = PLB_OBJECTIVE_ENERGY}, delay = {.objective = PLB_OBJECTIVE_EDP};
    for (uint64_t seed = all.first;
         is_drawn(&energy, all, seed, MOST_MEAN) || is_drawn(&all_work, all, seed, MOST_OF_ALL); seed++) {
        struct machine m;
        draw(&m, seed);
        make_unlike(&m, &seed);
        struct outcome least = simulate(&m, &joules, "sure", seed),
                       quick = simulate(&m, &delay, "sure", seed);
        struct outcome usual = simulate(&m, &(struct plb_goal){.rule = PLB_STATIC_JOB}, "sure", seed);
        double product = quick.joules * quick.seconds / (usual.joules * usual.seconds);
        add(&energy, seed, "energy with untold costs", "sure", least.joules / least.best_joules, 2.0);
        add(&all_work, seed, "the same over that of all PUs", "sure", least.joules / usual.joules, 1.15);
        add(&edp, seed, "energy times delay", "sure", product, seed < USUAL + 10 ? 1.2 : 1.85);
        plb_cost_map_fini(&m.map);
        plb_cost_map_fini(&m.costs);
    }
    double mean = tell("energy with untold costs", "sure", &energy);
    double mean_all = tell("the same over that of all PUs", "sure", &all_work);
    double mean_edp = tell("energy times delay over that of all PUs", "sure", &edp);
    if (!all.single && (mean > MOST_MEAN || mean_all > MOST_OF_ALL || mean_edp > MOST_EDP))
        fail_msg("untold costs: %.4f of the least energy, %.4f and %.4f of all PUs", mean, mean_all,
                 mean_edp);
}

/* Watts change nothing where time is the objective. */
static void least_time_is_as_before(void **state)
{
    (void)state;
    struct machine m;
    struct plb_param params[MAX_PARAMS];
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated with, without;
    draw(&m, 3);
    struct plb_simulation s = simulation_of(&m, "sure", 3, params);
    s.master.goal = (struct plb_goal){.objective = PLB_OBJECTIVE_TIME, .rule = PLB_STATIC_BUSY};
    assert_int_equal(plb_simulate(&s, &with, &err), PLB_OK);
    for (int p = 0; p < m.cluster.n_pus; p++)
        m.pus[p].static_watts = m.pus[p].dynamic_watts = (double)NAN;
    s = simulation_of(&m, "sure", 3, params);
    assert_int_equal(plb_simulate(&s, &without, &err), PLB_OK);
    assert_true(with.makespan_s == without.makespan_s);
    assert_int_equal(with.messages, without.messages);
    assert_int_equal(with.events, without.events);
    plb_master_free(with.master);
    plb_master_free(without.master);
    plb_cost_map_fini(&m.map);
}

static void watts_that_are_not_known_are_refused(void **state)
{
    (void)state;
    struct machine m;
    struct plb_param params[MAX_PARAMS];
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated result;
    draw(&m, 3);
    m.pus[1].dynamic_watts = (double)NAN;
    struct plb_simulation s = simulation_of(&m, "sure", 3, params);
    s.master.goal.objective = PLB_OBJECTIVE_ENERGY;
    assert_int_equal(plb_simulate(&s, &result, &err), PLB_EINPUT);
    assert_non_null(
        strstr(err.text, "balance.objective needs the watts of all PUs, and those of PU 1 (p, rank"));
    plb_master_free(result.master);
    m.pus[1].dynamic_watts = 10.0;
    err = (struct plb_error){.status = PLB_OK};
    s.master.goal.power_cap = 1.0;
    assert_int_equal(plb_simulate(&s, &result, &err), PLB_EINPUT);
    assert_non_null(strstr(err.text, "balance.power_cap = 1 W lets no PU work"));
    plb_master_free(result.master);
    plb_cost_map_fini(&m.map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_sure),
        cmocka_unit_test(by_static),
        cmocka_unit_test(by_the_papers),
        cmocka_unit_test(deadlines),
        cmocka_unit_test(caps),
        cmocka_unit_test(untold_costs),
        cmocka_unit_test(least_time_is_as_before),
        cmocka_unit_test(watts_that_are_not_known_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
