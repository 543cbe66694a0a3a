/* Tests when a task is late, and when its PU hangs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/liveness.h"
#include "core/overdue.h"

#define AFTER 10.0
#define STEP PLB_BEAT_SECONDS

/* Looks ten times a second until a PU's age is `until`. Returns how often its task was late; *hung: the age
 * at which it first hung, or infinite. */
static int watch(struct plb_overdue *o, double until, double *hung)
{
    int late = 0;
    *hung = INFINITY;
    while (o->age < until) {
        enum plb_overdue_state state = plb_overdue_look(o, AFTER, STEP);
        late += state == PLB_LATE;
        if (state == PLB_HUNG && isinf(*hung))
            *hung = o->age;
    }
    return late;
}

static void a_task_is_late_once_and_then_hangs(void **state)
{
    (void)state;
    struct plb_overdue o;
    double hung;
    plb_overdue_begin(&o, 7, 0.5);
    assert_int_equal(watch(&o, 9.9, &hung), 0);
    assert_int_equal(watch(&o, 10.5, &hung), 1);
    assert_int_equal(watch(&o, 19.8, &hung), 0);
    assert_true(isinf(hung));
    assert_int_equal(watch(&o, 21.0, &hung), 0);
    assert_float_equal(hung, 20.0, 0.25);
}

static void a_task_that_is_expected_to_last_has_longer(void **state)
{
    (void)state;
    struct plb_overdue o;
    double hung;
    plb_overdue_begin(&o, 7, 5.0);
    assert_int_equal(watch(&o, 39.8, &hung), 0);
    assert_int_equal(watch(&o, 40.5, &hung), 1);
    assert_true(isinf(hung));
    assert_int_equal(watch(&o, 100.0, &hung), 0);
    assert_float_equal(hung, 80.0, 0.25);
}

static void it_never_hangs_where_nothing_is_expected(void **state)
{
    (void)state;
    struct plb_overdue o;
    double hung;
    plb_overdue_begin(&o, 7, 0.0);
    assert_int_equal(watch(&o, 9.9, &hung), 0);
    assert_int_equal(watch(&o, 1e5, &hung), 1);
    assert_true(isinf(hung));
    assert_true(isinf(plb_overdue_limit(AFTER, 0.0)));
    assert_true(isinf(plb_overdue_limit(AFTER, NAN)));
}

static void the_next_task_begins_anew(void **state)
{
    (void)state;
    struct plb_overdue o;
    double hung;
    plb_overdue_begin(&o, 7, 0.5);
    assert_int_equal(watch(&o, 19.0, &hung), 1);
    plb_overdue_begin(&o, 8, 0.5);
    assert_int_equal(o.step, 8);
    assert_int_equal(watch(&o, 9.0, &hung), 0);
    assert_int_equal(watch(&o, 19.0, &hung), 1);
    assert_true(isinf(hung));
}

/* A node that was stopped for a minute looks once for all of it. */
static void time_without_a_look_does_not_count(void **state)
{
    (void)state;
    double looked = 0.0;
    assert_float_equal(plb_overdue_beat(&looked, 1000.0), STEP, 1e-9); /* the first look */
    assert_float_equal(plb_overdue_beat(&looked, 1000.05), 0.0, 0.0);
    assert_float_equal(plb_overdue_beat(&looked, 1000.15), 0.15, 1e-9);
    assert_float_equal(plb_overdue_beat(&looked, 1060.15), STEP, 1e-9);
    assert_float_equal(plb_overdue_beat(&looked, 1060.26), 0.11, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_is_late_once_and_then_hangs),
        cmocka_unit_test(a_task_that_is_expected_to_last_has_longer),
        cmocka_unit_test(it_never_hangs_where_nothing_is_expected),
        cmocka_unit_test(the_next_task_begins_anew),
        cmocka_unit_test(time_without_a_look_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
