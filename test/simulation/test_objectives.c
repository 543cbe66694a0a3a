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

#include "aimed_run.h"

#define CLUSTERS 200 /* at most */
#define USUAL 30     /* in a usual run */
#define FEWEST 8     /* of which a mean says anything */
#define SURE 3.0     /* standard errors between a mean and its limit */

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
    assert_non_null(strstr(err.text, "balance.power_cap = 1 W is too low: the static watts"));
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
        cmocka_unit_test(least_time_is_as_before),
        cmocka_unit_test(watts_that_are_not_known_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
