/* Beliefs: what makes a size less sure, and what makes it surer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "model/belief.h"

#define REPORTS 16

/* A PU that has reported blocks of these sizes, at 100 units of work per second but for the scatter. */
static struct plb_belief belief_of(int n, double smallest, double largest, double scatter)
{
    static struct plb_sample samples[REPORTS];
    struct plb_belief b = {0};
    for (int i = 0; i < n; i++) {
        double work = i % 2 == 0 ? smallest : largest, off = i % 4 < 2 ? 1.0 + scatter : 1.0 - scatter;
        samples[i] = (struct plb_sample){.work = work, .execute_s = work / 100.0 * off, .tasks = 1};
    }
    struct plb_pu pu = {.power = 1.0, .grain = INFINITY, .samples = samples, .n_samples = n};
    assert_true(plb_belief_fit(&b, &pu, 0.0, PLB_HALF_LIFE));
    return b;
}

static void a_prior_is_sure_of_nothing(void **state)
{
    (void)state;
    struct plb_belief b = {0};
    plb_belief_prior(&b, 50.0, 0.0);
    assert_float_equal(plb_model_time(&b.model, 100.0), 2.0, 1e-9);
    assert_float_equal(plb_belief_spread(&b, 100.0, 0.0), 9.0, 1e-9); /* a factor of ten */
    assert_true(plb_belief_sure(&b, 1e6, 0.0, 1e6) == 0.0);
}

static void a_start_costs_no_less_than_an_empty_task(void **state)
{
    (void)state;
    struct plb_sample s = {.work = 10.0, .execute_s = 3.0, .tasks = 1};
    struct plb_pu pu = {.power = 1.0, .grain = INFINITY, .samples = &s, .n_samples = 1};
    struct plb_belief b = {0};
    plb_belief_prior(&b, 50.0, 2.0);
    assert_float_equal(b.start_s, 2.0, 0.0);
    assert_float_equal(plb_model_time(&b.model, 1e-3), 2.00002, 1e-9);
    assert_float_equal(plb_model_time(&b.model, 100.0), 4.0, 1e-9);
    assert_true(plb_belief_fit(&b, &pu, 2.0, PLB_HALF_LIFE)); /* one report tells of no start */
    assert_float_equal(b.start_s, 2.0, 0.0);
}

static void reports_tell_of_a_start_that_costs_more(void **state)
{
    (void)state;
    struct plb_sample s[REPORTS];
    struct plb_pu pu = {.power = 1.0, .grain = INFINITY, .samples = s, .n_samples = REPORTS};
    struct plb_belief b = {0};
    for (int i = 0; i < REPORTS; i++)
        s[i] = (struct plb_sample){.work = 0.01 * (1 + i), .execute_s = 5.0 + 0.01 * (1 + i), .tasks = 1};
    assert_true(plb_belief_fit(&b, &pu, 2.0, PLB_HALF_LIFE));
    assert_true(b.start_s > 4.5 && b.start_s <= 5.0);
}

/* Doubt about the work never multiplies a start, and a start that is known is no work: after one
 * short report a block that lasts little longer is a hundred times as large. */
static void a_known_start_is_no_work(void **state)
{
    (void)state;
    struct plb_sample s = {.work = 1.0, .execute_s = 1.01, .tasks = 1};
    struct plb_pu pu = {.power = 1.0, .grain = INFINITY, .samples = &s, .n_samples = 1};
    struct plb_belief b = {0}, told_nothing = {0};
    assert_true(plb_belief_fit(&b, &pu, 0.9, PLB_HALF_LIFE));
    assert_float_equal(plb_model_time(&b.model, 1.0), 1.01, 1e-9);
    assert_true(fabs(plb_model_time(&b.model, 10.0) - 2.0) < 1e-9);
    assert_true(plb_belief_fit(&told_nothing, &pu, 0.0, PLB_HALF_LIFE));
    assert_true(plb_belief_sure(&b, 6.0, 0.0, 1e6) > 2.5 * plb_belief_sure(&told_nothing, 6.0, 0.0, 1e6));
    assert_true(plb_belief_late(&b, 1.0, 0.0) < 1.01 * 1.7);
}

/* Two reports that last as long, though one is of eight times the work, are a start. The slope beyond them
 * was an eighth of their mean at least. */
static void a_start_that_reports_show_is_no_work(void **state)
{
    (void)state;
    struct plb_sample s[] = {{.work = 1.0, .execute_s = 4.001, .tasks = 1},
                             {.work = 8.0, .execute_s = 4.008, .tasks = 1}};
    struct plb_pu pu = {.power = 1.0, .grain = INFINITY, .samples = s, .n_samples = 2};
    struct plb_belief b = {0};
    assert_true(plb_belief_fit(&b, &pu, 0.0, PLB_HALF_LIFE));
    assert_true(b.start_s > 3.9 && b.start_s <= 4.001);
    double seconds = plb_model_time(&b.model, 1000.0);
    assert_true(seconds >= 5.0 && seconds < 12.0); /* 5, and 64 by the mean */
}

static void a_size_is_harmless_if_late_is_little_later(void **state)
{
    (void)state;
    struct plb_belief b = belief_of(REPORTS, 50.0, 200.0, 0.05);
    double x = plb_belief_harmless(&b, 0.5, 0.0, 1000.0);
    assert_true(x > 50.0 && x < 1000.0);
    assert_true(fabs(plb_belief_late(&b, x, 0.0) - plb_model_time(&b.model, x) - 0.5) < 1e-3);
    assert_float_equal(plb_belief_harmless(&b, 0.5, 0.0, 10.0), 10.0, 1e-9); /* the limit */
    assert_true(plb_belief_harmless(&b, 0.0, 0.0, 1000.0) < 1e-3);
    plb_belief_prior(&b, 50.0, 0.0);
    assert_true(plb_belief_harmless(&b, 1e6, 0.0, 1000.0) == 0.0);
}

static void the_sure_size_ends_in_time_if_late(void **state)
{
    (void)state;
    struct plb_belief b = belief_of(REPORTS, 50.0, 200.0, 0.05);
    double x = plb_belief_sure(&b, 1.0, 0.0, 1000.0);
    assert_true(x > 50.0 && x < 100.0); /* 100 would end in time if nothing were late */
    assert_true(fabs(plb_model_time(&b.model, x) * (1.0 + plb_belief_spread(&b, x, 0.0)) - 1.0) < 1e-4);
    assert_float_equal(plb_belief_sure(&b, 1.0, 0.0, 30.0), 30.0, 1e-9); /* the limit */
}

static void more_reports_make_it_surer(void **state)
{
    (void)state;
    struct plb_belief few = belief_of(4, 50.0, 200.0, 0.0), many = belief_of(REPORTS, 50.0, 200.0, 0.0);
    assert_true(plb_belief_spread(&many, 100.0, 0.0) < 0.7 * plb_belief_spread(&few, 100.0, 0.0));
}

static void scatter_makes_it_less_sure(void **state)
{
    (void)state;
    struct plb_belief steady = belief_of(REPORTS, 50.0, 200.0, 0.0),
                      noisy = belief_of(REPORTS, 50.0, 200.0, 0.5);
    assert_true(plb_belief_spread(&noisy, 100.0, 0.0) > 1.5 * plb_belief_spread(&steady, 100.0, 0.0));
    assert_true(plb_belief_sure(&noisy, 1.0, 0.0, 1e6) < plb_belief_sure(&steady, 1.0, 0.0, 1e6));
}

static void sizes_beyond_any_seen_are_less_sure(void **state)
{
    (void)state;
    struct plb_belief b = belief_of(REPORTS, 50.0, 200.0, 0.0);
    double near = plb_belief_spread(&b, 200.0, 0.0), far = plb_belief_spread(&b, 20000.0, 0.0);
    assert_true(far > near + 5.0);
    assert_true(plb_belief_sure(&b, 1000.0, 0.0, 1e9) < 30000.0); /* of 100000 */
}

static void what_is_old_is_less_sure(void **state)
{
    (void)state;
    struct plb_belief b = belief_of(REPORTS, 50.0, 200.0, 0.0);
    assert_true(plb_belief_spread(&b, 100.0, 100.0) > plb_belief_spread(&b, 100.0, 0.0) + 0.4);
}

/* Large blocks at 70 ns a unit, and blocks of a few units, which are a start and noise. */
static struct plb_sample of_passes(int i)
{
    static const double large[] = {57825.0, 38800.0, 19778.0, 10588.0, 3118.0, 30357.0},
                        small[] = {1.0, 42.1, 0.8, 10.9, 13.0, 1.7, 26.0},
                        start_us[] = {2.1, 3.7, 2.4, 3.0, 2.2, 39.5, 4.3};
    double off = i % 3 == 0 ? 1.3 : i % 3 == 1 ? 0.8 : 0.95;
    if (i % 2 == 0)
        return (struct plb_sample){.work = large[i % 6], .execute_s = 70e-9 * large[i % 6] * off, .tasks = 1};
    return (struct plb_sample){.work = small[i % 7], .execute_s = 1e-6 * start_us[i % 7], .tasks = 1};
}

/* Their times beyond a start are noise, and say nothing of large blocks. */
static void small_blocks_do_not_scale_the_curve(void **state)
{
    (void)state;
    struct plb_sample s[48];
    struct plb_pu pu = {.power = 1.0, .grain = INFINITY, .samples = s};
    for (pu.n_samples = 8; pu.n_samples <= 48; pu.n_samples += 4) {
        struct plb_belief b = {0};
        for (int i = 0; i < pu.n_samples; i++)
            s[i] = of_passes(i);
        assert_true(plb_belief_fit(&b, &pu, 1.9e-6, PLB_HALF_LIFE));
        assert_float_equal(plb_model_time(&b.model, 40000.0), 2.8e-3, 1.4e-3);
    }
}

/* Nor do they make what is known of large blocks old. */
static void a_tail_of_small_blocks_leaves_the_curve(void **state)
{
    (void)state;
    struct plb_sample s[120];
    struct plb_pu pu = {.power = 1.0, .grain = INFINITY, .samples = s, .n_samples = 120};
    struct plb_belief b = {0};
    for (int i = 0; i < 120; i++) {
        double work = i < 20 ? 1000.0 * (1 + i) : 1.0 + i % 5, off = i % 2 == 0 ? 1.5 : 0.7;
        s[i] = (struct plb_sample){
            .work = work, .execute_s = i < 20 ? 0.01 * work : 0.02 * work * off, .tasks = 1};
    }
    assert_true(plb_belief_fit(&b, &pu, 0.0, PLB_HALF_LIFE));
    assert_float_equal(plb_model_time(&b.model, 20000.0), 200.0, 40.0);
}

static void impossible_times_are_no_belief(void **state)
{
    (void)state;
    struct plb_sample s = {.work = 10.0, .execute_s = NAN, .tasks = 1};
    struct plb_pu pu = {.power = 1.0, .grain = INFINITY, .samples = &s, .n_samples = 1};
    struct plb_belief b = {0};
    assert_false(plb_belief_fit(&b, &pu, 0.0, PLB_HALF_LIFE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prior_is_sure_of_nothing),
        cmocka_unit_test(a_start_costs_no_less_than_an_empty_task),
        cmocka_unit_test(reports_tell_of_a_start_that_costs_more),
        cmocka_unit_test(a_known_start_is_no_work),
        cmocka_unit_test(a_start_that_reports_show_is_no_work),
        cmocka_unit_test(a_size_is_harmless_if_late_is_little_later),
        cmocka_unit_test(the_sure_size_ends_in_time_if_late),
        cmocka_unit_test(more_reports_make_it_surer),
        cmocka_unit_test(scatter_makes_it_less_sure),
        cmocka_unit_test(sizes_beyond_any_seen_are_less_sure),
        cmocka_unit_test(what_is_old_is_less_sure),
        cmocka_unit_test(small_blocks_do_not_scale_the_curve),
        cmocka_unit_test(a_tail_of_small_blocks_leaves_the_curve),
        cmocka_unit_test(impossible_times_are_no_belief),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
