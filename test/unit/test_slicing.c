/* What the master says of the tasks of a block, from reports that are worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "core/migration.h"
#include "core/slicing.h"

#define SHARE 6400.0

/* A PU of 1,000 units per second whose tasks cost this start, with reports of tasks of rising size. */
static struct plb_history reports(int n, double start)
{
    struct plb_history h = {0};
    for (int i = 0; i < n; i++) {
        double work = 20.0 * (i + 1);
        plb_history_add(&h,
                        &(struct plb_sample){.work = work, .execute_s = start + work / 1000.0, .tasks = 1});
    }
    return h;
}

static struct plb_slicing slicing(int n, double start, double work)
{
    struct plb_history h = reports(n, start);
    struct plb_slicing s = plb_slicing(&h, work, SHARE, PLB_TASK_SECONDS);
    plb_history_fini(&h);
    return s;
}

static void a_large_first_block_begins_with_a_small_task(void **state)
{
    (void)state;
    struct plb_slicing s = slicing(0, 0.0, SHARE / 3.0);
    assert_true(s.most == SHARE / 64.0);
    assert_true(s.least < 0.0);                            /* not known */
    assert_true(isinf(slicing(0, 0.0, SHARE / 5.0).most)); /* a training block stays whole */
}

static void a_block_is_whole_while_its_start_cost_is_not_known(void **state)
{
    (void)state;
    assert_true(isinf(slicing(2, 0.0, SHARE / 5.0).most));
    assert_true(isfinite(slicing(2, 0.0, SHARE / 3.0).most)); /* it is too large a part */
}

/* 6,400 units would last 6.4 s: a sixteenth is longer than the longest task. */
static void a_task_lasts_a_quarter_of_a_second_at_most(void **state)
{
    (void)state;
    struct plb_slicing s = slicing(5, 0.0, SHARE / 5.0);
    assert_true(fabs(s.most - 1000.0 * PLB_TASK_SECONDS) < 1e-6);
    assert_true(s.least >= 0.0 && s.least < 1.0);
    assert_true(isinf(slicing(5, 0.0, 200.0).most));
}

/* 99 starts of 10 ms are 990 units. */
static void a_task_is_worth_its_start(void **state)
{
    (void)state;
    struct plb_slicing s = slicing(5, 0.01, SHARE / 5.0);
    assert_true(fabs(s.least - 990.0) < 1.0);
    assert_true(s.most == s.least);
}

/* Five milliseconds are five units; a share of 16 units would ask for tasks of one. */
static void a_task_lasts_five_milliseconds_at_least(void **state)
{
    struct plb_history h = reports(5, 0.0);
    (void)state;
    assert_true(fabs(plb_slicing(&h, 16.0, 16.0, PLB_TASK_SECONDS).most - 5.0) < 1e-6);
    assert_true(isinf(plb_slicing(&h, 9.0, 16.0, PLB_TASK_SECONDS).most)); /* two such tasks do not fit */
    plb_history_fini(&h);
}

/* At most a tenth of a second, a sixteenth of the share, at least a fiftieth of 100 s. */
static void a_task_lasts_as_long_as_the_user_says(void **state)
{
    struct plb_history h = reports(5, 0.0);
    (void)state;
    assert_true(fabs(plb_slicing(&h, SHARE, SHARE, 0.1).most - 100.0) < 1e-6);
    assert_true(fabs(plb_slicing(&h, SHARE, SHARE, 1.0).most - SHARE / PLB_TASK_PARTS) < 1e-6);
    assert_true(fabs(plb_slicing(&h, SHARE, SHARE, 100.0).most - 2000.0) < 1e-6); /* a fiftieth */
    plb_history_fini(&h);
}

static void times_that_cannot_be_say_nothing(void **state)
{
    static const double times[] = {0.0, -1.0, NAN, INFINITY};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int n = 1; n <= 6; n++) {
            struct plb_history h = {0};
            for (int k = 0; k < n; k++)
                plb_history_add(&h, &(struct plb_sample){.work = 10.0, .execute_s = times[i], .tasks = 1});
            struct plb_slicing s = plb_slicing(&h, 100.0, 100.0, PLB_TASK_SECONDS);
            assert_true(s.most > 0.0 && !isnan(s.least));
            plb_history_fini(&h);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_first_block_begins_with_a_small_task),
        cmocka_unit_test(a_block_is_whole_while_its_start_cost_is_not_known),
        cmocka_unit_test(a_task_lasts_a_quarter_of_a_second_at_most),
        cmocka_unit_test(a_task_is_worth_its_start),
        cmocka_unit_test(a_task_lasts_five_milliseconds_at_least),
        cmocka_unit_test(a_task_lasts_as_long_as_the_user_says),
        cmocka_unit_test(times_that_cannot_be_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
