/* The times of links and messages in a simulation: cases solved by hand. */
#include "small_cluster.h"

/* Three nodes with links ten times as wide as rank 0's: inputs cross rank 0's link one after the other. */
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

/* A link's two directions do not wait for each other: tasks whose results are as large as their inputs take
 * as long as one of the two, once there are many tasks. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_0_has_one_link),
        cmocka_unit_test(a_link_has_two_directions),
        cmocka_unit_test(the_pus_of_a_node_share_its_link),
        cmocka_unit_test(pass_and_stop_are_messages),
        cmocka_unit_test(inputs_take_a_way_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
