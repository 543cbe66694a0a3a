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

static double start_of(struct plb_timed *at, int n)
{
    return plb_starts_by_medians(&(struct plb_tally){.n = n, .at = at});
}

static void starts_are_told_from_work(void **state)
{
    (void)state;
    struct plb_timed at[20];
    double start = start_of(at, make(at, 4.0, 0.1));
    assert_true(fabs(start - 4.0) < 0.2);
    start = start_of(at, make(at, 4.0, 0.0)); /* nothing but starts */
    assert_true(fabs(start - 4.0) < 1e-9);
    assert_true(start_of(at, make(at, 0.0, 0.1)) == 0.0);
    assert_true(start_of(at, make(at, 0.02, 0.1)) == 0.0); /* as small as noise */
}

static void what_tells_nothing_of_starts_is_0(void **state)
{
    (void)state;
    struct plb_timed at[20];
    int n = make(at, 4.0, 0.1);
    assert_true(start_of(at, 0) == 0.0);
    for (int i = 0; i < n; i++) /* one small task */
        at[i] = (struct plb_timed){i == 0 ? 1.0 : 20.0, 4.0, 1.0};
    assert_true(start_of(at, n) == 0.0);
    at[1].work = 5.0;
    assert_true(fabs(start_of(at, n) - 4.0) < 1e-9);
    at[1].seconds = 1.0; /* only the first one was slow */
    assert_true(start_of(at, n) == 0.0);
    make(at, 4.0, 0.1);
    for (int i = 0; i < n; i++) /* some units cost much more than others */
        at[i] = (struct plb_timed){i + 1.0, i % 2 == 0 ? 2.0 : 5.0, 1.0};
    assert_true(start_of(at, n) == 0.0);
    for (int i = 0; i < n; i++) /* several tasks in a report */
        at[i] = (struct plb_timed){5.0 * (i + 1), 5.0 * (4.0 + 0.1 * (i + 1)), 5.0};
    assert_true(fabs(start_of(at, n) - 4.0) < 1e-9);
}

/* Two small tasks, and a thousand large ones that take as long. A tally drops most of them, not the first. */
static void a_tally_keeps_the_first_tasks(void **state)
{
    (void)state;
    struct plb_tally t = {0};
    for (int i = 0; i < 1000; i++)
        plb_tally_add(&t, &(struct plb_timed){i < 2 ? 1.0 + i : 1000.0, 4.0, 1.0});
    assert_true(t.n < 128);
    assert_int_equal(t.n_first, 7);
    assert_true(t.first[0].work == 2.0);
    assert_true(fabs(plb_starts_by_medians(&t) - 4.0) < 1e-9);
    plb_tally_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_told_from_work),
        cmocka_unit_test(what_tells_nothing_of_starts_is_0),
        cmocka_unit_test(a_tally_keeps_the_first_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
