/* Estimates: what a start costs and what its work, and what makes a size less sure, or surer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "model/estimate.h"

#define REPORTS 16
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void report(struct plb_estimate *e, double work, double seconds)
{
    plb_estimate_add(e, &(struct plb_sample){.work = work, .execute_s = seconds, .tasks = 1});
}

/* A PU that has reported blocks of these sizes, at 100 units of work per second but for the scatter. */
static struct plb_estimate estimate_of(int n, double smallest, double largest, double scatter)
{
    struct plb_estimate e = {0};
    plb_estimate_prior(&e, 1.0, 0.0);
    for (int i = 0; i < n; i++) {
        double work = i % 2 == 0 ? smallest : largest, off = i % 4 < 2 ? 1.0 + scatter : 1.0 - scatter;
        report(&e, work, work / 100.0 * off);
    }
    return e;
}

static void a_prior_is_sure_of_nothing(void **state)
{
    (void)state;
    struct plb_estimate e = {0};
    plb_estimate_prior(&e, 50.0, 2.0);
    assert_float_equal(plb_estimate_seconds(&e, 1e-3), 2.00002, 1e-9);
    assert_float_equal(plb_estimate_seconds(&e, 100.0), 4.0, 1e-9);
    assert_float_equal(plb_estimate_late(&e, 100.0), 40.0, 1e-9); /* a factor of ten */
    assert_float_equal(e.start_s, 2.0, 0.0);
}

/* An empty task takes 50 ms, and the first unit 51 ms: a start is no work, and 1,000 units take a second. How
 * much of the millisecond is noise nobody knows, but the rate is far from the 20 units per second that it
 * would be if the start were work. */
static void a_start_that_is_known_is_not_learned_as_work(void **state)
{
    (void)state;
    struct plb_estimate e = {0};
    plb_estimate_prior(&e, 1.0, 0.05);
    report(&e, 1.0, 0.051);
    assert_float_equal(e.start_s, 0.05, 0.005);
    assert_true(e.rate > 200.0);
    assert_true(plb_estimate_late(&e, 6.0) < 0.3); /* of 2 it was so where starts are work */
    report(&e, 20.0, 0.07);
    report(&e, 400.0, 0.45);
    assert_true(fabs(e.rate - 1000.0) < 100.0);
    assert_float_equal(e.start_s, 0.05, 0.002);
}

/* Nothing that is not known of the work multiplies the start. */
static void what_is_unsure_of_the_work_leaves_the_start_alone(void **state)
{
    double beyond[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct plb_estimate e = {0};
        double start = i * 5.0;
        plb_estimate_prior(&e, 1.0, start);
        for (int n = 0; n < REPORTS; n++)
            report(&e, 1.0 + n % 4, start + 0.01 * (1 + n % 4));
        beyond[i] = plb_estimate_late(&e, 400.0) - plb_estimate_seconds(&e, 400.0);
    }
    assert_true(beyond[0] > 20.0);                  /* 100 times the largest size that was seen, in 4 s */
    assert_true(beyond[1] < beyond[0] + 5.0 * 5.0); /* of 5 s */
}

static void reports_tell_of_a_start_that_costs_more(void **state)
{
    (void)state;
    struct plb_estimate e = {0};
    plb_estimate_prior(&e, 1.0, 2.0);
    for (int i = 0; i < REPORTS; i++)
        report(&e, 0.01 * (1 + i), 5.0 + 0.01 * (1 + i));
    assert_true(e.start_s > 4.5 && e.start_s <= 5.0);
    e = estimate_of(REPORTS, 1.0, 4.0, 0.05);
    assert_true(e.start_s == 0.0); /* noise is none */
}

/* A task takes 50 ms whatever its size, a little less by chance where it is large. The latest is small. */
static void a_start_may_be_all(void **state)
{
    (void)state;
    static const double sizes[] = {1.0, 10.0, 100.0, 1000.0, 2000.0, 1500.0, 20.0, 2000.0, 1800.0, 5.0};
    struct plb_estimate e = {0};
    plb_estimate_prior(&e, 1.0, 0.0);
    for (int i = 0; i < COUNT(sizes); i++)
        report(&e, sizes[i], sizes[i] < 2000.0 ? 0.0505 : 0.05);
    assert_true(fabs(e.start_s + e.start_error - 0.05) < 1e-3);
    assert_float_equal(e.start_s, 0.05, 2e-3);
    assert_true(e.rate > 1e5 && isfinite(e.rate));
}

static void no_start_is_longer_than_a_task(void **state)
{
    (void)state;
    struct plb_estimate e = {0};
    plb_estimate_prior(&e, 1.0, 0.5); /* measured while the machine did something else */
    report(&e, 10.0, 0.1);
    assert_true(e.start_s <= 0.1);
    assert_true(e.rate > 0.0 && isfinite(e.rate));
}

static double spread_of(const struct plb_estimate *e, double x)
{
    return plb_estimate_late(e, x) / plb_estimate_seconds(e, x) - 1.0;
}

static void more_reports_make_it_surer(void **state)
{
    (void)state;
    struct plb_estimate few = estimate_of(4, 50.0, 200.0, 0.0), many = estimate_of(REPORTS, 50.0, 200.0, 0.0);
    assert_true(many.spread < 0.7 * few.spread);
}

static void scatter_makes_it_less_sure(void **state)
{
    (void)state;
    struct plb_estimate steady = estimate_of(REPORTS, 50.0, 200.0, 0.0),
                        noisy = estimate_of(REPORTS, 50.0, 200.0, 0.5);
    assert_true(spread_of(&noisy, 100.0) > 1.5 * spread_of(&steady, 100.0));
}

static void sizes_beyond_any_seen_are_less_sure(void **state)
{
    (void)state;
    struct plb_estimate e = estimate_of(REPORTS, 50.0, 200.0, 0.0);
    assert_true(spread_of(&e, 20000.0) > spread_of(&e, 200.0) + 5.0);
    assert_true(plb_estimate_late(&e, 30000.0) > 1000.0); /* 300 if nothing is late */
}

static void the_less_was_watched_the_less_sure(void **state)
{
    (void)state;
    struct plb_estimate e = estimate_of(REPORTS, 50.0, 200.0, 0.0), brief = e;
    brief.watched_s = 0.25 * plb_estimate_seconds(&e, 100.0);
    assert_true(fabs(spread_of(&brief, 100.0) - spread_of(&e, 100.0) - 0.4) < 0.05);
}

static void impossible_times_are_ignored(void **state)
{
    static const double strange[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    (void)state;
    struct plb_estimate e = {0};
    plb_estimate_prior(&e, 7.0, 0.0);
    for (int i = 0; i < COUNT(strange); i++)
        report(&e, 10.0, strange[i]);
    assert_false(plb_estimate_reported(&e));
    assert_float_equal(e.rate, 7.0, 0.0);
}

static void a_block_of_several_tasks_pays_each_start(void **state)
{
    (void)state;
    struct plb_estimate e = {.grain = 10.0};
    plb_estimate_prior(&e, 100.0, 0.5);
    assert_float_equal(plb_estimate_seconds(&e, 40.0), 2.4, 1e-6);
    assert_float_equal(plb_estimate_work(&e, 2.4, 1e6), 40.0, 1e-9);
    assert_float_equal(plb_estimate_work(&e, 0.55, 1e6), 5.0, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prior_is_sure_of_nothing),
        cmocka_unit_test(a_start_that_is_known_is_not_learned_as_work),
        cmocka_unit_test(what_is_unsure_of_the_work_leaves_the_start_alone),
        cmocka_unit_test(reports_tell_of_a_start_that_costs_more),
        cmocka_unit_test(a_start_may_be_all),
        cmocka_unit_test(no_start_is_longer_than_a_task),
        cmocka_unit_test(more_reports_make_it_surer),
        cmocka_unit_test(scatter_makes_it_less_sure),
        cmocka_unit_test(sizes_beyond_any_seen_are_less_sure),
        cmocka_unit_test(the_less_was_watched_the_less_sure),
        cmocka_unit_test(impossible_times_are_ignored),
        cmocka_unit_test(a_block_of_several_tasks_pays_each_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
