/* Which late units the master gives to idle PUs, event by event. */
#include "core/again/late.h"
#include "master_fixture.h"

static const struct plb_master_config with_backups = {.migration = true, .backups = true},
                                      whole = {.migration = true, .backups = true, .whole_results = true};

static void is_idle(struct fixture *f, int node, double now)
{
    struct plb_message m = message(f, PLB_IDLE, node);
    assert_int_equal(plb_master_receive(f->master, &m, now, &f->out), 0);
}

/* Has the master look when it wants to; returns the messages sent before that. */
static int look(struct fixture *f)
{
    int before = f->out.n;
    double due = plb_master_due(f->master);
    assert_true(isfinite(due));
    plb_master_tick(f->master, due, &f->out);
    expect_sound(f);
    return before;
}

static const struct plb_message *last_copy(const struct fixture *f)
{
    for (int i = f->out.n - 1; i >= 0; i--)
        if (f->out.at[i].type == PLB_BACKUP)
            return &f->out.at[i];
    fail_msg("no copy was given");
    return NULL;
}

/* Node 0 is late with the only unit that is missing, and both others are idle. */
static void start_late(struct fixture *f)
{
    start(f, "static", 0.0, 3, 3, &with_backups);
    for (int n = 1; n < 3; n++) {
        report(f, block_of(f, n), n, 0, 1);
        is_idle(f, n, 11.0);
    }
    for (int from = f->out.n; sent(f, from, PLB_BACKUP) == 0;)
        look(f);
    assert_int_equal(sent(f, 0, PLB_BACKUP), 1);
}

/* No message comes any more. */
static void a_copy_that_is_late_is_given_to_a_third_one(void **state)
{
    (void)state;
    struct fixture f;
    start_late(&f);
    int first = last_copy(&f)->to;
    for (int from = f.out.n; sent(&f, from, PLB_BACKUP) == 0;)
        look(&f);
    assert_int_equal(sent(&f, 0, PLB_BACKUP), 2);
    assert_int_equal(last_copy(&f)->to, 3 - first);
    stop(&f);
}

/* The holder is told that its units are not wanted any more, and the copy is said to have won. */
static void the_copy_s_result_cancels_the_holder_s(void **state)
{
    (void)state;
    struct fixture f;
    start_late(&f);
    int by = last_copy(&f)->to, from = f.out.n;
    assert_int_equal(report(&f, block_of(&f, 0), by, 0, 1), 1);
    assert_int_equal(sent(&f, from, PLB_CANCEL), 1);
    assert_int_equal(f.out.at[from].to, 0);
    assert_int_equal(plb_backups_counts(plb_master_backups(f.master))->won, 1);
    assert_int_equal(plb_master_totals(f.master, by)->units, 2);
    stop(&f);
}

/* The holder did not hear in time: its result comes after the copy's. */
static void a_result_that_comes_second_is_no_work(void **state)
{
    (void)state;
    struct fixture f;
    start_late(&f);
    report(&f, block_of(&f, 0), last_copy(&f)->to, 0, 1);
    int from = f.out.n;
    assert_int_equal(report(&f, block_of(&f, 0), 0, 0, 1), 0);
    assert_int_equal(plb_master_accepted(f.master), 3);
    assert_int_equal(plb_master_totals(f.master, 0)->units, 0);
    assert_int_equal(plb_master_totals(f.master, 0)->in_vain, 1);
    assert_int_equal(plb_backups_counts(plb_master_backups(f.master))->won, 1);
    assert_int_equal(sent(&f, from, PLB_CANCEL) + sent(&f, from, PLB_BLOCK), 0);
    stop(&f);
}

/* Node 0 has done 1 of 100 units in a second, node 1 ten at a time and is idle, node 2 half of them and needs
 * one second more. It would end a copy in a third of the time of node 1, and so node 1 gets none before. */
static void a_copy_waits_for_who_ends_it_sooner(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "static", 0.0, 3, 300, &with_backups);
    report(&f, block_of(&f, 0), 0, 0, 1);
    for (int i = 0; i < 10; i++)
        report(&f, block_of(&f, 1), 1, 10 * i, 10);
    report(&f, block_of(&f, 2), 2, 0, 50);
    is_idle(&f, 1, 11.0);
    int from = f.out.n;
    for (int i = 0; i < 20 && plb_master_due(f.master) < 11.9; i++)
        look(&f);
    assert_int_equal(sent(&f, from, PLB_BACKUP), 0);
    report(&f, block_of(&f, 2), 2, 50, 50);
    is_idle(&f, 2, 12.0);
    while (sent(&f, from, PLB_BACKUP) == 0)
        look(&f);
    while (f.out.at[from].type != PLB_BACKUP)
        from++;
    assert_int_equal(f.out.at[from].to, 2); /* most of it; the other one gets its share */
    stop(&f);
}

/* Nodes 0 and 3 are late with a unit each. Node 1 gets a copy of one, and ends that sooner than node 2 would
 * end one of the other. */
static void nor_is_one_given_to_a_slow_pu_beside_a_quick_one(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "static", 0.0, 4, 160, &with_backups);
    report(&f, block_of(&f, 1), 1, 0, 40);
    for (int i = 0; i < 40; i++)
        report(&f, block_of(&f, 2), 2, i, 1);
    for (int n = 0; n < 4; n += 3)
        report(&f, block_of(&f, n), n, 0, 39);
    is_idle(&f, 1, 100.0);
    is_idle(&f, 2, 100.0);
    while (sent(&f, 0, PLB_BACKUP) == 0)
        look(&f);
    assert_int_equal(sent(&f, 0, PLB_BACKUP), 1);
    assert_int_equal(last_copy(&f)->to, 1);
    stop(&f);
}

/* Nodes 0 to 2 have reported nothing of their 100 units. Node 3 has done its own: a start took a second, and
 * a unit a thousandth. */
static void start_late_neighbours(struct fixture *f, const struct plb_master_config *config)
{
    start(f, "static", 0.0, 4, 400, config);
    for (int i = 1, at = 0; i <= 4; at += 10 * i++) {
        struct plb_message block = block_of(f, 3), done = done_of(f, &block, 3, at, 10 * i);
        done.done.execute_s = 1.0 + 0.01 * i;
        receive(f, &done, 11.0);
    }
}

/* Node 3 is idle, and gets a copy. */
static struct plb_block copied(struct fixture *f, double now)
{
    is_idle(f, 3, now);
    while (sent(f, 0, PLB_BACKUP) == 0)
        if (sent(f, look(f), PLB_EMPTY) > 0) /* it asks once more */
            is_idle(f, 3, now);
    assert_true(sent(f, 0, PLB_BACKUP) == 1 && last_copy(f)->to == 3);
    return last_copy(f)->block;
}

/* Node 3 has executed these units of its copy. */
static struct plb_message done_copy(const struct fixture *f, int64_t first, int64_t count)
{
    struct plb_message done = message(f, PLB_DONE, 3);
    done.done = (struct plb_done){
        .range = {first, count}, .block = last_copy(f)->block.id, .slot = PLB_NO_SLOT, .tasks = 1, .copy = 1};
    return done;
}

/* One BACKUP has the units of three blocks, which are next to each other; all their holders are told once. */
static void late_neighbours_are_one_copy(void **state)
{
    (void)state;
    struct fixture f;
    start_late_neighbours(&f, &with_backups);
    struct plb_block copy = copied(&f, 40.0);
    assert_true(copy.range.first == 0 && copy.range.count == 300 && copy.id == block_of(&f, 0).block.id);
    const struct plb_backup_counts *counts = plb_backups_counts(plb_master_backups(f.master));
    const struct plb_regrants *regrants = plb_master_regrants(f.master);
    assert_true(counts->copies == 1 && regrants->granted.n == 3);
    assert_int_equal(regrants->units[PLB_REGRANT_BACKUP], 300);
    for (int i = 0; i < 3; i++) {
        const struct plb_regrant *from = &regrants->granted.at[i];
        assert_true(from->range.first == 100 * i && from->range.count == 100 && from->pass == 1);
        assert_true(from->first_pu == i && from->second_pu == 3 && from->reason == PLB_REGRANT_BACKUP);
    }
    struct plb_message done = done_copy(&f, 0, 120);
    int from = f.out.n;
    assert_int_equal(receive(&f, &done, 41.0), 120);
    assert_int_equal(sent(&f, from, PLB_CANCEL), 2);
    assert_true(f.out.at[from].to == 0 && f.out.at[from + 1].to == 1);
    from = f.out.n;
    assert_int_equal(report(&f, block_of(&f, 2), 2, 0, 100), 100); /* a holder, after all */
    assert_int_equal(sent(&f, from, PLB_CANCEL), 1);
    assert_true(f.out.at[from].to == 3 && f.out.at[from].cancel.range.first == 200);
    done.done.range = (struct plb_range){120, 80};
    assert_int_equal(receive(&f, &done, 42.0), 80);
    assert_true(counts->copies == 1 && counts->won == 1);
    assert_int_equal(plb_master_accepted(f.master), 400);
    assert_int_equal(plb_master_totals(f.master, 3)->units, 300);
    stop(&f);
}

/* Node 1 will have done its last unit long before node 3 would have done all. */
static void but_not_with_those_that_end_in_time(void **state)
{
    (void)state;
    struct fixture f;
    start_late_neighbours(&f, &with_backups);
    for (int i = 0; i < 99; i++)
        report(&f, block_of(&f, 1), 1, i, 1);
    assert_int_equal(copied(&f, 12.0).range.count, 100);
    stop(&f);
}

/* Node 0 has the units of node 1, too: it ends its own first, and perhaps soon. */
static void nor_with_those_that_their_holder_executes_first(void **state)
{
    (void)state;
    struct fixture f;
    start_late_neighbours(&f, &with_backups);
    move(&f, block_of(&f, 1), 1, 0, 0, 100, 1);
    struct plb_block copy = copied(&f, 40.0);
    assert_true(copy.range.first == 100 && copy.range.count == 200);
    assert_int_equal(copy.id, block_of(&f, 1).block.id);
    stop(&f);
}

/* PU 0 executes its blocks 0 and 2, and then what it has taken of block 1. */
static void of_one_pu_what_it_executes_last_is_the_latest(void **state)
{
    (void)state;
    const struct plb_late late[] = {{.held = {{300, 50}, 1, 1, 0}, .left = 9.0},
                                    {.held = {{100, 100}, 2, 0, 0}, .left = 9.0},
                                    {.held = {{10, 90}, 0, 0, 0}, .left = 9.0}};
    for (int first = 0; first < 3; first++) {
        struct plb_lates lates = {.n = 0};
        for (int i = 0; i < 3; i++)
            plb_lates_add(&lates, &late[(first + i) % 3]);
        for (int i = 0; i < 3; i++)
            assert_int_equal(lates.latest[i].held.block, late[i].held.block);
        plb_lates_fini(&lates);
    }
}

/* Any report of any holder would make the copy's result worthless. */
static void nor_where_results_count_whole(void **state)
{
    (void)state;
    struct fixture f;
    start_late_neighbours(&f, &whole);
    assert_int_equal(copied(&f, 40.0).range.count, 100);
    stop(&f);
}

/* The holder has reported some of the units, and so the copy's result, which has all of them, does not count.
 * The holder has the others still: nobody else gets them. Nor where the PU fails that executes the copy. */
static void a_copy_that_does_not_count_frees_nothing(void **state)
{
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        struct fixture f;
        start_late_neighbours(&f, &whole);
        struct plb_range range = copied(&f, 40.0).range;
        int holder = (int)(range.first / 100);
        report(&f, block_of(&f, holder), holder, 0, 20);
        struct plb_message m = done_copy(&f, range.first, 100), fail = message(&f, PLB_FAIL, 3);
        fail.fail = (struct plb_failure){
            .range = range, .block = m.done.block, .copy = 1, .among = range, .text = "broken"};
        int from = f.out.n;
        assert_int_equal(receive(&f, fails ? &fail : &m, 41.0), 0);
        assert_int_equal(plb_master_counts(f.master)->partly_new, fails ? 0 : 1);
        assert_int_equal(plb_master_regrants(f.master)->units[PLB_REGRANT_PARTLY_NEW], 0);
        assert_int_equal(plb_master_regrants(f.master)->units[PLB_REGRANT_FAILED_PU], 0);
        assert_int_equal(sent(&f, from, PLB_BLOCK), 0);
        assert_int_equal(report(&f, block_of(&f, holder), holder, 20, 80), 80);
        stop(&f);
    }
}

/* Node 0 has given two of its four units to node 1, of which node 2 has heard nothing. It may ask before it
 * gets a copy. */
static void who_waits_hears_of_units_that_have_moved(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "static", 0.0, 3, 12, &with_backups);
    for (int n = 1; n < 3; n++)
        report(&f, block_of(&f, n), n, 0, 4);
    is_idle(&f, 2, 11.0);
    struct plb_message moved = message(&f, PLB_MOVED, 0), block = block_of(&f, 0);
    moved.gifts = (struct plb_gifts){.thief = 1, .n = 1};
    moved.gifts.at[0] = (struct plb_gift){{block.block.range.first + 2, 2}, block.block.id, 1};
    receive(&f, &moved, 11.0);
    int from = f.out.n;
    look(&f);
    assert_int_equal(f.out.n, from + 1);
    assert_true(f.out.at[from].type == PLB_EMPTY && f.out.at[from].to == 2);
    assert_int_equal(f.out.at[from].empty.n_victims, 2);
    assert_true(isinf(plb_master_due(f.master)));
    is_idle(&f, 2, 11.1);
    for (from = f.out.n; sent(&f, from, PLB_BACKUP) == 0;)
        look(&f);
    assert_int_equal(sent(&f, from, PLB_EMPTY), 0);
    stop(&f);
}

/* Node 0 is late, and has given units to node 1. Node 2 is slow, and has heard of that. Node 3, which is
 * quick, only hears of it now: it will soon be idle again, and node 2 gets no copy. Then node 3 gets the
 * first one. */
static void who_has_just_heard_whom_to_ask_will_soon_be_idle(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "static", 0.0, 4, 160, &with_backups);
    for (int i = 0; i < 40; i++)
        report(&f, block_of(&f, 2), 2, i, 1);
    report(&f, block_of(&f, 3), 3, 0, 40);
    report(&f, block_of(&f, 0), 0, 0, 2);
    move(&f, block_of(&f, 0), 0, 1, 30, 10, 1);
    is_idle(&f, 2, 80.0);
    look(&f);
    assert_int_equal(sent(&f, 0, PLB_BACKUP), 0);
    is_idle(&f, 2, 80.1);
    is_idle(&f, 3, 80.1);
    int from = look(&f);
    assert_int_equal(sent(&f, from, PLB_EMPTY), 1);
    assert_int_equal(sent(&f, from, PLB_BACKUP), 0);
    is_idle(&f, 3, 80.2);
    from = f.out.n;
    look(&f);
    while (from < f.out.n && f.out.at[from].type != PLB_BACKUP)
        from++;
    assert_true(from < f.out.n && f.out.at[from].to == 3);
    stop(&f);
}

/* Node 1 has done its unit in a second, and node 0 has not reported. It may be ten times as slow: node 1
 * executes its unit as soon as it is idle, and not when two seconds are over. */
static void a_pu_that_has_not_reported_may_be_slow(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "static", 0.0, 2, 2, &with_backups);
    report(&f, block_of(&f, 1), 1, 0, 1);
    is_idle(&f, 1, 11.05);
    int from = look(&f);
    assert_int_equal(sent(&f, from, PLB_BACKUP), 1);
    stop(&f);
}

/* Static shares of two units: node 0 has not reported, node 1 has one unit left of two. */
static void the_slowest_is_named_with_and_without_backups(void **state)
{
    (void)state;
    for (int on = 0; on < 2; on++) {
        struct fixture f;
        struct plb_slowest slowest = {.pu = -1};
        start(&f, "static", 0.0, 2, 4, on ? &with_backups : NULL);
        report(&f, block_of(&f, 1), 1, 0, 1);
        assert_true(plb_backups_slowest(plb_master_backups(f.master), 11.5, &slowest));
        assert_int_equal(slowest.pu, 0);
        assert_int_equal(slowest.range.first, block_of(&f, 0).block.range.first);
        assert_int_equal(slowest.range.count, 2);
        assert_true(slowest.seconds == 1.5 && slowest.expected == 0.0);
        report(&f, block_of(&f, 0), 0, 0, 2);
        assert_true(plb_backups_slowest(plb_master_backups(f.master), 26.0, &slowest));
        assert_int_equal(slowest.pu, 1);
        assert_int_equal(slowest.range.first, block_of(&f, 1).block.range.first + 1);
        assert_int_equal(slowest.range.count, 1);
        assert_true(slowest.seconds == 15.0 && slowest.expected == 1.0);
        report(&f, block_of(&f, 1), 1, 1, 1);
        assert_false(plb_backups_slowest(plb_master_backups(f.master), 26.0, &slowest));
        stop(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_is_named_with_and_without_backups),
        cmocka_unit_test(who_waits_hears_of_units_that_have_moved),
        cmocka_unit_test(who_has_just_heard_whom_to_ask_will_soon_be_idle),
        cmocka_unit_test(a_pu_that_has_not_reported_may_be_slow),
        cmocka_unit_test(a_copy_waits_for_who_ends_it_sooner),
        cmocka_unit_test(nor_is_one_given_to_a_slow_pu_beside_a_quick_one),
        cmocka_unit_test(a_copy_that_is_late_is_given_to_a_third_one),
        cmocka_unit_test(the_copy_s_result_cancels_the_holder_s),
        cmocka_unit_test(late_neighbours_are_one_copy),
        cmocka_unit_test(but_not_with_those_that_end_in_time),
        cmocka_unit_test(nor_with_those_that_their_holder_executes_first),
        cmocka_unit_test(nor_where_results_count_whole),
        cmocka_unit_test(of_one_pu_what_it_executes_last_is_the_latest),
        cmocka_unit_test(a_copy_that_does_not_count_frees_nothing),
        cmocka_unit_test(a_result_that_comes_second_is_no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
