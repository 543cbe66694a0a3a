/* Virtual task migration at a node, message by message: what is given. */
#include "worker_fixture.h"

/* Two PUs, of powers 1 and 3. */
static void start_two(struct fixture *f, const struct plb_migration *migration)
{
    start(f, 2, migration);
}

static void whole_block(struct fixture *f, int pu, int64_t id, int64_t first, int64_t count)
{
    assert_true(block(f, 1, pu, id, first, count, count));
}

static const struct plb_message *steal_of(struct fixture *f, int pass, int thief, double rate, double power)
{
    struct plb_message m = message(PLB_STEAL, thief, pass);
    m.steal = (struct plb_steal){rate, power, rate};
    f->out.n = 0;
    assert_true(receive(f, &m));
    return &f->out.at[0];
}

static const struct plb_message *steal(struct fixture *f, int thief, double rate, double power)
{
    return steal_of(f, 1, thief, rate, power);
}

/* Powers 4 here and 12 there: 300 queued units are shared 1 : 3, from the back. */
static void a_thief_gets_its_share_by_power(void **state)
{
    (void)state;
    struct fixture f;
    start_two(&f, &migration_on);
    serve(&f, 0);
    whole_block(&f, 1, 7, 100, 300);
    const struct plb_message *gift = steal(&f, 2, 0.0, 12.0);
    assert_int_equal(f.out.n, 2);
    assert_int_equal(gift->type, PLB_GIFT);
    assert_int_equal(gift->to, 2);
    assert_int_equal(gift->pass, 1);
    assert_int_equal(gift->gifts.n, 1);
    assert_int_equal(gift->gifts.at[0].range.first, 175);
    assert_int_equal(gift->gifts.at[0].range.count, 225);
    assert_int_equal(gift->gifts.at[0].block, 7);
    assert_int_equal(gift->gifts.at[0].hop, 1);
    assert_true(gift->gifts.left == 75.0);
    const struct plb_message *moved = &f.out.at[1];
    assert_int_equal(moved->type, PLB_MOVED);
    assert_int_equal(moved->to, 0);
    assert_int_equal(moved->from, OWN);
    assert_int_equal(moved->gifts.thief, 2);
    assert_memory_equal(&moved->gifts, &gift->gifts, sizeof moved->gifts);
    assert_int_equal(taken(&f, 1), 75);
    stop(&f);
}

/* Measured rates count more than powers, unless Li's powers are wanted. */
static void measured_rates_replace_powers(void **state)
{
    (void)state;
    for (int by_power = 0; by_power <= 1; by_power++) {
        struct fixture f;
        struct plb_migration m = migration_on;
        m.by_power = by_power;
        start_two(&f, &m);
        for (int pu = 0; pu < 2; pu++) { /* ten units a second each */
            struct plb_slice task;
            whole_block(&f, pu, pu, 500 + 10 * pu, 10);
            assert_true(plb_worker_take(f.worker, pu, &task));
            plb_worker_done(f.worker, pu, &task, 1.0, 0.0, PLB_NO_SLOT);
        }
        whole_block(&f, 0, 9, 0, 100);
        const struct plb_message *gift = steal(&f, 0, 5.0, 12.0); /* rates 20 : 5, powers 4 : 12 */
        assert_int_equal(gift->gifts.at[0].range.count, by_power ? 75 : 20);
        assert_true(gift->gifts.rate == (by_power ? 0.0 : 20.0));
        stop(&f);
    }
}

/* PU 0 has executed ten units in a second, and PU 1 was never granted anything: it may not be usable. */
static void start_with_one_of_two(struct fixture *f, struct plb_slice *task)
{
    start_two(f, &migration_on);
    whole_block(f, 0, 1, 500, 10);
    assert_true(plb_worker_take(f->worker, 0, task));
    plb_worker_done(f->worker, 0, task, 1.0, 0.0, PLB_NO_SLOT);
}

static void a_pu_that_was_never_served_is_not_counted(void **state)
{
    (void)state;
    struct fixture f;
    struct plb_slice task;
    start_with_one_of_two(&f, &task);
    whole_block(&f, 0, 9, 0, 100);
    const struct plb_message *gift = steal(&f, 2, 30.0, 1.0);
    assert_int_equal(gift->gifts.at[0].range.count, 75);
    assert_true(gift->gifts.rate == 10.0);
    stop(&f);
}

/* Ten units last a second here. A node of 64 slow PUs asks, which together do 32 in a second, and each needs
 * two seconds for a unit; or half a second. */
static void nobody_gets_what_it_would_end_after_the_giver(void **state)
{
    (void)state;
    for (int quick = 0; quick <= 1; quick++) {
        struct fixture f;
        struct plb_slice task;
        struct plb_message m = message(PLB_STEAL, 2, 1);
        start_with_one_of_two(&f, &task);
        whole_block(&f, 0, 9, 0, 10);
        m.steal = (struct plb_steal){32.0, 1.0, quick ? 2.0 : 0.5};
        f.out.n = 0;
        assert_true(receive(&f, &m));
        assert_int_equal(f.out.at[0].gifts.n, quick);
        stop(&f);
    }
}

static void too_little_is_not_worth_a_message(void **state)
{
    (void)state;
    struct fixture f;
    struct plb_migration m = migration_on;
    m.threshold = 50.0;
    start_two(&f, &m);
    whole_block(&f, 0, 1, 0, 60);
    assert_int_equal(steal(&f, 2, 0.0, 4.0)->gifts.n, 0); /* half would be 30 */
    assert_int_equal(f.out.n, 1);
    assert_true(f.out.at[0].gifts.left == 60.0);
    whole_block(&f, 1, 2, 100, 60);
    assert_int_equal(steal(&f, 2, 0.0, 4.0)->gifts.n, 1);
    stop(&f);
}

/* There is nothing to give of a pass that is over, or has not begun here: the thief asks somebody else. */
static void a_thief_of_another_pass_is_answered(void **state)
{
    (void)state;
    struct fixture f;
    start_two(&f, &migration_on);
    begin(&f, 2, 0);
    assert_true(block(&f, 2, 0, 1, 0, 60, 60));
    for (int pass = 1; pass <= 3; pass += 2) {
        const struct plb_message *gift = steal_of(&f, pass, 2, 0.0, 4.0);
        assert_int_equal(f.out.n, 1);
        assert_true(gift->type == PLB_GIFT && gift->to == 2 && gift->pass == pass && gift->gifts.n == 0);
        assert_true(gift->gifts.left == 0.0 && gift->gifts.rate == 0.0);
    }
    assert_int_equal(steal_of(&f, 2, OWN, 0.0, 4.0)->gifts.n, 0); /* nor does it rob itself */
    assert_true(plb_worker_queued(f.worker) == 60.0);
    stop(&f);
}

/* Units that were given here and are given on count their moves; blocks of other PUs too. */
static void a_gift_that_is_given_on_counts_its_moves(void **state)
{
    (void)state;
    struct fixture f;
    start_two(&f, &migration_on);
    serve(&f, 0);
    serve(&f, 1);
    assert_true(gift(&f, 1, 0, 40, 8)); /* of block 9, with two moves behind it */
    const struct plb_message *on = steal(&f, 2, 0.0, 4.0);
    assert_int_equal(on->gifts.n, 1);
    assert_int_equal(on->gifts.at[0].hop, 3);
    assert_int_equal(on->gifts.at[0].block, 9);
    assert_int_equal(on->gifts.at[0].range.first, 44);
    assert_int_equal(on->gifts.at[0].range.count, 4);
    stop(&f);
}

/* A message could not tell of one move more. */
static void units_that_have_moved_too_often_stay(void **state)
{
    (void)state;
    struct fixture f;
    start_two(&f, &migration_on);
    serve(&f, 1);
    struct plb_message m = message(PLB_GIFT, 0, 1);
    m.gifts = (struct plb_gifts){.thief = OWN, .n = 1, .at = {{{40, 8}, 9, PLB_HOPS}}};
    assert_true(receive(&f, &m));
    assert_int_equal(steal(&f, 2, 0.0, 4.0)->gifts.n, 0);
    assert_int_equal(f.out.n, 1);
    assert_int_equal(taken(&f, 1), 8);
    stop(&f);
}

/* At most PLB_GIFTS ranges change hands at once, each unit once, none twice. */
static void a_gift_of_many_ranges_is_cut_off_the_fullest_queues(void **state)
{
    (void)state;
    struct fixture f;
    bool seen[UNITS] = {false};
    int64_t units = 0;
    start_two(&f, &migration_on);
    for (int i = 0; i < 20; i++)
        whole_block(&f, i % 2, i, 10 * i, 10);
    for (int round = 0; round < 3; round++) {
        const struct plb_gifts *gifts = &steal(&f, 2, 0.0, 4.0)->gifts;
        assert_int_equal(gifts->n, PLB_GIFTS);
        for (int i = 0; i < gifts->n; i++)
            for (int64_t u = 0; u < gifts->at[i].range.count; u++, units++) {
                int64_t unit = gifts->at[i].range.first + u;
                assert_false(seen[unit]);
                assert_int_equal(gifts->at[i].block, unit / 10);
                seen[unit] = true;
            }
        assert_true(gifts->left == 200.0 - (double)units && plb_worker_queued(f.worker) == gifts->left);
    }
    stop(&f);
}

/* Before the master has said that nothing is left, a queue is its PU's own; then a neighbour takes from it
 * in proportion to its power, 1 : 3, and tasks get smaller. */
static void neighbours_help_when_nothing_is_left_to_grant(void **state)
{
    (void)state;
    struct fixture f;
    start_two(&f, &migration_on);
    whole_block(&f, 1, 7, 0, 400);
    assert_int_equal(taken(&f, 0), 0);
    empty(&f, 1, 0.0, 0.0);
    assert_int_equal(taken(&f, 0), 0); /* it was never granted anything: perhaps it may not */
    serve(&f, 0);
    assert_int_equal(taken(&f, 0), 13); /* an eighth of 100 units */
    assert_int_equal(taken(&f, 1), 38); /* and of 300 */
    stop(&f);
}

/* The last unit goes to a PU that is idle only if it ends before the other would. */
static void the_last_unit_stays_with_the_faster(void **state)
{
    (void)state;
    for (int idle = 0; idle <= 1; idle++) { /* PU 1 is three times as fast */
        struct fixture f;
        start_two(&f, &migration_on);
        serve(&f, idle);
        whole_block(&f, 1 - idle, 7, 0, 1);
        empty(&f, 1, 0.0, 0.0);
        assert_int_equal(taken(&f, idle), idle == 1 ? 1 : 0);
        stop(&f);
    }
}

/* ------------------------------------------------ limits are those of the PU that executes */

/* Takes all tasks of a PU, which together are `units`; none is larger than the limit. */
static void expect_small_tasks(struct fixture *f, int pu, const struct plb_task_limit *limit, int64_t units)
{
    struct plb_slice task;
    int64_t sum = 0;
    while (plb_worker_take(f->worker, pu, &task)) {
        assert_true(task.range.count <= limit->units);
        assert_true(task.range.count == 1 || plb_sizes_bytes(&f->sizes, task.range) <= limit->bytes);
        sum += task.range.count;
    }
    assert_int_equal(sum, units);
}

/* Gifts come from PUs that may execute larger tasks; blocks, where the master knows a mean alone. */
static void tasks_stay_within_the_limit_of_who_executes_them(void **state)
{
    int64_t offsets[UNITS + 1] = {0};
    (void)state;
    for (int u = 0; u < UNITS; u++)
        offsets[u + 1] = offsets[u] + (u % 50 == 7 ? 90 : 1);
    const struct plb_sizes sizes = {.task_bytes = 8.0, .n_indexed = 1, .indexed = {{offsets, 1.0}}};
    const struct plb_worker_pu limited[2] = {{1.0, {4, INFINITY}, false}, {1.0, {INT64_MAX, 100.0}, false}};
    for (int pu = 0; pu < 2; pu++)
        for (int shares = 0; shares <= 1; shares++)
            for (int by_gift = 0; by_gift <= 1; by_gift++) {
                struct fixture f;
                prepare(&f, 1, &limited[pu], &sizes, &migration_on);
                begin(&f, 1, 0);
                serve(&f, 0);
                if (shares)
                    empty(&f, 1, 0.0, 0.0);
                if (by_gift)
                    assert_true(gift(&f, 1, 2, 100, 200));
                else
                    assert_true(block(&f, 1, 0, 3, 100, 200, 200));
                expect_small_tasks(&f, 0, &limited[pu].limit, 200);
                stop(&f);
            }
}

static void tasks_from_a_neighbour_stay_within_the_limit(void **state)
{
    (void)state;
    const struct plb_worker_pu pus[2] = {{1.0, {4, INFINITY}, false}, {1.0, {INT64_MAX, INFINITY}, false}};
    struct fixture f;
    prepare(&f, 2, pus, NULL, &migration_on);
    begin(&f, 1, 0);
    serve(&f, 0);
    whole_block(&f, 1, 7, 0, 400);
    empty(&f, 1, 0.0, 0.0);
    int tasks = 0;
    for (int64_t units = taken(&f, 0); units > 0; units = taken(&f, 0), tasks++)
        assert_true(units <= 4);
    assert_true(tasks >= 50);
    stop(&f);
}

static void off_means_off(void **state)
{
    (void)state;
    struct fixture f;
    start_two(&f, &(struct plb_migration){.on = false});
    whole_block(&f, 1, 7, 0, 400);
    assert_false(empty(&f, 1, 10.0, 10.0));
    assert_false(plb_worker_shares(f.worker));
    assert_int_equal(taken(&f, 0), 0);
    f.out.n = 0;
    plb_worker_collect(f.worker, 0.0, &f.out);
    assert_int_equal(f.out.n, 0);
    assert_int_equal(steal(&f, 2, 0.0, 4.0)->gifts.n, 0);
    assert_false(gift(&f, 1, 2, 40, 2));
    assert_int_equal(taken(&f, 0), 0);
    assert_int_equal(taken(&f, 1), 400);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thief_gets_its_share_by_power),
        cmocka_unit_test(measured_rates_replace_powers),
        cmocka_unit_test(a_pu_that_was_never_served_is_not_counted),
        cmocka_unit_test(nobody_gets_what_it_would_end_after_the_giver),
        cmocka_unit_test(too_little_is_not_worth_a_message),
        cmocka_unit_test(a_thief_of_another_pass_is_answered),
        cmocka_unit_test(a_gift_that_is_given_on_counts_its_moves),
        cmocka_unit_test(units_that_have_moved_too_often_stay),
        cmocka_unit_test(a_gift_of_many_ranges_is_cut_off_the_fullest_queues),
        cmocka_unit_test(neighbours_help_when_nothing_is_left_to_grant),
        cmocka_unit_test(the_last_unit_stays_with_the_faster),
        cmocka_unit_test(tasks_stay_within_the_limit_of_who_executes_them),
        cmocka_unit_test(tasks_from_a_neighbour_stay_within_the_limit),
        cmocka_unit_test(off_means_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
