/* Least energy and energy times delay where units cost unlike amounts that nobody tells: beside the optimum
 * that knows all, beside all PUs, and beside the least that a rule which knows nothing can need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "aimed_run.h"

#define USUAL 40      /* clusters in a usual run */
#define ROUNDING 1e-9 /* of sums of joules */

/* Limits of the mean, of 97 in 100, and of each. */
struct limits {
    double mean, most_of_97, most;
};

/* The least energy, with all rates known, where each PU does so much work at least. A rule that knows no rate
 * learns a PU's by a unit of it, which costs 1 in the mean. The energy of units of other costs is convex in
 * them, so no such rule needs less in the mean of all orders of the units. It is linear between the times at
 * which so many of the cheapest PUs end together, as in model/energy/objective. */
static double least_tried(const struct machine *m, double least)
{
    const int n = m->cluster.n_pus;
    int order[MOST_PUS];
    double still = 0.0, rates = 0.0, shortest = 0.0, best = INFINITY;
    for (int p = 0; p < n; p++) {
        int at = p;
        double each = m->pus[p].dynamic_watts / m->pus[p].rate;
        for (; at > 0 && m->pus[order[at - 1]].dynamic_watts / m->pus[order[at - 1]].rate > each; at--)
            order[at] = order[at - 1];
        order[at] = p;
        still += m->pus[p].static_watts;
        rates += m->pus[p].rate;
        shortest = fmax(shortest, least / m->pus[p].rate);
    }
    shortest = fmax(shortest, m->job.work / rates);
    rates = 0.0;
    for (int k = 0; k < n; k++) {
        rates += m->pus[order[k]].rate;
        double seconds = fmax((m->job.work - (n - k - 1) * least) / rates, shortest);
        double left = m->job.work - n * least, joules = still * seconds;
        for (int i = 0; i < n; i++) {
            const struct plb_pu_spec *pu = &m->pus[order[i]];
            double more = fmin(left, fmax(pu->rate * seconds - least, 0.0));
            left -= more;
            joules += pu->dynamic_watts * (least + more) / pu->rate;
        }
        best = fmin(best, joules);
    }
    return best;
}

/* Where nothing need be tried it is the optimum, and it grows from there. */
static void the_bound_is_one(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < USUAL; seed++) {
        struct machine m;
        struct plb_aim aim = {PLB_OBJECTIVE_ENERGY, INFINITY, INFINITY};
        struct plb_aim_answer best;
        double x[MOST_PUS];
        draw(&m, seed);
        make_unlike(&m, &seed);
        assert_true(plb_objective_lines(&m.job, &aim, x, &best));
        double one = least_tried(&m, 1.0), two = least_tried(&m, 2.0);
        assert_true(fabs(least_tried(&m, 0.0) / best.joules - 1.0) < ROUNDING);
        assert_true(one > (1.0 - ROUNDING) * best.joules && two > (1.0 - ROUNDING) * one);
        plb_cost_map_fini(&m.map);
        plb_cost_map_fini(&m.costs);
    }
}

/* Prints them, and fails where they are above the limits. */
static void hold(const char *what, struct ratios *r, const struct limits *limits)
{
    double mean = tell(what, "sure", r), most_of_97 = r->at[r->n * 97 / 100], most = r->at[r->n - 1];
    if (r->n > 1 && mean > limits->mean)
        fail_msg("%s: %.4f in the mean", what, mean);
    if (r->n > 1 && most_of_97 > limits->most_of_97)
        fail_msg("%s: 97 in 100 are below %.4f", what, most_of_97);
    if (most > limits->most)
        fail_msg("%s: %.4f", what, most);
}

static void costs_are_unknown(void **state)
{
    (void)state;
    static struct ratios energy, tried, bound, all_work, edp;
    struct seeds all = seeds_at_least(USUAL, USUAL); /* fewer say nothing of 97 in 100 */
    struct plb_goal joules = {.objective = PLB_OBJECTIVE_ENERGY}, delay = {.objective = PLB_OBJECTIVE_EDP};
    for (uint64_t seed = all.first; seed < all.end && energy.n < MOST_CLUSTERS; seed++) {
        struct machine m;
        draw(&m, seed);
        make_unlike(&m, &seed);
        struct outcome least = simulate(&m, &joules, "sure", seed),
                       quick = simulate(&m, &delay, "sure", seed);
        struct outcome usual = simulate(&m, &(struct plb_goal){.rule = PLB_STATIC_JOB}, "sure", seed);
        double needed = least_tried(&m, 1.0);
        add(&energy, seed, "energy", "sure", least.joules / least.best_joules, INFINITY);
        add(&tried, seed, "energy", "sure", least.joules / needed, INFINITY);
        add(&bound, seed, "energy", "sure", needed / least.best_joules, INFINITY);
        add(&all_work, seed, "energy", "sure", least.joules / usual.joules, INFINITY);
        add(&edp, seed, "energy", "sure", quick.joules * quick.seconds / (usual.joules * usual.seconds),
            INFINITY);
        plb_cost_map_fini(&m.map);
        plb_cost_map_fini(&m.costs);
    }
    /* On 500 clusters: 1.122, 1.378, 1.790; 1.074, 1.288, 1.716; 0.524, 0.965, 1.070; 0.734, 1.063, 1.274. */
    tell("one unit on each PU, over the optimum", "any rule", &bound);
    hold("energy over the optimum", &energy, &(struct limits){1.15, 1.42, 1.85});
    hold("energy over one unit on each PU", &tried, &(struct limits){1.1, 1.33, 1.8});
    hold("energy over that of all PUs", &all_work, &(struct limits){0.56, 1.02, 1.12});
    hold("energy times delay over that of all PUs", &edp,
         &(struct limits){0.8, 1.1, edp.n > USUAL ? 1.4 : 1.25});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_is_one),
        cmocka_unit_test(costs_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
