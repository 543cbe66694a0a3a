/* Which tasks of rank 0 keep their outputs apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "node/memory/scratch.h"

#define FAST 1e-9 /* seconds per unit of a kernel that does little but write */
#define SLOW 1e-3

static struct plb_dataset set = {
    .n = 2,
    .on_rank0 = true,
    .units = 1000000,
    .at = {{.mode = PLB_PARTITION, .unit_bytes = 1 << 20}, {.mode = PLB_OUTPUT, .unit_bytes = 8}}};

static bool wanted(int64_t first, int64_t count, double unit_s, bool doubled)
{
    struct plb_latest latest = {unit_s > 0.0 ? count : 0, unit_s * (double)count};
    const struct plb_slice task = {.range = {first, count}};
    return plb_scratch_wanted(&set, &task, &latest, doubled);
}

static void a_copy_may_cost_little(void **state)
{
    (void)state;
    assert_true(wanted(0, 100, SLOW, false));
    assert_false(wanted(0, 1000000, FAST, false));
    assert_false(wanted(0, 1, 1e-4, false));     /* the task is too short for it */
    assert_true(wanted(0, 1000000, 0.0, false)); /* a first task: nothing is known */
}

/* A first unit of a millisecond may have been a hiccup: a million of them need no second. */
static void a_slow_first_unit_tells_little(void **state)
{
    (void)state;
    const struct plb_latest unit = {1, SLOW}, many = {250000, 250000 * SLOW};
    const struct plb_slice rest = {.range = {1, 999999}}, all = {.range = {0, 1000000}};
    assert_false(plb_scratch_wanted(&set, &rest, &unit, false));
    assert_true(plb_scratch_wanted(&set, &all, &many, false));
}

static void a_result_that_is_only_compared_is_kept_apart(void **state)
{
    (void)state;
    const struct plb_latest latest = {1000, 1000 * FAST};
    const struct plb_slice task = {.range = {0, 1000}}, audit = {.range = {0, 1000}, .audit = true};
    assert_false(plb_scratch_wanted(&set, &task, &latest, false));
    assert_true(plb_scratch_wanted(&set, &audit, &latest, false));
}

static void units_of_several_pus_are_kept_apart(void **state)
{
    (void)state;
    assert_true(wanted(0, 5001, FAST, true));
    assert_false(wanted(0, 5001, FAST, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_may_cost_little),
        cmocka_unit_test(a_slow_first_unit_tells_little),
        cmocka_unit_test(a_result_that_is_only_compared_is_kept_apart),
        cmocka_unit_test(units_of_several_pus_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
