/* Moves and losses as the master sees them: no unit is forgotten, and none counts twice. */
#include "master_fixture.h"

static const struct plb_master_config migrating = {.migration = true};

/* Three nodes, 300 units, static shares of a hundred each: granted in three blocks at once. */
static void start_static(struct fixture *f)
{
    start(f, "static", 0.0, 3, 300, &migrating);
}

static void everybody_hears_that_nothing_is_left(void **state)
{
    (void)state;
    struct fixture f;
    start_static(&f);
    int told = 0;
    for (int i = 0; i < f.out.n; i++)
        if (f.out.at[i].type == PLB_EMPTY) {
            told++;
            assert_int_equal(f.out.at[i].empty.n_victims, 2);
            for (int v = 0; v < 2; v++) {
                assert_int_not_equal(f.out.at[i].empty.victims[v], f.out.at[i].to);
                assert_true(f.out.at[i].empty.amounts[v] == 100.0);
            }
        } else {
            assert_int_equal(f.out.at[i].block.grain, 1); /* a 256th: nobody knows these PUs */
        }
    assert_int_equal(told, 3);
    stop(&f);
}

/* Small tasks are for thieves: where there is nobody else, nothing is announced and blocks stay whole. */
static void a_pu_that_is_alone_gets_no_small_tasks(void **state)
{
    (void)state;
    for (int nodes = 1; nodes <= 2; nodes++) {
        struct fixture f;
        start(&f, "greedy", nodes, nodes, 1000, &migrating); /* a piece per PU: all is granted at once */
        assert_int_equal(sent(&f, 0, PLB_EMPTY), nodes == 1 ? 0 : nodes);
        const struct plb_block *b = &f.out.at[0].block;
        assert_true(nodes == 1 ? b->grain >= b->range.count : b->grain < b->range.count);
        stop(&f);
    }
}

/* Granted to 0, stolen by 1, reported by 1: counted for both, and the idle one hears who has most. */
static void a_stolen_unit_is_accepted_from_the_thief(void **state)
{
    (void)state;
    struct fixture f;
    start_static(&f);
    struct plb_message zero = block_of(&f, 0), one = block_of(&f, 1);
    report(&f, one, 1, 0, 100);
    int heard = f.out.n - 1;
    assert_int_equal(f.out.at[heard].type, PLB_EMPTY);
    assert_int_equal(f.out.at[heard].to, 1);
    move(&f, zero, 0, 1, 60, 40, 1);
    assert_int_equal(report(&f, zero, 1, 60, 40), 40);
    assert_int_equal(report(&f, zero, 0, 60, 40), 0); /* the same again */
    assert_int_equal(report(&f, zero, 0, 0, 60), 60);
    report(&f, block_of(&f, 2), 2, 0, 100);
    assert_true(plb_master_over(f.master));
    assert_int_equal(plb_master_counts(f.master)->gifts, 1);
    assert_int_equal(plb_master_counts(f.master)->moved_units, 40);
    assert_int_equal(plb_master_totals(f.master, 1)->stolen_in, 40);
    assert_int_equal(plb_master_totals(f.master, 0)->stolen_out, 40);
    assert_int_equal(plb_master_totals(f.master, 1)->units, 140);
    stop(&f);
}

/* The thief may report before the master has heard of the move. */
static void a_report_may_overtake_its_move(void **state)
{
    (void)state;
    struct fixture f;
    start_static(&f);
    struct plb_message zero = block_of(&f, 0);
    assert_int_equal(report(&f, zero, 1, 60, 40), 40);
    move(&f, zero, 0, 1, 60, 40, 1);
    assert_int_equal(plb_master_accepted(f.master), 40);
    int before = f.out.n;
    lose(&f, 1); /* its own hundred alone come back */
    assert_int_equal(plb_master_regrants(f.master)->units[PLB_REGRANT_LOST_RANK], 100);
    assert_int_equal(report(&f, zero, 0, 0, 60), 60);
    assert_int_equal(report(&f, block_of(&f, 2), 2, 0, 100), 100);
    finish_rest(&f, before, 1);
    assert_true(plb_master_over(f.master));
    stop(&f);
}

static void a_lost_node_gives_back_what_was_not_accepted(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, "greedy", 6.0, 2, 60, NULL);
    struct plb_message of_lost = block_of(&f, 1);
    assert_int_equal(report(&f, of_lost, 1, 0, 3), 3);
    lose(&f, 1);
    assert_int_equal(plb_master_counts(f.master)->losses, 1);
    assert_int_equal(report(&f, of_lost, 1, 3, 3), 0); /* too late */
    assert_int_equal(plb_master_counts(f.master)->dropped, 1);
    finish_rest(&f, 0, 1);
    assert_true(plb_master_over(f.master));
    assert_int_equal(plb_master_totals(f.master, 0)->units, 57);
    assert_null(plb_master_failure(f.master));
    lose(&f, 1); /* again */
    assert_int_equal(plb_master_counts(f.master)->losses, 1);
    stop(&f);
}

static void losing_everybody_is_a_failure(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, "greedy", 10.0, 2, 100, NULL);
    lose(&f, 0);
    assert_null(plb_master_failure(f.master));
    lose(&f, 1);
    assert_non_null(strstr(plb_master_failure(f.master), "100 units"));
    stop(&f);
}

static void without_pus_the_run_fails(void **state)
{
    (void)state;
    struct fixture f = {0};
    prepare(&f, "greedy", 10.0, 0, 100, NULL);
    plb_master_begin(f.master, 1, 0, 0, &f.map, 0.0, &f.out);
    assert_non_null(strstr(plb_master_failure(f.master), "no PU is left"));
    stop(&f);
}

/* A node dies while its kernel is loaded: it never hears of a pass, and others compute. */
static void a_loss_before_the_first_pass(void **state)
{
    (void)state;
    struct fixture f = {0};
    prepare(&f, "static", 0.0, 3, 300, &migrating);
    lose(&f, 2);
    assert_int_equal(f.out.n, 0);
    begin(&f, 0, 0, 10.0, 2);
    for (int i = 0; i < f.out.n; i++)
        assert_int_not_equal(f.out.at[i].to, 2);
    assert_int_equal(block_of(&f, 0).block.range.count, 150);
    finish_rest(&f, 0, 2);
    assert_true(plb_master_over(f.master));
    stop(&f);
    memset(&f, 0, sizeof f);
    prepare(&f, "greedy", 10.0, 2, 100, NULL);
    lose(&f, 0);
    lose(&f, 1);
    assert_null(plb_master_failure(f.master));
    begin(&f, 0, 0, 10.0, 0);
    assert_non_null(strstr(plb_master_failure(f.master), "100 units"));
    stop(&f);
}

static void a_lost_node_takes_no_part_in_the_next_pass(void **state)
{
    (void)state;
    struct fixture f;
    start_static(&f);
    lose(&f, 1);
    finish_rest(&f, 0, 1);
    assert_true(plb_master_over(f.master));
    f.out.n = 0;
    begin(&f, 0, 0, 20.0, 2);
    assert_int_equal(sent(&f, 0, PLB_BLOCK), 2);
    for (int i = 0; i < f.out.n; i++)
        assert_int_not_equal(f.out.at[i].to, 1);
    finish_rest(&f, 0, 1);
    assert_true(plb_master_over(f.master));
    stop(&f);
}

/* The thief dies: what it stole comes back, whether MOVED or the loss arrives first. */
static void a_lost_thief_gives_back_what_it_stole(void **state)
{
    (void)state;
    for (int late = 0; late <= 1; late++) {
        struct fixture f;
        start_static(&f);
        struct plb_message zero = block_of(&f, 0);
        if (!late)
            move(&f, zero, 0, 1, 60, 40, 1);
        int before = f.out.n;
        const int64_t *lost = &plb_master_regrants(f.master)->units[PLB_REGRANT_LOST_RANK];
        lose(&f, 1);
        assert_int_equal(*lost, late ? 100 : 140);
        if (late)
            move(&f, zero, 0, 1, 60, 40, 1);
        assert_int_equal(*lost, 140);
        assert_int_equal(report(&f, zero, 0, 0, 60), 60);
        assert_int_equal(report(&f, block_of(&f, 2), 2, 0, 100), 100);
        finish_rest(&f, before, 1);
        assert_true(plb_master_over(f.master));
        assert_null(plb_master_failure(f.master));
        stop(&f);
    }
}

/* The giver dies, and with it the gift, which had not left its machine although MOVED had. */
static void a_lost_giver_s_gift_is_executed_by_others(void **state)
{
    (void)state;
    struct fixture f;
    start_static(&f);
    move(&f, block_of(&f, 0), 0, 1, 60, 40, 1);
    int before = f.out.n;
    lose(&f, 0);
    assert_int_equal(plb_master_regrants(f.master)->units[PLB_REGRANT_LOST_RANK], 100);
    report(&f, block_of(&f, 1), 1, 0, 100); /* its own hundred alone: the gift has never come */
    report(&f, block_of(&f, 2), 2, 0, 100);
    finish_rest(&f, before, 0);
    assert_true(plb_master_over(f.master));
    stop(&f);
}

/* 0 gives to 1, which gives on to 2, which dies; the second MOVED overtakes the first. */
static void a_chain_of_thieves_forgets_nothing(void **state)
{
    (void)state;
    for (int overtaken = 0; overtaken <= 1; overtaken++) {
        struct fixture f;
        start_static(&f);
        struct plb_message zero = block_of(&f, 0);
        for (int k = 0; k < 2; k++) {
            int hop = overtaken ? 2 - k : 1 + k;
            move(&f, zero, hop - 1, hop, 60, 40, hop);
        }
        int before = f.out.n;
        lose(&f, 2);
        report(&f, zero, 0, 0, 60);
        report(&f, block_of(&f, 1), 1, 0, 100);
        finish_rest(&f, before, 2);
        assert_true(plb_master_over(f.master));
        stop(&f);
    }
}

/* Units go from 0 to 1, to 2 and to 3. The MOVED arrive in any order, before or after the loss of a node.
 * A living node executes what it has; the gift of a dead node has not come. */
static void moves_in_any_order_and_any_loss(void **state)
{
    static const int orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
    (void)state;
    for (int order = 0; order < 6; order++)
        for (int dead = 0; dead < 4; dead++)
            for (int arrived = 0; arrived <= 3; arrived++) {
                struct fixture f;
                start(&f, "static", 0.0, 4, 400, &migrating);
                struct plb_message zero = block_of(&f, 0);
                int before = f.out.n;
                for (int k = 0; k < 3; k++) {
                    int hop = orders[order][k];
                    if (k == arrived)
                        lose(&f, dead);
                    move(&f, zero, hop - 1, hop, 60, 40, hop); /* dropped where the giver is dead */
                }
                if (arrived == 3)
                    lose(&f, dead);
                for (int n = 0; n < 4; n++)
                    if (n != dead)
                        report(&f, block_of(&f, n), n, 0, n == 0 ? 60 : 100);
                if (dead != 3 && dead != 2) /* the last gift has come */
                    report(&f, zero, 3, 60, 40);
                finish_rest(&f, before, dead);
                if (!plb_master_over(f.master))
                    fail_msg("order %d, node %d dies after %d: units are forgotten", order, dead, arrived);
                assert_int_equal(plb_master_accepted(f.master), 400);
                stop(&f);
            }
}

/* A result of units that are free by now, since their giver died: nobody gets them again. */
static void a_result_of_free_units_takes_them_out(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "greedy", 20.0, 3, 200, &migrating); /* every PU has two blocks of ten */
    struct plb_message one = block_of(&f, 1);
    move(&f, one, 1, 2, 0, 10, 1);
    lose(&f, 1);
    int before = f.out.n;
    assert_int_equal(report(&f, one, 2, 0, 10), 10); /* the gift had come after all */
    for (int i = before; i < f.out.n; i++)
        if (f.out.at[i].type == PLB_BLOCK)
            assert_int_not_equal(f.out.at[i].block.range.first, one.block.range.first);
    finish_rest(&f, 0, 1);
    assert_true(plb_master_over(f.master));
    assert_int_equal(plb_master_counts(f.master)->twice, 0);
    stop(&f);
}

/* A reduced result cannot be taken apart: where only some of its units are new it counts nothing, and those
 * are executed again. */
static void a_reduced_result_counts_whole_or_not_at_all(void **state)
{
    (void)state;
    for (int whole = 0; whole <= 1; whole++) {
        const struct plb_master_config config = {.whole_results = whole, .migration = true};
        struct fixture f;
        start(&f, "static", 0.0, 3, 300, &config);
        struct plb_message zero = block_of(&f, 0);
        assert_int_equal(report(&f, zero, 0, 0, 60), 60);
        int before = f.out.n;
        assert_int_equal(report(&f, zero, 1, 50, 50), whole ? 0 : 40); /* ten of them again */
        assert_int_equal(plb_master_counts(f.master)->partly_new, whole);
        assert_int_equal(plb_master_accepted(f.master), whole ? 60 : 100);
        report(&f, block_of(&f, 1), 1, 0, 100);
        report(&f, block_of(&f, 2), 2, 0, 100);
        finish_rest(&f, before, -1);
        assert_true(plb_master_over(f.master));
        int64_t again = 0;
        for (int i = before; i < f.out.n; i++)
            again += f.out.at[i].type == PLB_BLOCK ? f.out.at[i].block.range.count : 0;
        assert_int_equal(again, whole ? 40 : 0);
        stop(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_hears_that_nothing_is_left),
        cmocka_unit_test(a_pu_that_is_alone_gets_no_small_tasks),
        cmocka_unit_test(a_stolen_unit_is_accepted_from_the_thief),
        cmocka_unit_test(a_report_may_overtake_its_move),
        cmocka_unit_test(a_lost_node_gives_back_what_was_not_accepted),
        cmocka_unit_test(losing_everybody_is_a_failure),
        cmocka_unit_test(without_pus_the_run_fails),
        cmocka_unit_test(a_loss_before_the_first_pass),
        cmocka_unit_test(a_lost_node_takes_no_part_in_the_next_pass),
        cmocka_unit_test(a_lost_thief_gives_back_what_it_stole),
        cmocka_unit_test(a_lost_giver_s_gift_is_executed_by_others),
        cmocka_unit_test(a_chain_of_thieves_forgets_nothing),
        cmocka_unit_test(moves_in_any_order_and_any_loss),
        cmocka_unit_test(a_result_of_free_units_takes_them_out),
        cmocka_unit_test(a_reduced_result_counts_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
