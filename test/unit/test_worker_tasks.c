/* How the worker cuts tasks off a queue: by the speed of their PU, as the user wants, and in bursts. */
#include "worker_fixture.h"

/* A PU of which nothing is known shows its speed with a first part of a block, and with a second of twice the
 * size what a start costs: here nothing, so tasks last a quarter of a second, and have fewer units when it
 * slows down. Without backups the second one is smaller, since the first has lasted for a second. */
static void follow_the_speed(bool backups, const int64_t expected[4])
{
    struct fixture f;
    struct plb_slice task;
    struct plb_migration migration = migration_on;
    migration.backups = backups;
    start(&f, 1, &migration);
    assert_true(block(&f, 1, 0, 7, 0, 1000, 100));
    int64_t last = 0;
    double seconds = 0.01; /* for a unit */
    for (int i = 0; i < 12; i++) {
        assert_true(plb_worker_take(f.worker, 0, &task));
        if (i < 4)
            assert_in_range(task.range.count, expected[i] - 1, expected[i]);
        last = task.range.count;
        seconds = i < 4 ? 0.01 : 0.05;
        plb_worker_done(f.worker, 0, &task, seconds * (double)task.range.count, 0.0, PLB_NO_SLOT);
    }
    assert_in_range(last, 5, 7);
    stop(&f);
}

static void tasks_follow_the_speed_of_their_pu(void **state)
{
    (void)state;
    follow_the_speed(true, (const int64_t[]){100, 180, 48, 25});
    follow_the_speed(false, (const int64_t[]){100, 25, 25, 25});
}

static void tasks_last_as_long_as_the_user_says(void **state)
{
    struct fixture f;
    struct plb_slice task;
    (void)state;
    start(&f, 1, &(struct plb_migration){.on = true, .task_s = 0.05});
    struct plb_message m = message(PLB_BLOCK, 0, 1);
    m.block = (struct plb_block){{0, 1000}, 7, 500, 1, 0.0, 0};
    assert_true(receive(&f, &m));
    for (int i = 0; i < 3; i++) {
        assert_true(plb_worker_take(f.worker, 0, &task));
        plb_worker_done(f.worker, 0, &task, 0.001 * (double)task.range.count, 0.0, PLB_NO_SLOT);
    }
    assert_in_range(task.range.count, 49, 50);
    stop(&f);
}

/* A unit took half a second: a start, perhaps, or the work. 400 units as one task would say it too late. */
static void tasks_grow_step_by_step(void **state)
{
    struct fixture f;
    struct plb_slice task;
    (void)state;
    start(&f, 1, &(struct plb_migration){.on = true, .task_s = 0.25});
    struct plb_message m = message(PLB_BLOCK, 0, 1);
    m.block = (struct plb_block){{0, 1}, 7, 1, 0, 0.0, 0};
    assert_true(receive(&f, &m));
    assert_true(plb_worker_take(f.worker, 0, &task));
    plb_worker_done(f.worker, 0, &task, 0.5, 0.0, PLB_NO_SLOT);
    m.block = (struct plb_block){{1, 400}, 8, 400, 0, 0.0, 0};
    assert_true(receive(&f, &m));
    for (int64_t i = 0, largest = 1; i < 5; i++) {
        assert_true(plb_worker_take(f.worker, 0, &task));
        assert_in_range(task.range.count, 1, 4 * largest);
        largest = task.range.count > largest ? task.range.count : largest;
        plb_worker_done(f.worker, 0, &task, 0.5 * (double)task.range.count, 0.0, PLB_NO_SLOT);
    }
    stop(&f);
}

/* The master knows that starts are free: small tasks that are slow say that the PU is slower now. */
static void what_the_master_knows_outweighs_slow_small_tasks(void **state)
{
    struct fixture f;
    struct plb_slice task;
    (void)state;
    start(&f, 1, &migration_on);
    struct plb_message m = message(PLB_BLOCK, 0, 1);
    m.block = (struct plb_block){{0, 1000}, 7, 100, 1, 0.0, 0};
    assert_true(receive(&f, &m));
    double seconds = 0.0025; /* for a unit */
    for (int i = 0; i < 5; i++) {
        assert_true(plb_worker_take(f.worker, 0, &task));
        seconds = i == 0 ? 0.0025 : 0.025;
        plb_worker_done(f.worker, 0, &task, seconds * (double)task.range.count, 0.0, PLB_NO_SLOT);
    }
    assert_in_range(task.range.count, 1, 30); /* by the first ones, 200 */
    stop(&f);
}

/* A PU whose tasks last 1 us gets eight of them at once, but no more than an eighth of what waits. */
static void short_tasks_come_in_bursts(void **state)
{
    const struct plb_worker_pu pus[2] = {{1.0, {INT64_MAX, INFINITY}, true},
                                         {1.0, {INT64_MAX, INFINITY}, false}};
    for (int pu = 0; pu < 2; pu++) {
        struct fixture f;
        struct plb_slice task;
        (void)state;
        prepare(&f, 2, pus, NULL, &(struct plb_migration){.on = false});
        assert_true(begin(&f, 1, 0));
        assert_true(block(&f, 1, pu, 7, 0, 202, 2));
        int64_t expected[] = {2, 16, 16, 16, 16, 16, 16, 14, 12, 10, 10, 8, 8};
        for (int i = 0, first = 0; i < 13; i++) {
            assert_true(plb_worker_take(f.worker, pu, &task));
            assert_int_equal(task.range.first, first);
            assert_int_equal(task.range.count, pu == 0 ? expected[i] : 2);
            assert_int_equal(task.more, pu == 0 ? expected[i] / 2 - 1 : 0);
            assert_int_equal(plb_slice_units(&task), 2);
            first += (int)task.range.count;
            plb_worker_done(f.worker, pu, &task, 1e-6 * (double)(task.more + 1), 0.0, PLB_NO_SLOT);
        }
        plb_worker_collect(f.worker, 0.0, &f.out);
        assert_int_equal(f.out.n, 1);
        assert_int_equal(f.out.at[0].done.tasks, f.out.at[0].done.range.count / 2);
        stop(&f);
    }
}

/* Tasks of 11 us come one by one: two of them are longer than a burst may last. */
static void longer_tasks_come_alone(void **state)
{
    const struct plb_worker_pu pu = {1.0, {INT64_MAX, INFINITY}, true};
    struct fixture f;
    struct plb_slice task;
    (void)state;
    prepare(&f, 1, &pu, NULL, &(struct plb_migration){.on = false});
    assert_true(begin(&f, 1, 0));
    assert_true(block(&f, 1, 0, 7, 0, 200, 1));
    for (int i = 0; i < 5; i++) {
        assert_true(plb_worker_take(f.worker, 0, &task));
        assert_int_equal(task.more, 0);
        plb_worker_done(f.worker, 0, &task, 11e-6 * (double)task.range.count, 0.0, PLB_NO_SLOT);
    }
    stop(&f);
}

static void ends(struct fixture *f, int64_t units, double seconds)
{
    struct plb_slice task;
    assert_true(plb_worker_take(f->worker, 0, &task));
    assert_int_equal(task.range.count, units);
    plb_worker_done(f->worker, 0, &task, seconds, 0.0, PLB_NO_SLOT);
}

/* Units of phase 1 are half as much work as the mean at first, and later three times that. */
static void time_is_expected_where_costs_are_told(void **state)
{
    const struct plb_worker_pu pu = {1.0, {INT64_MAX, INFINITY}, false};
    struct plb_slice late = {.range = {600, 10}, .pass = 1};
    struct fixture f;
    (void)state;
    prepare(&f, 1, &pu, NULL, &(struct plb_migration){.on = false});
    assert_true(begin(&f, 1, 1));
    assert_float_equal(plb_worker_expect(f.worker, 0, &late), 0.0, 0.0); /* nothing is measured */
    assert_true(block(&f, 1, 0, 7, 0, 20, 10));
    ends(&f, 10, 3.0);
    assert_float_equal(plb_worker_expect(f.worker, 0, &late), 3.0 + 27.0, 1e-9);
    ends(&f, 10, 1.0);
    assert_float_equal(plb_worker_expect(f.worker, 0, &late), 3.0 + 18.0, 1e-9);
    assert_true(begin(&f, 2, 0)); /* whose costs are unknown */
    assert_float_equal(plb_worker_expect(f.worker, 0, &late), 0.0, 0.0);
    assert_true(block(&f, 2, 0, 7, 0, 20, 10));
    ends(&f, 10, 1.0);
    late.pass = 2;
    assert_float_equal(plb_worker_expect(f.worker, 0, &late), 0.0, 0.0);
    assert_true(begin(&f, 3, 1)); /* what it has measured in the first pass counts */
    late.pass = 3;
    assert_float_equal(plb_worker_expect(f.worker, 0, &late), 3.0 + 18.0, 1e-9);
    stop(&f);
}

/* One of their tasks may kill its rank, and the master chooses which rank that is. */
static void suspect_units_stay_in_small_tasks(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 2, &migration_on);
    struct plb_message m = message(PLB_BLOCK, 0, 1);
    m.block = (struct plb_block){{40, 40}, 9, 3, 20, 100.0, 1};
    assert_true(receive(&f, &m));
    empty(&f, 1, 0.0, 0.0);
    struct plb_message thief = message(PLB_STEAL, 2, 1);
    thief.steal.power = 4.0;
    assert_true(receive(&f, &thief) && f.out.n > 0);
    assert_int_equal(f.out.at[f.out.n - 1].gifts.n, 0);
    for (int units = 40; units > 0; units -= 3)
        assert_true(taken(&f, 0) <= 3);
    assert_int_equal(taken(&f, 0), 0);
    stop(&f);
}

/* The PU goes on with the rest of its block. */
static void a_task_that_crashes_goes_back_alone(void **state)
{
    struct fixture f;
    struct plb_slice task, next;
    (void)state;
    start(&f, 1, &migration_on);
    assert_true(block(&f, 1, 0, 7, 0, 100, 10));
    assert_true(plb_worker_take(f.worker, 0, &task));
    plb_worker_crash(f.worker, 0, &task, 11);
    f.out.n = 0;
    plb_worker_collect(f.worker, 0.0, &f.out);
    assert_int_equal(f.out.n, 1);
    const struct plb_message *m = &f.out.at[0];
    assert_int_equal(m->type, PLB_CRASH);
    assert_int_equal(m->pu, 0);
    assert_int_equal(m->pass, 1);
    assert_int_equal(m->crash.range.first, task.range.first);
    assert_int_equal(m->crash.range.count, task.range.count);
    assert_int_equal(m->crash.block, 7);
    assert_int_equal(m->crash.signal, 11);
    assert_true(m->crash.alive && !m->crash.audit && m->crash.others == 0);
    assert_true(plb_worker_take(f.worker, 0, &next));
    assert_int_equal(next.range.first, task.range.first + task.range.count);
    stop(&f);
}

/* A backup has ended the pass before the master hears that the PU's device has failed. */
static void the_next_pass_hears_why_a_device_has_failed(void **state)
{
    struct fixture f;
    struct plb_slice task;
    (void)state;
    start(&f, 1, &migration_on);
    assert_true(block(&f, 1, 0, 7, 0, 10, 10));
    assert_true(plb_worker_take(f.worker, 0, &task));
    plb_worker_leave(f.worker, 0, &task,
                     &(struct plb_device_failure){.status = 700, .text = "it broke", .among = task.range});
    assert_true(begin(&f, 2, 0));
    f.out.n = 0;
    assert_true(block(&f, 2, 0, 8, 0, 10, 10));
    plb_worker_collect(f.worker, 0.0, &f.out);
    assert_int_equal(f.out.n, 2);
    assert_true(f.out.at[0].type == PLB_FAIL && f.out.at[0].pass == 1);
    assert_string_equal(f.out.at[0].fail.text, "it broke");
    assert_true(f.out.at[1].type == PLB_FAIL && f.out.at[1].pass == 2);
    stop(&f);
}

/* PU 0 has shown 100 units in a second, and PU 1 four. PU 0 ends a queue of two before PU 1 would, so that it
 * gives nothing away; unless its task lasts. */
static void what_is_behind_a_long_task_is_left_to_others(void **state)
{
    struct fixture f;
    struct plb_slice task, again;
    (void)state;
    for (int lasts = 0; lasts < 2; lasts++) {
        start(&f, 2, &migration_on);
        serve(&f, 1);
        plb_worker_done(f.worker, 1, &(struct plb_slice){.range = {UNITS - 1, 1}, .block = 99, .pass = 1},
                        0.25, 0.0, PLB_NO_SLOT);
        assert_true(block(&f, 1, 0, 7, 0, 100, 100));
        assert_true(plb_worker_take(f.worker, 0, &task));
        done(&f, 0, 7, 0, 100, PLB_NO_SLOT);
        assert_true(block(&f, 1, 0, 8, 100, 3, 3));
        assert_true(plb_worker_take(f.worker, 0, &task));
        assert_int_equal(task.range.count, 3);
        assert_true(empty(&f, 1, 0.0, 0.0));
        struct plb_slice first = task, behind = task;
        first.range.count = 1;
        behind.range = (struct plb_range){101, 2};
        assert_true(plb_worker_put_back(f.worker, 0, &behind));
        if (lasts)
            plb_worker_lasts(f.worker, 0, &first, 2.0);
        assert_int_equal(taken(&f, 1), lasts);
        assert_int_equal(plb_worker_take(f.worker, 0, &again), !lasts);
        plb_worker_done(f.worker, 0, &first, 3.0, 0.0, PLB_NO_SLOT);
        assert_int_equal(plb_worker_take(f.worker, 0, &again), true);
        assert_int_equal(again.range.first, 102);
        stop(&f);
    }
}

/* Nobody else may have them. */
static void some_units_stay_behind_a_long_task(void **state)
{
    struct fixture f;
    struct plb_slice task;
    (void)state;
    start(&f, 1, &migration_on);
    assert_true(block(&f, 1, 0, 7, 0, 10, 10));
    assert_true(plb_worker_take(f.worker, 0, &task));
    struct plb_slice audit = task, copy = task, suspect = task, old = task;
    audit.audit = copy.copy = true;
    suspect.hop = PLB_HOPS;
    old.pass = 0;
    assert_false(plb_worker_put_back(f.worker, 0, &audit));
    assert_false(plb_worker_put_back(f.worker, 0, &copy));
    assert_false(plb_worker_put_back(f.worker, 0, &suspect));
    assert_false(plb_worker_put_back(f.worker, 0, &old));
    assert_true(plb_worker_put_back(f.worker, 0, &task));
    expect(&f, 0, 7, 0, 10);
    plb_worker_rest(f.worker);
    assert_false(plb_worker_put_back(f.worker, 0, &task));
    stop(&f);
}

/* Gifts for node 2, which executes so many units in a second. */
static int64_t gifts(struct fixture *f, double rate)
{
    struct plb_message m = message(PLB_STEAL, 2, 1);
    m.steal = (struct plb_steal){rate, 4.0, rate};
    f->out.n = 0;
    assert_true(receive(f, &m));
    return f->out.at[0].gifts.n;
}

/* Each gift is one more result. Rank 0's link needs 3 s for the arrays of one result of each of three nodes.
 * So a thief that executes five units in a second gets 15 or none. */
static void a_gift_lasts_longer_than_its_arrays_travel(void **state)
{
    (void)state;
    static const struct plb_worker_pu pu = {4.0, {INT64_MAX, INFINITY}, false};
    static const struct plb_sizes sizes = {.task_bytes = 125e6};
    struct fixture f;
    prepare(&f, 1, &pu, &sizes, &migration_on);
    begin(&f, 1, 0);
    assert_true(block(&f, 1, 0, 1, 0, 20, 20));
    assert_int_equal(gifts(&f, 5.0), 0); /* half would be 10 */
    assert_true(block(&f, 1, 0, 2, 100, 20, 20));
    assert_int_equal(gifts(&f, 5.0), 1);
    assert_int_equal(gifts(&f, 0.0), 1); /* its rate is not known */
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_that_crashes_goes_back_alone),
        cmocka_unit_test(the_next_pass_hears_why_a_device_has_failed),
        cmocka_unit_test(tasks_follow_the_speed_of_their_pu),
        cmocka_unit_test(tasks_grow_step_by_step),
        cmocka_unit_test(tasks_last_as_long_as_the_user_says),
        cmocka_unit_test(what_the_master_knows_outweighs_slow_small_tasks),
        cmocka_unit_test(short_tasks_come_in_bursts),
        cmocka_unit_test(longer_tasks_come_alone),
        cmocka_unit_test(time_is_expected_where_costs_are_told),
        cmocka_unit_test(suspect_units_stay_in_small_tasks),
        cmocka_unit_test(a_gift_lasts_longer_than_its_arrays_travel),
        cmocka_unit_test(what_is_behind_a_long_task_is_left_to_others),
        cmocka_unit_test(some_units_stay_behind_a_long_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
