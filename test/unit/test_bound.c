/* The bound of a run, and how unequal its units were: cases solved by hand, and random ones. */
#include <stdlib.h>

#include "model/bound.h"
#include "numbers.h"

#define PUS 4
#define same(got, expected) near(got, expected, 1e-9)

struct run {
    struct plb_tally tallies[PUS];
    struct plb_bound_pu pus[PUS];
    int n;
};

static void begin(struct run *r, int n)
{
    *r = (struct run){.n = n};
    for (int p = 0; p < n; p++)
        r->pus[p] = (struct plb_bound_pu){.tally = &r->tallies[p], .alike = p};
}

/* A PU executes `reports` tasks of `work` each, `seconds` each. */
static void execute(struct run *r, int pu, int reports, double work, double seconds)
{
    for (int i = 0; i < reports; i++)
        plb_tally_add(&r->tallies[pu], &(struct plb_timed){work, seconds, 1.0});
}

/* The bound, and the end of the run. */
static double bound(struct run *r, double work, bool told)
{
    double b = plb_bound(r->pus, r->n, work, told);
    for (int p = 0; p < r->n; p++)
        plb_tally_fini(&r->tallies[p]);
    return b;
}

static void equal_units_are_shared_by_rates(void **state)
{
    (void)state;
    struct run r;
    for (int told = 0; told <= 1; told++) {
        begin(&r, 2);
        execute(&r, 0, 10, 10.0, 1.0); /* 10 a second, busy for 10 s */
        execute(&r, 1, 10, 10.0, 0.5); /* 20 a second, busy for 5 s */
        same(bound(&r, 200.0, told), 200.0 / 30.0);
    }
}

static void work_that_was_done_twice_counts_once(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 2);
    execute(&r, 0, 10, 10.0, 1.0);
    execute(&r, 1, 10, 10.0, 0.5);
    same(bound(&r, 150.0, true), 150.0 / 30.0);
}

/* The curve of a PU that was quick for a while says more than the PU can hold. */
static void a_best_moment_does_not_count(void **state)
{
    (void)state;
    struct run r;
    for (int told = 0; told <= 1; told++) {
        begin(&r, 1);
        execute(&r, 0, 10, 10.0, 1.0);
        r.pus[0].best_rate = 11.0;
        same(bound(&r, 100.0, told), 10.0);
        begin(&r, 2); /* both as quick, and busy all the time */
        for (int i = 0; i < 20; i++) {
            execute(&r, 0, 1, 10.0, i < 10 ? 0.9 : 1.1);
            execute(&r, 1, 1, 10.0, i < 10 ? 1.1 : 0.9);
        }
        r.pus[0].best_rate = r.pus[1].best_rate = 10.0 / 0.9;
        same(bound(&r, 400.0, told), 20.0);
    }
}

/* Ten small tasks, and ten large ones that did most of the work. A PU that had large ones alone pays for
 * fewer starts; with one task it would pay for one, but nobody shares perfectly then. */
static void starts_count_at_the_size_of_most_work(void **state)
{
    (void)state;
    struct run r;
    double size = (10.0 * 1.0 + 10.0 * 100.0 * 100.0) / 1010.0;
    begin(&r, 1);
    execute(&r, 0, 10, 1.0, 0.5 + 0.1);
    execute(&r, 0, 10, 100.0, 0.5 + 10.0);
    same(bound(&r, 1010.0, true), 1010.0 * (0.5 + 0.1 * size) / size);
    begin(&r, 1); /* perhaps the first ones were of dear units */
    execute(&r, 0, 10, 1.0, 0.5 + 0.1);
    execute(&r, 0, 10, 100.0, 0.5 + 10.0);
    same(bound(&r, 1010.0, false), 111.0);
    begin(&r, 1); /* and here they differ, whatever was told */
    for (int i = 0; i < 10; i++) {
        execute(&r, 0, 1, 1.0, i % 2 == 0 ? 0.1 : 1.1);
        execute(&r, 0, 1, 100.0, i % 2 == 0 ? 5.0 : 16.0);
    }
    same(bound(&r, 1010.0, true), 111.0);
}

static void start_costs_are_no_difference_of_units(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 2);
    for (int i = 0; i < 12; i++)
        execute(&r, 0, 1, 1 << (i % 6), 2.0 + (1 << (i % 6)));
    execute(&r, 1, 10, 10.0, 1.0);
    struct plb_spread spread = {0};
    plb_spread_add(&spread, &r.tallies[0]);
    assert_true(plb_spread_deviation(&spread) < 1e-6);
    double size = 2.0 * 1365.0 / 126.0, rate = size / (2.0 + size); /* of the first PU */
    same(bound(&r, 226.0, true), 226.0 / (rate + 10.0));
}

/* The first PU had cheap units and then very dear ones in one task; the other one says nothing of these. */
static void rates_that_units_decide_are_no_rates(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 2);
    execute(&r, 0, 10, 1.0, 0.001);
    execute(&r, 0, 1, 350.0, 5.8);
    execute(&r, 1, 60, 10.0, 0.02);
    assert_true(isnan(bound(&r, 960.0, false)));
}

/* The same on two PUs of one model: they are equally fast, so that the mean busy time is the bound. */
static void alike_pus_are_equally_fast(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 2);
    r.pus[1].alike = 0;
    execute(&r, 0, 10, 1.0, 0.001);
    execute(&r, 0, 1, 350.0, 5.8);
    execute(&r, 1, 60, 10.0, 0.02);
    same(bound(&r, 960.0, false), (0.01 + 5.8 + 1.2) / 2.0);
}

/* However doubtful the rates are: if all PUs were busy all the time, there was nothing to gain. */
static void equal_busy_times_are_the_bound(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 2);
    execute(&r, 0, 10, 1.0, 0.001);
    execute(&r, 0, 1, 350.0, 5.8);
    execute(&r, 1, 290, 10.0, 0.02);
    double b = bound(&r, 3260.0, false);
    assert_true(b >= 5.8 - 1e-9 && b <= 5.81 + 1e-9);
}

static void who_was_not_measured_is_unknown(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 2);
    execute(&r, 0, 10, 10.0, 1.0);
    assert_true(isnan(bound(&r, 100.0, true)));
    begin(&r, 2);
    execute(&r, 0, 10, 10.0, 1.0);
    r.pus[1].refused = true;
    same(bound(&r, 100.0, true), 10.0);
    begin(&r, 2);
    execute(&r, 0, 10, 10.0, 1.0);
    r.pus[1].best_rate = 10.0; /* measured by an earlier run */
    same(bound(&r, 100.0, true), 5.0);
    begin(&r, 2);
    execute(&r, 0, 10, 10.0, 1.0);
    r.pus[1].alike = 0;
    same(bound(&r, 100.0, true), 5.0);
    begin(&r, 2);
    assert_true(isnan(bound(&r, 100.0, true)));
    begin(&r, 2);
    same(bound(&r, 0.0, true) + 1.0, 1.0);
}

/* One task of each says nothing of what units cost: only the kernel can. */
static void one_task_each_is_believed_where_costs_are_told(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 2);
    execute(&r, 0, 1, 50.0, 6.8);
    execute(&r, 1, 1, 50.0, 0.5);
    same(bound(&r, 100.0, true), 100.0 / (50.0 / 6.8 + 50.0 / 0.5));
    begin(&r, 2);
    execute(&r, 0, 1, 50.0, 6.8);
    execute(&r, 1, 1, 50.0, 0.5);
    assert_true(isnan(bound(&r, 100.0, false)));
}

static void reports_that_make_no_sense_do_not_count(void **state)
{
    (void)state;
    struct run r;
    begin(&r, 2);
    execute(&r, 0, 10, 10.0, 1.0);
    execute(&r, 0, 3, 10.0, INFINITY);
    execute(&r, 0, 3, 10.0, NAN);
    execute(&r, 0, 3, 10.0, -1.0);
    execute(&r, 1, 10, 10.0, 0.5);
    execute(&r, 1, 3, 0.0, 0.0);
    same(bound(&r, 200.0, true), 200.0 / 30.0);
}

static void the_spread_says_how_far_units_differ(void **state)
{
    (void)state;
    struct run r;
    struct plb_spread spread = {0};
    assert_true(isnan(plb_spread_deviation(&spread)));
    begin(&r, 1);
    execute(&r, 0, 2, 1.0, 1.0);
    plb_spread_add(&spread, &r.tallies[0]);
    assert_true(isnan(plb_spread_apart(&spread)));
    assert_true(isnan(plb_spread_deviation(&spread))); /* two tasks are not enough */
    plb_tally_fini(&r.tallies[0]);
    begin(&r, 1);
    execute(&r, 0, 30, 1.0, 0.5);
    execute(&r, 0, 10, 1.0, 2.5); /* the mean is 1 */
    plb_spread_add(&spread, &r.tallies[0]);
    same(plb_spread_deviation(&spread), sqrt((30.0 * 0.25 + 10.0 * 2.25) / 40.0));
    same(plb_spread_apart(&spread), (30.0 * 0.5 + 10.0 * 1.5) / 40.0);
    same(spread.least, 0.5);
    same(spread.most, 2.5);
    plb_tally_fini(&r.tallies[0]);
}

/* A task of 1 ms that waited for its core is no costly unit; one that took half of the time is. */
static void an_interruption_is_no_cost(void **state)
{
    (void)state;
    for (int costly = 0; costly <= 1; costly++) {
        struct run r;
        struct plb_spread spread = {0};
        begin(&r, 1);
        execute(&r, 0, 30, 1.0, 1.0);
        execute(&r, 0, 1, costly ? 1.0 : 1e-3, costly ? 60.0 : 0.125);
        plb_spread_add(&spread, &r.tallies[0]);
        assert_true(costly ? spread.most > 10.0 : spread.most < 1.2);
        plb_tally_fini(&r.tallies[0]);
    }
}

static void a_tally_of_many_reports_stays_small(void **state)
{
    (void)state;
    struct plb_tally t = {0};
    for (int i = 0; i < 100000; i++)
        plb_tally_add(&t, &(struct plb_timed){2.0, 1.0 + (i >= 50000), 1.0});
    assert_true(t.n < PLB_TALLY_KEPT && t.n >= PLB_TALLY_KEPT / 2 - 1);
    same(t.work, 200000.0);
    same(t.seconds, 150000.0);
    int late = 0;
    for (int i = 0; i < t.n; i++)
        late += t.at[i].seconds > 1.5;
    assert_true(abs(2 * late - t.n) <= 2); /* from the whole run alike */
    plb_tally_fini(&t);
}

/* A trend is no chance: neighbours are alike, and a rate from a trend is less sure than its tasks say. */
static void trends_make_rates_unsure(void **state)
{
    (void)state;
    struct plb_timed even[64], trend[64];
    for (int i = 0; i < 64; i++) {
        even[i] = (struct plb_timed){1.0, i % 2 == 0 ? 0.5 : 1.5, 1.0};
        trend[i] = (struct plb_timed){1.0, i < 32 ? 0.5 : 1.5, 1.0};
    }
    assert_true(plb_timed_error(even, 64) < 0.01);
    assert_true(plb_timed_error(trend, 64) > 0.1);
    assert_true(isinf(plb_timed_error(even, 2)));
}

static double random_seconds(unsigned *seed)
{
    double u = (rand_r(seed) + 1.0) / (RAND_MAX + 2.0);
    return 1e-3 / (u * u); /* a tail so heavy that it has no mean */
}

/* Units of any cost on PUs of any speed: the bound is between the shortest and the longest busy time. Where
 * it is said, it is near what the true speeds give. */
static void the_bound_is_never_above_the_makespan(void **state)
{
    (void)state;
    int known = 0, far = 0;
    for (unsigned seed = 1; seed <= 2000; seed++) {
        unsigned dice = seed;
        struct run r;
        double speed[PUS], work = 0.0, longest = 0.0, done = 0.0, speeds = 0.0;
        begin(&r, 2 + (int)(seed % 3));
        for (int p = 0; p < r.n; p++) {
            speed[p] = seed % 2 == 0 ? 1.0 : 1.0 + (double)(rand_r(&dice) % 9);
            r.pus[p].alike = seed % 2 == 0 ? 0 : p;
            int tasks = rand_r(&dice) % 40 + (seed % 5 != 0);
            for (int i = 0; i < tasks; i++) {
                double size = 1.0 + rand_r(&dice) % 8;
                execute(&r, p, 1, size, size * random_seconds(&dice) / speed[p]);
                work += size;
            }
            longest = fmax(longest, r.tallies[p].seconds);
            done += speed[p] * r.tallies[p].seconds;
            speeds += speed[p];
        }
        double b = bound(&r, work, false);
        if (isnan(b))
            continue;
        known++;
        far += fabs(b * speeds / done - 1.0) > 3.0 * PLB_BOUND_ERROR;
        assert_true(b <= longest * (1.0 + 1e-12));
    }
    print_message("bound known in %d of 2000, far off in %d\n", known, far);
    assert_true(known > 500);
    assert_true(far * 20 < known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_units_are_shared_by_rates),
        cmocka_unit_test(work_that_was_done_twice_counts_once),
        cmocka_unit_test(a_best_moment_does_not_count),
        cmocka_unit_test(starts_count_at_the_size_of_most_work),
        cmocka_unit_test(start_costs_are_no_difference_of_units),
        cmocka_unit_test(rates_that_units_decide_are_no_rates),
        cmocka_unit_test(alike_pus_are_equally_fast),
        cmocka_unit_test(equal_busy_times_are_the_bound),
        cmocka_unit_test(who_was_not_measured_is_unknown),
        cmocka_unit_test(one_task_each_is_believed_where_costs_are_told),
        cmocka_unit_test(reports_that_make_no_sense_do_not_count),
        cmocka_unit_test(the_spread_says_how_far_units_differ),
        cmocka_unit_test(an_interruption_is_no_cost),
        cmocka_unit_test(a_tally_of_many_reports_stays_small),
        cmocka_unit_test(trends_make_rates_unsure),
        cmocka_unit_test(the_bound_is_never_above_the_makespan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
