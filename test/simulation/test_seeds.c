/* Thousands of simulated clusters, each from its seed: unlike PUs, unlike costs, several passes over two
 * phases, late and overtaking messages, nodes that die. Every run must end with every unit's result accepted exactly once.
 * PLB_SEEDS: how many (default 5000); PLB_SEED: only this one, to look at a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "params.h"
#include "plb/kernel.h"
#include "job/balancer_table.h"
#include "drive/simulate.h"

#define MAX_NODES 6
#define MAX_PUS 3
#define MAX_UNITS 3000
#define PASSES 3
#define PHASES 2

struct dice {
    uint64_t seed, draws;
};

static double real(struct dice *d, double low, double high)
{
    return low + (high - low) * plb_random_real(d->seed, d->draws++);
}

static int whole(struct dice *d, int low, int high) /* inclusive */
{
    return low + (int)(plb_random_bits(d->seed, d->draws++) % (uint64_t)(high - low + 1));
}

static double spread(struct dice *d, double low, double high) /* evenly in the logarithm */
{
    return exp(real(d, log(low), log(high)));
}

/* What the test sees of a run, independently of the master's own ledger. */
struct watch {
    unsigned char accepted[MAX_UNITS]; /* in how many passes */
    int64_t units, twice, total;
};

static void on_accepted(void *context, struct plb_range range, int64_t fresh)
{
    struct watch *w = context;
    int64_t first_time = 0, pass = w->total / w->units;
    for (int64_t u = range.first; u < range.first + range.count; u++)
        if (w->accepted[u] == pass) {
            w->accepted[u]++;
            first_time++;
        }
    w->twice += first_time != fresh;
    w->total += fresh;
}

struct scenario {
    struct plb_cluster_spec cluster;
    struct plb_node_spec nodes[MAX_NODES];
    struct plb_pu_spec pus[MAX_NODES * MAX_PUS];
    struct plb_cost_map maps[PHASES];
    double costs[PHASES][MAX_UNITS];
    int phases[PASSES];
    int lose[MAX_NODES];
    double lose_at[MAX_NODES];
    struct plb_param params[MAX_PARAMS];
    struct plb_simulation simulation;
    struct watch watch;
};

static double cost_of(const void *context, int64_t first, int64_t count)
{
    const double *costs = context;
    double sum = 0.0;
    for (int64_t u = first; u < first + count; u++)
        sum += costs[u];
    return sum;
}

static void make_cluster(struct scenario *s, struct dice *d)
{
    s->cluster = (struct plb_cluster_spec){.n_nodes = whole(d, 1, MAX_NODES), .nodes = s->nodes, .pus = s->pus};
    for (int n = 0; n < s->cluster.n_nodes; n++) {
        int pus = whole(d, 1, MAX_PUS);
        s->nodes[n] = (struct plb_node_spec){"n", spread(d, 1e6, 1e10), spread(d, 1e-6, 1e-2), s->cluster.n_pus, pus};
        for (int i = 0; i < pus; i++) {
            struct plb_pu_spec *pu = &s->pus[s->cluster.n_pus++];
            *pu = (struct plb_pu_spec){.name = "p", .power = spread(d, 1.0, 100.0), .rate = spread(d, 1e2, 1e6),
                .half = whole(d, 0, 1) ? spread(d, 1.0, 1e4) : 0.0, .overhead = whole(d, 0, 1) ? spread(d, 1e-6, 1e-2) : 0.0,
                .noise = whole(d, 0, 2) ? real(d, 0.0, 0.5) : 0.0, .memory = INFINITY, .copy_bandwidth = INFINITY};
            if (whole(d, 0, 3) == 0) {
                pu->slow_at[0] = real(d, 0.0, 1.0);
                pu->slow_by[0] = spread(d, 0.2, 10.0);
                pu->n_slow = 1;
            }
        }
    }
}

static void make_work(struct scenario *s, struct dice *d)
{
    struct plb_error err = {.status = PLB_OK};
    int units = whole(d, 0, 9) == 0 ? whole(d, 1, 10) : whole(d, 1, MAX_UNITS);
    for (int k = 0; k < PHASES; k++) {
        int kind = whole(d, 0, 2);
        for (int u = 0; u < units; u++)
            s->costs[k][u] = kind == 0 ? 1.0 : kind == 1 ? spread(d, 0.01, 100.0) : (double)whole(d, 0, 1);
        assert_int_equal(plb_cost_map_init(&s->maps[k], units, cost_of, s->costs[k], &err), PLB_OK);
    }
    for (int i = 0; i < PASSES; i++)
        s->phases[i] = whole(d, 0, PHASES - 1);
    s->watch.units = units;
}

static void make_scenario(struct scenario *s, struct dice *d)
{
    int n_balancers = 0;
    while (plb_balancers[n_balancers] != NULL)
        n_balancers++;
    memset(s, 0, sizeof *s);
    make_cluster(s, d);
    make_work(s, d);
    const struct plb_balancer *b = plb_balancers[whole(d, 0, n_balancers - 1)];
    default_params(b, s->params);
    s->simulation = (struct plb_simulation){.cluster = &s->cluster, .maps = s->maps, .seed = d->seed,
        .passes = whole(d, 0, 4) == 0 ? PASSES : 1, .phases = s->phases, .delay = whole(d, 0, 1) ? spread(d, 1e-5, 1.0) : 0.0,
        .accepted = on_accepted, .context = &s->watch, .lose = s->lose, .lose_at = s->lose_at,
        .input_bytes = whole(d, 0, 1) ? spread(d, 1.0, 1e5) : 0.0, .output_bytes = whole(d, 0, 1) ? spread(d, 1.0, 1e5) : 0.0};
    s->simulation.master = (struct plb_master_config){.balancer = b, .params = s->params,
        .unit_bytes = s->simulation.input_bytes + s->simulation.output_bytes, .task_bytes = whole(d, 0, 1) ? 1e5 : 0.0, .kernels = PHASES};
    if (whole(d, 0, 1)) {
        s->simulation.migration = (struct plb_migration){.on = true, .victim = (enum plb_victim)whole(d, 0, 2),
            .threshold = whole(d, 0, 1) ? spread(d, 0.1, 100.0) : 0.0, .by_power = whole(d, 0, 1), .seed = d->seed};
        s->simulation.master.migration = true;
        s->simulation.master.grain = whole(d, 0, 3) == 0 ? whole(d, 1, 50) : 0.0;
    }
    /* Some PUs have too little memory, but never the first of a node. */
    for (int n = 0; n < s->cluster.n_nodes && whole(d, 0, 3) == 0; n++)
        for (int i = 1; i < s->nodes[n].n_pus; i++)
            if (whole(d, 0, 1))
                s->pus[s->nodes[n].first_pu + i].memory = 1e-3;
    /* At least one node lives. */
    int dying = whole(d, 0, 1) ? whole(d, 0, s->cluster.n_nodes - 1) : 0, spared = whole(d, 0, s->cluster.n_nodes - 1);
    for (int n = 0; n < s->cluster.n_nodes && s->simulation.n_lose < dying; n++)
        if (n != spared) {
            s->lose[s->simulation.n_lose] = n;
            s->lose_at[s->simulation.n_lose++] = real(d, 0.0, 2.0);
        }
}

static void free_maps(struct scenario *s)
{
    for (int k = 0; k < PHASES; k++)
        plb_cost_map_fini(&s->maps[k]);
}

static void run_seed(uint64_t seed)
{
    static struct scenario s;
    struct dice d = {seed, 0};
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated result;
    make_scenario(&s, &d);
    int status = plb_simulate(&s.simulation, &result, &err);
    int64_t units = s.maps[0].units, missing = 0, passes = s.simulation.passes;
    for (int64_t u = 0; u < units; u++)
        missing += s.watch.accepted[u] < passes;
    if (status != PLB_OK || missing > 0 || s.watch.twice > 0 || s.watch.total != units * passes)
        fail_msg("seed %llu, %s on %d PUs: status %d (%s), %lld of %lld units missing, %lld accepted twice, %lld in total",
                 (unsigned long long)seed, s.simulation.master.balancer->name, s.cluster.n_pus, status, err.text,
                 (long long)missing, (long long)units, (long long)s.watch.twice, (long long)s.watch.total);
    plb_master_free(result.master);
    free_maps(&s);
}

static void every_unit_is_accepted_once(void **state)
{
    (void)state;
    const char *count = getenv("PLB_SEEDS"), *only = getenv("PLB_SEED");
    if (only != NULL) {
        run_seed(strtoull(only, NULL, 10));
        return;
    }
    uint64_t seeds = count != NULL ? strtoull(count, NULL, 10) : 5000;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        run_seed(seed);
}

static void the_same_seed_gives_the_same_run(void **state)
{
    (void)state;
    static struct scenario s;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double makespan[2];
        int64_t messages[2];
        for (int i = 0; i < 2; i++) {
            struct dice d = {seed, 0};
            struct plb_error err = {.status = PLB_OK};
            struct plb_simulated result;
            make_scenario(&s, &d);
            assert_int_equal(plb_simulate(&s.simulation, &result, &err), PLB_OK);
            makespan[i] = result.makespan_s;
            messages[i] = result.messages;
            plb_master_free(result.master);
            free_maps(&s);
        }
        assert_true(memcmp(&makespan[0], &makespan[1], sizeof *makespan) == 0);
        assert_int_equal(messages[0], messages[1]);
    }
}

static void losing_every_node_ends_the_run(void **state)
{
    (void)state;
    static struct scenario s;
    struct dice d = {77, 0};
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated result;
    make_scenario(&s, &d);
    for (int n = 0; n < s.cluster.n_nodes; n++) {
        s.lose[n] = n;
        s.lose_at[n] = 0.0;
    }
    s.simulation.n_lose = s.cluster.n_nodes;
    assert_int_equal(plb_simulate(&s.simulation, &result, &err), PLB_EFAILED);
    assert_non_null(strstr(err.text, "no processing unit is left"));
    plb_master_free(result.master);
    free_maps(&s);
}

/* One PU without noise: a pass lasts as long as all units cost in its phase, and so do its samples. */
static void a_pass_costs_what_its_phase_does(void **state)
{
    (void)state;
    static struct scenario s;
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated result;
    memset(&s, 0, sizeof s);
    s.cluster = (struct plb_cluster_spec){.n_nodes = 1, .n_pus = 1, .nodes = s.nodes, .pus = s.pus};
    s.nodes[0] = (struct plb_node_spec){"n", 1e9, 0.0, 0, 1};
    s.pus[0] = (struct plb_pu_spec){.name = "p", .power = 1.0, .rate = 100.0, .memory = INFINITY, .copy_bandwidth = INFINITY};
    for (int k = 0; k < PHASES; k++) {
        for (int u = 0; u < 1000; u++)
            s.costs[k][u] = k == 0 ? 1.0 : 3.0;
        assert_int_equal(plb_cost_map_init(&s.maps[k], 1000, cost_of, s.costs[k], &err), PLB_OK);
    }
    const struct plb_balancer *b = plb_balancer_find("greedy", "test", &err);
    default_params(b, s.params);
    s.simulation = (struct plb_simulation){.cluster = &s.cluster, .maps = s.maps, .seed = 1, .passes = 3,
        .phases = (const int[]){1, 0, 1}, .master = {.balancer = b, .params = s.params, .kernels = PHASES}};
    assert_int_equal(plb_simulate(&s.simulation, &result, &err), PLB_OK);
    assert_true(fabs(result.makespan_s - (30.0 + 10.0 + 30.0)) < 1e-6);
    for (int k = 0; k < PHASES; k++) {
        const struct plb_history *h = plb_master_history(result.master, k, 0);
        assert_true(h->n > 0);
        for (int i = 0; i < h->n; i++)
            assert_true(fabs(h->at[i].execute_s / h->at[i].work - (k == 0 ? 0.01 : 0.03)) < 1e-9);
    }
    plb_master_free(result.master);
    free_maps(&s);
}

/* A thousand PUs with twenty units each: nobody waits for a single one, and there are few solves. */
static void many_pus_with_few_units_end_together(void **state)
{
    (void)state;
    enum { NODES = 100, OF_A_NODE = 10 };
    static struct plb_node_spec nodes[NODES];
    static struct plb_pu_spec pus[NODES * OF_A_NODE];
    struct plb_error err = {.status = PLB_OK};
    struct plb_param params[MAX_PARAMS];
    struct plb_cost_map map;
    struct plb_simulated result;
    for (int n = 0; n < NODES; n++)
        nodes[n] = (struct plb_node_spec){"n", 1e10, 5e-6, n * OF_A_NODE, OF_A_NODE};
    for (int p = 0; p < NODES * OF_A_NODE; p++)
        pus[p] = (struct plb_pu_spec){.name = "p", .power = 1.0, .rate = p % OF_A_NODE < 2 ? 500.0 : p % OF_A_NODE < 6 ? 7000.0 : 3000.0,
            .overhead = 1e-5, .noise = 0.03, .memory = INFINITY, .copy_bandwidth = INFINITY};
    struct plb_cluster_spec cluster = {NODES, NODES * OF_A_NODE, nodes, pus};
    assert_int_equal(plb_cost_map_init(&map, 20000, NULL, NULL, &err), PLB_OK);
    const struct plb_balancer *b = plb_balancer_find("plb-hac", "test", &err);
    default_params(b, params);
    struct plb_simulation s = {.cluster = &cluster, .maps = &map, .seed = 1, .master = {.balancer = b, .params = params}};
    assert_int_equal(plb_simulate(&s, &result, &err), PLB_OK);
    assert_true(plb_master_stats(result.master)->solves < 50);
    if (!(result.makespan_s < 2.0 * result.optimum_s))
        fail_msg("%.4g s, the optimum is %.4g s", result.makespan_s, result.optimum_s);
    plb_master_free(result.master);
    plb_cost_map_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_pus_with_few_units_end_together),
        cmocka_unit_test(every_unit_is_accepted_once),
        cmocka_unit_test(the_same_seed_gives_the_same_run),
        cmocka_unit_test(losing_every_node_ends_the_run),
        cmocka_unit_test(a_pass_costs_what_its_phase_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
