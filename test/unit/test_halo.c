/* The halo of partitioned inputs: its arithmetic at the borders, where it is in memory, and that each task of
 * a node finds it, whatever its neighbours pull meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "dice.h"
#include "node/memory/arena.h"
#include "node/pu/slot.h"
#include "stub_device.h"

#define UNITS 60
#define UNIT_BYTES 24

static struct plb_range around(int64_t first, int64_t count, int64_t before, int64_t after)
{
    return plb_range_around((struct plb_range){first, count}, before, after, UNITS);
}

static void is_range(struct plb_range r, int64_t first, int64_t count)
{
    assert_int_equal(r.first, first);
    assert_int_equal(r.count, count);
}

static void a_halo_ends_where_the_job_does(void **state)
{
    (void)state;
    is_range(around(10, 5, 0, 0), 10, 5);
    is_range(around(10, 5, 3, 2), 7, 10);
    is_range(around(3, 5, 3, 0), 0, 8);
    is_range(around(2, 5, 3, 0), 0, 7);
    is_range(around(0, 1, 3, 4), 0, 5);
    is_range(around(50, 6, 0, 4), 50, 10);
    is_range(around(50, 6, 0, 5), 50, 10);
    is_range(around(59, 1, 1, 1), 58, 2);
    is_range(around(30, 1, 1000, 1000), 0, UNITS);
    is_range(around(0, UNITS, INT32_MAX, INT32_MAX), 0, UNITS);
    is_range(plb_range_around((struct plb_range){INT64_MAX - 9, 9}, 5, INT64_MAX, INT64_MAX), INT64_MAX - 14,
             14);
}

/* An input with a halo, one with another, one without, and an output. */
static struct plb_dataset dataset(int64_t before, int64_t after)
{
    return (struct plb_dataset){
        .n = 4,
        .units = UNITS,
        .at = {{.mode = PLB_PARTITION, .unit_bytes = UNIT_BYTES, .before = before, .after = after},
               {.mode = PLB_PARTITION, .unit_bytes = 8, .after = 1},
               {.mode = PLB_PARTITION, .unit_bytes = 4},
               {.mode = PLB_OUTPUT, .unit_bytes = 8}}};
}

/* A limit of bytes holds with the halo, and a task in the middle has as many bytes as is believed. */
static void the_halo_counts_as_memory(void **state)
{
    (void)state;
    struct plb_dataset set = dataset(3, 2), wide = dataset(1000, 1000);
    struct plb_sizes sizes = plb_dataset_sizes(&set);
    size_t at[PLB_MAX_DATA], offset, bytes = 0, sum = 0;
    for (int i = 0; i < set.n; i++, sum += bytes)
        plb_dataset_bytes(&set, i, plb_dataset_around(&set, i, (struct plb_range){20, 10}), &offset, &bytes);
    assert_true(plb_sizes_bytes(&sizes, (struct plb_range){20, 10}) == (double)sum);
    assert_true(sum == 10 * (UNIT_BYTES + 8 + 4 + 8) + 5 * UNIT_BYTES + 8);
    assert_true(plb_sizes_mean(&sizes, UNITS) == UNIT_BYTES + 8 + 4 + 8);
    const struct plb_task_limit limit = {INT64_MAX, (double)sum};
    assert_int_equal(plb_sizes_fit(&sizes, &limit, (struct plb_range){0, UNITS}), 10);
    assert_false(plb_sizes_has_room(&sizes, 3.0 * 44 + 3.0 * 127, plb_sizes_largest(&sizes, UNITS)));
    assert_true(plb_sizes_has_room(&sizes, 3.0 * 44 + 3.0 * 128, plb_sizes_largest(&sizes, UNITS)));
    int64_t tasks = plb_arena_buffers(&set, PLB_MODES_OF_TASKS);
    for (int64_t first = 0; first <= UNITS - 10; first++)
        assert_true(plb_arena_layout(&set, tasks, (struct plb_range){first, 10}, at)
                    <= plb_arena_most(&set, tasks, &limit));
    sizes = plb_dataset_sizes(&wide);
    assert_true(plb_sizes_largest(&sizes, UNITS) == UNITS * UNIT_BYTES + 8 + 8 + 4 + 8);
}

/* Units of the task are aligned; halos are around them, and nothing overlaps. */
static void a_halo_is_beside_aligned_units(void **state)
{
    (void)state;
    struct plb_dataset set = dataset(13, 5);
    for (int64_t first = 0; first < UNITS; first += 3)
        for (int64_t count = 1; count <= UNITS - first; count += 7) {
            struct plb_range task = {first, count};
            size_t at[PLB_MAX_DATA], end = 0,
                                     total = plb_arena_layout(&set, plb_dataset_apart(&set), task, at);
            for (int i = 0; i < set.n; i++) {
                struct plb_range r = plb_dataset_around(&set, i, task);
                size_t unit = set.at[i].unit_bytes, lead = (size_t)(first - r.first) * unit;
                assert_int_equal(at[i] % PLB_ARENA_ALIGNMENT, 0);
                assert_true(at[i] >= end + lead);
                end = at[i] - lead + (size_t)r.count * unit;
            }
            assert_true(end <= total);
        }
}

/* ------------------------------------------------------------------ a node that pulls */

#define TASKS 3
#define TRANSFERS (4 * TASKS)

static const struct plb_device_driver driver = {.name = "stub", .entry = stub_entry, .ops = {STUB_OPS}};

/* Transfers under way. */
static struct {
    int tag, n;
    char *to[TRANSFERS];
    size_t bytes[TRANSFERS];
    int *pending[TRANSFERS];
} wires[TASKS];

static void get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    (void)from, (void)context;
    int n = wires[tag].n++;
    assert_true(n < TRANSFERS);
    wires[tag].to[n] = data;
    wires[tag].bytes[n] = bytes;
    wires[tag].pending[n] = pending;
    ++*pending;
}

static const struct plb_wire wire = {.get = get};

/* Rank 0's value of a unit's byte. */
static unsigned char value(int buffer, size_t byte)
{
    return (unsigned char)(buffer * 31 + (int)(byte * 7 % 101));
}

/* The transfers of a slot end: they bring what rank 0 sends. */
static void deliver(struct plb_slot *slot, const struct plb_dataset *set)
{
    int n = 0;
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        if ((slot->pulls & PLB_BUFFER(i)) == 0)
            continue;
        plb_dataset_bytes(set, i, slot->mirrored ? slot->pulled : plb_dataset_around(set, i, slot->pulled),
                          &offset, &bytes);
        assert_true(n < wires[slot->tag].n && wires[slot->tag].bytes[n] == bytes);
        for (size_t b = 0; b < bytes; b++)
            wires[slot->tag].to[n][b] = (char)value(i, offset + b);
        --*wires[slot->tag].pending[n++];
    }
    assert_int_equal(n, wires[slot->tag].n);
    wires[slot->tag].n = 0;
}

static void expect_inputs(const struct plb_slot *slot, const struct plb_dataset *set)
{
    for (int i = 0; i < 3; i++) {
        size_t offset, bytes;
        struct plb_range units = plb_dataset_around(set, i, slot->task.range);
        const unsigned char *at = plb_slot_buffer(slot, set, i, units.first);
        plb_dataset_bytes(set, i, units, &offset, &bytes);
        for (size_t b = 0; b < bytes; b++)
            assert_int_equal(at[b], value(i, offset + b));
    }
}

/* Tasks come to slots, wait, and run, in any order, as node/transfers.c does it; some are forgotten. */
static void tasks_find_their_halo(void **state)
{
    (void)state;
    struct seeds range = seeds(300);
    for (uint64_t seed = range.first; seed < range.end; seed++) {
        struct dice dice = {.seed = seed};
        static const int64_t halos[] = {0, 1, 5, 20, 1000};
        struct plb_dataset set = dataset(halos[whole(&dice, 0, 4)], halos[whole(&dice, 0, 4)]);
        double room = whole(&dice, 0, 3) == 0 ? 700.0 : 1e9;
        struct plb_mirror *m = whole(&dice, 0, 3) == 0 ? NULL : plb_mirror_new(&set, room, false, NULL);
        struct plb_executor e = {.ops = &driver.ops, .limit = {INT64_MAX, 1e9}};
        struct plb_slot slots[TASKS] = {{.tag = 0}, {.tag = 1}, {.tag = 2}};
        int runs = 0;
        for (int step = 0; step < 120 || runs == 0; step++) {
            struct plb_slot *s = &slots[whole(&dice, 0, TASKS - 1)];
            if (s->state == PLB_SLOT_FREE) {
                s->task.range.first = whole(&dice, 0, UNITS - 1);
                s->task.range.count = whole(&dice, 1, UNITS - s->task.range.first);
                s->state = PLB_SLOT_FETCHING;
                plb_slot_bind(s, &set, &e, m);
                plb_slot_pull(s, &set, &wire, false);
                continue;
            }
            bool forgotten = whole(&dice, 0, 9) == 0;
            deliver(s, &set);
            if (s->mirrored) {
                plb_mirror_arrived(m, s->pulled, !forgotten);
                s->pulled.count = s->pulls = 0;
            }
            if (forgotten) {
                s->state = PLB_SLOT_FREE;
            } else if (!s->mirrored || plb_mirror_has(m, s->task.range)) {
                expect_inputs(s, &set);
                s->state = PLB_SLOT_FREE;
                runs++;
            } else if (!plb_mirror_pulls(m, s->task.range)) {
                plb_slot_bind(s, &set, &e, m);
                plb_slot_pull(s, &set, &wire, false);
            }
            s->pulls = s->state == PLB_SLOT_FREE ? 0 : s->pulls;
        }
        for (int t = 0; t < TASKS; t++)
            plb_slot_fini(&slots[t], &e);
        for (int t = 0; t < TASKS; t++)
            wires[t].n = 0;
        plb_mirror_free(m);
    }
}

/* Neighbours pull what they share once. */
static void a_shared_halo_is_pulled_once(void **state)
{
    (void)state;
    struct plb_dataset set = dataset(2, 2);
    struct plb_mirror *m = plb_mirror_new(&set, 1e9, false, NULL);
    struct plb_range first = {0, 10}, second = {10, 10}, third = {20, 10}, pulled;
    assert_true(plb_mirror_take(m, first, &pulled));
    is_range(pulled, 0, 12);
    assert_true(plb_mirror_take(m, second, &pulled));
    is_range(pulled, 12, 10);
    plb_mirror_arrived(m, (struct plb_range){12, 10}, true);
    assert_true(!plb_mirror_has(m, second) && plb_mirror_pulls(m, second));
    plb_mirror_arrived(m, (struct plb_range){0, 12}, true);
    assert_true(plb_mirror_has(m, first) && plb_mirror_has(m, second) && !plb_mirror_pulls(m, second));
    assert_true(plb_mirror_take(m, third, &pulled));
    is_range(pulled, 22, 10);
    plb_mirror_arrived(m, pulled, false);
    assert_true(!plb_mirror_has(m, third) && !plb_mirror_pulls(m, third));
    plb_mirror_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_halo_ends_where_the_job_does), cmocka_unit_test(the_halo_counts_as_memory),
        cmocka_unit_test(a_halo_is_beside_aligned_units), cmocka_unit_test(tasks_find_their_halo),
        cmocka_unit_test(a_shared_halo_is_pulled_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
