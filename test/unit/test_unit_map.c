/* The map from units to what is known of them, beside an array that has an element for each unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "core/unit_map.h"
#include "dice.h"

#define MOST_UNITS 20000

/* Values differ in one field alone, so that joining must look at every field. */
static struct plb_holding value(int64_t number)
{
    struct plb_holding is = {.block = 7, .pu = 1, .node = 1, .giver = 1, .hop = 0, .state = PLB_HELD};
    int more = (int)(number / 6) + 1;
    switch (number % 6) {
    case 0: is.block += more; break;
    case 1: is.pu += more; break;
    case 2: is.node += more; break;
    case 3: is.giver += more; break;
    case 4: is.hop = (int16_t)more; break;
    default: is = (struct plb_holding){.state = number / 6 % 2 == 0 ? PLB_FREE : PLB_ACCEPTED};
    }
    return is;
}

struct fixture {
    struct plb_unit_map *map;
    struct plb_holding expected[MOST_UNITS];
    int64_t units;
};

static void start(struct fixture *f, int64_t units)
{
    f->units = units;
    f->map = plb_unit_map_new(units, value(5));
    for (int64_t u = 0; u < units; u++)
        f->expected[u] = value(5);
}

/* Sets a range entry by entry, as the ledger does: only what has another value. */
static void set(struct fixture *f, struct plb_range range, struct plb_holding is)
{
    for (int64_t from = range.first, end = range.first + range.count; from < end;) {
        struct plb_unit_cursor at = plb_unit_map_find(f->map, from);
        int64_t part_end = plb_unit_map_end(f->map, at) < end ? plb_unit_map_end(f->map, at) : end;
        if (!plb_holding_equal(&plb_unit_map_at(f->map, at)->is, &is))
            plb_unit_map_set(f->map, at, (struct plb_range){from, part_end - from}, is);
        for (; from < part_end; from++)
            f->expected[from] = is;
    }
}

/* Goes through all entries: they cover the units in order, tell what the array says, and differ from their
 * neighbours. Returns how many there are. */
static int entries(const struct fixture *f, uint64_t seed)
{
    struct plb_unit_cursor at = {0, 0};
    int64_t unit = 0;
    int n = 0;
    for (bool more = true; more; more = plb_unit_map_next(f->map, &at), n++) {
        const struct plb_unit_entry *e = plb_unit_map_at(f->map, at);
        int64_t end = plb_unit_map_end(f->map, at);
        if (e->first != unit || end <= unit || end > f->units)
            fail_msg("seed %llu: an entry [%lld, %lld) follows unit %lld", (unsigned long long)seed,
                     (long long)e->first, (long long)end, (long long)unit);
        if (unit > 0 && plb_holding_equal(&f->expected[unit - 1], &e->is))
            fail_msg("seed %llu: neighbours at %lld are equal", (unsigned long long)seed, (long long)unit);
        for (; unit < end; unit++)
            if (!plb_holding_equal(&f->expected[unit], &e->is))
                fail_msg("seed %llu: unit %lld has another value", (unsigned long long)seed, (long long)unit);
    }
    assert_int_equal(unit, f->units);
    return n;
}

/* Asks for single units. */
static void expect_found(const struct fixture *f, struct dice *d)
{
    for (int i = 0; i < 20; i++) {
        int64_t unit = i == 0 ? 0 : i == 1 ? f->units - 1 : whole(d, 0, f->units - 1);
        struct plb_unit_cursor at = plb_unit_map_find(f->map, unit);
        const struct plb_unit_entry *e = plb_unit_map_at(f->map, at);
        assert_true(e->first <= unit && unit < plb_unit_map_end(f->map, at));
        assert_true(plb_holding_equal(&f->expected[unit], &e->is));
    }
}

static void a_new_map_is_one_entry(void **state)
{
    static struct fixture f;
    (void)state;
    start(&f, 10);
    assert_int_equal(entries(&f, 0), 1);
    set(&f, (struct plb_range){0, 10}, value(1));
    assert_int_equal(entries(&f, 0), 1);
    set(&f, (struct plb_range){9, 1}, value(2));
    assert_int_equal(entries(&f, 0), 2);
    set(&f, (struct plb_range){0, 1}, value(2));
    assert_int_equal(entries(&f, 0), 3);
    set(&f, (struct plb_range){1, 8}, value(2)); /* joins on both sides */
    assert_int_equal(entries(&f, 0), 1);
    plb_unit_map_free(f.map);
}

/* A range inside one entry, which stands anywhere in a chunk that is full or nearly so. */
static void a_range_inside_an_entry_of_a_full_chunk(void **state)
{
    static struct fixture f;
    (void)state;
    for (int n = 60; n <= 70; n++)
        for (int at = 0; at < n; at++)
            for (int side = 0; side < 3; side++) { /* the entry's begin, its middle, its end */
                start(&f, 4 * n);
                for (int i = 0; i < n; i++)
                    set(&f, (struct plb_range){4 * i, 4}, value(6 * i));
                set(&f, (struct plb_range){4 * at + side, 2}, value(1));
                assert_int_equal(entries(&f, 0), n + (side == 1 ? 2 : 1));
                plb_unit_map_free(f.map);
            }
}

/* Small maps, which are looked at after every change. */
static void small_maps_follow_the_array(void **state)
{
    static struct fixture f;
    (void)state;
    for (uint64_t seed = seeds(3000).first; seed < seeds(3000).end; seed++) {
        struct dice d = {seed, 0};
        int64_t values = whole(&d, 2, 12);
        start(&f, whole(&d, 1, 300));
        for (int i = 0; i < 60; i++) {
            set(&f, some_range(&d, f.units, one_in(&d, 4) ? f.units : 5), value(whole(&d, 0, values)));
            entries(&f, seed);
        }
        expect_found(&f, &d);
        plb_unit_map_free(f.map);
    }
}

/* Short ranges of many values until there are thousands of entries; then long ones, until there are few. */
static void chunks_come_and_go(void **state)
{
    static struct fixture f;
    (void)state;
    for (uint64_t seed = seeds(20).first; seed < seeds(20).end; seed++) {
        struct dice d = {seed, 1000};
        int many = 0;
        start(&f, MOST_UNITS);
        for (int i = 0; i < 12000; i++) {
            set(&f, some_range(&d, f.units, 3), value(whole(&d, 0, 50)));
            if (i % 1000 == 0)
                many = entries(&f, seed);
        }
        if (many < 5000)
            fail_msg("%d entries are too few for this test", many);
        expect_found(&f, &d);
        for (int i = 0; i < 3000; i++) {
            set(&f, some_range(&d, f.units, i + 1), value(whole(&d, 2, 5)));
            if (i % 300 == 0)
                entries(&f, seed);
        }
        expect_found(&f, &d);
        assert_true(entries(&f, seed) < 200);
        plb_unit_map_free(f.map);
    }
}

/* Entries that are changed in place, as a loss does, then joined. */
static void changed_entries_join(void **state)
{
    static struct fixture f;
    (void)state;
    for (uint64_t seed = seeds(300).first; seed < seeds(300).end; seed++) {
        struct dice d = {seed, 0};
        int64_t values = whole(&d, 1, 6);
        start(&f, whole(&d, 1, 2000));
        for (int round = 0; round < 6; round++) {
            for (int i = 0; i < 300; i++)
                set(&f, some_range(&d, f.units, 6), value(whole(&d, 0, values)));
            struct plb_holding gone = value(whole(&d, 0, values));
            struct plb_unit_cursor at = {0, 0};
            for (bool more = true; more; more = plb_unit_map_next(f.map, &at)) {
                int64_t first = plb_unit_map_at(f.map, at)->first, end = plb_unit_map_end(f.map, at);
                if (round < 5 && !plb_holding_equal(&plb_unit_map_at(f.map, at)->is, &gone))
                    continue; /* the last round changes all: one entry is left */
                plb_unit_map_change(f.map, at, value(5));
                for (int64_t u = first; u < end; u++)
                    f.expected[u] = value(5);
            }
            plb_unit_map_join(f.map);
            int n = entries(&f, seed);
            assert_true(round < 5 || n == 1);
        }
        plb_unit_map_free(f.map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_map_is_one_entry),
        cmocka_unit_test(a_range_inside_an_entry_of_a_full_chunk),
        cmocka_unit_test(small_maps_follow_the_array),
        cmocka_unit_test(chunks_come_and_go),
        cmocka_unit_test(changed_entries_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
