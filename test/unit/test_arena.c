/* Where the buffers of a task are, and how much memory is taken for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "node/memory/arena.h"

#define UNITS 1000
#define SUM 24 /* bytes of the reduced array */

static int64_t offsets[UNITS + 1];

/* A replicated buffer, inputs of 100 bytes per unit, a reduced array and outputs of 28. Where they are
 * unequal: inputs of 1 to 9 elements of 8 bytes per unit instead. */
static struct plb_dataset dataset(bool unequal)
{
    struct plb_dataset set = {.n = 4, .units = UNITS};
    for (int u = 0; u < UNITS; u++)
        offsets[u + 1] = offsets[u] + 1 + u % 9;
    set.at[0] = (struct plb_data){.mode = PLB_REPLICATE, .bytes = sizeof offsets};
    set.at[1] = (struct plb_data){.mode = PLB_PARTITION, .unit_bytes = 100};
    if (unequal)
        set.at[1] = (struct plb_data){.mode = PLB_PARTITION_INDEXED, .element_bytes = 8};
    set.at[2] = (struct plb_data){.mode = PLB_REDUCE, .bytes = SUM, .type = PLB_FLOAT64};
    set.at[3] = (struct plb_data){.mode = PLB_OUTPUT, .unit_bytes = 28};
    set.host[0] = offsets;
    return set;
}

static void buffers_do_not_overlap_and_are_aligned(void **state)
{
    (void)state;
    for (int unequal = 0; unequal < 2; unequal++)
        for (int64_t count = 1; count <= UNITS; count += 37) {
            struct plb_dataset set = dataset(unequal);
            struct plb_range range = {UNITS - count, count};
            size_t at[PLB_MAX_DATA], offset, bytes, end = 0;
            size_t total = plb_arena_layout(&set, plb_arena_buffers(&set, PLB_MODES_OF_TASKS), range, at);
            for (int i = 1; i < set.n; i++) {
                plb_dataset_bytes(&set, i, range, &offset, &bytes);
                assert_true(at[i] >= end && at[i] % PLB_ARENA_ALIGNMENT == 0);
                end = at[i] + bytes;
            }
            assert_true(end <= total && total < end + PLB_ARENA_ALIGNMENT);
        }
}

/* On rank 0, tasks have reduced arrays of their own and perhaps outputs. */
static void other_buffers_take_nothing(void **state)
{
    (void)state;
    struct plb_dataset set = dataset(false);
    size_t at[PLB_MAX_DATA];
    struct plb_range range = {0, UNITS};
    assert_int_equal(plb_arena_layout(&set, PLB_BUFFER(2), range, at), PLB_ARENA_ALIGNMENT);
    assert_int_equal(plb_arena_layout(&set, PLB_BUFFER(3), range, at), 28160);
    assert_int_equal(plb_arena_layout(&set, 0, range, at), 1);
}

/* Whatever task the limit allows, it needs no more than the most; and a task may need as much. */
static void the_most_is_that_of_the_largest_task(void **state)
{
    (void)state;
    static const double limits[] = {150.0, 1e3, 1e4, 5e4, 1e6, INFINITY};
    static const int64_t grains[] = {7, UNITS, INT64_MAX};
    for (int g = 0; g < 3; g++)
        for (int k = 0; k < 6; k++) {
            struct plb_dataset set = dataset(false);
            struct plb_sizes sizes = plb_dataset_sizes(&set);
            struct plb_task_limit limit = {.units = grains[g], .bytes = limits[k]};
            struct plb_range largest = {0, plb_sizes_fit(&sizes, &limit, (struct plb_range){0, UNITS})};
            size_t at[PLB_MAX_DATA];
            assert_int_equal(
                plb_arena_most(&set, plb_arena_buffers(&set, PLB_MODES_OF_TASKS), &limit),
                plb_arena_layout(&set, plb_arena_buffers(&set, PLB_MODES_OF_TASKS), largest, at));
        }
}

static void the_most_holds_unequal_units(void **state)
{
    (void)state;
    static const double limits[] = {200.0, 1e3, 1e4, 5e4, 1e6, INFINITY};
    for (int k = 0; k < 6; k++) {
        struct plb_dataset set = dataset(true);
        struct plb_sizes sizes = plb_dataset_sizes(&set);
        struct plb_task_limit limit = {.units = INT64_MAX, .bytes = limits[k]};
        size_t at[PLB_MAX_DATA],
            most = plb_arena_most(&set, plb_arena_buffers(&set, PLB_MODES_OF_TASKS), &limit);
        for (int64_t first = 0; first < UNITS; first++) {
            struct plb_range range = {
                first, plb_sizes_fit(&sizes, &limit, (struct plb_range){first, UNITS - first})};
            assert_true(plb_arena_layout(&set, plb_arena_buffers(&set, PLB_MODES_OF_TASKS), range, at)
                        <= most);
        }
        assert_true((double)most <= limits[k] + set.n * PLB_ARENA_ALIGNMENT);
    }
}

static void memory_is_taken_in_a_few_steps(void **state)
{
    (void)state;
    size_t had = 0;
    int times = 0;
    for (size_t needed = 1; needed <= 5000; needed++)
        if (needed > had) {
            had = plb_arena_bytes(needed, 5000 / 16 + 1, 5000);
            times++;
            assert_true(had >= needed && had <= 5000 && (had < 4 * needed || times == 1));
        }
    assert_int_equal(times, 3);
    assert_int_equal(plb_arena_bytes(10, 5000, 5000), 5000);
    assert_int_equal(plb_arena_bytes(10, 300, 200), 200);
    assert_int_equal(plb_arena_bytes(6000, 300, 5000), 6000); /* nobody has foreseen it */
    assert_int_equal(plb_arena_bytes(7, 1, 1), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_do_not_overlap_and_are_aligned),
        cmocka_unit_test(other_buffers_take_nothing),
        cmocka_unit_test(the_most_is_that_of_the_largest_task),
        cmocka_unit_test(the_most_holds_unequal_units),
        cmocka_unit_test(memory_is_taken_in_a_few_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
