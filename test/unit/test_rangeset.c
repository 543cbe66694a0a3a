/* The range set against the simplest model of it: a byte per unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/rangeset.h"
#include "plb/kernel.h"

#define UNITS 200

static struct plb_range range(int64_t first, int64_t count)
{
    return (struct plb_range){first, count};
}

static void agrees(const struct plb_rangeset *s, const unsigned char *model)
{
    unsigned char is[UNITS] = {0};
    int64_t units = 0;
    for (int i = 0; i < s->n; i++) {
        assert_true(s->at[i].count > 0);
        if (i > 0) /* sorted, and not even touching */
            assert_true(s->at[i - 1].first + s->at[i - 1].count < s->at[i].first);
        units += s->at[i].count;
        for (int64_t u = 0; u < s->at[i].count; u++)
            is[s->at[i].first + u] = 1;
    }
    assert_int_equal(units, s->units);
    assert_memory_equal(is, model, UNITS);
}

static void add(struct plb_rangeset *s, unsigned char *model, struct plb_range r)
{
    int64_t fresh = 0;
    for (int64_t u = r.first; u < r.first + r.count; u++) {
        fresh += !model[u];
        model[u] = 1;
    }
    assert_int_equal(plb_rangeset_add(s, r), fresh);
}

static void take(struct plb_rangeset *s, unsigned char *model, int64_t count)
{
    struct plb_range got = plb_rangeset_take(s, count);
    int64_t first = 0, n = 0;
    while (first < UNITS && !model[first])
        first++;
    for (; first + n < UNITS && model[first + n] && n < count; n++)
        model[first + n] = 0;
    assert_int_equal(got.count, n);
    if (n > 0)
        assert_int_equal(got.first, first);
}

static void remove_range(struct plb_rangeset *s, unsigned char *model, struct plb_range r)
{
    int64_t had = 0;
    for (int64_t u = r.first; u < r.first + r.count; u++) {
        had += model[u];
        model[u] = 0;
    }
    assert_int_equal(plb_rangeset_remove(s, r), had);
}

static void missing(const struct plb_rangeset *s, const unsigned char *model, struct plb_range r)
{
    struct plb_rangeset out = {0};
    unsigned char expected[UNITS] = {0};
    for (int64_t u = r.first; u < r.first + r.count; u++)
        expected[u] = !model[u];
    plb_rangeset_missing(s, r, &out);
    agrees(&out, expected);
    plb_rangeset_fini(&out);
}

static void common(const struct plb_rangeset *s, const unsigned char *model, struct plb_range r)
{
    struct plb_rangeset out = {0}, rest = {0};
    unsigned char expected[UNITS] = {0};
    for (int64_t u = r.first; u < r.first + r.count; u++)
        expected[u] = model[u];
    plb_rangeset_add_common(&out, r, s);
    agrees(&out, expected);
    plb_rangeset_add_all(&rest, s);
    agrees(&rest, model);
    plb_rangeset_remove_all(&rest, &out);
    for (int64_t u = 0; u < UNITS; u++)
        expected[u] = model[u] && !expected[u];
    agrees(&rest, expected);
    plb_rangeset_fini(&out);
    plb_rangeset_fini(&rest);
}

static void overlaps(const struct plb_rangeset *s, const unsigned char *model, struct plb_range r)
{
    bool some = false;
    for (int64_t u = r.first; u < r.first + r.count; u++)
        some = some || model[u];
    assert_int_equal(plb_rangeset_overlaps(s, r), some);
}

static void lacking(const struct plb_rangeset *s, const unsigned char *model, struct plb_range r)
{
    struct plb_range lacks = plb_rangeset_lacking(s, r);
    int64_t first = r.first, end = r.first + r.count;
    while (first < end && model[first])
        first++;
    while (end > first && model[end - 1])
        end--;
    assert_int_equal(lacks.count, end - first);
    assert_true(lacks.count == 0 || lacks.first == first);
}

static void random_operations_agree_with_bytes(void **state)
{
    (void)state;
    struct plb_rangeset s = {0};
    unsigned char model[UNITS] = {0};
    for (uint64_t i = 0; i < 20000; i++) {
        int64_t first = (int64_t)(plb_random_bits(1, 3 * i) % UNITS), longest = UNITS - first;
        int64_t count = (int64_t)(plb_random_bits(1, 3 * i + 1) % (uint64_t)(longest < 30 ? longest : 30));
        switch (plb_random_bits(1, 3 * i + 2) % 10) {
        case 0:
        case 1:
        case 2: add(&s, model, range(first, count)); break;
        case 3:
        case 4:
        case 5: take(&s, model, count); break;
        case 6: missing(&s, model, range(first, count)); break;
        case 7:
        case 8: remove_range(&s, model, range(first, count)); break;
        default:
            if (i % 97 == 0) {
                plb_rangeset_clear(&s);
                memset(model, 0, sizeof model);
            }
        }
        agrees(&s, model);
        overlaps(&s, model, range(first, count));
        lacking(&s, model, range(first, count));
        common(&s, model, range(first, count));
    }
    plb_rangeset_fini(&s);
}

static void filled_from_the_front_it_is_one_range(void **state)
{
    (void)state;
    struct plb_rangeset s = {0};
    for (int64_t u = 0; u < 100000; u++)
        assert_int_equal(plb_rangeset_add(&s, range(u, 1)), 1);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.units, 100000);
    plb_rangeset_fini(&s);
}

static void nothing_changes_nothing(void **state)
{
    (void)state;
    struct plb_rangeset s = {0};
    assert_int_equal(plb_rangeset_add(&s, range(5, 0)), 0);
    assert_int_equal(plb_rangeset_add(&s, range(5, -3)), 0);
    assert_int_equal(plb_rangeset_take(&s, 10).count, 0);
    assert_int_equal(s.n, 0);
    plb_rangeset_fini(&s);
}

static void large_units_do_not_overflow(void **state)
{
    (void)state;
    struct plb_rangeset s = {0};
    int64_t far = INT64_MAX - 100;
    assert_int_equal(plb_rangeset_add(&s, range(far, 50)), 50);
    assert_int_equal(plb_rangeset_add(&s, range(far + 50, 50)), 50);
    assert_int_equal(s.n, 1);
    plb_rangeset_fini(&s);
}

static void a_hull_has_the_units_of_both(void **state)
{
    (void)state;
    const struct plb_range pairs[][3] = {
        {{10, 5}, {20, 5}, {10, 15}}, {{20, 5}, {10, 5}, {10, 15}}, {{10, 20}, {12, 3}, {10, 20}}};
    for (int i = 0; i < 3; i++) {
        struct plb_range hull = plb_range_hull(pairs[i][0], pairs[i][1]);
        assert_int_equal(hull.first, pairs[i][2].first);
        assert_int_equal(hull.count, pairs[i][2].count);
    }
}

static void ranges_share_units(void **state)
{
    (void)state;
    static const struct {
        struct plb_range a, b;
        int64_t first, count;
    } cases[] = {
        {{0, 10}, {5, 10}, 5, 5}, {{0, 10}, {3, 2}, 3, 2}, {{0, 5}, {5, 5}, 5, 0},
        {{0, 5}, {9, 1}, 9, 0},   {{4, 6}, {4, 6}, 4, 6},  {{9, 1}, {0, 10}, 9, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plb_range common = plb_range_common(cases[i].a, cases[i].b);
        struct plb_range same = plb_range_common(cases[i].b, cases[i].a);
        assert_true(common.first == cases[i].first && common.count == cases[i].count);
        assert_true(same.first == common.first && same.count == common.count);
        assert_int_equal(plb_range_overlaps(cases[i].a, cases[i].b), common.count > 0);
        assert_int_equal(plb_range_overlaps(cases[i].b, cases[i].a), common.count > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations_agree_with_bytes),
        cmocka_unit_test(filled_from_the_front_it_is_one_range),
        cmocka_unit_test(nothing_changes_nothing),
        cmocka_unit_test(large_units_do_not_overflow),
        cmocka_unit_test(a_hull_has_the_units_of_both),
        cmocka_unit_test(ranges_share_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
