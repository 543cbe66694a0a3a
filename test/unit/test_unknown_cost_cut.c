/* How long tasks are where the costs of units are unknown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "core/worker/unknown_cost.h"

#define SHARE 1000.0 /* work that the PU will probably still do */

static struct plb_pu_rate after(int n, const double work[], const double seconds[])
{
    struct plb_pu_rate pu = {.share = SHARE};
    for (int i = 0; i < n; i++)
        plb_pu_rate_learn(&pu, work[i], (int64_t)work[i], seconds[i], 0.0);
    return pu;
}

static double longest(const struct plb_pu_rate *pu, double master_s, bool shared)
{
    struct plb_cut cut = {.low = 500.0, .high = INFINITY, .shared = shared};
    plb_unknown_cost_cut(pu, master_s, &cut);
    assert_true(cut.low == 0.0);
    return cut.high;
}

static void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * expected))
        fail_msg("got %.12g, expected %.12g", got, expected);
}

/* Units of 1 ms, of which the first tells that a start costs no more: sqrt(1 ms · 1 s) is 32 units. */
static void starts_and_surprises_cost_alike(void **state)
{
    (void)state;
    struct plb_pu_rate pu = after(2, (double[]){1.0, 10.0}, (double[]){1e-3, 10e-3});
    near(longest(&pu, 0.0, false), sqrt(1e-3 * 1.0) * 1e3);
    near(longest(&pu, 3e-3, false), sqrt(4e-3 * 1.0) * 1e3);
}

static void units_that_become_dear_make_tasks_short(void **state)
{
    (void)state;
    struct plb_pu_rate pu = after(3, (double[]){1.0, 10.0, 10.0}, (double[]){1e-3, 10e-3, 5.0});
    assert_true(longest(&pu, 0.0, false) < 10.0);
}

/* A share and tasks as large as numbers can say leave a task as it was. */
static void sizes_beyond_all_numbers_are_no_size(void **state)
{
    (void)state;
    struct plb_pu_rate pu = after(2, (double[]){1.0, 10.0}, (double[]){1e3, 10e3});
    pu.share = pu.most_work = 1e308;
    struct plb_cut cut = {.known = INT64_MAX, .high = INFINITY};
    plb_unknown_cost_cut(&pu, 1e308, &cut);
    assert_true(cut.known == INT64_MAX && cut.wanted == INT64_MAX && isinf(cut.high));
}

/* 100 s without a surprise: a task may last 2 s. */
static void what_was_watched_for_long_is_trusted(void **state)
{
    (void)state;
    struct plb_pu_rate pu = after(2, (double[]){1.0, 100000.0}, (double[]){1e-3, 100.0});
    near(longest(&pu, 0.0, false), 0.02 * 100.001 * 1e3);
}

/* A unit of a nanosecond foretells little: 16 of those that follow are a task, and not a million. */
static void the_first_unit_may_have_been_the_cheapest(void **state)
{
    (void)state;
    struct plb_pu_rate pu = after(1, (double[]){1.0}, (double[]){1e-9});
    near(longest(&pu, 1e-3, false), 16.0);
    near(longest(&pu, 1e-3, true), 16.0);
    plb_pu_rate_learn(&pu, 16.0, 16, 16e-9, 0.0);
    near(longest(&pu, 1e-3, false), 256.0);
}

/* A start of 1 s, and units that cost nearly nothing. */
static void tasks_that_are_starts_grow(void **state)
{
    (void)state;
    struct plb_pu_rate one = after(1, (double[]){1.0}, (double[]){1.0});
    struct plb_pu_rate two = after(2, (double[]){1.0, 50.0}, (double[]){1.0, 1.01});
    near(longest(&one, 0.0, false), 16.0);
    near(longest(&two, 0.0, false), 800.0);
    assert_true(longest(&two, 0.0, true) < 800.0); /* near the end every PU gets some */
}

static void nothing_is_changed_where_nothing_is_known(void **state)
{
    (void)state;
    struct plb_pu_rate none = {.share = SHARE}, no_share = after(1, (double[]){1.0}, (double[]){1.0});
    no_share.share = 0.0;
    const struct plb_pu_rate *pus[] = {&none, &no_share};
    for (int i = 0; i < 2; i++) {
        struct plb_cut cut = {.known = 3, .wanted = 4, .low = 5.0, .high = 6.0};
        plb_unknown_cost_cut(pus[i], 0.0, &cut);
        assert_true(cut.known == 3 && cut.wanted == 4 && cut.low == 5.0 && cut.high == 6.0);
    }
}

/* A first task that took long for another reason, such as code that was loaded, is no costly start: 100 s of
 * work do not become one task, least of all where another node asks for work. */
static void a_long_first_task_is_no_start(void **state)
{
    (void)state;
    static const double warm[] = {0.0, 5.0, 1.0, 1.2}; /* the last two look like starts at first */
    const double each = 0.0039;
    for (int i = 0; i < 4; i++)
        for (int asked = 0; asked < 2; asked++) {
            struct plb_pu_rate pu = {0};
            plb_pu_rate_learn(&pu, 100.0, 100, 100.0 * each + warm[i], 0.0);
            plb_pu_rate_learn(&pu, 400.0, 400, 400.0 * each, 0.0);
            double seconds = each * plb_pu_rate_sure(&pu, 0.1, 25000.0, 0.25, asked);
            assert_true(seconds < (asked ? 26.0 : i < 2 ? 2.0 : 98.0));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_beyond_all_numbers_are_no_size),
        cmocka_unit_test(starts_and_surprises_cost_alike),
        cmocka_unit_test(units_that_become_dear_make_tasks_short),
        cmocka_unit_test(what_was_watched_for_long_is_trusted),
        cmocka_unit_test(the_first_unit_may_have_been_the_cheapest),
        cmocka_unit_test(tasks_that_are_starts_grow),
        cmocka_unit_test(nothing_is_changed_where_nothing_is_known),
        cmocka_unit_test(a_long_first_task_is_no_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
