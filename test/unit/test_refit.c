/* When a belief is fitted again: seldom where tasks are short, at once where one is a surprise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/measure/history.h"

static void add(struct plb_history *h, double seconds, double time)
{
    struct plb_sample s = {.work = 100.0, .execute_s = seconds, .tasks = 1, .time = time};
    plb_history_add(h, &s);
}

/* A report each millisecond, of a PU that is fitted every 20 ms. */
static void short_tasks_are_not_fitted_each_time(void **state)
{
    (void)state;
    int64_t fits = 0;
    struct plb_history h = {.rest = 20e-3, .fits = &fits};
    for (int i = 0; i < 1000; i++) {
        add(&h, i % 2 == 0 ? 1e-3 : 1.1e-3, 1e-3 * i);
        plb_history_follow(&h);
    }
    assert_true(fits >= 40 && fits <= 70);
    assert_true(h.belief.watched_s > 0.0);
    plb_history_fini(&h);
}

/* The first eight reports, a millisecond apart, of a PU that is fitted so often later. A curve needs four. */
static int64_t first_fits(double rest)
{
    int64_t fits = 0;
    struct plb_history h = {.rest = rest, .fits = &fits};
    for (int i = 0; i < 8; i++) {
        add(&h, i % 2 == 0 ? 1e-3 : 1.1e-3, 1e-3 * i);
        plb_history_follow(&h);
        assert_true(h.belief.watched_s > 0.0);
    }
    plb_history_fini(&h);
    return fits;
}

static void a_new_pu_is_fitted_each_time_unless_there_are_many(void **state)
{
    (void)state;
    assert_int_equal(first_fits(0.0), 5);
    assert_int_equal(first_fits(1.0), 1);
}

/* A PU with 100 reports, just fitted, and one more that says the same. */
static void make_known(struct plb_history *h, int64_t *fits)
{
    *h = (struct plb_history){.rest = 1.0, .fits = fits};
    for (int i = 0; i < 100; i++)
        add(h, i % 2 == 0 ? 1e-3 : 1.1e-3, 0.0);
    plb_history_fit(h);
    add(h, 1.05e-3, 0.0);
    *fits = 0;
}

static void a_surprise_is_fitted_at_once(void **state)
{
    (void)state;
    struct plb_history h;
    int64_t fits;
    make_known(&h, &fits);
    plb_history_follow(&h);
    assert_int_equal(fits, 0);
    add(&h, 3e-3, 0.0);
    plb_history_follow(&h);
    assert_int_equal(fits, 1);
    add(&h, 3e-3, 0.0);
    add(&h, 1.05e-3, 0.0); /* the surprise was before the latest report */
    plb_history_follow(&h);
    assert_int_equal(fits, 2);
    plb_history_fini(&h);
}

static void readers_take_the_curve_that_serves(void **state)
{
    (void)state;
    struct plb_history h;
    int64_t fits;
    make_known(&h, &fits);
    double watched = h.belief.watched_s;
    assert_non_null(plb_history_model(&h));
    assert_false(plb_history_surprises(&h));
    assert_true(plb_history_least_task(&h) >= 0.0);
    assert_int_equal(fits, 0);
    for (int i = 0; i < PLB_MAX_SAMPLES / 2; i++) /* and when the older half is lost */
        add(&h, i % 2 == 0 ? 1e-3 : 1.1e-3, 0.0);
    assert_non_null(plb_history_model(&h));
    assert_int_equal(fits, 0);
    assert_true(fabs(h.belief.watched_s - watched - 1.05e-3 * PLB_MAX_SAMPLES / 2) < 1e-9);
    plb_history_fit(&h); /* all of them, at the end */
    assert_int_equal(fits, 1);
    plb_history_fini(&h);
}

/* The spread of the belief is some 2 %. */
static void a_slight_recount_is_not_fitted(void **state)
{
    (void)state;
    struct plb_history h;
    int64_t fits;
    make_known(&h, &fits);
    plb_history_recount(&h, NULL, 1.005);
    plb_history_follow(&h);
    assert_int_equal(fits, 0);
    for (int i = 0; i < 10; i++)
        plb_history_recount(&h, NULL, 1.005);
    plb_history_follow(&h);
    assert_int_equal(fits, 1);
    plb_history_fini(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_tasks_are_not_fitted_each_time),
        cmocka_unit_test(a_new_pu_is_fitted_each_time_unless_there_are_many),
        cmocka_unit_test(a_surprise_is_fitted_at_once),
        cmocka_unit_test(readers_take_the_curve_that_serves),
        cmocka_unit_test(a_slight_recount_is_not_fitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
