/* What the simulation charges for: cases solved by hand, each of which a simulation that gives something away would
 * fail. Times are exact where nothing is drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "drive/simulate.h"
#include "job/balancer_table.h"
#include "params.h"

#define MAX_NODES 4
#define UNITS 1000
#define PHASES 2

/* A few nodes of one PU each, with 100 units per second, and links and messages that cost nothing. */
struct fixture {
    struct plb_node_spec nodes[MAX_NODES];
    struct plb_pu_spec pus[MAX_NODES];
    struct plb_cluster_spec cluster;
    struct plb_cost_map maps[PHASES], true_maps[PHASES];
    struct plb_sizes sizes;
    struct plb_param params[MAX_PARAMS];
    struct plb_simulation s;
    struct plb_simulated result;
    double costs[PHASES];
    int sent[PLB_MESSAGE_TYPES];
    struct plb_error err;
};

static double times_count(const void *context, int64_t first, int64_t count)
{
    (void)first;
    return *(const double *)context * (double)count;
}

static void count_sent(void *context, const struct plb_message *m)
{
    struct fixture *f = context;
    f->sent[m->type]++;
}

static void set_up(struct fixture *f, int n_nodes, const char *balancer)
{
    memset(f, 0, sizeof *f);
    f->cluster = (struct plb_cluster_spec){n_nodes, n_nodes, f->nodes, f->pus};
    for (int n = 0; n < n_nodes; n++) {
        f->nodes[n] = (struct plb_node_spec){"n", INFINITY, 0.0, n, 1};
        f->pus[n] = (struct plb_pu_spec){.name = "p", .power = 1.0, .rate = 100.0, .memory = INFINITY, .copy_bandwidth = INFINITY};
    }
    f->costs[0] = 1.0;
    f->costs[1] = 3.0;
    for (int k = 0; k < PHASES; k++)
        assert_int_equal(plb_cost_map_init(&f->maps[k], UNITS, times_count, &f->costs[k], &f->err), PLB_OK);
    const struct plb_balancer *b = plb_balancer_find(balancer, "test", &f->err);
    assert_non_null(b);
    default_params(b, f->params);
    f->s = (struct plb_simulation){.cluster = &f->cluster, .maps = f->maps, .seed = 1, .message_s = -1.0, .solve_s = -1.0,
        .master = {.balancer = b, .params = f->params, .n_nodes = n_nodes, .sizes = &f->sizes, .units = UNITS, .phases = PHASES},
        .watch = {.context = f, .sent = count_sent}};
}

static void set_param(struct fixture *f, const char *name, double value)
{
    for (int i = 0; i < MAX_PARAMS && f->params[i].name != NULL; i++)
        if (strcmp(f->params[i].name, name) == 0) {
            f->params[i].value = value;
            return;
        }
    fail_msg("no parameter %s", name);
}

static void run(struct fixture *f)
{
    if (plb_simulate(&f->s, &f->result, &f->err) != PLB_OK)
        fail_msg("%s", f->err.text);
}

static void tear_down(struct fixture *f)
{
    plb_master_free(f->result.master);
    for (int k = 0; k < PHASES; k++) {
        plb_cost_map_fini(&f->maps[k]);
        plb_cost_map_fini(&f->true_maps[k]);
    }
}

static void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("got %.12g, expected %.12g", got, expected);
}

/* Inputs and results of these bytes per unit. */
static void travel(struct fixture *f, double input, double result)
{
    f->s.inputs.unit_bytes = input;
    f->s.results.unit_bytes = result;
    f->sizes.unit_bytes = input + result;
}

/* A pass lasts as long as all units cost in its phase, and so do its samples. */
static void a_pass_costs_what_its_phase_does(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f, 1, "greedy");
    f.s.passes = 3;
    f.s.phases = (const int[]){1, 0, 1};
    run(&f);
    near(f.result.makespan_s, 30.0 + 10.0 + 30.0);
    for (int k = 0; k < PHASES; k++) {
        const struct plb_history *h = plb_master_history(f.result.master, k, 0);
        assert_true(h->n > 0);
        for (int i = 0; i < h->n; i++)
            near(h->at[i].execute_s / h->at[i].work, k == 0 ? 0.01 : 0.03);
    }
    tear_down(&f);
}

/* Tasks last as the true costs say; balancers count by the told ones. */
static void true_costs_are_not_told(void **state)
{
    (void)state;
    static struct fixture f;
    double truly[PHASES] = {2.0, 3.0};
    set_up(&f, 1, "greedy");
    for (int k = 0; k < PHASES; k++)
        assert_int_equal(plb_cost_map_init(&f.true_maps[k], UNITS, times_count, &truly[k], &f.err), PLB_OK);
    f.s.true_maps = f.true_maps;
    run(&f);
    near(f.result.makespan_s, 20.0);
    near(plb_master_history(f.result.master, 0, 0)->at[0].execute_s / plb_master_history(f.result.master, 0, 0)->at[0].work, 0.02);
    tear_down(&f);
}

/* Errors of costs come from the seed, and differ from region to region. */
static void costs_err_by_the_seed(void **state)
{
    (void)state;
    static struct fixture f;
    double makespans[3];
    for (int i = 0; i < 3; i++) {
        set_up(&f, 1, "static");
        f.s.cost_error = 0.5;
        f.s.seed = i < 2 ? 1 : 2;
        run(&f);
        makespans[i] = f.result.makespan_s;
        tear_down(&f);
    }
    near(makespans[1], makespans[0]);
    assert_true(fabs(makespans[0] - 10.0) > 0.01 && fabs(makespans[2] - makespans[0]) > 0.01);
}

/* A PU becomes twice slower in the middle of its only task. */
static void a_running_task_is_slowed(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f, 1, "static");
    f.pus[0].n_slow = 1;
    f.pus[0].slow_at[0] = 4.0;
    f.pus[0].slow_by[0] = 2.0;
    run(&f);
    near(f.result.makespan_s, 4.0 + 2.0 * 6.0);
    tear_down(&f);
}

/* Factor 0: the PU dies in its only task; the master hears of it later, and another node does all of it again. */
static void a_pu_dies_in_its_task(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f, 2, "static");
    f.pus[1].n_slow = 1;
    f.pus[1].slow_at[0] = 4.0;
    f.s.detection_s = 2.0;
    run(&f);
    near(f.result.makespan_s, 4.0 + 2.0 + 5.0);
    assert_int_equal(plb_master_counts(f.result.master)->losses, 1);
    tear_down(&f);
}

/* One message at a time: with all PUs as fast as can be, a run lasts as long as rank 0 needs for its messages. */
static void rank_0_handles_one_message_at_a_time(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f, 4, "greedy");
    for (int n = 0; n < 4; n++)
        f.pus[n].rate = 1e12;
    set_param(&f, "pieces", 100.0);
    f.s.message_s = 0.01;
    run(&f);
    int blocks = f.sent[PLB_BLOCK], messages = f.sent[PLB_DONE] + blocks + f.sent[PLB_PASS];
    assert_true(blocks >= 50);
    assert_true(f.result.makespan_s >= 0.01 * messages - 1e-6);
    assert_true(f.result.makespan_s <= 0.01 * messages + 1e-3);
    tear_down(&f);
}

/* Every solve keeps rank 0 busy, for each active PU. */
static void rank_0_needs_time_for_solves(void **state)
{
    (void)state;
    static struct fixture f;
    double busy[2];
    int64_t solves = 0;
    for (int i = 0; i < 2; i++) {
        set_up(&f, 4, "plb-hec");
        f.s.solve_s = i == 0 ? -1.0 : 1e-9;
        run(&f);
        busy[i] = f.result.rank0_s;
        solves = plb_master_stats(f.result.master)->solves;
        tear_down(&f);
    }
    assert_true(solves > 0);
    near(busy[0] + 4e-9 * (double)solves, busy[1]);
}

/* Three nodes with links ten times as wide as rank 0's: inputs go through rank 0's link one after the other. */
static void rank_0_has_one_link(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f, 4, "static");
    for (int n = 0; n < 4; n++) {
        f.pus[n].rate = 1e12;
        f.nodes[n].bandwidth = n == 0 ? 1e5 : 1e6;
    }
    f.s.master_only = true;
    travel(&f, 1e3, 0.0);
    run(&f);
    near((double)f.result.bytes, 1e6);
    assert_true(f.result.makespan_s >= 10.0);
    assert_true(f.result.makespan_s <= 10.1);
    tear_down(&f);
}

/* A link's two directions do not wait for each other: tasks whose results are as large as their inputs take as long as
 * one of the two, once there are many tasks. */
static void a_link_has_two_directions(void **state)
{
    (void)state;
    static struct fixture f;
    double makespans[2];
    for (int i = 0; i < 2; i++) {
        set_up(&f, 2, "greedy");
        set_param(&f, "pieces", 500.0);
        f.pus[1].rate = 1e12;
        f.nodes[0].bandwidth = f.nodes[1].bandwidth = 1e5;
        f.s.master_only = true;
        travel(&f, 1e3, i == 0 ? 0.0 : 1e3);
        run(&f);
        makespans[i] = f.result.makespan_s;
        tear_down(&f);
    }
    assert_true(makespans[0] >= 10.0);
    assert_true(makespans[1] <= 1.1 * makespans[0]);
}

/* Two PUs of one node have one link. */
static void the_pus_of_a_node_share_its_link(void **state)
{
    (void)state;
    static struct fixture f;
    double makespans[2];
    for (int i = 0; i < 2; i++) {
        set_up(&f, 3, "static");
        f.nodes[1].bandwidth = f.nodes[2].bandwidth = 1e5;
        f.pus[1].rate = f.pus[2].rate = 1e12;
        if (i == 0) { /* both on node 1 */
            f.nodes[1].n_pus = 2;
            f.cluster.n_nodes = f.s.master.n_nodes = 2;
        }
        f.s.master_only = true;
        travel(&f, 1e3, 0.0);
        run(&f);
        makespans[i] = f.result.makespan_s;
        tear_down(&f);
    }
    assert_true(makespans[0] > 1.9 * makespans[1]);
}

/* PASS, BLOCK, DONE and STOP take their time like all messages. */
static void pass_and_stop_are_messages(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f, 2, "static");
    f.s.master_only = true;
    f.nodes[1].latency = 1.0;
    f.s.passes = 2;
    run(&f);
    near(f.result.makespan_s, 2.0 * (1.0 + 10.0 + 1.0));
    near(f.result.stopped_s, f.result.makespan_s + 1.0);
    assert_int_equal(f.sent[PLB_PASS], 2 * 2);
    assert_int_equal(f.sent[PLB_STOP], 2);
    tear_down(&f);
}

/* A pull is a message too: before the first task block, pull, inputs; after it the results. */
static void inputs_take_a_way_there_and_back(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f, 2, "static");
    f.s.master_only = true;
    f.nodes[1].latency = 1.0;
    f.nodes[0].bandwidth = f.nodes[1].bandwidth = 1e6;
    travel(&f, 1e3, 2e3);
    run(&f);
    assert_true(f.result.makespan_s >= 10.0 + 4.0 + 1.0 + 2.0);
    assert_true(f.result.makespan_s <= 10.0 + 4.0 + 1.0 + 2.0 + 1e-2);
    tear_down(&f);
}

/* What a node that was given up sends counts for nothing, and it need not hear STOP. */
static void zombies_are_not_heard(void **state)
{
    (void)state;
    static struct fixture f;
    const struct plb_fault zombie = {.kind = PLB_TAKEN_FOR_DEAD, .node = 1, .pu = -1, .at = 1.0};
    set_up(&f, 2, "static");
    f.s.faults = &zombie;
    f.s.n_faults = 1;
    run(&f);
    near(f.result.makespan_s, 10.0);
    assert_int_equal(f.result.stress.from_zombies, 1);
    assert_int_equal(plb_master_totals(f.result.master, 0)->units, UNITS);
    tear_down(&f);
}

/* A thousand PUs with twenty units each: nobody waits for a single one, and there are few solves. */
static void many_pus_with_few_units_end_together(void **state)
{
    (void)state;
    enum { NODES = 100, OF_A_NODE = 10 };
    static struct fixture f;
    static struct plb_node_spec nodes[NODES];
    static struct plb_pu_spec pus[NODES * OF_A_NODE];
    struct plb_cost_map map;
    set_up(&f, 1, "plb-hac");
    for (int n = 0; n < NODES; n++)
        nodes[n] = (struct plb_node_spec){"n", 1e10, 5e-6, n * OF_A_NODE, OF_A_NODE};
    for (int p = 0; p < NODES * OF_A_NODE; p++)
        pus[p] = (struct plb_pu_spec){.name = "p", .power = 1.0, .rate = p % OF_A_NODE < 2 ? 500.0 : p % OF_A_NODE < 6 ? 7000.0 : 3000.0,
            .overhead = 1e-5, .noise = 0.03, .memory = INFINITY, .copy_bandwidth = INFINITY};
    f.cluster = (struct plb_cluster_spec){NODES, NODES * OF_A_NODE, nodes, pus};
    assert_int_equal(plb_cost_map_init(&map, 20 * NODES * OF_A_NODE, NULL, NULL, &f.err), PLB_OK);
    f.s.maps = &map;
    f.s.master.phases = 1;
    f.s.master.n_nodes = NODES;
    run(&f);
    assert_true(plb_master_stats(f.result.master)->solves < 50);
    if (!(f.result.makespan_s < 2.0 * f.result.optimum_s))
        fail_msg("%.4g s, the optimum is %.4g s", f.result.makespan_s, f.result.optimum_s);
    tear_down(&f);
    plb_cost_map_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_costs_what_its_phase_does),
        cmocka_unit_test(true_costs_are_not_told),
        cmocka_unit_test(costs_err_by_the_seed),
        cmocka_unit_test(a_running_task_is_slowed),
        cmocka_unit_test(a_pu_dies_in_its_task),
        cmocka_unit_test(rank_0_handles_one_message_at_a_time),
        cmocka_unit_test(rank_0_needs_time_for_solves),
        cmocka_unit_test(rank_0_has_one_link),
        cmocka_unit_test(a_link_has_two_directions),
        cmocka_unit_test(the_pus_of_a_node_share_its_link),
        cmocka_unit_test(pass_and_stop_are_messages),
        cmocka_unit_test(inputs_take_a_way_there_and_back),
        cmocka_unit_test(zombies_are_not_heard),
        cmocka_unit_test(many_pus_with_few_units_end_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
