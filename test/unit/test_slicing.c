/* The master's words about the tasks of a block, from reports that are worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "core/measure/slicing.h"
#include "core/work/migration.h"
#include "core/worker/queue.h"

#define SHARE 6400.0

/* A PU of 1,000 units per second whose tasks cost this start, with reports of tasks of rising size. */
static struct plb_history reports(int n, double start)
{
    struct plb_history h = {0};
    for (int i = 0; i < n; i++) {
        double work = 20.0 * (i + 1);
        plb_history_add(&h,
                        &(struct plb_sample){.work = work, .execute_s = start + work / 1000.0, .tasks = 1});
    }
    return h;
}

/* For a block of a balancer that does not plan by rates. */
static struct plb_slicing slice(struct plb_history *h, double work, double share, double task_s)
{
    return plb_slicing(h, &(struct plb_promise){work, INFINITY, share}, task_s);
}

static struct plb_slicing slicing(int n, double start, double work)
{
    struct plb_history h = reports(n, start);
    struct plb_slicing s = slice(&h, work, SHARE, PLB_TASK_SECONDS);
    plb_history_fini(&h);
    return s;
}

static void a_large_first_block_begins_with_a_small_task(void **state)
{
    (void)state;
    struct plb_slicing s = slicing(0, 0.0, SHARE / 3.0);
    assert_true(s.most == SHARE / 256.0);
    assert_true(s.least < 0.0);                             /* not known */
    assert_true(isinf(slicing(0, 0.0, SHARE / 10.0).most)); /* a training block stays whole */
}

/* For energy a PU that should not work must not hold a tenth of the job in one task. */
static void a_first_block_is_cut_where_joules_count(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        struct plb_history h = reports(n, 0.0);
        struct plb_slicing s = slice(&h, SHARE / 10.0, SHARE, PLB_TASK_SECONDS);
        assert_true(isinf(s.most));
        plb_slicing_judge(&s, &h, SHARE);
        assert_true(n == 0 ? s.most == SHARE / 256.0 : isinf(s.most));
        plb_history_fini(&h);
    }
}

static void a_block_is_whole_while_its_start_cost_is_not_known(void **state)
{
    (void)state;
    assert_true(isinf(slicing(2, 0.0, SHARE / 10.0).most));
    assert_true(isfinite(slicing(2, 0.0, SHARE / 9.0).most)); /* it is too large a part */
}

/* 6,400 units would last 6.4 s: a sixteenth is longer than the longest task. */
static void a_task_lasts_a_quarter_of_a_second_at_most(void **state)
{
    (void)state;
    struct plb_slicing s = slicing(5, 0.0, SHARE / 5.0);
    assert_true(fabs(s.most - 1000.0 * PLB_TASK_SECONDS) < 1e-6);
    assert_true(s.least >= 0.0 && s.least < 1.0);
    assert_true(isinf(slicing(5, 0.0, 200.0).most));
}

/* 99 starts of 10 ms are 990 units. */
static void a_task_is_worth_its_start(void **state)
{
    (void)state;
    struct plb_slicing s = slicing(5, 0.01, SHARE / 5.0);
    assert_true(fabs(s.least - 990.0) < 1.0);
    assert_true(s.most == s.least);
}

/* Five milliseconds are five units; a share of 16 units would ask for tasks of one. */
static void a_task_lasts_five_milliseconds_at_least(void **state)
{
    struct plb_history h = reports(5, 0.0);
    (void)state;
    assert_true(fabs(slice(&h, 16.0, 16.0, PLB_TASK_SECONDS).most - 5.0) < 1e-6);
    plb_history_fini(&h);
}

/* At most a tenth of a second, a sixteenth of the share, at least a fiftieth of 100 s. */
static void a_task_lasts_as_long_as_the_user_says(void **state)
{
    struct plb_history h = reports(5, 0.0);
    (void)state;
    assert_true(fabs(slice(&h, SHARE, SHARE, 0.1).most - 100.0) < 1e-6);
    assert_true(fabs(slice(&h, SHARE, SHARE, 1.0).most - SHARE / PLB_TASK_PARTS) < 1e-6);
    assert_true(fabs(slice(&h, SHARE, SHARE, 100.0).most - 2000.0) < 1e-6); /* a fiftieth */
    plb_history_fini(&h);
}

/* A PU that has reported five tasks may be late by some percent. It has 0.2 s to do, and 6.4 s are left. */
static void a_block_is_whole_where_the_rest_of_the_share_makes_up(void **state)
{
    struct plb_history h = reports(5, 0.0);
    (void)state;
    assert_true(isinf(plb_slicing(&h, &(struct plb_promise){200.0, 200.0, SHARE}, 1.0).most));
    assert_true(isinf(plb_slicing(&h, &(struct plb_promise){200.0, 200.0, 500.0}, 1.0).most));
    assert_true(
        isfinite(plb_slicing(&h, &(struct plb_promise){200.0, 300.0, 500.0}, 1.0).most)); /* too much */
    assert_true(plb_slicing(&h, &(struct plb_promise){200.0, 200.0, SHARE}, 0.1).most == 100.0);
    plb_history_fini(&h);
}

static void times_that_cannot_be_say_nothing(void **state)
{
    static const double times[] = {0.0, -1.0, NAN, INFINITY};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int n = 1; n <= 6; n++) {
            struct plb_history h = {0};
            for (int k = 0; k < n; k++)
                plb_history_add(&h, &(struct plb_sample){.work = 10.0, .execute_s = times[i], .tasks = 1});
            struct plb_slicing s = slice(&h, 100.0, 100.0, PLB_TASK_SECONDS);
            assert_true(s.most > 0.0 && !isnan(s.least));
            plb_history_fini(&h);
        }
}

/* Tasks of about 100 units begin at multiples of 8, but for the first one; short ones anywhere. */
static double rising(const void *context, int64_t first, int64_t count)
{
    (void)context;
    return (double)count * ((double)first + (double)count / 2.0);
}

static void tasks_begin_at_whole_strides(void **state)
{
    (void)state;
    const struct plb_task_limit limit = {.units = INT64_MAX, .bytes = INFINITY};
    const struct plb_cut cut = {.high = INFINITY};
    const struct plb_sizes sizes = {.stride = 8};
    struct plb_cost_map map;
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_cost_map_init(&map, 100000, NULL, NULL, &err), PLB_OK);
    for (int64_t grain = 7; grain <= 100; grain += 93) {
        struct plb_queue q = {0};
        struct plb_slice task;
        int64_t next = 3, last = 0;
        plb_queue_push(&q, (struct plb_queue_entry){.range = {3, 998}, .grain = grain});
        while (plb_queue_take(&q, &map, &sizes, &limit, &cut, &task)) {
            assert_true(task.range.first == next && task.range.count <= grain);
            assert_true(next == 3 || grain == 7 || next % 8 == 0);
            next += last = task.range.count;
        }
        assert_true(next == 1001 && last > 0);
        plb_queue_fini(&q);
    }
    plb_cost_map_fini(&map);
}

/* Takes all tasks of 1,001 units from unit 3 on, of multiples of 8, and returns how many are smaller than one
 * or no whole number of them. */
static int torn_tasks(const struct plb_cut *cut, int64_t grain, int64_t most, int64_t *first)
{
    const struct plb_task_limit limit = {.units = most, .bytes = INFINITY};
    const struct plb_sizes sizes = {.multiple = 8};
    struct plb_cost_map map;
    struct plb_error err = {.status = PLB_OK};
    struct plb_queue q = {0};
    struct plb_slice task;
    int64_t next = 3;
    int torn = 0;
    *first = 0;
    assert_int_equal(plb_cost_map_init(&map, 100000, NULL, NULL, &err), PLB_OK);
    plb_queue_push(&q, (struct plb_queue_entry){.range = {3, 1001}, .grain = grain});
    while (plb_queue_take(&q, &map, &sizes, &limit, cut, &task)) {
        assert_int_equal(task.range.first, next);
        assert_true(task.range.count <= grain || cut->known > grain);
        assert_true(task.range.count <= most && task.range.count > 0);
        next += task.range.count;
        torn += task.range.count % 8 != 0;
        *first = *first == 0 ? task.range.count : *first;
    }
    assert_int_equal(next, 1004);
    plb_queue_fini(&q);
    plb_cost_map_fini(&map);
    return torn;
}

/* 425 columns are no whole number of tiles. */
static void tasks_are_whole_multiples(void **state)
{
    (void)state;
    const struct plb_cut whole = {.high = INFINITY}, wanted = {.known = 30, .wanted = 30, .high = INFINITY};
    int64_t first;
    for (int64_t grain = 8; grain < 1100; grain++)
        assert_int_equal(torn_tasks(&whole, grain, INT64_MAX, &first), 1); /* the last one */
    assert_true(torn_tasks(&whole, 7, INT64_MAX, &first) > 1);             /* smaller than one */
    torn_tasks(&wanted, 20, INT64_MAX, &first);
    assert_int_equal(first, 32); /* 30 serve the PU well: not less */
    torn_tasks(&wanted, 20, 30, &first);
    assert_int_equal(first, 24); /* its memory holds 30 */
}

/* Where others may take from the queue, tasks become smaller than a multiple at the end alone. */
static void shared_tasks_are_whole_multiples(void **state)
{
    (void)state;
    const struct plb_cut shared = {.high = INFINITY, .shared = true};
    int64_t first;
    int torn = torn_tasks(&shared, 1001, INT64_MAX, &first);
    assert_true(first == 120 && torn > 0 && torn < 30);
}

/* Also of costs that differ. A small block, and one that takes all the rest, are what was asked for. */
static void large_blocks_end_at_whole_strides(void **state)
{
    (void)state;
    struct plb_error err = {.status = PLB_OK};
    for (int unlike = 0; unlike < 2; unlike++) {
        struct plb_cost_map map;
        assert_int_equal(plb_cost_map_init(&map, 100000, unlike ? rising : NULL, NULL, &err), PLB_OK);
        for (map.stride = 0; map.stride <= 8; map.stride += 8) {
            bool moves = map.stride > 1;
            for (int64_t first = 50001; first < 50009; first++) {
                int64_t asked = unlike ? plb_cost_units(&map, first, 40000, 3000.0) : 3000;
                int64_t units = plb_slicing_units(&map, (struct plb_range){first, 40000}, 3000.0);
                assert_true(moves ? (first + units) % 8 == 0 : asked - units <= unlike);
                assert_true(units <= asked && units >= asked - 8);
            }
            assert_int_equal(plb_slicing_units(&map, (struct plb_range){3, 95000}, 1e6), 95000);
        }
        plb_cost_map_fini(&map);
    }
    struct plb_cost_map even = {.units = 100000, .stride = 8};
    assert_int_equal(plb_slicing_units(&even, (struct plb_range){3, 5000}, 799.0), 799);
    assert_int_equal(plb_slicing_units(&even, (struct plb_range){3, 5000}, 800.0), 797);
    even.chunk = 50; /* chunks are kept whole */
    assert_int_equal(plb_slicing_units(&even, (struct plb_range){50, 5000}, 1000.0), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_first_block_begins_with_a_small_task),
        cmocka_unit_test(a_first_block_is_cut_where_joules_count),
        cmocka_unit_test(a_block_is_whole_while_its_start_cost_is_not_known),
        cmocka_unit_test(a_task_lasts_a_quarter_of_a_second_at_most),
        cmocka_unit_test(a_task_is_worth_its_start),
        cmocka_unit_test(a_task_lasts_five_milliseconds_at_least),
        cmocka_unit_test(a_task_lasts_as_long_as_the_user_says),
        cmocka_unit_test(a_block_is_whole_where_the_rest_of_the_share_makes_up),
        cmocka_unit_test(times_that_cannot_be_say_nothing),
        cmocka_unit_test(tasks_begin_at_whole_strides),
        cmocka_unit_test(large_blocks_end_at_whole_strides),
        cmocka_unit_test(tasks_are_whole_multiples),
        cmocka_unit_test(shared_tasks_are_whole_multiples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
