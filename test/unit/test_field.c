/* A value along a line: where neighbours tell of each other, and where they do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/normal.h"
#include "model/field.h"

#define N 200

/* Observations at even places: `height` times a wave, and errors of this deviation. */
static void observe(struct plb_field_observation *seen, double height, double error, uint64_t seed)
{
    double mean = 0.0;
    for (int i = 0; i < N; i++) {
        double at = (i + 0.5) / N;
        double value = height * sin(6.3 * at) + error * plb_random_normal(seed, (uint64_t)i);
        seen[i] = (struct plb_field_observation){.at = at, .value = value};
        mean += value / N;
    }
    for (int i = 0; i < N; i++)
        seen[i].value -= mean;
}

static void test_a_wave_is_followed_through_its_errors(void **state)
{
    (void)state;
    struct plb_field_observation seen[N];
    struct plb_field field = {0};
    observe(seen, 1.0, 0.3, 1);
    plb_field_fit(&field, seen, N);
    plb_field_filter(&field, seen, N);
    assert_true(field.signal > 0.0);
    assert_true(sqrt(field.error) > 0.25 && sqrt(field.error) < 0.35);
    for (int i = 5; i < N - 5; i++) {
        struct plb_estimated e = plb_field_at(&field, seen, N, seen[i].at, i, i + 1);
        assert_true(fabs(e.mean - sin(6.3 * seen[i].at)) < 0.4);
        assert_true(e.variance < 0.1 * field.signal);
    }
}

/* Places beyond the last observation are like it, and the less sure the further they are. */
static void test_beyond_the_end_it_is_like_the_end(void **state)
{
    (void)state;
    struct plb_field_observation seen[N];
    struct plb_field field = {0};
    observe(seen, 1.0, 0.02, 1);
    plb_field_fit(&field, seen, N / 4);
    plb_field_filter(&field, seen, N / 4);
    struct plb_estimated near = plb_field_at(&field, seen, N / 4, 0.26, N / 4, N / 4);
    struct plb_estimated far = plb_field_at(&field, seen, N / 4, 0.9, N / 4, N / 4);
    assert_true(fabs(near.mean - 1.0) < 0.1);
    assert_true(far.variance > 4.0 * near.variance);
    assert_true(fabs(far.mean) <= fabs(near.mean));
}

static void test_values_in_no_order_tell_nothing_of_their_neighbours(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct plb_field_observation seen[N];
        struct plb_field field = {0};
        observe(seen, 0.0, 1.0, seed);
        plb_field_fit(&field, seen, N);
        plb_field_filter(&field, seen, N);
        if (field.signal > 0.0)
            fail_msg("seed %d", (int)seed);
        assert_true(plb_field_at(&field, seen, N, 0.5, N / 2, N / 2).mean == 0.0);
    }
}

static void test_few_values_tell_nothing(void **state)
{
    (void)state;
    struct plb_field_observation seen[N];
    struct plb_field field = {0};
    observe(seen, 1.0, 0.0, 1);
    plb_field_fit(&field, seen, 4);
    assert_true(field.signal == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_wave_is_followed_through_its_errors),
        cmocka_unit_test(test_beyond_the_end_it_is_like_the_end),
        cmocka_unit_test(test_values_in_no_order_tell_nothing_of_their_neighbours),
        cmocka_unit_test(test_few_values_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
