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

static bool cancel(struct fixture *f, int64_t first, int64_t count)
{
    struct plb_message m = message(PLB_CANCEL, 0, 1);
    m.cancel.range = (struct plb_range){first, count};
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
    struct plb_slice task = {{10, 10}, 7, 1, 0, false};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_is_obsolete_when_all_its_units_are_accepted),
        cmocka_unit_test(a_pu_with_a_task_is_not_idle),
        cmocka_unit_test(nobody_is_idle_while_there_is_something_to_grant),
        cmocka_unit_test(a_pu_is_idle_again_after_a_copy),
        cmocka_unit_test(a_pu_is_idle_again_after_a_copy_that_was_cancelled),
        cmocka_unit_test(a_pu_is_idle_again_after_its_neighbour_s_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
