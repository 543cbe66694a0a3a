/* The memory of a PU: recalled samples are believed until the first reports contradict them. */
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
static struct plb_history recalled(int n)
{
    struct plb_history h = {0};
    struct plb_sample profile[2 * PLB_MAX_SAMPLES];
    for (int i = 0; i < n; i++)
        profile[i] = sample(10.0 * (i + 1), 1.0);
    plb_history_recall(&h, profile, n);
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

static void recalled_samples_come_first(void **state)
{
    (void)state;
    struct plb_history h = recalled(5);
    assert_int_equal(h.n, 5);
    assert_int_equal(h.recalled, 5);
    add(&h, 70.0, 1.0);
    assert_int_equal(h.n, 6);
    assert_int_equal(h.recalled, 5);
    assert_true(h.at[0].work == 10.0 && h.at[4].work == 50.0 && h.at[5].work == 70.0);
    plb_history_fini(&h);
    assert_null(h.at);
}

static void of_too_many_the_last_are_kept(void **state)
{
    (void)state;
    struct plb_history h = recalled(PLB_MAX_SAMPLES + 10);
    assert_int_equal(h.recalled, PLB_MAX_SAMPLES / 2);
    assert_int_equal(h.n, PLB_MAX_SAMPLES / 2);
    assert_true(h.at[h.n - 1].work == 10.0 * (PLB_MAX_SAMPLES + 10));
    plb_history_fini(&h);
}

static void a_profile_fades_behind_what_is_measured(void **state)
{
    (void)state;
    struct plb_history h = recalled(10);
    while (h.n < PLB_MAX_SAMPLES)
        add(&h, 40.0, 1.0);
    assert_int_equal(h.recalled, 10);
    add(&h, 55.0, 1.0); /* no room: the older half goes, the profile with it */
    assert_int_equal(h.recalled, 0);
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
        struct plb_history h = recalled(5);
        add(&h, 30.0, factors[i]);
        assert_false(h.dropped);
        assert_int_equal(h.recalled, 5);
        add(&h, 40.0, factors[i]);
        assert_true(h.dropped);
        assert_int_equal(h.recalled, 0);
        assert_int_equal(h.n, 2); /* the two that were measured */
        assert_true(h.at[0].work == 30.0 && h.at[1].work == 40.0);
        plb_history_fini(&h);
    }
}

static void one_hiccup_does_not(void **state)
{
    (void)state;
    struct plb_history h = recalled(5);
    add(&h, 30.0, 5.0);
    add(&h, 30.0, 1.1);
    add(&h, 30.0, 5.0);
    add(&h, 30.0, 0.9);
    assert_false(h.dropped);
    assert_int_equal(h.recalled, 5);
    assert_int_equal(h.n, 9);
    plb_history_fini(&h);
}

static void after_four_reports_it_stays(void **state)
{
    (void)state;
    struct plb_history h = recalled(5);
    for (int i = 0; i < 4; i++)
        add(&h, 30.0, 1.0);
    for (int i = 0; i < 4; i++)
        add(&h, 30.0, 3.0);
    assert_false(h.dropped);
    assert_int_equal(h.recalled, 5);
    plb_history_fini(&h);
}

static void sizes_it_knows_nothing_of_say_nothing(void **state)
{
    (void)state;
    struct plb_history h = recalled(5);
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

/* Five blocks at the usual rate, then three that take twice as long: the third tells, and all earlier times
 * are doubled. Two say nothing yet, neither do three of which one is quick. */
static void three_slow_reports_scale_what_was_before(void **state)
{
    (void)state;
    for (int slow = 2; slow <= 3; slow++)
        for (int quick = 0; quick <= 1; quick++) {
            struct plb_history h = {0};
            for (int i = 0; i < 5; i++)
                add(&h, 10.0, 1.0);
            for (int i = 0; i < slow; i++)
                add(&h, 10.0, quick == 1 && i == 1 ? 0.5 : 2.0);
            near(h.at[0].execute_s, (slow == 3 && quick == 0 ? 0.2 : 0.1));
            near(h.at[h.n - 1].execute_s, (slow == 2 && quick == 1 ? 0.05 : 0.2));
            plb_history_fini(&h);
        }
}

/* A single report, of blocks of 1 s and of 1 ms, that takes eight times as long. Then as before. */
static void one_report_is_enough_where_it_is_no_hiccup(void **state)
{
    (void)state;
    for (int large = 0; large <= 1; large++) {
        struct plb_history h = {0};
        double work = large ? RATE : 1e-3 * RATE, usual = work / RATE;
        for (int i = 0; i < 4; i++)
            add(&h, work, 1.0);
        add(&h, work, 8.0);
        near(h.at[0].execute_s, (large ? 8.0 * usual : usual));
        add(&h, work, 1.0);
        near(h.at[0].execute_s, usual);
        near(h.at[5].execute_s, usual);
        plb_history_fini(&h);
    }
}

/* Tasks of 1 s and 0.01 s a unit, of growing and of falling sizes: it is always the same machine. */
static void a_fixed_cost_is_no_change(void **state)
{
    (void)state;
    static const double sizes[] = {1, 2, 4, 12, 12, 40, 40, 20, 10, 5, 3, 100, 50, 2};
    struct plb_history h = {0};
    for (int i = 0; i < 14; i++) {
        struct plb_sample s = {sizes[i], 1.0 + 0.01 * sizes[i], 0.0, 1, 0.0, true};
        plb_history_add(&h, &s);
    }
    for (int i = 0; i < 14; i++)
        near(h.at[i].execute_s, 1.0 + 0.01 * sizes[i]);
    plb_history_fini(&h);
}

/* A size that nothing is known about is no change of speed. */
static void another_size_is_no_change(void **state)
{
    (void)state;
    struct plb_history h = {0};
    for (int i = 0; i < 5; i++)
        add(&h, 1000.0, 1.0);
    for (int i = 0; i < 4; i++)
        add(&h, 10.0, 20.0);
    near(h.at[0].execute_s, 1000.0 / RATE);
    plb_history_fini(&h);
}

/* However many reports came before, and whether the older ones have been dropped meanwhile. */
static void a_change_is_seen_after_many_reports(void **state)
{
    (void)state;
    for (int before = 5; before < 3 * PLB_MAX_SAMPLES; before++) {
        struct plb_history h = {0};
        for (int i = 0; i < before; i++)
            add(&h, 10.0 + i % 7, 1.0);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(h.changes, 0);
            add(&h, 12.0, 1.25);
        }
        assert_int_equal(h.changes, 1);
        for (int i = 0; i < h.n; i++)
            near(h.at[i].execute_s, 1.25 * h.at[i].work / RATE);
        plb_history_fini(&h);
    }
}

/* Times that are a few percent off, either way, are no change. */
static void noise_is_no_change(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct plb_history h = {0};
        double sum = 0.0, expected = 0.0;
        for (int i = 0; i < 100; i++) {
            double factor = 0.92 + 0.16 * plb_random_real(seed, (uint64_t)i), work = 10.0 + i % 7;
            add(&h, work, factor);
            expected += factor * work / RATE;
        }
        for (int i = 0; i < h.n; i++)
            sum += h.at[i].execute_s;
        assert_int_equal(h.changes, 0);
        near(sum, expected);
        plb_history_fini(&h);
    }
}

/* A PU whose tasks of 400 and 100 showed that starts are free becomes ten times slower, and its tasks are cut
 * shorter: that is no start cost. */
static void a_smaller_task_that_lasts_as_long_is_a_change(void **state)
{
    (void)state;
    for (int many = 0; many <= 1; many++) { /* so many that the larger ones are forgotten */
        struct plb_history h = {0};
        for (int i = 0; i < 4; i++)
            add(&h, 400.0, 1.0);
        for (int i = 0; i < (many ? 3 * PLB_MAX_SAMPLES : 8); i++)
            add(&h, 100.0, 1.0);
        add(&h, 20.0, 10.0);
        assert_int_equal(h.changes, 1);
        near(h.at[h.n - 2].execute_s, 10.0 * 100.0 / RATE);
        assert_true(plb_history_least_task(&h) < 1.0);
        plb_history_fini(&h);
    }
}

/* Where all tasks were alike, it may as well be a start cost. */
static void a_smaller_task_alone_says_nothing(void **state)
{
    (void)state;
    struct plb_history h = {0};
    for (int i = 0; i < 12; i++)
        add(&h, 100.0, 1.0);
    add(&h, 20.0, 10.0);
    assert_int_equal(h.changes, 0);
    plb_history_fini(&h);
}

/* The rate is that of the latest report, with its transfers. A time that cannot be tells of none. */
static void the_latest_report_tells_the_rate(void **state)
{
    static const double times[] = {0.0, -1.0, NAN, INFINITY, 5e-324};
    (void)state;
    struct plb_history h = {0};
    assert_true(plb_history_rate(&h) == 0.0);
    add(&h, 10.0, 1.0);
    struct plb_sample s = {.work = 10.0, .execute_s = 1.5, .transfer_s = 0.5, .tasks = 1};
    plb_history_add(&h, &s);
    near(plb_history_rate(&h), 5.0);
    for (int i = 0; i < 5; i++) {
        s = (struct plb_sample){.work = 10.0, .execute_s = times[i], .tasks = 1};
        plb_history_add(&h, &s);
        assert_true(plb_history_rate(&h) == 0.0);
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
    for (int untold = 0; untold < 2; untold++)
        for (int k = 0; k < 2; k++) {
            struct plb_history h = {.untold = untold};
            for (int i = 0; i < 6; i++)
                add(&h, 10.0, 1.0);
            for (int i = 0; i < 3; i++)
                add(&h, 10.0, k == 0 ? 100.0 : 2.0);
            assert_true(h.changes > 0);
            assert_true((h.n < 6) == (untold && k == 0));
            if (untold && k == 0)
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
        plb_history_recall(&h, profile, 4);
        for (int i = 0; i < 4; i++)
            add(&h, 0.02, k == 0 ? 2.0 : 20.0);
        assert_int_equal(h.dropped, k == 1);
        plb_history_fini(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_slow_reports_scale_what_was_before),
        cmocka_unit_test(where_asked_samples_stay_as_measured),
        cmocka_unit_test(far_dearer_units_are_no_slow_machine),
        cmocka_unit_test(a_profile_of_short_tasks_outlives_hiccups),
        cmocka_unit_test(one_report_is_enough_where_it_is_no_hiccup),
        cmocka_unit_test(a_change_is_seen_after_many_reports),
        cmocka_unit_test(noise_is_no_change),
        cmocka_unit_test(a_fixed_cost_is_no_change),
        cmocka_unit_test(another_size_is_no_change),
        cmocka_unit_test(a_smaller_task_that_lasts_as_long_is_a_change),
        cmocka_unit_test(a_smaller_task_alone_says_nothing),
        cmocka_unit_test(recalled_samples_come_first),
        cmocka_unit_test(of_too_many_the_last_are_kept),
        cmocka_unit_test(a_profile_fades_behind_what_is_measured),
        cmocka_unit_test(kept_tasks_keep_their_units),
        cmocka_unit_test(two_contradictions_in_a_row_end_a_profile),
        cmocka_unit_test(one_hiccup_does_not),
        cmocka_unit_test(after_four_reports_it_stays),
        cmocka_unit_test(sizes_it_knows_nothing_of_say_nothing),
        cmocka_unit_test(without_a_profile_nothing_is_dropped),
        cmocka_unit_test(the_latest_report_tells_the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
