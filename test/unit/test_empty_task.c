/* The cost of an empty task, on a device that says what a test tells it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "device/empty_task.h"

struct plb_device {
    double first, others; /* seconds that the first task and those after it take */
    int launches, fails_at;
};

static int told_launch(struct plb_device *d, int lane, const struct plb_phase *phase,
                       const struct plb_task *task)
{
    assert_true(lane == 0 && task->count == 0 && phase->cpu(task) == 0);
    return ++d->launches == d->fails_at ? 7 : 0;
}

static int told_wait(struct plb_device *d, int lane, struct plb_device_times *times)
{
    double seconds = d->launches == 1 ? d->first : d->others;
    (void)lane;
    *times = (struct plb_device_times){.execute_s = 0.75 * seconds, .transfer_s = 0.25 * seconds};
    return 0;
}

static const struct plb_device_ops ops = {
    .lanes = 1, .launch = told_launch, .empty = {.name = "empty", .cpu = plb_no_units}, .wait = told_wait};

static void a_slow_first_task_does_not_count(void **state)
{
    (void)state;
    struct plb_device d = {.first = 5.0, .others = 2e-6};
    double seconds;
    assert_int_equal(plb_device_empty_task(&ops, &d, &seconds), 0);
    assert_float_equal(seconds, 2e-6, 1e-12);
}

static void a_time_that_cannot_be_is_none(void **state)
{
    (void)state;
    static const double wrong[] = {NAN, -1.0};
    for (int i = 0; i < 2; i++) {
        struct plb_device d = {.first = wrong[i], .others = wrong[i]};
        double seconds;
        assert_int_equal(plb_device_empty_task(&ops, &d, &seconds), 0);
        assert_true(seconds == 0.0);
    }
}

static void a_driver_without_an_empty_phase_is_asked_nothing(void **state)
{
    (void)state;
    const struct plb_device_ops without = {.lanes = 1, .launch = told_launch, .wait = told_wait};
    struct plb_device d = {.others = 1.0};
    double seconds;
    assert_int_equal(plb_device_empty_task(&without, &d, &seconds), 0);
    assert_true(seconds == 0.0 && d.launches == 0);
}

static void a_device_that_fails_says_so(void **state)
{
    (void)state;
    struct plb_device d = {.others = 1.0, .fails_at = 3};
    double seconds;
    assert_int_equal(plb_device_empty_task(&ops, &d, &seconds), 7);
    assert_true(seconds == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_first_task_does_not_count),
        cmocka_unit_test(a_time_that_cannot_be_is_none),
        cmocka_unit_test(a_driver_without_an_empty_phase_is_asked_nothing),
        cmocka_unit_test(a_device_that_fails_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
