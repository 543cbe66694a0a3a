/* The memory of a PU: samples of a profile are believed until the first reports contradict them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "core/measure/history.h"
#include "plb/kernel.h"

#define RATE 100.0 /* work per second that the profile knows */

static struct plb_sample sample(double work, double factor)
{
    return (struct plb_sample){work, factor * work / RATE, 0.0, 1, 0.0, true};
}

/* A history that begins with `n` samples of work 10, 20, 30... */
static struct plb_history from_profile(int n)
{
    struct plb_history h = {0};
    struct plb_sample profile[2 * PLB_MAX_SAMPLES];
    for (int i = 0; i < n; i++)
        profile[i] = sample(10.0 * (i + 1), 1.0);
    plb_history_load(&h, profile, n);
    return h;
}

static void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * expected))
        fail_msg("got %.12g, expected %.12g", got, expected);
}

static void add(struct plb_history *h, double work, double factor)
{
    struct plb_sample s = sample(work, factor);
    plb_history_add(h, &s);
}

static void samples_of_a_profile_come_first(void **state)
{
    (void)state;
    struct plb_history h = from_profile(5);
    assert_int_equal(h.n, 5);
    assert_int_equal(h.from_profile, 5);
    add(&h, 70.0, 1.0);
    assert_int_equal(h.n, 6);
    assert_int_equal(h.from_profile, 5);
    assert_true(h.at[0].work == 10.0 && h.at[4].work == 50.0 && h.at[5].work == 70.0);
    plb_history_fini(&h);
    assert_null(h.at);
}

static void of_too_many_the_last_are_kept(void **state)
{
    (void)state;
    struct plb_history h = from_profile(PLB_MAX_SAMPLES + 10);
    assert_int_equal(h.from_profile, PLB_MAX_SAMPLES / 2);
    assert_int_equal(h.n, PLB_MAX_SAMPLES / 2);
    assert_true(h.at[h.n - 1].work == 10.0 * (PLB_MAX_SAMPLES + 10));
    plb_history_fini(&h);
}

static void a_profile_fades_behind_what_is_measured(void **state)
{
    (void)state;
    struct plb_history h = from_profile(10);
    while (h.n < PLB_MAX_SAMPLES)
        add(&h, 40.0, 1.0);
    assert_int_equal(h.from_profile, 10);
    add(&h, 55.0, 1.0); /* no room: the older half goes, the profile with it */
    assert_int_equal(h.from_profile, 0);
    assert_int_equal(h.n, PLB_MAX_SAMPLES / 2 + 1);
    assert_false(h.dropped);
    assert_true(h.at[0].work == 40.0 && h.at[h.n - 1].work == 55.0);
    plb_history_fini(&h);
}

/* A full history keeps two of its older tasks; their work is counted anew by their own units. */
static void kept_tasks_keep_their_units(void **state)
{
    (void)state;
    enum { UNITS = 4096 };
    double prefix[UNITS + 1] = {0.0};
    struct plb_cost_map map = {.units = UNITS, .bucket = 1, .n = UNITS, .prefix = prefix, .per_work = 1.0};
    struct plb_history h = {0};
    for (int i = 0; i < UNITS; i++) /* the first half costs three times as much */
        prefix[i + 1] = prefix[i] + (i < UNITS / 2 ? 1.5 : 0.5);
    for (int i = 0; i <= PLB_MAX_SAMPLES; i++) {
        int64_t count = i == 3 ? 30 : 10;
        add(&h, (double)count, 1.0);
        plb_history_place(&h, (struct plb_range){i < PLB_MAX_SAMPLES / 2 ? 0 : UNITS / 2, count});
    }
    assert_int_equal(h.n, PLB_MAX_SAMPLES / 2 + 1);
    assert_true(h.at[1].work == 30.0);
    plb_history_recount(&h, &map, 1.0);
    near(h.at[0].work, 1.5 * 10.0);
    near(h.at[1].work, 1.5 * 30.0);
    near(h.at[2].work, 0.5 * 10.0);
    plb_history_fini(&h);
}

static void two_contradictions_in_a_row_end_a_profile(void **state)
{
    (void)state;
    static const double factors[] = {1.3, 0.7};
    for (int i = 0; i < 2; i++) {
        struct plb_history h = from_profile(5);
        add(&h, 30.0, factors[i]);
        assert_false(h.dropped);
        assert_int_equal(h.from_profile, 5);
        add(&h, 40.0, factors[i]);
        assert_true(h.dropped);
        assert_int_equal(h.from_profile, 0);
        assert_int_equal(h.n, 2); /* the two that were measured */
        assert_true(h.at[0].work == 30.0 && h.at[1].work == 40.0);
        plb_history_fini(&h);
    }
}

static void one_hiccup_does_not(void **state)
{
    (void)state;
    struct plb_history h = from_profile(5);
    add(&h, 30.0, 5.0);
    add(&h, 30.0, 1.1);
    add(&h, 30.0, 5.0);
    add(&h, 30.0, 0.9);
    assert_false(h.dropped);
    assert_int_equal(h.from_profile, 5);
    assert_int_equal(h.n, 9);
    plb_history_fini(&h);
}

static void after_four_reports_it_stays(void **state)
{
    (void)state;
    struct plb_history h = from_profile(5);
    for (int i = 0; i < 4; i++)
        add(&h, 30.0, 1.0);
    for (int i = 0; i < 4; i++)
        add(&h, 30.0, 3.0);
    assert_false(h.dropped);
    assert_int_equal(h.from_profile, 5);
    plb_history_fini(&h);
}

static void sizes_it_knows_nothing_of_say_nothing(void **state)
{
    (void)state;
    struct plb_history h = from_profile(5);
    for (int i = 0; i < 6; i++)
        add(&h, 1.0, 9.0);
    assert_false(h.dropped);
    for (int i = 0; i < 2; i++)
        add(&h, 30.0, 9.0); /* they have not used up the four either */
    assert_true(h.dropped);
    plb_history_fini(&h);
}

static void without_a_profile_nothing_is_dropped(void **state)
{
    (void)state;
    struct plb_history h = {0};
    add(&h, 30.0, 1.0);
    add(&h, 30.0, 9.0);
    add(&h, 30.0, 9.0);
    assert_false(h.dropped);
    assert_int_equal(h.n, 3);
    plb_history_fini(&h);
}

/* Transfers count in the rate. A time that cannot be leaves it alone. */
static void a_time_that_cannot_be_tells_of_no_rate(void **state)
{
    static const double times[] = {0.0, -1.0, NAN, INFINITY, 5e-324};
    (void)state;
    struct plb_history h = {0};
    assert_true(plb_estimate_rate(plb_history_estimate(&h)) == 0.0);
    struct plb_sample s = {.work = 10.0, .execute_s = 1.5, .transfer_s = 0.5, .tasks = 1};
    plb_history_add(&h, &s);
    near(plb_estimate_rate(plb_history_estimate(&h)), 5.0);
    for (int i = 0; i < 5; i++) {
        s = (struct plb_sample){.work = 10.0, .execute_s = times[i], .tasks = 1};
        plb_history_add(&h, &s);
        near(plb_estimate_rate(plb_history_estimate(&h)), 5.0);
    }
    plb_history_fini(&h);
}

static void where_asked_samples_stay_as_measured(void **state)
{
    (void)state;
    struct plb_history h = {.unscaled = true};
    for (int i = 0; i < 9; i++)
        add(&h, 10.0, i < 6 ? 1.0 : 2.0);
    near(h.at[0].execute_s, 10.0 / RATE);
    plb_history_fini(&h);
}

/* A hundred times as long: without told costs the units are dearer. Twice as long: the machine is slower. */
static void far_dearer_units_are_no_slow_machine(void **state)
{
    (void)state;
    for (int unknown_cost = 0; unknown_cost < 2; unknown_cost++)
        for (int k = 0; k < 2; k++) {
            struct plb_history h = {.unknown_cost = unknown_cost};
            for (int i = 0; i < 6; i++)
                add(&h, 10.0, 1.0);
            for (int i = 0; i < 3; i++)
                add(&h, 10.0, k == 0 ? 100.0 : 2.0);
            assert_true(h.changes > 0);
            assert_true((h.n < 6) == (unknown_cost && k == 0));
            if (unknown_cost && k == 0)
                assert_true(plb_history_surprises(&h));
            plb_history_fini(&h);
        }
}

/* Tasks of a tenth of a millisecond on a busy machine: twice as long is no other machine. */
static void a_profile_of_short_tasks_outlives_hiccups(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct plb_history h = {0};
        struct plb_sample profile[4];
        for (int i = 0; i < 4; i++)
            profile[i] = sample(0.01 * (i + 1), 1.0);
        plb_history_load(&h, profile, 4);
        for (int i = 0; i < 4; i++)
            add(&h, 0.02, k == 0 ? 2.0 : 20.0);
        assert_int_equal(h.dropped, k == 1);
        plb_history_fini(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_asked_samples_stay_as_measured),
        cmocka_unit_test(far_dearer_units_are_no_slow_machine),
        cmocka_unit_test(a_profile_of_short_tasks_outlives_hiccups),
        cmocka_unit_test(samples_of_a_profile_come_first),
        cmocka_unit_test(of_too_many_the_last_are_kept),
        cmocka_unit_test(a_profile_fades_behind_what_is_measured),
        cmocka_unit_test(kept_tasks_keep_their_units),
        cmocka_unit_test(two_contradictions_in_a_row_end_a_profile),
        cmocka_unit_test(one_hiccup_does_not),
        cmocka_unit_test(after_four_reports_it_stays),
        cmocka_unit_test(sizes_it_knows_nothing_of_say_nothing),
        cmocka_unit_test(without_a_profile_nothing_is_dropped),
        cmocka_unit_test(a_time_that_cannot_be_tells_of_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
