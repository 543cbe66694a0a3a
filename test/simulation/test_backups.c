/* Backups: a late task costs one more execution, and not the run. */
#include "small_cluster.h"

#define SLOWER 3000.0

static void with_backups(struct fixture *f, bool backups)
{
    f->s.master.migration = f->s.migration.on = true;
    f->s.master.backups = f->s.migration.backups = backups;
    f->s.migration.threshold = 1.0;
    f->s.max_events = 100000;
}

/* Seconds of a run in which PU 1 needs SLOWER times as long for a unit as PU 0. */
static double with_a_straggler(bool backups, bool whole, double bytes)
{
    static struct fixture f;
    double worked[2] = {0.0, 0.0};
    set_up(&f, 2, "greedy");
    with_backups(&f, backups);
    f.pus[1].rate = f.pus[0].rate / SLOWER;
    f.s.master.whole_results = whole;
    f.s.worked_s = worked;
    travel(&f, 0.0, bytes);
    run(&f);
    assert_int_equal(plb_master_accepted(f.result.master), UNITS);
    assert_int_equal(
        plb_master_totals(f.result.master, 0)->units + plb_master_totals(f.result.master, 1)->units, UNITS);
    assert_true((plb_backups_counts(plb_master_backups(f.result.master))->copies > 0) == backups);
    assert_true((f.sent[PLB_CANCEL] > 0) == backups);
    double makespan = f.result.makespan_s;
    /* the straggler was at work nearly all the time, though its task may have been cancelled */
    assert_true(worked[1] > 0.9 * makespan && worked[1] <= f.result.stopped_s * (1.0 + 1e-9));
    tear_down(&f);
    return makespan;
}

/* PU 0 needs 10 s for everything, and PU 1 30 s for a unit. */
static void a_straggler_costs_one_more_execution(void **state)
{
    (void)state;
    double best = UNITS / 100.0, without = with_a_straggler(false, false, 0.0);
    double got = with_a_straggler(true, false, 0.0), fetched = with_a_straggler(true, false, 8.0);
    if (!(without > 2.0 * best))
        fail_msg("without backups the run lasts %g s: the straggler is none", without);
    if (!(got <= 1.02 * best && fetched <= 1.02 * best))
        fail_msg("the run lasts %g s, or %g s where results travel, and the best is %g s", got, fetched,
                 best);
}

/* A result of a reduced array counts whole or not at all. */
static void reduced_arrays_count_once(void **state)
{
    (void)state;
    double best = UNITS / 100.0, got = with_a_straggler(true, true, 0.0);
    if (!(got <= 1.02 * best))
        fail_msg("the run lasts %g s, and the best is %g s", got, best);
}

/* A PU hangs in its first tasks, and nobody detects it while the run lasts. */
static void a_hung_pu_does_not_hang_the_run(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        static struct fixture f;
        struct plb_fault fault = {.kind = PLB_HANGS, .node = 1, .pu = 1, .at = 0.5};
        set_up(&f, 3, "gss");
        with_backups(&f, true);
        f.s.master.whole_results = whole > 0;
        f.s.faults = &fault;
        f.s.n_faults = 1;
        f.s.stuck_s = INFINITY;
        run(&f);
        if (!(f.result.makespan_s <= 7.5)) /* two PUs need 5 s; a third of the units are executed late */
            fail_msg("the run lasts %g s", f.result.makespan_s);
        assert_int_equal(plb_master_accepted(f.result.master), UNITS);
        tear_down(&f);
    }
}

/* The PU that executes a copy hangs too: a third one gets it. */
static void a_copy_may_be_late_itself(void **state)
{
    (void)state;
    static struct fixture f;
    struct plb_fault faults[] = {{.kind = PLB_HANGS, .node = 1, .pu = 1, .at = 0.5},
                                 {.kind = PLB_HANGS, .node = 2, .pu = 2, .at = 5.2}};
    set_up(&f, 4, "gss");
    with_backups(&f, true);
    f.pus[3].rate = 10.0;
    f.s.faults = faults;
    f.s.n_faults = 2;
    f.s.stuck_s = INFINITY;
    run(&f);
    assert_int_equal(plb_master_accepted(f.result.master), UNITS);
    if (!(f.result.makespan_s < 60.0))
        fail_msg("the run lasts %g s", f.result.makespan_s);
    tear_down(&f);
}

/* In the next pass a PU whose task was cancelled works again at once. */
static void a_cancelled_pu_is_free(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f, 2, "greedy");
    with_backups(&f, true);
    f.pus[1].rate = f.pus[0].rate / SLOWER;
    f.s.passes = 3;
    f.s.phases = (const int[]){0, 0, 0};
    run(&f);
    assert_true(plb_master_totals(f.result.master, 1)->blocks >= 3);
    if (!(f.result.makespan_s <= 3.06 * UNITS / 100.0))
        fail_msg("three passes last %g s", f.result.makespan_s);
    tear_down(&f);
}

/* A PU that is not twice as fast as the holder would hardly win anything. */
static void nobody_helps_an_equal(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f, 3, "greedy");
    with_backups(&f, true);
    f.pus[1].rate = 70.0;
    f.pus[2].rate = 60.0;
    run(&f);
    assert_true(f.sent[PLB_IDLE] > 0);
    assert_int_equal(f.sent[PLB_BACKUP], 0);
    tear_down(&f);
}

/* Of three PUs two get the only four units, and are slow. Nobody knows that the third one is fast. */
static void a_pu_of_unknown_speed_is_tried(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f, 3, "greedy");
    with_backups(&f, true);
    f.pus[0].rate = f.pus[1].rate = 0.01;
    plb_cost_map_fini(&f.maps[0]);
    assert_int_equal(plb_cost_map_init(&f.maps[0], 4, times_count, &f.costs[0], &f.err), PLB_OK);
    f.s.master.units = 4;
    run(&f);
    assert_int_equal(plb_master_totals(f.result.master, 2)->units, 4);
    if (!(f.result.makespan_s <= 1.0)) /* the others need 100 s */
        fail_msg("the run lasts %g s", f.result.makespan_s);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straggler_costs_one_more_execution),
        cmocka_unit_test(reduced_arrays_count_once),
        cmocka_unit_test(a_hung_pu_does_not_hang_the_run),
        cmocka_unit_test(a_copy_may_be_late_itself),
        cmocka_unit_test(a_cancelled_pu_is_free),
        cmocka_unit_test(nobody_helps_an_equal),
        cmocka_unit_test(a_pu_of_unknown_speed_is_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
