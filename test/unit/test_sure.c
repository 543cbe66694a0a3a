/* The four sentences of sure, on views of two PUs written by hand. */
#include "policy.h"

static void the_first_block_is_a_unit(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "sure", 1000.0, 0.0);
    near(grant(&f, 0), 1.0);
    near(grant(&f, 1), 1.0);
    assert_true(grant(&f, 0) == 0.0); /* nothing ahead before its first report */
    stop(&f);
}

static void what_is_sure_grows_with_what_is_known(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "sure", 1e6, 0.0);
    double now = 0.0, before = 1.0;
    grant(&f, 0);
    grant(&f, 1);
    for (int round = 0; round < 5; round++) {
        now += before / 100.0;
        for (int p = 0; p < 2; p++)
            finish(&f, p, before, before / 100.0, now);
        double a = grant(&f, 0), b = grant(&f, 1);
        near(a, b); /* equal PUs, equal blocks */
        assert_true(a > 1.5 * before && a <= 5.0 * 100.0 * now && a < 250000.0);
        before = a;
    }
    stop(&f);
}

static void a_slow_pu_gets_none_of_the_last_units(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "sure", 40.0, 0.0);
    plb_belief_prior(&f.histories[1].belief, 0.001, 0.0);
    near(grant(&f, 0), 1.0);
    assert_true(grant(&f, 1) == 0.0); /* 1000 of the other's units last longer than all 40 */
    plb_belief_prior(&f.histories[1].belief, 0.1, 0.0); /* as the other has shown 100 */
    finish(&f, 0, 1.0, 0.01, 0.01);
    assert_true(grant(&f, 1) == 0.0);
    assert_true(grant(&f, 0) >= 1.0);
    stop(&f);
}

/* One unit, which nobody has reported anything about: the PU that is noted as stronger gets it, whoever asks
 * first. */
static void the_strongest_are_tried_first(void **state)
{
    (void)state;
    for (int units = 1; units <= 2; units++) {
        struct fixture f;
        start(&f, "sure", units, 0.0);
        f.view.backups = true;
        plb_belief_prior(&f.histories[1].belief, 2.0, 0.0);
        assert_true(grant(&f, 0) == (units == 1 ? 0.0 : 1.0));
        near(grant(&f, 1), 1.0);
        stop(&f);
    }
}

/* The cost of a start is known after two reports, however little work these were. Then a block is as large as
 * what is not known of its work allows, and does not pay one start after the other. */
static void a_known_start_is_paid_seldom(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "sure", 1e5, 0.0);
    double work[] = {1.0, 1.0}, now = 0.0;
    int rounds = 0;
    for (; rounds < 20 && f.view.remaining > 1.0; rounds++) {
        for (int p = 0; p < 2; p++)
            work[p] = grant(&f, p);
        double seconds = 4.0 + 0.001 * fmax(work[0], work[1]);
        now += seconds;
        for (int p = 0; p < 2; p++)
            if (work[p] > 0.0)
                finish(&f, p, work[p], 4.0 + 0.001 * work[p], now);
    }
    assert_true(rounds <= 9); /* 11 where the start is multiplied, too */
    stop(&f);
}

/* 40 units of the other's last less than one start. */
static void a_pu_whose_start_lasts_too_long_gets_none(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "sure", 40.0, 0.0);
    plb_belief_prior(&f.histories[1].belief, 10.0, 50.0);
    near(grant(&f, 0), 1.0);
    assert_true(grant(&f, 1) == 0.0);
    stop(&f);
}

static void the_last_unit_goes_to_who_ends_it_first(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "sure", 100.0, 0.0);
    grant(&f, 0);
    grant(&f, 1);
    finish(&f, 0, 1.0, 0.01, 0.01);
    finish(&f, 1, 1.0, 0.03, 0.03);
    f.view.remaining = 1.0;
    f.view.now = 0.04;
    assert_true(grant(&f, 1) == 0.0);
    near(grant(&f, 0), 1.0);
    stop(&f);
}

/* Two units are left. A PU that is sure to end one by T keeps the other one only until it has asked. */
static void who_has_asked_holds_up_nobody(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "sure", 100.0, 0.0);
    for (int round = 1; round <= 8; round++) {
        grant(&f, 0);
        grant(&f, 1);
        finish(&f, 0, 1.0, 0.01, 0.02 * round);
        finish(&f, 1, 1.0, 0.018, 0.02 * round);
    }
    f.view.remaining = 2.0;
    f.view.total *= 0.5; /* which brings a solve */
    assert_true(grant(&f, 1) == 0.0);
    assert_true(grant(&f, 0) >= 1.0);
    f.view.remaining = 1.0;
    near(grant(&f, 1), 1.0);
    stop(&f);
}

/* PU 1 should end a unit by T, but is not sure to, since its reports scatter. PU 0 is sure of a part of what
 * remains, and not of all: so there is no reason to wait for it. */
static void a_part_that_is_sure_keeps_nobody_idle(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "sure", 100.0, 0.0);
    for (int round = 1; round <= 9; round++) {
        grant(&f, 0);
        grant(&f, 1);
        finish(&f, 0, 5.0, 0.25, 0.25 * round);
        finish(&f, 1, 1.0, round % 2 == 0 ? 0.01 : 0.25, 0.25 * round);
    }
    f.view.remaining = 4.6;
    f.view.total *= 0.5; /* which brings a solve */
    assert_true(grant(&f, 1) >= 1.0);
    stop(&f);
}

/* A solve costs the master some 2 us for each PU. */
static void a_solve_follows_another_after_a_while_only(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "sure", 1000.0, 0.0);
    grant(&f, 0);
    grant(&f, 1);
    finish(&f, 0, 1.0, 0.01, 0.01);
    finish(&f, 1, 1.0, 0.01, 0.01);
    grant(&f, 0);
    int64_t solves = f.view.stats->solves;
    f.view.total *= 0.5;
    f.view.now += 10e-6;
    grant(&f, 1);
    assert_int_equal(f.view.stats->solves, solves);
    f.view.now += 100e-6;
    grant(&f, 1);
    assert_int_equal(f.view.stats->solves, solves + 1);
    stop(&f);
}

/* By the last plan the remaining unit would have been executed by now. So it is planned again, however young
 * the plan is: else nobody gets the unit before the slow PU reports. */
static void a_plan_whose_end_has_passed_is_made_again(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "sure", 1e5, 0.0);
    grant(&f, 0);
    grant(&f, 1);
    finish(&f, 0, 1.0, 1e-5, 0.001);
    finish(&f, 1, 1.0, 1e-3, 0.001);
    assert_true(grant(&f, 1) >= 1.0);
    f.view.remaining = 1.0;
    f.view.total *= 0.5;
    f.view.now += 100e-6;
    assert_false(grant(&f, 1) > 0.0); /* which brings the plan */
    f.view.now += 50e-6;
    near(grant(&f, 0), 1.0);
    stop(&f);
}

/* Each block sends reduced arrays. Where these last long, a PU gets all that it can do by T at once. */
static void large_arrays_make_large_blocks(void **state)
{
    double got[2];
    (void)state;
    for (int large = 0; large < 2; large++) {
        struct fixture f;
        start(&f, "sure", 1000.0, 0.0);
        for (int round = 1; round <= 8; round++) {
            grant(&f, 0);
            grant(&f, 1);
            finish(&f, 0, 5.0, 0.05, 0.1 * round);
            finish(&f, 1, 5.0, round % 2 == 0 ? 0.02 : 0.1, 0.1 * round);
        }
        f.view.result_s = large ? 100.0 : 0.0;
        got[large] = grant(&f, 1);
        stop(&f);
    }
    assert_true(got[0] >= 1.0 && got[1] > 1.5 * got[0]);
}

/* The facts about the PUs are of earlier passes, too. */
static void the_next_pass_begins_with_large_blocks(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "sure", 1000.0, 0.0);
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 10; i++) {
            f.pus[p].outstanding = 1;
            f.view.idle--;
            finish(&f, p, 50.0, 0.5, 0.5 * i + 0.5);
        }
    f.balancer->fini(f.state);
    f.view.now = 0.0;
    f.view.remaining = 1000.0;
    for (int p = 0; p < 2; p++)
        f.pus[p].granted = f.pus[p].done = f.pus[p].begun = f.pus[p].end = 0.0;
    f.state = f.balancer->init(&f.view, f.params);
    assert_true(grant(&f, 0) >= 50.0);
    assert_true(grant(&f, 1) >= 50.0);
    stop(&f);
}

/* A task takes as long whatever its size. So a PU gets its share at once: a smaller block ends no sooner. The
 * quickest report is a large one by chance, and the latest is small. */
static void where_starts_are_all_blocks_are_large(void **state)
{
    static const double sizes[] = {1, 4, 16, 64, 256, 1000, 2000, 3000, 1, 900, 2500, 4};
    (void)state;
    struct fixture f;
    start(&f, "sure", 10000.0, 0.0);
    for (int p = 0; p < 2; p++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            double seconds = sizes[i] < 2000.0 ? 0.0505 : 0.05;
            f.pus[p].outstanding = 1;
            f.view.idle--;
            finish(&f, p, sizes[i], seconds, 0.05 * (double)i + 0.05);
        }
    f.balancer->fini(f.state);
    f.view.now = 0.0;
    f.view.remaining = 10000.0;
    for (int p = 0; p < 2; p++)
        f.pus[p].granted = f.pus[p].done = f.pus[p].begun = f.pus[p].end = 0.0;
    f.state = f.balancer->init(&f.view, f.params);
    double a = grant(&f, 0), b = grant(&f, 1);
    assert_true(a >= 2500.0 && b >= 2500.0);
    stop(&f);
}

/* Early blocks are short, but a PU is not left out because the next unit is larger than what it has done. */
static void an_early_block_may_be_a_unit(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "sure", 1e5, 0.0);
    f.view.next = 0.1;
    grant(&f, 0);
    grant(&f, 1);
    finish(&f, 1, 0.1, 0.001, 0.001);
    finish(&f, 0, 0.1, 0.003, 0.003);
    f.view.next = 1.0;
    assert_true(grant(&f, 1) >= 1.0);
    assert_true(grant(&f, 0) >= 1.0);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_block_is_a_unit),
        cmocka_unit_test(what_is_sure_grows_with_what_is_known),
        cmocka_unit_test(a_slow_pu_gets_none_of_the_last_units),
        cmocka_unit_test(the_strongest_are_tried_first),
        cmocka_unit_test(a_known_start_is_paid_seldom),
        cmocka_unit_test(a_pu_whose_start_lasts_too_long_gets_none),
        cmocka_unit_test(the_last_unit_goes_to_who_ends_it_first),
        cmocka_unit_test(who_has_asked_holds_up_nobody),
        cmocka_unit_test(a_solve_follows_another_after_a_while_only),
        cmocka_unit_test(a_part_that_is_sure_keeps_nobody_idle),
        cmocka_unit_test(a_plan_whose_end_has_passed_is_made_again),
        cmocka_unit_test(large_arrays_make_large_blocks),
        cmocka_unit_test(the_next_pass_begins_with_large_blocks),
        cmocka_unit_test(where_starts_are_all_blocks_are_large),
        cmocka_unit_test(an_early_block_may_be_a_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
