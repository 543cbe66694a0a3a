/* Shares that are known before a pass begins: when they stand, and when those of before stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/standing.h"

/* A PU that has reported tasks of 100 and 200 units: a start and a rate, but for the scatter. */
static struct plb_estimate estimate_of(double start, double rate, double scatter)
{
    struct plb_estimate e = {0};
    plb_estimate_prior(&e, rate, 0.0);
    for (int i = 0; i < 40; i++) {
        double work = i % 2 == 0 ? 100.0 : 200.0, off = i % 4 < 2 ? 1.0 + scatter : 1.0 - scatter;
        plb_estimate_add(
            &e, &(struct plb_sample){.work = work, .execute_s = (start + work / rate) * off, .tasks = 1});
    }
    return e;
}

static const struct plb_standing limits = {0.25, 5e-3, .free = true}, costly = {0.25, 5e-3, .free = false};

static void all_end_together(void **state)
{
    (void)state;
    struct plb_estimate a = estimate_of(0.0, 1e4, 0.0), b = estimate_of(5e-3, 2e4, 0.0);
    const struct plb_estimate *both[] = {&a, &b};
    double units[3 * 2] = {0.0, 0.0}, due = 0.0;
    struct plb_shares x;
    plb_shares_init(&x, units, 2);
    assert_true(plb_standing_shares(&limits, both, 2, 1000.0, &x, &due));
    assert_true(fabs(units[0] + units[1] - 1000.0) < 1e-9);
    assert_float_equal(plb_estimate_seconds(&a, units[0]), plb_estimate_seconds(&b, units[1]), 1e-3);
    assert_true(due > plb_estimate_seconds(&a, units[0]) + limits.late_s);
    assert_true(due < plb_estimate_seconds(&a, units[0]) * 1.2 + limits.late_s);
}

static void they_stand_where_nobody_can_help_in_time(void **state)
{
    (void)state;
    struct plb_estimate steady = estimate_of(0.0, 1e4, 0.0), shaky = estimate_of(0.0, 1e4, 0.5), new = {0},
                        idle = estimate_of(1.0, 1e4, 0.0);
    const struct plb_estimate *one[] = {&steady, NULL}, *two[] = {&steady, &steady},
                              *other[] = {&steady, NULL};
    double units[3 * 2] = {0.0, 0.0}, due;
    struct plb_shares x;
    plb_shares_init(&x, units, 2);
    assert_true(plb_standing_shares(&limits, one, 2, 1000.0, &x, &due));
    assert_true(units[0] == 1000.0 && units[1] == 0.0);
    assert_false(plb_standing_shares(&limits, two, 2, 6000.0, &x, &due)); /* 0.3 s */
    other[1] = &shaky;
    assert_false(plb_standing_shares(&limits, other, 2, 2000.0, &x, &due)); /* a sixth of 0.1 s */
    assert_true(plb_standing_shares(&limits, other, 2, 200.0, &x, &due));
    other[1] = &new;
    assert_false(plb_standing_shares(&limits, other, 2, 200.0, &x, &due));
    assert_false(plb_standing_shares(&limits, (const struct plb_estimate *[]){NULL}, 1, 1.0, &x, &due));
    other[1] = &idle; /* it has not even started when the other one has done all: that one does it alone */
    assert_true(plb_standing_shares(&limits, other, 2, 200.0, &x, &due));
    assert_true(units[0] == 200.0 && units[1] == 0.0 && other[1] == NULL);
}

static void those_of_before_stay_while_they_are_as_good(void **state)
{
    (void)state;
    struct plb_estimate a = estimate_of(0.0, 1e4, 0.1), b = estimate_of(0.0, 1e4, 0.1);
    const struct plb_estimate *both[] = {&a, &b}, *one[] = {&a, NULL};
    double units[3 * 2] = {495.0, 505.0}, due;
    struct plb_shares x;
    plb_shares_init(&x, units, 2);
    assert_true(plb_standing_shares(&limits, both, 2, 1000.0, &x, &due));
    assert_true(units[0] == 495.0 && units[1] == 505.0);
    units[0] = 400.0, units[1] = 600.0;
    assert_true(plb_standing_shares(&limits, both, 2, 1000.0, &x, &due));
    assert_float_equal(units[0], 500.0, 1e-6);
    assert_true(plb_standing_shares(&limits, both, 2, 1100.0, &x, &due)); /* of other work */
    assert_float_equal(units[0], 550.0, 1e-6);
    assert_true(plb_standing_shares(&limits, one, 2, 1100.0, &x, &due)); /* a PU is gone */
    assert_true(units[0] == 1100.0 && units[1] == 0.0);
}

/* A share that does not fit into one task has several starts. */
static void starts_of_several_tasks_count(void **state)
{
    (void)state;
    struct plb_estimate a = estimate_of(1e-3, 1e4, 0.0), b = estimate_of(1e-3, 1e4, 0.0);
    const struct plb_estimate *both[] = {&a, &b};
    double units[3 * 2] = {0.0, 0.0}, due;
    struct plb_shares x;
    plb_shares_init(&x, units, 2);
    b.grain = 10.0;
    assert_true(plb_standing_shares(&limits, both, 2, 1000.0, &x, &due));
    assert_float_equal(plb_estimate_seconds(&a, units[0]), plb_estimate_seconds(&b, units[1]), 1e-3);
}

/* Where data moves with the units, shares move when they have lost as much as that costs. */
static void they_move_when_that_pays(void **state)
{
    (void)state;
    struct plb_estimate a = estimate_of(0.0, 1e4, 0.02), b = estimate_of(0.0, 1e4, 0.02);
    const struct plb_estimate *both[] = {&a, &b};
    double units[3 * 2] = {450.0, 550.0}, due;
    struct plb_shares x;
    int passes = 0;
    plb_shares_init(&x, units, 2);
    units[2] = 450.0, units[3] = 550.0;
    for (; passes < 100 && units[0] == 450.0; passes++) /* a tenth of a pass is lost each time */
        assert_true(plb_standing_shares(&costly, both, 2, 1000.0, &x, &due));
    assert_in_range(passes, 6, 10); /* half a pass */
    assert_true(fabs(units[0] - 500.0) < 5.0 && x.lost_s == 0.0);
    units[0] = 0.0, units[1] = 1000.0; /* one has come back */
    assert_true(plb_standing_shares(&costly, both, 2, 1000.0, &x, &due));
    assert_true(fabs(units[0] - 500.0) < 5.0);
}

/* A PU has become far slower. Shares that stood would be too late, and nobody may help before they are. */
static void shares_that_would_be_too_late_do_not_stand(void **state)
{
    (void)state;
    struct plb_estimate a = estimate_of(0.0, 1e4, 0.01), b = estimate_of(0.0, 1e4, 0.01);
    const struct plb_estimate *both[] = {&a, &b};
    double units[3 * 2] = {1000.0, 1000.0}, due;
    struct plb_shares x;
    plb_shares_init(&x, units, 2);
    assert_true(plb_standing_shares(&costly, both, 2, 2000.0, &x, &due));
    b = estimate_of(0.0, 500.0, 0.01);
    x.moving = 2.0;
    assert_true(plb_standing_shares(&costly, both, 2, 2000.0, &x, &due));
    assert_true(due < 2000.0 / 10500.0 * 1.02 + 2.0 * costly.late_s);
}

/* Now one is quicker, now the other one: nothing that is moved would be right in the next pass. */
static void noise_up_and_down_moves_nothing(void **state)
{
    (void)state;
    struct plb_estimate quick = estimate_of(0.0, 1.2e4, 0.02), slow = estimate_of(0.0, 1e4, 0.02);
    const struct plb_estimate *one[] = {&quick, &slow}, *other[] = {&slow, &quick};
    double units[3 * 2] = {500.0, 500.0}, due;
    struct plb_shares x;
    plb_shares_init(&x, units, 2);
    units[2] = units[3] = 500.0;
    for (int pass = 0; pass < 100; pass++) {
        assert_true(plb_standing_shares(&costly, pass % 2 == 0 ? one : other, 2, 1000.0, &x, &due));
        assert_true(units[0] == 500.0);
    }
}

/* The cost of a move is learned from the passes that begin with one. */
static void the_cost_of_a_move_is_learned(void **state)
{
    (void)state;
    struct plb_shares cheap = {0};
    cheap.moving = 0.5;
    cheap.expected_s = 2e-3;
    struct plb_shares costly_ones = cheap, as_before = cheap;
    plb_shares_ended(&as_before, 9e-3); /* nothing has moved */
    for (int i = 0; i < 8; i++) {
        cheap.moved = costly_ones.moved = true;
        plb_shares_ended(&cheap, 2e-3);
        plb_shares_ended(&costly_ones, i % 2 == 0 ? 5e-3 : 4e-3);
        assert_false(cheap.moved || costly_ones.moved);
    }
    assert_true(cheap.moving < 0.01 && as_before.moving == 0.5);
    assert_true(costly_ones.moving > 1.0 && costly_ones.moving < 1.5);
    costly_ones.moved = true;
    plb_shares_ended(&costly_ones, INFINITY);
    assert_true(costly_ones.moving < 2.0);
}

/* Two reports of three are believed, whatever was before them; one is noise. */
static void estimates_follow_the_last_reports(void **state)
{
    (void)state;
    struct plb_estimate slow = estimate_of(1e-3, 1e4, 0.0), quick = slow, noisy = slow;
    double before = plb_estimate_seconds(&slow, 100.0);
    struct plb_sample last[PLB_RECENT];
    for (int i = 0; i < PLB_RECENT; i++)
        last[i] = (struct plb_sample){.work = 100.0, .execute_s = i < 1 ? before : 0.25 * before, .tasks = 1};
    plb_standing_follow(&quick, last, PLB_RECENT);
    assert_true(fabs(plb_estimate_seconds(&quick, 100.0) / before - 0.25) < 1e-6);
    last[2] = last[0];
    plb_standing_follow(&noisy, last, PLB_RECENT);
    assert_true(fabs(plb_estimate_seconds(&noisy, 100.0) / before - 1.0) < 0.01);
    plb_standing_follow(&slow, last, 2);
    assert_true(plb_estimate_seconds(&slow, 100.0) < before);
}

/* Two of the last three tasks have waited for inputs as long as they took. That tells nothing of the PU:
 * others were late. Copies that each task has waited for are its own, also those of larger tasks. */
static void a_wait_for_others_is_none_of_the_pu(void **state)
{
    (void)state;
    struct plb_estimate steady = estimate_of(0.0, 1e4, 0.0), copying = steady;
    double before = plb_estimate_seconds(&steady, 100.0);
    struct plb_sample last[PLB_COPIES];
    for (int i = 0; i < PLB_COPIES; i++)
        last[i] = (struct plb_sample){
            .work = 100.0, .execute_s = before, .transfer_s = i % 3 == 0 ? 0.0 : before, .tasks = 1};
    assert_true(last[PLB_COPIES - 1].transfer_s > 0.0 && last[PLB_COPIES - 3].transfer_s > 0.0);
    plb_standing_follow(&steady, last, PLB_COPIES);
    assert_true(fabs(plb_estimate_seconds(&steady, 100.0) / before - 1.0) < 1e-6);
    for (int i = 0; i < PLB_COPIES; i++) {
        last[i].transfer_s = i < PLB_RECENT ? 0.1 * before : before;
        last[i].work = i < PLB_RECENT ? 10.0 : 100.0;
    }
    plb_standing_follow(&copying, last, PLB_COPIES);
    assert_true(fabs(plb_estimate_seconds(&copying, 100.0) / before - 2.0) < 0.01);
}

/* The first share of a size touches memory for the first time, and small ones touch little. */
static void large_shares_are_new_once(void **state)
{
    (void)state;
    double most[] = {600.0, 10.0};
    const struct plb_shares shares = {.most = most};
    assert_false(plb_shares_new(&shares, 0, 700.0, 2, 1000.0));
    assert_true(plb_shares_new(&shares, 0, 800.0, 2, 1000.0));
    assert_true(plb_shares_new(&shares, 1, 300.0, 2, 1000.0));
    assert_false(plb_shares_new(&shares, 1, 100.0, 2, 1000.0));
}

/* Who has done a unit or two gets no hundred: another one does the rest, even if that takes longer. */
static void shares_grow_step_by_step(void **state)
{
    (void)state;
    struct plb_estimate known = estimate_of(0.0, 1e4, 0.0), new = {0}, newer = {0};
    const struct plb_estimate *all[] = {&known, &new, &newer};
    double units[3 * 3] = {0.0}, *most = units + 2 * 3, due;
    struct plb_shares x;
    plb_shares_init(&x, units, 3);
    most[0] = 300.0, most[1] = 4.0, most[2] = 1.0;
    plb_estimate_prior(&new, 1e4, 0.0); /* by what it reports it is the quickest one */
    plb_estimate_prior(&newer, 1e4, 0.0);
    plb_estimate_add(&new, &(struct plb_sample){.work = 2.0, .execute_s = 2e-5, .tasks = 1});
    plb_estimate_add(&newer, &(struct plb_sample){.work = 1.0, .execute_s = 1e-4, .tasks = 1});
    assert_true(plb_standing_shares(&limits, all, 3, 300.0, &x, &due));
    assert_true(units[1] > 4.0 && units[1] < 40.0 && units[2] > 1.0 && units[2] < 10.0);
    assert_true(fabs(units[0] + units[1] + units[2] - 300.0) < 1e-6);
    assert_true(due > units[0] / 1e4);
    x.moving = 2.0;
    most[1] = 8.0, most[2] = 2.0;
    assert_true(plb_standing_shares(&costly, all, 3, 300.0, &x, &due)); /* they go on growing */
    assert_true(units[1] > 40.0 && units[2] > 9.0);
    most[1] = 4.0, most[2] = 1.0;
    all[0] = NULL; /* nobody is left who may get so much */
    assert_false(plb_standing_shares(&limits, all, 3, 300.0, &x, &due));
}

/* PUs that seem 1.9 times as quick as each other get the guess, and 4 times as quick ones what they end
 * together. Only the first shares do. */
static void alike_pus_get_the_guess(void **state)
{
    (void)state;
    struct plb_estimate a = estimate_of(0.0, 1e5, 0.0), b = estimate_of(0.0, 1.9e5, 0.0),
                        c = estimate_of(0.0, 4e5, 0.0);
    const struct plb_estimate *alike[] = {&a, &b}, *unlike[] = {&a, &c};
    const double guess[] = {500.0, 500.0};
    const struct plb_standing guessed = {0.25, 5e-3, .free = false, .guess = guess};
    double units[3 * 2] = {0.0}, due;
    struct plb_shares x;
    plb_shares_init(&x, units, 2);
    assert_true(plb_standing_shares(&guessed, unlike, 2, 1000.0, &x, &due));
    assert_float_equal(units[0], 200.0, 1.0);
    assert_true(plb_standing_shares(&guessed, alike, 2, 1000.0, &x, &due));
    assert_true(units[0] < 400.0);
    memset(units, 0, sizeof units);
    plb_shares_init(&x, units, 2);
    assert_true(plb_standing_shares(&guessed, alike, 2, 1000.0, &x, &due));
    assert_true(units[0] == 500.0 && units[1] == 500.0 && !x.moved);
    for (int pass = 0; pass < 20; pass++)
        assert_true(plb_standing_shares(&guessed, alike, 2, 1000.0, &x, &due));
    assert_true(units[0] < 400.0); /* they are not alike after all */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_end_together),
        cmocka_unit_test(they_stand_where_nobody_can_help_in_time),
        cmocka_unit_test(those_of_before_stay_while_they_are_as_good),
        cmocka_unit_test(starts_of_several_tasks_count),
        cmocka_unit_test(they_move_when_that_pays),
        cmocka_unit_test(shares_that_would_be_too_late_do_not_stand),
        cmocka_unit_test(noise_up_and_down_moves_nothing),
        cmocka_unit_test(the_cost_of_a_move_is_learned),
        cmocka_unit_test(large_shares_are_new_once),
        cmocka_unit_test(estimates_follow_the_last_reports),
        cmocka_unit_test(a_wait_for_others_is_none_of_the_pu),
        cmocka_unit_test(shares_grow_step_by_step),
        cmocka_unit_test(alike_pus_get_the_guess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
