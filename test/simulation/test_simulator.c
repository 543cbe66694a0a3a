/* The charges of the simulation, and the effects of a fault: cases solved by hand, each of which a simulation
 * that gives something away would fail. test_virtual_network.c has those of links and messages. */
#include "small_cluster.h"

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
    near(plb_master_history(f.result.master, 0, 0)->at[0].execute_s
             / plb_master_history(f.result.master, 0, 0)->at[0].work,
         0.02);
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

/* A PU draws its dynamic watts as long as its tasks last, copies included: 2 s for those of each task. */
static void tasks_and_their_copies_are_time_at_work(void **state)
{
    (void)state;
    static struct fixture f;
    double worked[2] = {0.0, 0.0};
    set_up(&f, 2, "static");
    f.s.worked_s = worked;
    f.pus[1].copy_latency = 1.0;
    f.pus[0].n_slow = 1; /* the first one needs 4 + 2 · 1 s for its 5 s */
    f.pus[0].slow_at[0] = 4.0;
    f.pus[0].slow_by[0] = 2.0;
    run(&f);
    near(worked[0], 6.0);
    near(worked[1], 5.0 + 2.0 * (double)plb_master_totals(f.result.master, 1)->tasks);
    near(f.result.makespan_s, worked[1]);
    tear_down(&f);
}

/* 10 s for the first PU alone. An empty task of the second lasts ten times as long, and its device has
 * measured that. */
static void a_pu_whose_start_outlasts_the_run_is_left_out(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f, 2, "sure");
    f.pus[0].power = f.pus[1].power = 100.0;
    f.pus[1].overhead = 100.0;
    run(&f);
    near(f.result.makespan_s, 10.0);
    tear_down(&f);
}

/* Factor 0: the PU dies in its only task, and its process with it. Rank 0 notices that it is silent, and
 * another node does all of it again. */
static void a_pu_dies_in_its_task(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f, 2, "static");
    f.pus[1].n_slow = 1;
    f.pus[1].slow_at[0] = 4.0;
    f.s.lost_after = 2.0;
    run(&f);
    assert_in_beats(f.result.makespan_s, 4.0 + 2.0 + 5.0);
    assert_int_equal(plb_master_counts(f.result.master)->losses, 1);
    tear_down(&f);
}

/* One message at a time: with all PUs as fast as can be, a run lasts as long as rank 0 needs for its
 * messages. */
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

/* Every solve keeps rank 0 busy, for each active PU, and so does every fit. */
static void rank_0_needs_time_for_solves_and_fits(void **state)
{
    (void)state;
    static struct fixture f;
    double busy[3];
    struct plb_balancer_stats stats;
    for (int i = 0; i < 3; i++) {
        set_up(&f, 4, "plb-hec");
        f.s.solve_s = i == 1 ? 1e-9 : -1.0;
        f.s.fit_s = i == 2 ? 1e-9 : -1.0;
        run(&f);
        busy[i] = f.result.rank0_s;
        stats = *plb_master_stats(f.result.master);
        tear_down(&f);
    }
    assert_true(stats.solves > 0 && stats.fits > 0);
    near(busy[1], busy[0] + 4e-9 * (double)stats.solves);
    near(busy[2], busy[0] + 1e-9 * (double)stats.fits);
}

/* The messages of a node that was given up count for nothing, and it need not hear STOP. */
static void zombies_are_not_heard(void **state)
{
    (void)state;
    static struct fixture f;
    const struct plb_fault zombie = {.kind = PLB_UNHEARD, .node = 1, .pu = -1, .at = 1.0, .lasts = 3.0};
    set_up(&f, 2, "static");
    f.s.faults = &zombie;
    f.s.n_faults = 1;
    run(&f);
    near(f.result.makespan_s, 10.0);
    assert_int_equal(f.result.stress.zombies, 1);
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
        pus[p] = (struct plb_pu_spec){.name = "p",
                                      .power = 1.0,
                                      .rate = p % OF_A_NODE < 2 ? 500.0
                                            : p % OF_A_NODE < 6 ? 7000.0
                                                                : 3000.0,
                                      .overhead = 1e-5,
                                      .noise = 0.03,
                                      .memory = INFINITY,
                                      .copy_bandwidth = INFINITY};
    f.cluster = (struct plb_cluster_spec){
        .n_nodes = NODES, .n_pus = NODES * OF_A_NODE, .nodes = nodes, .pus = pus};
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
        cmocka_unit_test(tasks_and_their_copies_are_time_at_work),
        cmocka_unit_test(a_pu_whose_start_outlasts_the_run_is_left_out),
        cmocka_unit_test(a_pu_dies_in_its_task),
        cmocka_unit_test(rank_0_handles_one_message_at_a_time),
        cmocka_unit_test(rank_0_needs_time_for_solves_and_fits),
        cmocka_unit_test(zombies_are_not_heard),
        cmocka_unit_test(many_pus_with_few_units_end_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
