/* The speed of a PU over time, and the fluid bound of a cluster: cases solved by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "fluid_bound.h"
#include "model/speed.h"

static void near(double got, double expected)
{
    if (!(got == expected || fabs(got - expected) <= 1e-12 * fabs(expected)))
        fail_msg("got %.15g, expected %.15g", got, expected);
}

/* Twice slower from second 10, four times faster from 20, dead from 30. */
static const struct plb_pu_spec stepped = {
    .rate = 100.0, .n_slow = 4, .slow_at = {10.0, 20.0, 30.0, 40.0}, .slow_by = {2.0, 0.25, 0.0, 1.0}};
static const struct plb_pu_spec plain = {.rate = 100.0};

static void a_task_is_slowed_from_the_moment_on(void **state)
{
    (void)state;
    near(plb_speed_end(&plain, 3.0, 4.0), 7.0);
    near(plb_speed_end(&stepped, 3.0, 7.0), 10.0);
    near(plb_speed_end(&stepped, 3.0, 9.0), 14.0);
    near(plb_speed_end(&stepped, 0.0, 15.0 + 20.0), 25.0);
    near(plb_speed_end(&stepped, 20.0, 40.0), 30.0);
    assert_true(isinf(plb_speed_end(&stepped, 20.0, 40.1)));
    assert_true(isinf(plb_speed_end(&stepped, 50.0, 1.0)));
}

static void a_dead_pu_stays_dead(void **state)
{
    (void)state;
    double speed;
    assert_true(isinf(plb_speed_death(&plain)));
    near(plb_speed_death(&stepped), 30.0);
    near(plb_speed_next(&stepped, 0.0, &speed), 10.0);
    near(speed, 1.0);
    near(plb_speed_next(&stepped, 10.0, &speed), 20.0);
    near(speed, 0.5);
    assert_true(isinf(plb_speed_next(&stepped, 45.0, &speed)));
    near(speed, 0.0);
}

static void all_pus_work_at_their_momentary_speed(void **state)
{
    (void)state;
    struct plb_pu_spec pus[] = {plain, stepped, stepped};
    struct plb_node_spec nodes[] = {{.first_pu = 0, .n_pus = 1}, {.first_pu = 1, .n_pus = 2}};
    struct plb_cluster_spec cluster = {.n_nodes = 2, .n_pus = 3, .nodes = nodes, .pus = pus};
    near(fluid_bound(&cluster, 300.0, 0.0, false), 1.0);
    near(fluid_bound(&cluster, 3000.0 + 200.0, 0.0, false), 11.0);
    near(fluid_bound(&cluster, 200.0 + 900.0, 9.0, false), 1.0 + 4.0);
    near(fluid_bound(&cluster, 3000.0 + 2000.0 + 9000.0 + 100.0, 0.0, false), 31.0);
    near(fluid_bound(&cluster, 100.0, 35.0, false), 1.0);
    near(fluid_bound(&cluster, 0.0, 0.0, false), 0.0);
}

static void without_the_first_node(void **state)
{
    (void)state;
    struct plb_pu_spec pus[] = {plain, stepped, stepped};
    struct plb_node_spec nodes[] = {{.first_pu = 0, .n_pus = 1}, {.first_pu = 1, .n_pus = 2}};
    struct plb_cluster_spec cluster = {.n_nodes = 2, .n_pus = 3, .nodes = nodes, .pus = pus};
    near(fluid_bound(&cluster, 300.0, 0.0, true), 1.5);
    near(fluid_bound(&cluster, 2000.0 + 1000.0 + 8000.0, 0.0, true), 30.0);
    assert_true(isinf(fluid_bound(&cluster, 11001.0, 0.0, true)));
    assert_true(isinf(fluid_bound(&cluster, 1.0, 30.0, true)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_is_slowed_from_the_moment_on),
        cmocka_unit_test(a_dead_pu_stays_dead),
        cmocka_unit_test(all_pus_work_at_their_momentary_speed),
        cmocka_unit_test(without_the_first_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
