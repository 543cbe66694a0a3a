/* A worker's knowledge of backups: which tasks are obsolete, and when it says that a PU is idle. */
#include "worker_fixture.h"

static const struct plb_migration with_backups = {.on = true, .backups = true, .threshold = 1.0};

static bool copy(struct fixture *f, int pu, int64_t id, int64_t first, int64_t count)
{
    struct plb_message m = message(PLB_BACKUP, 0, 1);
    m.pu = pu;
    m.block = (struct plb_block){{first, count}, id, count, 0, 0.0, 0};
    return receive(f, &m);
}

static bool cancel_as(struct fixture *f, int64_t first, int64_t count, enum plb_cancel_why why)
{
    struct plb_message m = message(PLB_CANCEL, 0, 1);
    m.cancel = (struct plb_cancel){{first, count}, why};
    return receive(f, &m);
}

static bool cancel(struct fixture *f, int64_t first, int64_t count)
{
    return cancel_as(f, first, count, PLB_ACCEPTED_ELSEWHERE);
}

/* Suspect units, to be executed one by one. */
static bool alone(struct fixture *f, int pu, int64_t id, int64_t first, int64_t count)
{
    struct plb_message m = message(PLB_BLOCK, 0, 1);
    m.pu = pu;
    m.block = (struct plb_block){{first, count}, id, 1, 0, 0.0, 1};
    return receive(f, &m);
}

/* How often the worker says IDLE of a PU. Nobody gives it anything. */
static int says_idle(struct fixture *f, int pu)
{
    int n = 0;
    for (bool awaits = true; awaits;) {
        f->out.n = 0;
        awaits = plb_worker_collect(f->worker, 0.0, &f->out);
        for (int i = 0; i < f->out.n; i++)
            n += f->out.at[i].type == PLB_IDLE && f->out.at[i].pu == pu;
        if (awaits)
            assert_true(gift(f, 1, f->out.at[f->out.n - 1].to, 0, 0));
    }
    return n;
}

/* A PU that has had a block, finds nothing more, and says so. */
static void start_idle(struct fixture *f, int n_pus, int pu)
{
    start(f, n_pus, &with_backups);
    serve(f, pu);
    assert_true(done(f, pu, 99, UNITS - 1, 1, 3));
    expect_nothing(f, pu);
    assert_true(empty(f, 1, 0.0, 0.0));
    assert_int_equal(says_idle(f, pu), 1);
    expect_nothing(f, pu);
    assert_int_equal(says_idle(f, pu), 0); /* once is enough */
}

static void a_task_is_obsolete_when_all_its_units_are_accepted(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, &with_backups);
    struct plb_slice task = {.range = {10, 10}, .block = 7, .pass = 1};
    assert_true(cancel(&f, 0, 15));
    assert_false(plb_worker_obsolete(f.worker, &task));
    assert_true(cancel(&f, 18, 5));
    assert_false(plb_worker_obsolete(f.worker, &task));
    assert_true(cancel(&f, 15, 3));
    assert_true(plb_worker_obsolete(f.worker, &task));
    stop(&f);
}

static void a_pu_with_a_task_is_not_idle(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, &with_backups);
    serve(&f, 0);
    expect_nothing(&f, 0); /* it has room for a second task */
    assert_true(empty(&f, 1, 0.0, 0.0));
    assert_int_equal(says_idle(&f, 0), 0);
    assert_true(done(&f, 0, 99, UNITS - 1, 1, 3));
    assert_int_equal(says_idle(&f, 0), 1);
    stop(&f);
}

static void nobody_is_idle_while_there_is_something_to_grant(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, &with_backups);
    serve(&f, 0);
    assert_true(done(&f, 0, 99, UNITS - 1, 1, 3));
    expect_nothing(&f, 0);
    assert_int_equal(says_idle(&f, 0), 0);
    assert_true(empty(&f, 1, 0.0, 0.0));
    assert_int_equal(says_idle(&f, 0), 1);
    stop(&f);
}

/* The master asks nobody else for what was not its PU's own. */
static void a_report_says_that_it_is_of_a_copy(void **state)
{
    (void)state;
    struct fixture f;
    struct plb_slice task;
    start_idle(&f, 1, 0);
    for (int copies = 0; copies < 2; copies++) {
        assert_true(copies ? copy(&f, 0, 4, 20, 5) : block(&f, 1, 0, 4, 10, 10, 10));
        while (plb_worker_take(f.worker, 0, &task))
            plb_worker_done(f.worker, 0, &task, 1.0, 0.25, PLB_NO_SLOT);
        f.out.n = 0;
        plb_worker_collect(f.worker, 0.0, &f.out);
        assert_true(f.out.n > 0 && f.out.at[0].type == PLB_DONE && f.out.at[0].done.copy == copies);
    }
    f.out.n = 0;
    assert_true(copy(&f, 0, 4, 30, 5) && plb_worker_take(f.worker, 0, &task));
    plb_worker_fail(f.worker, 0, &task, &(struct plb_device_failure){.among = task.range, .text = "broken"});
    plb_worker_collect(f.worker, 0.0, &f.out);
    assert_true(f.out.n == 1 && f.out.at[0].type == PLB_FAIL && f.out.at[0].fail.copy == 1);
    stop(&f);
}

static void a_pu_is_idle_again_after_a_copy(void **state)
{
    (void)state;
    struct fixture f;
    start_idle(&f, 1, 0);
    assert_true(copy(&f, 0, 4, 20, 5));
    expect(&f, 0, 4, 20, 5);
    assert_int_equal(says_idle(&f, 0), 0);
    assert_true(done(&f, 0, 4, 20, 5, 3));
    expect_nothing(&f, 0);
    assert_int_equal(says_idle(&f, 0), 1);
    stop(&f);
}

static void a_pu_is_idle_again_after_a_copy_that_was_cancelled(void **state)
{
    (void)state;
    struct fixture f;
    start_idle(&f, 1, 0);
    assert_true(copy(&f, 0, 4, 20, 5));
    assert_true(cancel(&f, 20, 5));
    expect_nothing(&f, 0);
    assert_int_equal(says_idle(&f, 0), 1);
    stop(&f);
}

/* The units of its neighbour come without a message. */
static void a_pu_is_idle_again_after_its_neighbour_s_units(void **state)
{
    (void)state;
    struct fixture f;
    start_idle(&f, 2, 1);
    assert_true(block(&f, 1, 0, 4, 20, 40, 40));
    struct plb_slice task;
    assert_true(plb_worker_take(f.worker, 1, &task));
    assert_true(done(&f, 1, 4, task.range.first, task.range.count, 3));
    assert_true(cancel(&f, 20, 40));
    expect_nothing(&f, 1);
    assert_int_equal(says_idle(&f, 1), 1);
    stop(&f);
}

static void suspect_units_are_forgotten(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, &with_backups);
    assert_true(block(&f, 1, 0, 4, 20, 10, 10));
    assert_true(copy(&f, 0, 5, 50, 4));
    assert_true(cancel_as(&f, 22, 3, PLB_UNDER_SUSPICION));
    assert_true(cancel_as(&f, 50, 2, PLB_UNDER_SUSPICION));
    expect(&f, 0, 4, 20, 2);
    expect(&f, 0, 4, 25, 5);
    expect(&f, 0, 5, 52, 2);
    expect_nothing(&f, 0);
    stop(&f);
}

/* Messages overtake each other. */
static void suspect_units_that_come_late_are_forgotten(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, &with_backups);
    serve(&f, 0);
    assert_true(cancel_as(&f, 20, 30, PLB_UNDER_SUSPICION));
    assert_true(copy(&f, 0, 4, 20, 5));
    assert_true(block(&f, 1, 0, 5, 40, 11, 11));
    assert_true(gift(&f, 1, 2, 30, 5));
    expect(&f, 0, 5, 50, 1);
    expect_nothing(&f, 0);
    assert_true(begin(&f, 2, 0));
    assert_true(block(&f, 2, 0, 6, 20, 5, 5)); /* the next pass knows nothing of it */
    expect(&f, 0, 6, 20, 5);
    stop(&f);
}

static void suspect_units_come_alone(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, &with_backups);
    assert_true(alone(&f, 0, 7, 20, 2)); /* before the CANCEL that the master has sent before */
    assert_true(cancel_as(&f, 20, 5, PLB_UNDER_SUSPICION));
    assert_true(alone(&f, 0, 8, 23, 1));
    expect(&f, 0, 7, 20, 1);
    expect(&f, 0, 7, 21, 1);
    expect(&f, 0, 8, 23, 1);
    expect_nothing(&f, 0);
    stop(&f);
}

static void units_that_are_put_aside_are_not_even_tried_alone(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, &with_backups);
    assert_true(alone(&f, 0, 7, 20, 2));
    assert_true(cancel_as(&f, 20, 1, PLB_PUT_ASIDE));
    assert_true(cancel_as(&f, 30, 1, PLB_PUT_ASIDE));
    assert_true(alone(&f, 0, 8, 30, 1));
    expect(&f, 0, 7, 21, 1);
    expect_nothing(&f, 0);
    stop(&f);
}

/* A task that waits for its inputs, or behind another one. */
static void a_task_with_suspect_units_is_given_up_before_it_begins(void **state)
{
    (void)state;
    struct fixture f;
    struct plb_slice own, copied;
    start(&f, 1, &with_backups);
    assert_true(block(&f, 1, 0, 4, 20, 10, 10) && copy(&f, 0, 5, 50, 4));
    assert_true(plb_worker_take(f.worker, 0, &own) && plb_worker_take(f.worker, 0, &copied));
    assert_false(plb_worker_revoke(f.worker, 0, &own) || plb_worker_revoke(f.worker, 0, &copied));
    assert_true(cancel_as(&f, 29, 1, PLB_UNDER_SUSPICION) && cancel_as(&f, 50, 1, PLB_UNDER_SUSPICION));
    assert_true(plb_worker_revoke(f.worker, 0, &own) && plb_worker_revoke(f.worker, 0, &copied));
    expect(&f, 0, 4, 20, 9); /* and another node has the units of the copy */
    expect_nothing(&f, 0);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_is_obsolete_when_all_its_units_are_accepted),
        cmocka_unit_test(a_pu_with_a_task_is_not_idle),
        cmocka_unit_test(nobody_is_idle_while_there_is_something_to_grant),
        cmocka_unit_test(a_report_says_that_it_is_of_a_copy),
        cmocka_unit_test(a_pu_is_idle_again_after_a_copy),
        cmocka_unit_test(a_pu_is_idle_again_after_a_copy_that_was_cancelled),
        cmocka_unit_test(a_pu_is_idle_again_after_its_neighbour_s_units),
        cmocka_unit_test(suspect_units_are_forgotten),
        cmocka_unit_test(suspect_units_that_come_late_are_forgotten),
        cmocka_unit_test(suspect_units_come_alone),
        cmocka_unit_test(units_that_are_put_aside_are_not_even_tried_alone),
        cmocka_unit_test(a_task_with_suspect_units_is_given_up_before_it_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
