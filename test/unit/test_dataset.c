/* How many bytes the core believes that units and tasks have, against the bytes that travel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "app/dataset.h"

#define UNITS 10

static int64_t offsets[UNITS + 1] = {0, 5, 5, 6, 20, 21, 30, 31, 40, 41, 50};

static struct plb_dataset every_mode(void)
{
    struct plb_dataset set = {.n = 7, .on_rank0 = true, .units = UNITS};
    set.at[0] = (struct plb_data){.mode = PLB_REPLICATE, .bytes = sizeof offsets};
    set.at[1] = (struct plb_data){.mode = PLB_PARTITION, .unit_bytes = 24};
    set.at[2] = (struct plb_data){.mode = PLB_PARTITION_INDEXED, .offsets = 0, .element_bytes = 4};
    set.at[3] = (struct plb_data){.mode = PLB_PARTITION_INDEXED, .offsets = 0, .element_bytes = 8};
    set.at[4] = (struct plb_data){.mode = PLB_OUTPUT, .unit_bytes = 8};
    set.at[5] = (struct plb_data){.mode = PLB_REDUCE, .bytes = 160, .type = PLB_FLOAT64};
    set.at[6] = (struct plb_data){.mode = PLB_REPLICATE, .bytes = 1000};
    set.host[0] = offsets;
    return set;
}

/* The answer of plb_dataset_bytes for a task, all its buffers but the replicated ones together. */
static double bytes_of_task(const struct plb_dataset *set, struct plb_range range)
{
    size_t offset, bytes, sum = 0;
    for (int i = 0; i < set->n; i++) {
        plb_dataset_bytes(set, i, range, &offset, &bytes);
        sum += set->at[i].mode != PLB_REPLICATE ? bytes : 0;
    }
    return (double)sum;
}

static void sizes_are_the_bytes_that_travel(void **state)
{
    (void)state;
    struct plb_dataset set = every_mode();
    struct plb_sizes sizes = plb_dataset_sizes(&set);
    assert_true(sizes.replicated_bytes == sizeof offsets + 1000.0);
    assert_int_equal(sizes.n_indexed, 1); /* both buffers have the same offsets */
    for (int64_t first = 0; first < UNITS; first++)
        for (int64_t count = 1; first + count <= UNITS; count++) {
            struct plb_range range = {first, count};
            assert_true(plb_sizes_bytes(&sizes, range) == bytes_of_task(&set, range));
        }
}

static void offsets_that_are_not_there_count_nothing(void **state)
{
    (void)state;
    struct plb_dataset set = every_mode();
    set.host[0] = NULL;
    struct plb_sizes sizes = plb_dataset_sizes(&set);
    assert_int_equal(sizes.n_indexed, 0);
    assert_true(plb_sizes_bytes(&sizes, (struct plb_range){0, 4}) == 160.0 + 4 * 32.0);
}

/* As many different offsets as a job can have. */
static void every_offset_has_room(void **state)
{
    (void)state;
    enum { HALF = PLB_MAX_DATA / 2 };
    static int64_t own[HALF][UNITS + 1];
    struct plb_dataset set = {.n = 2 * HALF, .on_rank0 = true, .units = UNITS};
    for (int i = 0; i < HALF; i++) {
        for (int u = 0; u <= UNITS; u++)
            own[i][u] = offsets[u] * (i + 1);
        set.at[i] = (struct plb_data){.mode = PLB_REPLICATE, .bytes = sizeof own[i]};
        set.at[HALF + i] = (struct plb_data){.mode = PLB_PARTITION_INDEXED, .offsets = i, .element_bytes = 2};
        set.host[i] = own[i];
    }
    struct plb_sizes sizes = plb_dataset_sizes(&set);
    struct plb_range range = {3, 4};
    assert_int_equal(sizes.n_indexed, HALF);
    assert_true(plb_sizes_bytes(&sizes, range) == bytes_of_task(&set, range));
}

/* On rank 0 nothing travels, but tasks have reduced arrays of their own. */
static void rank_0_has_all_in_place(void **state)
{
    (void)state;
    struct plb_dataset set = every_mode();
    assert_int_equal(plb_dataset_apart(&set), PLB_BUFFER(5));
    assert_int_equal(plb_dataset_pulled(&set), 0);
    assert_int_equal(plb_dataset_sent(&set), 0);
    assert_false(plb_dataset_travels(&set));
    assert_int_equal(plb_dataset_stride(&set, 0), 8); /* 24 and 8 bytes per unit */
}

/* On another rank: replicated buffers, and those that it has whole anyhow. */
static void another_rank_has_some_in_place(void **state)
{
    (void)state;
    struct plb_dataset set = every_mode();
    set.on_rank0 = false;
    assert_int_equal(plb_dataset_apart(&set), 62);
    assert_int_equal(plb_dataset_pulled(&set), 14);
    assert_int_equal(plb_dataset_sent(&set), 48);
    assert_int_equal(plb_dataset_stride(&set, 0), 1);
    assert_true(plb_dataset_travels(&set));
    set.whole = PLB_BUFFER(2) | PLB_BUFFER(4);
    assert_true(plb_dataset_in_place(&set, 0) && plb_dataset_in_place(&set, 4));
    assert_int_equal(plb_dataset_pulled(&set), 10);
    assert_int_equal(plb_dataset_sent(&set), 32);
    assert_int_equal(plb_dataset_stride(&set, 0), 8);
    assert_true(plb_dataset_travels(&set));
    set.whole = 30;
    assert_int_equal(plb_dataset_apart(&set), PLB_BUFFER(5));
    assert_false(plb_dataset_travels(&set)); /* arrays that are folded need no slots */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_the_bytes_that_travel),
        cmocka_unit_test(offsets_that_are_not_there_count_nothing),
        cmocka_unit_test(every_offset_has_room),
        cmocka_unit_test(rank_0_has_all_in_place),
        cmocka_unit_test(another_rank_has_some_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
