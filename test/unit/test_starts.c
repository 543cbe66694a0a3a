/* The costs of starts of tasks, from literals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "model/starts.h"

/* Twenty tasks of sizes 1 to 20, in seconds: start + size * each, and every seventh one three times that. */
static int make(struct plb_timed *at, double start, double each)
{
    for (int i = 0; i < 20; i++)
        at[i] = (struct plb_timed){i + 1.0, (start + each * (i + 1)) * (i % 7 == 3 ? 3.0 : 1.0), 1.0};
    return 20;
}

static void starts_are_told_from_work(void **state)
{
    (void)state;
    struct plb_timed at[20];
    double start = plb_starts_by_medians(at, make(at, 4.0, 0.1));
    assert_true(fabs(start - 4.0) < 0.2);
    start = plb_starts_by_medians(at, make(at, 4.0, 0.0)); /* nothing but starts */
    assert_true(fabs(start - 4.0) < 1e-9);
    assert_true(plb_starts_by_medians(at, make(at, 0.0, 0.1)) == 0.0);
    assert_true(plb_starts_by_medians(at, make(at, 0.02, 0.1)) == 0.0); /* as small as noise */
}

static void what_tells_nothing_of_starts_is_0(void **state)
{
    (void)state;
    struct plb_timed at[20];
    int n = make(at, 4.0, 0.1);
    assert_true(plb_starts_by_medians(at, 0) == 0.0);
    for (int i = 0; i < n; i++) /* one small task */
        at[i] = (struct plb_timed){i == 0 ? 1.0 : 20.0, 4.0, 1.0};
    assert_true(plb_starts_by_medians(at, n) == 0.0);
    at[1].work = 5.0;
    assert_true(fabs(plb_starts_by_medians(at, n) - 4.0) < 1e-9);
    at[1].seconds = 1.0; /* only the first one was slow */
    assert_true(plb_starts_by_medians(at, n) == 0.0);
    make(at, 4.0, 0.1);
    for (int i = 0; i < n; i++) /* some units cost much more than others */
        at[i] = (struct plb_timed){i + 1.0, i % 2 == 0 ? 2.0 : 5.0, 1.0};
    assert_true(plb_starts_by_medians(at, n) == 0.0);
    for (int i = 0; i < n; i++) /* several tasks in a report */
        at[i] = (struct plb_timed){5.0 * (i + 1), 5.0 * (4.0 + 0.1 * (i + 1)), 5.0};
    assert_true(fabs(plb_starts_by_medians(at, n) - 4.0) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_told_from_work),
        cmocka_unit_test(what_tells_nothing_of_starts_is_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
