/* Work of ranges and units of work, on costs given by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/work/cost.h"

static double from_array(const void *context, int64_t first, int64_t count)
{
    double sum = 0.0;
    for (int64_t u = first; u < first + count; u++)
        sum += ((const double *)context)[u];
    return sum;
}

static double triangle(const void *context, int64_t first, int64_t count) /* unit u costs u + 1 */
{
    (void)context;
    double n = (double)count, f = (double)first;
    return n * (f + 1.0) + n * (n - 1.0) / 2.0;
}

static struct plb_cost_map map_of(int64_t units, plb_cost_fn cost, const void *context)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_cost_map m;
    assert_int_equal(plb_cost_map_init(&m, units, cost, context, &err), PLB_OK);
    return m;
}

static void without_costs_work_is_units(void **state)
{
    (void)state;
    struct plb_cost_map m = map_of(1000, NULL, NULL);
    assert_true(plb_cost_work(&m, 10, 25) == 25.0);
    assert_int_equal(plb_cost_units(&m, 0, 1000, 7.4), 7);
    assert_int_equal(plb_cost_units(&m, 0, 1000, 7.6), 8);
    assert_int_equal(plb_cost_units(&m, 0, 1000, 0.001), 1);
    assert_int_equal(plb_cost_units(&m, 0, 5, 7.0), 5);
    assert_int_equal(plb_cost_units(&m, 0, 1000, INFINITY), 1000);
    plb_cost_map_fini(&m);
}

static void equal_costs_need_no_table(void **state)
{
    (void)state;
    double costs[] = {3, 3, 3, 3};
    struct plb_cost_map m = map_of(4, from_array, costs);
    assert_null(m.prefix);
    assert_true(m.per_work == 3.0);
    plb_cost_map_fini(&m);
}

static void unlike_costs_by_hand(void **state)
{
    (void)state;
    double costs[] = {1, 1, 10, 0, 4}; /* 16 in all, 3.2 on average */
    struct plb_cost_map m = map_of(5, from_array, costs);
    assert_true(fabs(m.per_work - 3.2) < 1e-12);
    assert_true(fabs(plb_cost_work(&m, 0, 5) - 5.0) < 1e-12); /* as much work as units */
    assert_true(fabs(plb_cost_work(&m, 1, 2) - 11.0 / 3.2) < 1e-12);
    assert_int_equal(plb_cost_units(&m, 0, 5, 2.0 / 3.2), 2);
    assert_int_equal(plb_cost_units(&m, 0, 5, 6.9 / 3.2), 2); /* 2 is nearer than 12 */
    assert_int_equal(plb_cost_units(&m, 0, 5, 7.1 / 3.2), 3); /* now 12 is */
    assert_int_equal(plb_cost_units(&m, 2, 3, 0.1), 1);       /* one unit at least, whatever it costs */
    assert_int_equal(plb_cost_units(&m, 3, 2, 4.0 / 3.2), 2);
    plb_cost_map_fini(&m);
}

static void many_units_share_buckets(void **state)
{
    (void)state;
    const int64_t units = 1000000;
    struct plb_cost_map m = map_of(units, triangle, NULL);
    assert_true(m.n <= 65536 && m.prefix != NULL);
    assert_true(fabs(plb_cost_work(&m, 0, units) - (double)units) < 1e-3);
    double half = plb_cost_work(&m, 0, units / 2); /* a quarter of a triangle's area */
    assert_true(fabs(half - 0.25 * (double)units) < (double)m.bucket);
    int64_t quarter = plb_cost_units(&m, 0, units, 0.25 * (double)units);
    assert_true(llabs(quarter - units / 2) <= 2 * m.bucket);
    plb_cost_map_fini(&m);
}

static double nonsense(const void *context, int64_t first, int64_t count)
{
    (void)count;
    return first == 7 ? *(const double *)context : 1.0;
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    double values[] = {NAN, INFINITY, -1.0};
    for (int i = 0; i < 3; i++) {
        struct plb_error err = {.status = PLB_OK};
        struct plb_cost_map m;
        assert_int_equal(plb_cost_map_init(&m, 10, nonsense, &values[i], &err), PLB_EINPUT);
        assert_non_null(strstr(err.text, "unit 7 is"));
    }
}

static void no_cost_at_all_counts_as_equal(void **state)
{
    (void)state;
    double costs[] = {0, 0, 0};
    struct plb_cost_map m = map_of(3, from_array, costs);
    assert_true(plb_cost_work(&m, 0, 3) == 3.0);
    plb_cost_map_fini(&m);
}

static double one_large(const void *context, int64_t first, int64_t count)
{
    (void)context;
    return (double)count + (first <= 3 && 3 < first + count ? 5.0 : 0.0);
}

static void the_largest_unit_is_known(void **state)
{
    (void)state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_cost_map map;
    assert_int_equal(plb_cost_map_init(&map, 10, one_large, NULL, &err), PLB_OK);
    assert_true(fabs(plb_cost_largest(&map) - 6.0 / 15.0) < 1e-12);
    plb_cost_map_fini(&map);
    assert_int_equal(plb_cost_map_init(&map, 10, NULL, NULL, &err), PLB_OK);
    assert_true(plb_cost_largest(&map) == 0.1);
    plb_cost_map_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_unit_is_known),      cmocka_unit_test(without_costs_work_is_units),
        cmocka_unit_test(equal_costs_need_no_table),      cmocka_unit_test(unlike_costs_by_hand),
        cmocka_unit_test(many_units_share_buckets),       cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(no_cost_at_all_counts_as_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
