/* Suspects: who tries units whose executor has died, in which tasks, and when they are set aside. The test
 * plays the nodes, each with one PU. */
#include "deadly_cluster.h"

static void a_unit_that_kills_two_ranks_is_set_aside(void **state)
{
    struct cluster c;
    int n;
    (void)state;
    begin_cluster(&c, 4, false);
    c.bad[13] = true;
    play(&c);
    assert_true(plb_master_over(c.f.master));
    assert_int_equal(c.deaths[13], 2);
    assert_int_equal(plb_master_counts(c.f.master)->losses, 2);
    assert_int_equal(plb_master_counts(c.f.master)->crashes, 2);
    assert_int_equal(c.longest, 1);
    assert_true(c.trials[0] == 0 && c.trials[2] + c.trials[3] > 1);
    const struct plb_set_aside *at = list(&c, &n);
    assert_int_equal(n, 1);
    assert_true(at->range.first == 13 && at->range.count == 1 && at->signal == SEGV && at->pass == 1);
    assert_true(at->deaths == 2 && at->pus[1] == 1 && at->pus[0] > 1 && !at->nobody);
    assert_int_equal(set_aside(&c), 1);
    stop(&c.f);
}

static void each_bad_unit_costs_two_ranks_at_most(void **state)
{
    struct cluster c;
    int n;
    (void)state;
    begin_cluster(&c, 4, false);
    c.bad[12] = c.bad[17] = true;
    play(&c);
    assert_true(plb_master_over(c.f.master));
    assert_int_equal(c.deaths[12] + c.deaths[17], 3); /* the first death counts for both */
    const struct plb_set_aside *at = list(&c, &n);
    int64_t named = 0;
    for (int i = 0; i < n; i++) /* rank 0 alone is left, and some units have nobody to try them */
        named += at[i].nobody ? 0 : at[i].range.first * at[i].range.count;
    assert_int_equal(named, 12 + 17);
    stop(&c.f);
}

static void a_rank_with_suspects_has_nothing_else(void **state)
{
    struct cluster c;
    (void)state;
    begin_cluster(&c, 3, false);
    c.bad[13] = true;
    c.busy = 2;
    play(&c);
    assert_false(plb_master_over(c.f.master));
    assert_int_equal(c.f.out.n, c.next);
    for (int i = 0; i < c.f.out.n; i++) /* node 2 has its block still: nobody may try */
        assert_true(c.f.out.at[i].type != PLB_BLOCK || !c.f.out.at[i].block.alone);
    c.busy = -1;
    c.next = 0;
    for (int i = 0; i < c.f.out.n; i++) { /* only what node 2 has left undone */
        struct plb_message m = c.f.out.at[i];
        if (m.type == PLB_BLOCK && m.to == 2)
            execute(&c, m);
        c.next = i + 1;
    }
    assert_true(plb_master_over(c.f.master));
    assert_int_equal(c.deaths[13], 2);
    stop(&c.f);
}

static void without_another_rank_units_are_set_aside_at_once(void **state)
{
    struct cluster c;
    int n;
    (void)state;
    begin_cluster(&c, 2, false);
    c.bad[13] = true;
    play(&c);
    assert_true(plb_master_over(c.f.master));
    const struct plb_set_aside *at = list(&c, &n);
    assert_int_equal(n, 1);
    assert_true(at->range.first == 10 && at->range.count == TENS && at->nobody && at->deaths == 1);
    assert_true(at->pus[0] == 1 && at->pus[1] < 0);
    stop(&c.f);
}

/* The third rank is left out for the energy times delay. It comes back, and finds out which unit it is. */
static void a_rank_that_is_left_out_tries_them_before_they_are_set_aside(void **state)
{
    struct plb_master_config config = {.phases = 2, .goal.objective = PLB_OBJECTIVE_EDP};
    struct cluster c;
    int n;
    (void)state;
    memset(&c, 0, sizeof c);
    c.busy = -1;
    c.f.pus[0].dynamic_watts = c.f.pus[1].dynamic_watts = 1.0;
    c.f.pus[2].dynamic_watts = 1000.0;
    prepare(&c.f, "static", 0.0, 3, 20, &config);
    begin(&c.f, 0, 0, 10.0, 3);
    assert_int_equal(plb_master_state(c.f.master, 2), PLB_PU_LEFT_OUT);
    c.bad[13] = true;
    play(&c);
    assert_true(plb_master_over(c.f.master));
    assert_true(c.trials[2] > 0);
    const struct plb_set_aside *at = list(&c, &n);
    for (int i = 0; i < n; i++)
        assert_true(i > 0 || at[i].range.first > 10);
    assert_int_equal(c.deaths[13], 2);
    stop(&c.f);
}

static void child_processes_cost_little(void **state)
{
    struct cluster c;
    int n;
    (void)state;
    begin_cluster(&c, 4, true);
    c.bad[3] = true; /* of rank 0 */
    play(&c);
    assert_true(plb_master_over(c.f.master));
    assert_int_equal(plb_master_counts(c.f.master)->losses, 0);
    assert_int_equal(c.deaths[3], 2); /* in a task of ten, and of one */
    assert_int_equal(set_aside(&c), 1);
    assert_true(list(&c, &n)->pus[0] != 0); /* another PU has tried */
    stop(&c.f);
}

static void children_die_in_eighths(void **state)
{
    struct plb_master_config config = {.isolated = true, .phases = 2};
    struct cluster c;
    (void)state;
    memset(&c, 0, sizeof c);
    prepare(&c.f, "static", 0.0, 1, 1000, &config);
    begin(&c.f, 0, 0, 10.0, 1);
    c.isolated = true;
    struct plb_message m = crash_of(&c, 0, (struct plb_range){0, 1000}, 0);
    receive(&c.f, &m, 11.0);
    assert_int_equal(c.f.out.n, 2);
    assert_true(c.f.out.at[1].block.alone && c.f.out.at[1].block.grain == 125);
    m = crash_of(&c, 0, (struct plb_range){125, 125}, c.f.out.at[1].block.id);
    receive(&c.f, &m, 11.0);
    report(&c.f, c.f.out.at[1], 0, 0, 125);
    for (int i = 2; i < c.f.out.n; i++)
        if (c.f.out.at[i].block.range.first < 250) {
            assert_int_equal(c.f.out.at[i].block.grain, 15);
        } else {
            assert_int_equal(c.f.out.at[i].block.grain, 125);
        }
    assert_int_equal(set_aside(&c), 0);
    stop(&c.f);
}

static void units_that_are_accepted_are_above_suspicion(void **state)
{
    struct cluster c;
    (void)state;
    begin_cluster(&c, 4, false);
    struct plb_message first = c.f.out.at[1];
    report(&c.f, first, 1, 0, 8);
    struct plb_message m = crash_of(&c, 1, (struct plb_range){10, 9}, first.block.id);
    receive(&c.f, &m, 11.0); /* 18 is suspect, and 19 is not */
    c.dead[1] = true;
    play(&c);
    assert_true(plb_master_over(c.f.master));
    assert_int_equal(c.trials[2] + c.trials[3], 1);
    assert_int_equal(set_aside(&c), 0);
    stop(&c.f);
}

static void last_words_count_after_the_loss(void **state)
{
    struct cluster c;
    (void)state;
    begin_cluster(&c, 4, false);
    struct plb_message m = crash_of(&c, 1, (struct plb_range){13, 1}, 1);
    plb_master_lost(c.f.master, 1, 11.0, &c.f.out); /* 10 to 19 are granted to others, rank 0 among them */
    c.dead[1] = true;
    receive(&c.f, &m, 11.0);
    assert_int_equal(plb_master_counts(c.f.master)->losses, 1);
    assert_int_equal(plb_master_counts(c.f.master)->dropped, 0);
    m.pass++;
    receive(&c.f, &m, 11.0);
    assert_int_equal(plb_master_counts(c.f.master)->dropped, 1);
    stop(&c.f);
}

static void several_tasks_may_have_crashed(void **state)
{
    struct cluster c;
    (void)state;
    begin_cluster(&c, 4, false);
    struct plb_message m = crash_of(&c, 1, (struct plb_range){13, 1}, 1);
    m.crash.others = 1;
    receive(&c.f, &m, 11.0);
    assert_int_equal(plb_master_counts(c.f.master)->losses, 0);
    m.crash.range.first = 15;
    m.crash.others = 0;
    receive(&c.f, &m, 11.0);
    assert_int_equal(plb_master_counts(c.f.master)->losses, 1);
    c.dead[1] = c.bad[15] = true;
    play(&c);
    assert_true(plb_master_over(c.f.master));
    assert_true(set_aside(&c) == 1 && c.deaths[15] == 1);
    stop(&c.f);
}

static void later_passes_of_the_phase_leave_them_out(void **state)
{
    struct cluster c;
    (void)state;
    begin_cluster(&c, 4, false);
    c.bad[13] = true;
    play(&c);
    begin(&c.f, 1, 0, 20.0, 2);
    assert_int_equal(plb_master_accepted(c.f.master), 0);
    c.bad[13] = false; /* of another phase */
    play(&c);
    assert_true(plb_master_over(c.f.master));
    c.bad[13] = true;
    begin(&c.f, 0, 0, 30.0, 2);
    assert_int_equal(plb_master_accepted(c.f.master), 1);
    play(&c);
    assert_true(plb_master_over(c.f.master));
    assert_int_equal(plb_master_counts(c.f.master)->losses, 2);
    assert_int_equal(set_aside(&c), 1);
    stop(&c.f);
}

static void another_pu_tries(void **state)
{
    struct cluster c;
    (void)state;
    begin_cluster(&c, 2, true);
    struct plb_message first = c.f.out.at[0];
    struct plb_message m = crash_of(&c, 1, (struct plb_range){10, 10}, c.f.out.at[1].block.id);
    receive(&c.f, &m, 11.0);
    assert_int_equal(c.f.out.n, 2); /* node 1 waits, and node 0 has its block */
    report(&c.f, first, 0, 0, 10);
    assert_int_equal(c.f.out.n, 3);
    assert_true(c.f.out.at[2].to == 0 && c.f.out.at[2].block.alone);
    stop(&c.f);
}

static void trials_to(const struct cluster *c, int node, int expected)
{
    int n = 0;
    for (int i = 0; i < c->f.out.n; i++)
        n += c->f.out.at[i].type == PLB_BLOCK && c->f.out.at[i].to == node && c->f.out.at[i].block.alone;
    assert_int_equal(n, expected);
}

/* Nodes 1 and 1 again: PUs 1 and 2 are of the same node. */
static void a_node_tries_when_all_its_pus_are_idle(void **state)
{
    struct cluster c;
    struct plb_error err = {.status = PLB_OK};
    (void)state;
    begin_cluster(&c, 4, false);
    plb_master_free(c.f.master);
    struct plb_master_config config = {.balancer = plb_balancer_find("static", "test", &err),
                                       .params = c.f.params,
                                       .n_nodes = 3,
                                       .phases = 2};
    static const int nodes[] = {0, 1, 1, 2};
    for (int p = 0; p < 4; p++) {
        c.f.pus[p].node = nodes[p];
        c.f.pus[p].local = p == 2;
    }
    c.f.master = plb_master_new(&config, c.f.pus, 4);
    c.f.nodes = 3;
    c.f.pass = c.f.out.n = 0;
    begin(&c.f, 0, 0, 10.0, 3);
    struct plb_message last = done_of(&c.f, &c.f.out.at[2], 1, 0, 10);
    last.pu = 1;
    finish(&c.f, 0);
    finish(&c.f, 1);
    struct plb_message m = crash_of(&c, 2, (struct plb_range){30, 10}, c.f.out.at[3].block.id);
    receive(&c.f, &m, 11.0);
    trials_to(&c, 1, 0); /* PU 2 has its block still */
    receive(&c.f, &last, 12.0);
    trials_to(&c, 1, 1); /* and then one of the two */
    trials_to(&c, 0, 0);
    stop(&c.f);
}

/* Node 2 may join, with two PUs. Until then they count as lost: an executor of rank 0 would wait for ever. */
static void pus_that_have_not_come_try_nothing(void **state)
{
    struct plb_error err = {.status = PLB_OK};
    struct cluster c;
    int n;
    (void)state;
    begin_cluster(&c, 2, true);
    plb_master_free(c.f.master);
    struct plb_master_config config = {.balancer = plb_balancer_find("static", "test", &err),
                                       .params = c.f.params,
                                       .n_nodes = 3,
                                       .joiners = 1,
                                       .joining_pus = 2,
                                       .isolated = true,
                                       .phases = 2};
    c.f.master = plb_master_new(&config, c.f.pus, 2);
    c.f.nodes = 3;
    c.f.pass = c.f.out.n = 0;
    begin(&c.f, 0, 0, 10.0, 2);
    struct plb_message of_rank0 = c.f.out.at[0];
    c.bad[13] = true;
    execute(&c, c.f.out.at[1]);
    assert_int_equal(c.f.out.n, 2); /* PU 1 waits, and PU 0 has its block */
    execute(&c, of_rank0);
    c.next = 2;
    play(&c);
    assert_true(plb_master_over(c.f.master));
    assert_int_equal(c.deaths[13], 2);
    assert_int_equal(set_aside(&c), 1);
    assert_true(list(&c, &n)->pus[0] < 2 && list(&c, &n)->pus[1] < 2);
    stop(&c.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_that_kills_two_ranks_is_set_aside),
        cmocka_unit_test(each_bad_unit_costs_two_ranks_at_most),
        cmocka_unit_test(a_rank_with_suspects_has_nothing_else),
        cmocka_unit_test(without_another_rank_units_are_set_aside_at_once),
        cmocka_unit_test(another_pu_tries),
        cmocka_unit_test(pus_that_have_not_come_try_nothing),
        cmocka_unit_test(a_node_tries_when_all_its_pus_are_idle),
        cmocka_unit_test(a_rank_that_is_left_out_tries_them_before_they_are_set_aside),
        cmocka_unit_test(child_processes_cost_little),
        cmocka_unit_test(children_die_in_eighths),
        cmocka_unit_test(units_that_are_accepted_are_above_suspicion),
        cmocka_unit_test(last_words_count_after_the_loss),
        cmocka_unit_test(several_tasks_may_have_crashed),
        cmocka_unit_test(later_passes_of_the_phase_leave_them_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
