/* When the communication thread looks again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "every_rank/pace.h"

static struct plb_pace moved_at(double time)
{
    return (struct plb_pace){.moved = time};
}

static void looks_at_once_after_something_has_moved(void **state)
{
    (void)state;
    struct plb_pace pace = {0};
    int looks = 0;
    plb_pace_moved(&pace, 7.0);
    for (; plb_pace_at_once(&pace, PLB_PACE_CALM, false) && looks < 1000; looks++)
        plb_pace_yielded(&pace, 7.0, 7.0 + 1e-6);
    assert_in_range(looks, 20, 200);
    plb_pace_moved(&pace, 7.1);
    assert_true(plb_pace_at_once(&pace, PLB_PACE_CALM, false));
}

/* Who has waited for t sleeps through at most a quarter of t, so that it notices news that late. */
static void sleeps_in_proportion_to_the_wait(void **state)
{
    (void)state;
    struct plb_pace pace = moved_at(7.0);
    for (double quiet = 100e-6; quiet < 3e-3; quiet *= 1.5)
        assert_true(plb_pace_sleep(&pace, 7.0 + quiet, PLB_PACE_CALM, false) <= 0.26 * quiet);
    assert_true(plb_pace_sleep(&pace, 7.0 + 60e-6, PLB_PACE_CALM, false) > 10e-6);
}

/* An idle rank uses little of a core. */
static void sleeps_long_where_nothing_moves(void **state)
{
    (void)state;
    struct plb_pace pace = moved_at(7.0);
    assert_true(plb_pace_sleep(&pace, 9.0, PLB_PACE_CALM, false) == 900e-6);
    assert_true(plb_pace_sleep(&pace, 9.0, PLB_PACE_SHARING, false) == 350e-6);
    assert_true(plb_pace_sleep(&pace, 9.0, PLB_PACE_AWAITING, false) == 50e-6);
    assert_true(plb_pace_sleep(&pace, 9.0, PLB_PACE_ALONE, false) == 50e-3);
}

/* A rank that is alone leaves a short pass to its PUs, whatever has just moved. */
static void sleeps_through_short_passes_where_alone(void **state)
{
    (void)state;
    struct plb_pace pace = moved_at(7.0);
    assert_true(!plb_pace_at_once(&pace, PLB_PACE_ALONE, false));
    assert_true(plb_pace_at_once(&pace, PLB_PACE_CALM, false));
    for (double quiet = 0.0; quiet < 400e-6; quiet += 20e-6)
        assert_true(plb_pace_sleep(&pace, 7.0 + quiet, PLB_PACE_ALONE, false) >= 400e-6);
    assert_true(plb_pace_sleep(&pace, 7.0, PLB_PACE_ALONE, false) <= 1e-3);
}

/* While the PUs execute shares that stand, the thread leaves them their core. */
static void sleeps_until_the_pus_have_ended(void **state)
{
    (void)state;
    struct plb_pace pace = moved_at(7.0);
    assert_true(!plb_pace_at_once(&pace, PLB_PACE_WORKING, false));
    assert_true(plb_pace_sleep(&pace, 7.0, PLB_PACE_WORKING, false) >= 500e-6);
}

/* Beside PUs that compute on its cores the thread looks seldom, whatever has just moved; more often where
 * more ranks await answers. */
static void sleeps_beside_pus_that_compute(void **state)
{
    (void)state;
    for (int askers = 1; askers <= 1000; askers *= 10) {
        struct plb_pace pace;
        plb_pace_init(&pace, 2, 2, askers);
        plb_pace_moved(&pace, 7.0);
        assert_false(plb_pace_at_once(&pace, PLB_PACE_BESIDE, false));
        double least = plb_pace_sleep(&pace, 7.0, PLB_PACE_BESIDE, false);
        assert_true(least <= 350e-6 / askers || least == 20e-6);
        assert_true(least >= (askers == 1 ? 300e-6 : 20e-6));
        assert_true(plb_pace_sleep(&pace, 9.0, PLB_PACE_BESIDE, false) == 900e-6);
    }
}

/* Where all PUs wait, messages are seen sooner. Not where more ranks than cores look: their looks would take
 * the cores of those that work. */
static void an_idle_rank_looks_more_often(void **state)
{
    (void)state;
    struct plb_pace pace = moved_at(7.0), shared = moved_at(7.0);
    shared.passes = true;
    pace.looks = shared.looks = 300;
    assert_true(plb_pace_at_once(&pace, PLB_PACE_CALM, true));
    assert_false(plb_pace_at_once(&pace, PLB_PACE_CALM, false));
    assert_false(plb_pace_at_once(&shared, PLB_PACE_CALM, true));
    pace.looks = 2000;
    assert_false(plb_pace_at_once(&pace, PLB_PACE_CALM, true));
    for (double quiet = 500e-6; quiet < 10e-3; quiet *= 1.5) {
        assert_true(plb_pace_sleep(&pace, 7.0 + quiet, PLB_PACE_CALM, true) <= 0.06 * quiet);
        assert_true(plb_pace_sleep(&shared, 7.0 + quiet, PLB_PACE_CALM, true) >= fmin(0.2 * quiet, 900e-6));
    }
    assert_true(plb_pace_sleep(&pace, 9.0, PLB_PACE_CALM, true) == 900e-6);
}

/* A yield that lasts a time slice is not tried again at once. */
static void long_yields_are_not_repeated(void **state)
{
    (void)state;
    struct plb_pace pace = moved_at(7.0);
    plb_pace_yielded(&pace, 7.0, 7.0 + 20e-6);
    assert_true(plb_pace_may_yield(&pace, 7.0 + 21e-6));
    plb_pace_yielded(&pace, 7.001, 7.002);
    assert_true(!plb_pace_may_yield(&pace, 7.003));
    assert_true(plb_pace_may_yield(&pace, 7.005));
    plb_pace_yielded(&pace, 8.0, 9.0);
    assert_true(!plb_pace_may_yield(&pace, 9.005));
    assert_true(plb_pace_may_yield(&pace, 9.02)); /* the whole rank was stopped */
}

/* Where ranks share a core, a long yield is the work of another rank. */
static void ranks_that_share_cores_pass_them_on(void **state)
{
    (void)state;
    struct plb_pace pace;
    for (int cores = 1; cores <= 2; cores++) {
        plb_pace_init(&pace, 2, cores, 1);
        plb_pace_yielded(&pace, 7.0, 7.01);
        assert_int_equal(plb_pace_may_yield(&pace, 7.011), cores == 1);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_at_once_after_something_has_moved),
        cmocka_unit_test(sleeps_in_proportion_to_the_wait),
        cmocka_unit_test(sleeps_long_where_nothing_moves),
        cmocka_unit_test(sleeps_through_short_passes_where_alone),
        cmocka_unit_test(sleeps_until_the_pus_have_ended),
        cmocka_unit_test(sleeps_beside_pus_that_compute),
        cmocka_unit_test(an_idle_rank_looks_more_often),
        cmocka_unit_test(long_yields_are_not_repeated),
        cmocka_unit_test(ranks_that_share_cores_pass_them_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
