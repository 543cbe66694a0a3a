/* Runs with an objective on clusters whose rates and watts nobody knows before: the watts are measured by
 * meters. How far their energy, or energy times delay, is above the least that model/energy/objective finds
 * with all rates and watts known. */
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
#include "simulate/simulate.h"
#include "watts_over_time.h"

#define CLUSTERS 200 /* at most */
#define USUAL 15     /* in a usual run */
#define SETTLED 3.0  /* seconds after which all watts and rates are known */

struct outcome {
    double seconds, joules, best_seconds, best_joules;
    int64_t messages, windows;
    int measured, unmeasured; /* PUs */
    double off;               /* relative error of measured busy watts, at most */
    int left_out, unsafe;     /* PUs; unsafe: unmeasured, and not left out */
    double over_s;            /* the last moment at which watts were above the cap */
    struct plb_goal_account account;
};

/* A job: its goal, meters, and the nodes that come later. */
struct asked {
    struct plb_goal goal;
    struct plb_virtual_meters meters;
    int n_joiners;
    double join_at;
    bool one_host, all_alike; /* all nodes are on one host; all PUs have one name */
};

static double over_until(const struct machine *m, const struct plb_trace *trace, double cap)
{
    int64_t n;
    struct watts_at *at = watts_over_time(m, trace, &n);
    double still = 0.0, last = 0.0;
    for (int p = 0; p < m->cluster.n_pus; p++)
        still += m->pus[p].static_watts;
    for (int64_t i = 0; i < n; i++)
        last = still + at[i].dynamic > (1.0 + 1e-3) * cap ? at[i].time : last;
    free(at);
    return last;
}

static void count_windows(void *context, const struct plb_message *message)
{
    *(int64_t *)context += message->type == PLB_WINDOW;
}

/* The watts that were learned. */
static void look_at_watts(const struct machine *m, const struct plb_master *master, struct outcome *o)
{
    for (int p = 0; p < m->cluster.n_pus; p++) {
        double idle, besides;
        enum plb_watts_origin origin = plb_watts_of(plb_master_watts(master), p, &idle, &besides);
        bool waits = plb_pu_waits(plb_master_state(master, p));
        o->measured += origin == PLB_WATTS_MEASURED;
        o->unmeasured += origin == PLB_WATTS_UNMEASURED;
        o->left_out += waits;
        o->unsafe += origin == PLB_WATTS_UNMEASURED && !waits;
        if (origin == PLB_WATTS_MEASURED)
            o->off = fmax(o->off, fabs(besides / m->pus[p].dynamic_watts - 1.0));
    }
}

/* The joules of the run, and the optimum with all known. */
static void compare(const struct machine *m, const struct asked *asked, struct outcome *o)
{
    struct plb_aim_answer best = {.seconds = NAN, .joules = NAN};
    double x[MOST_PUS], static_watts = 0.0, cap = asked->goal.power_cap;
    for (int p = 0; p < m->cluster.n_pus; p++) {
        static_watts += m->pus[p].static_watts;
        o->joules += m->pus[p].dynamic_watts * m->worked_s[p];
    }
    o->joules += static_watts * o->seconds;
    struct plb_aim aim = {asked->goal.objective, INFINITY, cap > 0.0 ? cap : INFINITY};
    assert_true(plb_objective_lines(&m->job, &aim, x, &best));
    o->best_seconds = best.seconds;
    o->best_joules = best.joules;
}

static struct outcome ask(struct machine *m, const struct asked *asked, const char *balancer, uint64_t seed)
{
    struct plb_trace trace = {.on = asked->goal.power_cap > 0.0};
    const double join_at[] = {asked->join_at};
    const int hosts[MOST_PUS] = {0};
    struct plb_param params[MAX_PARAMS];
    struct plb_simulated result;
    struct plb_error err = {.status = PLB_OK};
    struct outcome o = {.windows = 0};
    const struct plb_balancer *b = plb_balancer_find(balancer, "test", &err);
    assert_non_null(b);
    default_params(b, params);
    for (int p = 0; p < m->cluster.n_pus; p++)
        snprintf(m->pus[p].name, sizeof m->pus[p].name, "p%d", asked->all_alike ? 0 : p);
    memset(m->worked_s, 0, sizeof m->worked_s);
    struct plb_simulation s = {.cluster = &m->cluster,
                               .maps = &m->map,
                               .seed = seed,
                               .worked_s = m->worked_s,
                               .meters = asked->meters,
                               .trace = &trace,
                               .n_joiners = asked->n_joiners,
                               .join_at = join_at,
                               .hosts = asked->one_host ? hosts : NULL,
                               .watch = {.context = &o.windows, .sent = count_windows},
                               .migration = {.on = true, .backups = true, .threshold = 1.0, .seed = seed},
                               .master = {.balancer = b,
                                          .params = params,
                                          .units = m->map.units,
                                          .migration = true,
                                          .backups = true,
                                          .goal = asked->goal}};
    if (plb_simulate(&s, &result, &err) != PLB_OK)
        fail_msg("seed %llu, %s: %s", (unsigned long long)seed, balancer, err.text);
    o.seconds = result.makespan_s;
    o.messages = result.messages;
    if (plb_master_watts(result.master) != NULL)
        look_at_watts(m, result.master, &o);
    o.account = plb_master_goal_account(result.master);
    o.over_s = over_until(m, &trace, asked->goal.power_cap);
    plb_master_free(result.master);
    plb_trace_fini(&trace);
    compare(m, asked, &o);
    return o;
}

static struct outcome simulate(struct machine *m, enum plb_objective objective, const char *balancer,
                               const struct plb_virtual_meters *meters, uint64_t seed)
{
    const struct asked asked = {.goal = {.objective = objective}, .meters = *meters};
    return ask(m, &asked, balancer, seed);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ratios to the optimum; above `most` the test fails. */
static void distribution(enum plb_objective objective, const char *balancer, const char *what,
                         const struct plb_virtual_meters *meters, double seconds, uint64_t clusters,
                         double most)
{
    double ratios[CLUSTERS], mean = 0.0, off = 0.0;
    int n = 0, measured = 0, unmeasured = 0;
    struct seeds all = seeds(clusters);
    for (uint64_t seed = all.first; seed < all.end && n < CLUSTERS; seed++) {
        struct machine m;
        draw_lasting(&m, seed, seconds, seconds);
        struct outcome o = simulate(&m, objective, balancer, meters, seed);
        ratios[n++] = plb_objective_value(objective, o.seconds, o.joules)
                    / plb_objective_value(objective, o.best_seconds, o.best_joules);
        measured += o.measured;
        unmeasured += o.unmeasured;
        off = fmax(off, o.off);
        if (ratios[n - 1] > most)
            fail_msg("seed %llu, %s, %s: %.4f", (unsigned long long)seed, balancer, what, ratios[n - 1]);
        plb_cost_map_fini(&m.map);
    }
    qsort(ratios, (size_t)n, sizeof *ratios, by_value);
    for (int i = 0; i < n; i++)
        mean += ratios[i] / n;
    print_message("%-7s %s, %s, %.0f s, %d clusters: median %.3f, mean %.3f, 90 %% %.3f, most %.3f; watts of "
                  "%d PUs measured to within %.2g, %d unmeasured\n",
                  objective == PLB_OBJECTIVE_EDP ? "edp" : "energy", balancer, what, seconds, n,
                  ratios[n / 2], mean, ratios[n * 9 / 10], ratios[n - 1], measured, off, unmeasured);
}

static void both(const char *balancer, const char *what, const struct plb_virtual_meters *meters,
                 double seconds, uint64_t clusters, double most)
{
    distribution(PLB_OBJECTIVE_ENERGY, balancer, what, meters, seconds, clusters, most);
    distribution(PLB_OBJECTIVE_EDP, balancer, what, meters, seconds, clusters, most);
}

/* PLB_LENGTHS=1: shorter jobs, too, for docs/guide/energy.md. */
static void exact_meters(void **state)
{
    (void)state;
    const struct plb_virtual_meters exact = {.on = true};
    for (double seconds = 10.0; seconds < 100.0 && getenv("PLB_LENGTHS") != NULL; seconds *= 2.0)
        both("sure", "exact", &exact, seconds, USUAL, INFINITY);
    both("sure", "exact", &exact, 120.0, USUAL, 1.03);
}

/* A counter that begins again is as good as one that does not. */
static void wraps(void **state)
{
    (void)state;
    const struct plb_virtual_meters wraps = {.on = true, .range_j = 3000.0};
    both("sure", "wraps", &wraps, 120.0, USUAL / 3, 1.03);
}

/* Watts that are 10 % too high for some and too low for others make a choice dearer by 1.1 / 0.9 at most. */
static void lies(void **state)
{
    (void)state;
    const struct plb_virtual_meters lies = {.on = true, .lie = 0.1};
    both("sure", "lies", &lies, 120.0, USUAL, 1.03 * 1.1 / 0.9);
}

static void noise(void **state)
{
    (void)state;
    const struct plb_virtual_meters noise = {.on = true, .noise = 0.05};
    both("sure", "noise", &noise, 120.0, USUAL, INFINITY);
}

/* Where counters stand still, all PUs work, as for least time. */
static void still(void **state)
{
    (void)state;
    struct machine m;
    const struct plb_virtual_meters still = {.on = true, .still = 1.0};
    draw_lasting(&m, 7, 30.0, 30.0);
    struct outcome o = simulate(&m, PLB_OBJECTIVE_ENERGY, "sure", &still, 7);
    assert_int_equal(o.measured, 0);
    assert_int_equal(o.unmeasured, m.cluster.n_pus);
    assert_true(o.seconds < 1.03 * 30.0);
    plb_cost_map_fini(&m.map);
}

/* One that stands still after it has been learned changes nothing. */
static void still_later(void **state)
{
    (void)state;
    const struct plb_virtual_meters later = {.on = true, .still = 1.0, .still_from = 10.0};
    both("sure", "still after 10 s", &later, 120.0, USUAL / 3, 1.03);
}

/* Every balancer ends its run. */
static void all_balancers(void **state)
{
    (void)state;
    const struct plb_virtual_meters exact = {.on = true};
    for (int i = 0; plb_balancers[i] != NULL; i++)
        if (strcmp(plb_balancers[i]->name, "oracle") != 0)
            distribution(PLB_OBJECTIVE_ENERGY, plb_balancers[i]->name, "exact", &exact, 60.0, 2, INFINITY);
}

/* With least time no window is told. */
static void least_time_has_no_windows(void **state)
{
    (void)state;
    struct machine m;
    const struct plb_virtual_meters none = {.on = false}, exact = {.on = true};
    draw_lasting(&m, 7, 10.0, 10.0);
    struct outcome with = simulate(&m, PLB_OBJECTIVE_TIME, "sure", &exact, 7);
    struct outcome without = simulate(&m, PLB_OBJECTIVE_TIME, "sure", &none, 7);
    assert_int_equal(with.windows, 0);
    assert_int_equal(with.messages, without.messages);
    assert_true(with.seconds == without.seconds);
    plb_cost_map_fini(&m.map);
}

/* ------------------------------------------------------------------------------- caps */

/* A cap between what the PU of fewest watts needs and what all do. */
static double draw_cap(const struct machine *m, uint64_t seed)
{
    struct dice d = {.seed = seed + 3000000};
    double still = 0.0, least = INFINITY, all = 0.0;
    for (int p = 0; p < m->cluster.n_pus; p++) {
        still += m->pus[p].static_watts;
        all += m->pus[p].dynamic_watts;
        least = fmin(least, m->pus[p].dynamic_watts);
    }
    return still + real(&d, 1.01 * least, all);
}

/* Once watts are known no moment is above the cap. Before that the report has what meters showed. */
static void caps(void **state)
{
    (void)state;
    double last = 0.0, longer = 0.0;
    int over = 0, n = 0;
    struct seeds all = seeds_at_least(USUAL, 5);
    for (uint64_t seed = all.first; seed < all.end; seed++, n++) {
        struct machine m;
        draw_lasting(&m, seed, 40.0, 40.0);
        const struct asked asked = {.goal.power_cap = draw_cap(&m, seed), .meters.on = true};
        struct outcome o = ask(&m, &asked, "sure", seed);
        last = fmax(last, o.over_s);
        longer = fmax(longer, o.seconds / o.best_seconds);
        over += o.account.learning_watts > asked.goal.power_cap;
        if (o.over_s > SETTLED || !(o.account.most_watts <= asked.goal.power_cap)
            || !(o.account.most_watts > 0.0) || o.seconds > 1.03 * o.best_seconds)
            fail_msg("seed %llu: over %g W until %g s, then %g W; %g s of %g s", (unsigned long long)seed,
                     asked.goal.power_cap, o.over_s, o.account.most_watts, o.seconds, o.best_seconds);
        plb_cost_map_fini(&m.map);
    }
    print_message(
        "cap: over it until %.2f s at most, by the meters in %d of %d jobs; time %.3f of the best\n", last,
        over, n, longer);
    assert_true(all.single || 2 * over > n);
}

/* PUs whose meters stand still do not work under a cap, where others do. */
static void unmeasured_pus_keep_out(void **state)
{
    (void)state;
    int some = 0;
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct machine m;
        draw_lasting(&m, seed, 30.0, 30.0);
        const struct asked asked = {.goal.power_cap = 1e6, .meters = {.on = true, .still = 0.3}};
        struct outcome o = ask(&m, &asked, "sure", seed);
        some += o.unmeasured > 0 && o.measured > 0;
        assert_int_equal(o.measured > 0 ? o.unsafe : o.left_out, 0);
        plb_cost_map_fini(&m.map);
    }
    assert_true(some > 1);
}

/* Learned watts may show that nobody may work. One PU does, and the account has what it draws. */
static void a_cap_below_all(void **state)
{
    (void)state;
    struct machine m;
    draw_lasting(&m, 7, 2.0, 2.0);
    const struct asked asked = {.goal.power_cap = 1.0, .meters.on = true};
    struct outcome o = ask(&m, &asked, "sure", 7);
    assert_int_equal(o.left_out, m.cluster.n_pus - 1);
    assert_true(o.account.most_watts > 1.0);
    plb_cost_map_fini(&m.map);
}

/* The PUs of the last node, which comes after 10 s, alone on its host or beside others, alike or not. */
static void joined_pus_are_measured(void **state)
{
    (void)state;
    int joined = 0;
    struct seeds all = seeds(9);
    for (uint64_t seed = all.first; seed < all.end; seed++) {
        struct machine m;
        draw_lasting(&m, seed, 40.0, 40.0);
        const struct asked asked = {.goal.objective = PLB_OBJECTIVE_ENERGY,
                                    .meters.on = true,
                                    .n_joiners = 1,
                                    .join_at = 10.0,
                                    .one_host = seed % 3 > 0,
                                    .all_alike = seed % 3 == 2};
        for (int p = 0; p < m.cluster.n_pus && asked.all_alike; p++)
            m.pus[p].dynamic_watts = m.pus[0].dynamic_watts;
        if (m.cluster.n_nodes > 1) {
            struct outcome o = ask(&m, &asked, "sure", seed);
            joined++;
            if (o.unmeasured > 0 || o.off > 0.02)
                fail_msg("seed %llu: %d PUs unmeasured, %d measured to within %g", (unsigned long long)seed,
                         o.unmeasured, o.measured, o.off);
            assert_int_equal(o.measured, m.cluster.n_pus);
        }
        plb_cost_map_fini(&m.map);
    }
    assert_true(joined > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_meters),
        cmocka_unit_test(wraps),
        cmocka_unit_test(lies),
        cmocka_unit_test(noise),
        cmocka_unit_test(still),
        cmocka_unit_test(still_later),
        cmocka_unit_test(caps),
        cmocka_unit_test(unmeasured_pus_keep_out),
        cmocka_unit_test(a_cap_below_all),
        cmocka_unit_test(joined_pus_are_measured),
        cmocka_unit_test(all_balancers),
        cmocka_unit_test(least_time_has_no_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
