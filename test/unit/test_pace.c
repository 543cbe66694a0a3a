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
    for (; plb_pace_at_once(&pace, 7.0, PLB_PACE_CALM, PLB_PACE_SOME) && looks < 1000; looks++)
        plb_pace_yielded(&pace, 7.0, 7.0 + 1e-6);
    assert_in_range(looks, 20, 200);
    plb_pace_moved(&pace, 7.1);
    assert_true(plb_pace_at_once(&pace, 7.0, PLB_PACE_CALM, PLB_PACE_SOME));
}

/* Who has waited for t sleeps through at most a quarter of t, so that it notices news that late. */
static void sleeps_in_proportion_to_the_wait(void **state)
{
    (void)state;
    struct plb_pace pace = moved_at(7.0);
    for (double quiet = 100e-6; quiet < 3e-3; quiet *= 1.5)
        assert_true(plb_pace_sleep(&pace, 7.0 + quiet, PLB_PACE_CALM, PLB_PACE_SOME) <= 0.26 * quiet);
    assert_true(plb_pace_sleep(&pace, 7.0 + 60e-6, PLB_PACE_CALM, PLB_PACE_SOME) > 10e-6);
}

/* An idle rank uses little of a core. */
static void sleeps_long_where_nothing_moves(void **state)
{
    (void)state;
    struct plb_pace pace = moved_at(7.0);
    assert_true(plb_pace_sleep(&pace, 9.0, PLB_PACE_CALM, PLB_PACE_SOME) == 900e-6);
    assert_true(plb_pace_sleep(&pace, 9.0, PLB_PACE_SHARING, PLB_PACE_SOME) == 350e-6);
    assert_true(plb_pace_sleep(&pace, 9.0, PLB_PACE_AWAITING, PLB_PACE_SOME) == 50e-6);
    assert_true(plb_pace_sleep(&pace, 9.0, PLB_PACE_ALONE, PLB_PACE_SOME) == 50e-3);
}

/* A rank that is alone leaves a short pass to its PUs, whatever has just moved. */
static void sleeps_through_short_passes_where_alone(void **state)
{
    (void)state;
    struct plb_pace pace = moved_at(7.0);
    assert_true(!plb_pace_at_once(&pace, 7.0, PLB_PACE_ALONE, PLB_PACE_SOME));
    assert_true(plb_pace_at_once(&pace, 7.0, PLB_PACE_CALM, PLB_PACE_SOME));
    for (double quiet = 0.0; quiet < 400e-6; quiet += 20e-6)
        assert_true(plb_pace_sleep(&pace, 7.0 + quiet, PLB_PACE_ALONE, PLB_PACE_SOME) >= 400e-6);
    assert_true(plb_pace_sleep(&pace, 7.0, PLB_PACE_ALONE, PLB_PACE_SOME) <= 1e-3);
}

/* While the PUs execute shares that stand, the thread leaves them their core. */
static void sleeps_until_the_pus_have_ended(void **state)
{
    (void)state;
    struct plb_pace pace = moved_at(7.0);
    assert_true(!plb_pace_at_once(&pace, 7.0, PLB_PACE_WORKING, PLB_PACE_SOME));
    assert_true(plb_pace_sleep(&pace, 7.0, PLB_PACE_WORKING, PLB_PACE_SOME) >= 500e-6);
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
        assert_false(plb_pace_at_once(&pace, 7.0, PLB_PACE_BESIDE, PLB_PACE_SOME));
        double least = plb_pace_sleep(&pace, 7.0, PLB_PACE_BESIDE, PLB_PACE_SOME);
        assert_true(least <= 350e-6 / askers || least == 20e-6);
        assert_true(least >= (askers == 1 ? 300e-6 : 20e-6));
        assert_true(plb_pace_sleep(&pace, 9.0, PLB_PACE_BESIDE, PLB_PACE_SOME) == 900e-6);
    }
}

/* A yield to a PU that computes may last a time slice. After such a one the thread sleeps there, whatever it
 * awaits, for a hundred times as long. Ranks that share their cores pass them to each other all the same. */
static void yields_of_a_time_slice_are_rare(void **state)
{
    (void)state;
    for (int cores = 1; cores <= 2; cores++) {
        struct plb_pace pace;
        plb_pace_init(&pace, 2, cores, 1);
        plb_pace_yielded(&pace, 7.0, 7.0 + 20e-6);
        assert_true(plb_pace_at_once(&pace, 7.0, PLB_PACE_AWAITING, PLB_PACE_TAKEN));
        plb_pace_yielded(&pace, 7.0, 7.003);
        plb_pace_moved(&pace, 7.25);
        assert_true(plb_pace_at_once(&pace, 7.25, PLB_PACE_AWAITING, PLB_PACE_SOME));
        for (enum plb_pace_state what = PLB_PACE_CALM; what < PLB_PACE_BESIDE; what++)
            assert_int_equal(plb_pace_at_once(&pace, 7.25, what, PLB_PACE_TAKEN), cores == 1);
        assert_true(plb_pace_sleep(&pace, 7.25, PLB_PACE_AWAITING, PLB_PACE_TAKEN) == 20e-6);
        assert_true(plb_pace_at_once(&pace, 7.5, PLB_PACE_AWAITING, PLB_PACE_TAKEN));
        plb_pace_yielded(&pace, 8.0, 9.0); /* the process stood still */
        assert_true(plb_pace_at_once(&pace, 10.5, PLB_PACE_AWAITING, PLB_PACE_TAKEN));
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
    assert_true(plb_pace_at_once(&pace, 7.0, PLB_PACE_CALM, PLB_PACE_FREE));
    assert_false(plb_pace_at_once(&pace, 7.0, PLB_PACE_CALM, PLB_PACE_SOME));
    assert_false(plb_pace_at_once(&shared, 7.0, PLB_PACE_CALM, PLB_PACE_FREE));
    pace.looks = 2000;
    assert_false(plb_pace_at_once(&pace, 7.0, PLB_PACE_CALM, PLB_PACE_FREE));
    for (double quiet = 500e-6; quiet < 10e-3; quiet *= 1.5) {
        assert_true(plb_pace_sleep(&pace, 7.0 + quiet, PLB_PACE_CALM, PLB_PACE_FREE) <= 0.06 * quiet);
        assert_true(plb_pace_sleep(&shared, 7.0 + quiet, PLB_PACE_CALM, PLB_PACE_FREE)
                    >= fmin(0.2 * quiet, 900e-6));
    }
    assert_true(plb_pace_sleep(&pace, 9.0, PLB_PACE_CALM, PLB_PACE_FREE) == 900e-6);
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
        cmocka_unit_test(yields_of_a_time_slice_are_rare),
        cmocka_unit_test(an_idle_rank_looks_more_often),
        cmocka_unit_test(long_yields_are_not_repeated),
        cmocka_unit_test(ranks_that_share_cores_pass_them_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
