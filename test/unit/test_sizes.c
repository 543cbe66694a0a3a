/* Bytes of ranges, equal and unequal units, and what limits follow for a PU's tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "core/work/sizes.h"
#include "dice.h"

#define UNITS 200

static struct plb_range range(int64_t first, int64_t count)
{
    return (struct plb_range){first, count};
}

static struct plb_task_limit limit(int64_t units, double bytes)
{
    return (struct plb_task_limit){units, bytes};
}

static void bytes_of_equal_units(void **state)
{
    const struct plb_sizes s = {.replicated_bytes = 1e9, .task_bytes = 100.0, .unit_bytes = 8.0};
    (void)state;
    assert_true(plb_sizes_bytes(&s, range(50, 10)) == 180.0); /* what is replicated is no task's */
    assert_true(plb_sizes_largest(&s, UNITS) == 108.0);
    assert_true(plb_sizes_mean(&s, UNITS) == 8.0);
    assert_true(plb_sizes_mean(&s, 0) == 8.0);
}

/* Units of 1, 2, 0 and 5 elements in one buffer, of 3, 0, 0 and 1 in another. */
static void bytes_of_unequal_units_come_from_the_offsets(void **state)
{
    static const int64_t one[] = {10, 11, 13, 13, 18}, other[] = {0, 3, 3, 3, 4};
    const struct plb_sizes s = {
        .task_bytes = 1.0, .unit_bytes = 2.0, .n_indexed = 2, .indexed = {{one, 4.0}, {other, 10.0}}};
    static const double each[] = {37.0, 11.0, 3.0, 33.0};
    (void)state;
    for (int u = 0; u < 4; u++)
        assert_true(plb_sizes_bytes(&s, range(u, 1)) == each[u]);
    assert_true(plb_sizes_bytes(&s, range(0, 4)) == 1.0 + 8.0 + 32.0 + 40.0);
    assert_true(plb_sizes_bytes(&s, range(1, 2)) == 1.0 + 4.0 + 8.0);
    assert_true(plb_sizes_largest(&s, 4) == 37.0);
    assert_true(plb_sizes_mean(&s, 4) == 20.0);
}

static void equal_units_fit_by_division(void **state)
{
    const struct plb_sizes s = {.task_bytes = 100.0, .unit_bytes = 8.0}, no_data = {.n_indexed = 0};
    struct plb_task_limit l = limit(INT64_MAX, 180.0);
    (void)state;
    assert_int_equal(plb_sizes_fit(&s, &l, range(0, 1000)), 10);
    assert_int_equal(plb_sizes_fit(&s, &l, range(0, 7)), 7);
    l.bytes = 187.0;
    assert_int_equal(plb_sizes_fit(&s, &l, range(0, 1000)), 10);
    l.bytes = 99.0; /* not even the reduced arrays */
    assert_int_equal(plb_sizes_fit(&s, &l, range(0, 1000)), 1);
    l = limit(3, INFINITY);
    assert_int_equal(plb_sizes_fit(&s, &l, range(0, 1000)), 3);
    l = limit(INT64_MAX, INFINITY);
    assert_int_equal(plb_sizes_fit(&s, &l, range(5, 1000)), 1000);
    l.bytes = 1.0;
    assert_int_equal(plb_sizes_fit(&no_data, &l, range(5, 1000)), 1000);
    l.bytes = -INFINITY;
    assert_int_equal(plb_sizes_fit(&s, &l, range(5, 1000)), 1);
}

/* A task is the longest one within the limit, wherever it begins: not what a mean unit would allow. */
static void unequal_units_fit_by_their_true_sizes(void **state)
{
    int64_t offsets[UNITS + 1];
    (void)state;
    for (uint64_t seed = seeds(2000).first; seed < seeds(2000).end; seed++) {
        struct dice d = {seed, 0};
        offsets[0] = whole(&d, 0, 9);
        for (int u = 0; u < UNITS; u++) /* some are a thousand times as large as others, some are empty */
            offsets[u + 1] = offsets[u] + (one_in(&d, 20) ? whole(&d, 1000, 9000) : whole(&d, 0, 9));
        double reduced = real(&d, 0.0, 500.0);
        struct plb_sizes s = {.task_bytes = reduced, .n_indexed = 1, .indexed = {{offsets, 8.0}}};
        struct plb_task_limit l = limit(whole(&d, 1, 2 * UNITS), real(&d, 0.0, 50000.0));
        for (int i = 0; i < 20; i++) {
            struct plb_range r = some_range(&d, UNITS, UNITS);
            int64_t fits = plb_sizes_fit(&s, &l, r), most = r.count < l.units ? r.count : l.units;
            assert_true(fits >= 1 && fits <= most);
            if (fits > 1 && plb_sizes_bytes(&s, range(r.first, fits)) > l.bytes)
                fail_msg("seed %llu: a task is too large", (unsigned long long)seed);
            if (fits < most && plb_sizes_bytes(&s, range(r.first, fits + 1)) <= l.bytes)
                fail_msg("seed %llu: a task is too small", (unsigned long long)seed);
        }
    }
}

static void the_largest_and_the_mean_are_those_of_all_units(void **state)
{
    int64_t offsets[UNITS + 1] = {0};
    (void)state;
    for (uint64_t seed = seeds(200).first; seed < seeds(200).end; seed++) {
        struct dice d = {seed, 0};
        int64_t n = whole(&d, 1, UNITS);
        double largest = 0.0, all = 0.0;
        for (int64_t u = 0; u < n; u++)
            offsets[u + 1] = offsets[u] + whole(&d, 0, 999);
        struct plb_sizes s = {
            .task_bytes = 64.0, .unit_bytes = 16.0, .n_indexed = 1, .indexed = {{offsets, 4.0}}};
        for (int64_t u = 0; u < n; u++) {
            double bytes = 16.0 + 4.0 * (double)(offsets[u + 1] - offsets[u]);
            largest = fmax(largest, bytes);
            all += bytes;
        }
        assert_true(plb_sizes_largest(&s, n) == 64.0 + largest);
        assert_true(fabs(plb_sizes_mean(&s, n) - all / (double)n) < 1e-9 * all);
    }
}

/* Three tasks share what replicated data leaves; reduced arrays are part of each. */
static void memory_limits_a_task(void **state)
{
    const struct plb_sizes s = {.replicated_bytes = 400.0, .task_bytes = 20.0, .unit_bytes = 10.0};
    const struct plb_pu_info pu = {.node = 0, .memory = 1000.0};
    struct plb_task_limit l = plb_task_limit(&s, &pu, 0.0, 0.0);
    (void)state;
    assert_int_equal(l.units, INT64_MAX);
    assert_true(l.bytes == 200.0);
    assert_int_equal(plb_sizes_fit(&s, &l, range(0, 1000)), 18);
    const struct plb_pu_info host = {.node = 0, .memory = INFINITY};
    l = plb_task_limit(&s, &host, 0.0, 0.0);
    assert_true(l.bytes == INFINITY);
}

static void wishes_limit_a_task(void **state)
{
    const struct plb_sizes s = {.task_bytes = 20.0, .unit_bytes = 10.0};
    struct plb_pu_info pu = {.node = 1, .memory = 3000.0};
    (void)state;
    assert_true(plb_task_limit(&s, &pu, 0.0, 0.0).bytes == 1000.0);
    assert_true(plb_task_limit(&s, &pu, 0.0, 70.0).bytes == 90.0); /* reduced arrays are not pulled */
    assert_true(plb_task_limit(&s, &pu, 0.0, 7000.0).bytes == 1000.0);
    pu.node = 0;
    assert_true(plb_task_limit(&s, &pu, 0.0, 70.0).bytes == 1000.0); /* nothing is pulled */
    pu.task_bytes = 50.0;
    assert_true(plb_task_limit(&s, &pu, 0.0, 70.0).bytes == 70.0); /* what it copies best */
    pu.node = 1;
    assert_true(plb_task_limit(&s, &pu, 0.0, 700.0).bytes == 70.0);
    assert_true(plb_task_limit(&s, &pu, 0.0, 30.0).bytes == 50.0); /* a CPU with a large cache */
    pu.kind = PLB_GPU;
    assert_true(plb_task_limit(&s, &pu, 0.0, 30.0).bytes == 70.0);
}

static void the_user_s_grain_limits_a_task(void **state)
{
    const struct plb_sizes s = {.unit_bytes = 10.0};
    const struct plb_pu_info pu = {.node = 0, .memory = 3000.0};
    (void)state;
    assert_int_equal(plb_task_limit(&s, &pu, 4.0, 0.0).units, 4);
    assert_int_equal(plb_task_limit(&s, &pu, 4.9, 0.0).units, 4);
    assert_int_equal(plb_task_limit(&s, &pu, 0.0, 0.0).units, INT64_MAX);
    assert_int_equal(plb_task_limit(&s, &pu, 1e30, 0.0).units, INT64_MAX);
    assert_int_equal(plb_task_limit(&s, &pu, INFINITY, 0.0).units, INT64_MAX);
    struct plb_task_limit l = plb_task_limit(&s, &pu, 4.0, 0.0);
    assert_int_equal(plb_sizes_fit(&s, &l, range(0, 1000)), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_equal_units),
        cmocka_unit_test(bytes_of_unequal_units_come_from_the_offsets),
        cmocka_unit_test(equal_units_fit_by_division),
        cmocka_unit_test(unequal_units_fit_by_their_true_sizes),
        cmocka_unit_test(the_largest_and_the_mean_are_those_of_all_units),
        cmocka_unit_test(memory_limits_a_task),
        cmocka_unit_test(wishes_limit_a_task),
        cmocka_unit_test(the_user_s_grain_limits_a_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
