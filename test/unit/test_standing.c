/* Shares that are known before a pass begins: when they stand, and when those of before stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

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

static const struct plb_standing limits = {.longest_s = 0.25, .late_s = 5e-3};

static void all_end_together(void **state)
{
    (void)state;
    struct plb_estimate a = estimate_of(0.0, 1e4, 0.0), b = estimate_of(5e-3, 2e4, 0.0);
    const struct plb_estimate *both[] = {&a, &b};
    double x[2] = {0.0, 0.0}, due = 0.0;
    assert_true(plb_standing_shares(&limits, both, 2, 1000.0, x, &due));
    assert_true(fabs(x[0] + x[1] - 1000.0) < 1e-9);
    assert_float_equal(plb_estimate_seconds(&a, x[0]), plb_estimate_seconds(&b, x[1]), 1e-3);
    assert_true(due > plb_estimate_seconds(&a, x[0]) + limits.late_s);
    assert_true(due < plb_estimate_seconds(&a, x[0]) * 1.2 + limits.late_s);
}

static void they_stand_where_nobody_can_help_in_time(void **state)
{
    (void)state;
    struct plb_estimate steady = estimate_of(0.0, 1e4, 0.0), shaky = estimate_of(0.0, 1e4, 0.5), new = {0},
                        idle = estimate_of(1.0, 1e4, 0.0);
    const struct plb_estimate *one[] = {&steady, NULL}, *two[] = {&steady, &steady},
                              *other[] = {&steady, NULL};
    double x[2] = {0.0, 0.0}, due;
    assert_true(plb_standing_shares(&limits, one, 2, 1000.0, x, &due));
    assert_true(x[0] == 1000.0 && x[1] == 0.0);
    assert_false(plb_standing_shares(&limits, two, 2, 6000.0, x, &due)); /* 0.3 s */
    other[1] = &shaky;
    assert_false(plb_standing_shares(&limits, other, 2, 2000.0, x, &due)); /* a sixth of 0.1 s */
    assert_true(plb_standing_shares(&limits, other, 2, 200.0, x, &due));
    other[1] = &new;
    assert_false(plb_standing_shares(&limits, other, 2, 200.0, x, &due));
    assert_false(plb_standing_shares(&limits, (const struct plb_estimate *[]){NULL}, 1, 1.0, x, &due));
    other[1] = &idle; /* it has not even started when the other one has done all: that one does it alone */
    assert_true(plb_standing_shares(&limits, other, 2, 200.0, x, &due));
    assert_true(x[0] == 200.0 && x[1] == 0.0 && other[1] == NULL);
}

static void those_of_before_stay_while_they_are_as_good(void **state)
{
    (void)state;
    struct plb_estimate a = estimate_of(0.0, 1e4, 0.1), b = estimate_of(0.0, 1e4, 0.1);
    const struct plb_estimate *both[] = {&a, &b}, *one[] = {&a, NULL};
    double x[2] = {495.0, 505.0}, due;
    assert_true(plb_standing_shares(&limits, both, 2, 1000.0, x, &due));
    assert_true(x[0] == 495.0 && x[1] == 505.0);
    x[0] = 400.0, x[1] = 600.0;
    assert_true(plb_standing_shares(&limits, both, 2, 1000.0, x, &due));
    assert_float_equal(x[0], 500.0, 1e-6);
    assert_true(plb_standing_shares(&limits, both, 2, 1100.0, x, &due)); /* of other work */
    assert_float_equal(x[0], 550.0, 1e-6);
    assert_true(plb_standing_shares(&limits, one, 2, 1100.0, x, &due)); /* a PU is gone */
    assert_true(x[0] == 1100.0 && x[1] == 0.0);
}

/* A share that does not fit into one task has several starts. */
static void starts_of_several_tasks_count(void **state)
{
    (void)state;
    struct plb_estimate a = estimate_of(1e-3, 1e4, 0.0), b = estimate_of(1e-3, 1e4, 0.0);
    const struct plb_estimate *both[] = {&a, &b};
    double x[2] = {0.0, 0.0}, due;
    b.grain = 10.0;
    assert_true(plb_standing_shares(&limits, both, 2, 1000.0, x, &due));
    assert_float_equal(plb_estimate_seconds(&a, x[0]), plb_estimate_seconds(&b, x[1]), 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_end_together),
        cmocka_unit_test(they_stand_where_nobody_can_help_in_time),
        cmocka_unit_test(those_of_before_stay_while_they_are_as_good),
        cmocka_unit_test(starts_of_several_tasks_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
