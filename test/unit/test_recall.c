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

/* A task of ten units takes the owner a second to start and a second to execute: five units a second. A task
 * of it is executed now. The thief does 100 a second: it ends in half the time where 2 x / 100 = (990 - x)
 * / 5.
 */
static void starts_count_in_the_time_until_the_owner_begins(void **state)
{
    struct plb_estimate owner = {
        .start_s = 1.0, .rate = 10.0, .grain = 10.0, .watched_s = 100.0, .tasks = 50.0};
    struct plb_pu pus[] = {{.estimate = &owner, .granted = 1000.0, .outstanding = 1}, {.n_samples = 6}};
    struct plb_history histories[2] = {0};
    struct plb_balancer_view seen = {.pus = pus, .histories = histories, .n_phases = 1, .room = 2};
    struct plb_pu_info infos[] = {{.node = 1}, {.node = 2}};
    struct plb_waiting_list waiting = {0};
    struct plb_outbox out = {0};
    struct plb_recalls recalls;
    (void)state;
    seen.view.n_pus = 2;
    for (int i = 1; i <= 6; i++)
        plb_history_add(&histories[1],
                        &(struct plb_sample){.work = 200.0 * i, .execute_s = 2.0 * i, .tasks = 1});
    plb_waiting_list_init(&waiting, 2);
    plb_waiting_list_enter(&waiting, 1);
    plb_recalls_init(&recalls, &seen, &waiting, infos, 2.0);
    plb_recalls_reported(&recalls, 0, 1, &out);
    assert_int_equal(out.n, 1);
    assert_true(out.at[0].type == PLB_RECALL && out.at[0].to == 1 && out.at[0].recall.thief == 2);
    assert_true(fabs(out.at[0].recall.work - 900.0) < 5.0);
    plb_recalls_fini(&recalls);
    plb_waiting_list_fini(&waiting);
    plb_history_fini(&histories[1]);
    plb_outbox_fini(&out);
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
        cmocka_unit_test(starts_count_in_the_time_until_the_owner_begins),
        cmocka_unit_test(recalled_units_go_to_another_node),
        cmocka_unit_test(recalled_units_go_to_a_neighbour),
        cmocka_unit_test(a_pu_that_rests_gives_itself_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
