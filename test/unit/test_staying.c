/* Results that stay on a rank: their place, their room, and who writes there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "node/memory/staying.h"

#define UNITS 1000
#define BYTES 8

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    (void)app;
    (void)pass;
    *again = false;
    return PLB_OK;
}

static const struct plb_kernel kernel = {.next = next}, one_pass;
static struct plb_dataset set = {.n = 3,
                                 .units = UNITS,
                                 .kernel = &kernel,
                                 .at = {{.mode = PLB_PARTITION, .unit_bytes = 32},
                                        {.mode = PLB_OUTPUT, .unit_bytes = BYTES, .stays = true},
                                        {.mode = PLB_OUTPUT, .unit_bytes = 4}}};
/* Whether the rank has these units. */
static bool has(struct plb_staying *k, int pass, int64_t first, int64_t count)
{
    return plb_staying_made(k, pass, (struct plb_range){first, count});
}

static void begin(struct plb_staying *k, int pass, int64_t busy)
{
    struct plb_rangeset units = {0};
    plb_rangeset_add(&units, (struct plb_range){0, busy});
    plb_staying_begin_pass(k, pass, PLB_BUFFER(1), &units);
    plb_rangeset_fini(&units);
}

static bool take(struct plb_staying *k, int64_t first, int64_t count)
{
    return plb_staying_take(k, (struct plb_range){first, count});
}

static void execute(struct plb_staying *k, int pass, int64_t first, int64_t count)
{
    memset(plb_staying_place(k, 1, first), 7, (size_t)count * BYTES);
    plb_staying_reported(k, pass, (struct plb_range){first, count});
}

static void what_was_reported_is_sent(void **state)
{
    (void)state;
    struct plb_staying *k = plb_staying_new(&set, 1e9, false, NULL);
    assert_int_equal(plb_staying_buffers(k), PLB_BUFFER(1));
    assert_false(take(k, 0, 1)); /* no pass has begun */
    begin(k, 1, 0);
    assert_true(take(k, 10, 10) && take(k, 20, 10));
    execute(k, 1, 10, 10);
    assert_true(has(k, 1, 10, 10) && has(k, 1, 12, 3));
    assert_false(has(k, 1, 20, 10) || has(k, 1, 15, 10) || has(k, 2, 10, 10));
    execute(k, 1, 20, 10);
    assert_true(has(k, 1, 10, 20));
    begin(k, 2, 0);
    assert_false(has(k, 2, 10, 10));
    execute(k, 1, 10, 10); /* a report of the pass before */
    assert_false(has(k, 2, 10, 10));
    plb_staying_free(k);
}

/* A task that runs twice, or still runs from the pass before, must not write over what was reported. */
static void one_task_alone_writes_a_unit(void **state)
{
    (void)state;
    struct plb_staying *k = plb_staying_new(&set, 1e9, false, NULL);
    begin(k, 1, 0);
    assert_true(take(k, 0, 10));
    assert_false(take(k, 0, 10) || take(k, 9, 5));
    begin(k, 2, 5);
    assert_false(take(k, 0, 10));
    assert_true(take(k, 5, 5));
    begin(k, 3, 0);
    assert_true(take(k, 0, 10));
    plb_staying_begin_pass(k, 4, 0, &(struct plb_rangeset){0}); /* in which nothing stays */
    assert_false(take(k, 0, 10));
    plb_staying_free(k);
}

static void short_of_room_results_are_sent(void **state)
{
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        struct plb_staying *k = plb_staying_new(&set, 30.0 * BYTES, shared, NULL);
        begin(k, 1, 0);
        assert_true(take(k, 0, 20));
        assert_false(take(k, 20, 20));
        assert_true(take(k, 20, 10));
        begin(k, 2, 0); /* there was no room: what is used now has it */
        assert_true(take(k, 0, 20) && take(k, 20, 10));
        assert_false(take(k, 100, 1));
        begin(k, 3, 0);
        assert_true(take(k, 0, 5));
        assert_false(take(k, 100, 1));
        begin(k, 4, 0);
        assert_true(take(k, 100, 25));
        plb_staying_free(k);
    }
}

static void nothing_stays_where_it_is_not_said(void **state)
{
    (void)state;
    struct plb_dataset other = set;
    other.kernel = &one_pass;
    assert_null(plb_staying_new(&other, 1e9, false, NULL));
    other = set;
    other.on_rank0 = true;
    assert_null(plb_staying_new(&other, 1e9, false, NULL));
    other = set;
    other.at[1].stays = false;
    assert_null(plb_staying_new(&other, 1e9, false, NULL));
    assert_null(plb_staying_new(&set, 0.0, false, NULL));
    assert_int_equal(plb_staying_buffers(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_reported_is_sent),
        cmocka_unit_test(one_task_alone_writes_a_unit),
        cmocka_unit_test(short_of_room_results_are_sent),
        cmocka_unit_test(nothing_stays_where_it_is_not_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
