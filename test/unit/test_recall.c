/* Work that moves while units are left to grant: how much a thief takes, and what a node does when the master
 * recalls units. */
#include "core/grant/recall.h"
#include "worker_fixture.h"

/* 100 work per second, after a start. */
static struct plb_model model(double start)
{
    struct plb_model m = {0};
    m.execute = (struct plb_curve){.terms = 1u << PLB_TERM_ONE | 1u << PLB_TERM_X,
                                   .scale = 1.0,
                                   .low = 1.0,
                                   .high = 1e6,
                                   .least_slope = 0.01};
    m.execute.a[PLB_TERM_ONE] = start;
    m.execute.a[PLB_TERM_X] = 0.01;
    return m;
}

/* The owner of 1,000 units does 10 a second: x of them are ended in half the time until it would begin them
 * where 2 (start + x / 100) = (1,000 - x) / 10. */
static void a_thief_ends_in_half_the_time_until_the_owner_begins(void **state)
{
    struct plb_model m = model(0.0);
    (void)state;
    assert_true(fabs(plb_recall_work(&m, 1000.0, 10.0) - 100.0 / 0.12) < 0.1);
    m = model(20.0);
    assert_true(fabs(plb_recall_work(&m, 1000.0, 10.0) - 60.0 / 0.12) < 0.1);
}

static void a_start_that_is_too_dear_takes_nothing(void **state)
{
    struct plb_model m = model(51.0);
    (void)state;
    assert_true(plb_recall_work(&m, 1000.0, 10.0) == 0.0);
    m = model(0.0);
    assert_true(plb_recall_work(&m, 1000.0, 1e6) == 0.0); /* the owner needs a millisecond for all */
}

static bool recall(struct fixture *f, int pu, double work, int thief, int thief_pu)
{
    struct plb_message m = message(PLB_RECALL, 0, 1);
    f->out.n = 0;
    m.pu = pu;
    m.recall = (struct plb_recall){work, thief, thief_pu, PLB_AS_BEFORE};
    return receive(f, &m);
}

static void recalled_units_go_to_another_node(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 2, &migration_on);
    assert_true(block(&f, 1, 0, 7, 0, 100, 10));
    expect(&f, 0, 7, 0, 10);
    assert_true(recall(&f, 0, 50.0, 2, 1));
    assert_int_equal(f.out.n, 2);
    assert_true(f.out.at[0].type == PLB_GIFT && f.out.at[0].to == 2 && f.out.at[0].pu == 1);
    assert_true(f.out.at[1].type == PLB_MOVED && f.out.at[1].gifts.thief == 2);
    assert_int_equal(f.out.at[0].gifts.at[0].range.first, 50);
    assert_int_equal(f.out.at[0].gifts.at[0].range.count, 50);
    assert_true(plb_worker_queued(f.worker) == 40.0);
    assert_true(recall(&f, 0, 1000.0, 2, 1)); /* never all of it */
    assert_true(plb_worker_queued(f.worker) == 4.0);
    stop(&f);
}

static void recalled_units_go_to_a_neighbour(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 2, &migration_on);
    assert_true(block(&f, 1, 0, 7, 0, 100, 10));
    assert_false(recall(&f, 0, 50.0, OWN, 1)); /* it has never been granted anything */
    serve(&f, 1);
    assert_true(recall(&f, 0, 50.0, OWN, 1));
    assert_int_equal(f.out.n, 0);
    struct plb_slice task;
    assert_true(plb_worker_take(f.worker, 1, &task));
    assert_true(task.block == 7 && task.range.first == 50);
    assert_false(recall(&f, 0, 50.0, OWN, 2)); /* no such PU */
    stop(&f);
}

/* Nobody else works: a PU that rests cannot give its units to itself. */
static void a_pu_that_rests_gives_itself_nothing(void **state)
{
    struct fixture f;
    struct plb_message m = message(PLB_RECALL, 0, 1);
    (void)state;
    start(&f, 2, &migration_on);
    assert_true(block(&f, 1, 0, 7, 0, 100, 10));
    m.recall = (struct plb_recall){1e300, OWN, 0, PLB_RESTS};
    assert_true(receive(&f, &m));
    assert_true(plb_worker_queued(f.worker) == 100.0);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thief_ends_in_half_the_time_until_the_owner_begins),
        cmocka_unit_test(a_start_that_is_too_dear_takes_nothing),
        cmocka_unit_test(recalled_units_go_to_another_node),
        cmocka_unit_test(recalled_units_go_to_a_neighbour),
        cmocka_unit_test(a_pu_that_rests_gives_itself_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
