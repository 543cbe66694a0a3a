/* The lessons of tasks' times about costs: where they differ, where they do not, and from pass to pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/normal.h"
#include "core/ledger/ledger.h"
#include "core/measure/learned_cost.h"
#include "core/measure/work_count.h"

#define UNITS 1000
#define PUS 3
#define TASK 10 /* units */

typedef double (*cost_fn)(int64_t unit);

static double equal(int64_t unit)
{
    (void)unit;
    return 1.0;
}

static double ramp(int64_t unit)
{
    return 0.1 + 2.0 * (double)unit / UNITS;
}

static double fall(int64_t unit)
{
    return ramp(UNITS - 1 - unit);
}

static double few(int64_t unit)
{
    return unit / TASK % 20 == 7 ? 30.0 : 1.0;
}

static double sum(const void *context, int64_t first, int64_t count)
{
    const cost_fn *cost = context;
    double all = 0.0;
    for (int64_t u = first; u < first + count; u++)
        all += (*cost)(u);
    return all;
}

struct fixture {
    struct plb_cost_map told;
    struct plb_learned_cost *learned;
    double slow; /* PU 0 takes so many times as long in the second half of a pass */
};

static void set_up(struct fixture *f, cost_fn told)
{
    struct plb_error err = {.status = PLB_OK};
    *f = (struct fixture){.slow = 1.0};
    assert_int_equal(plb_cost_map_init(&f->told, UNITS, told != NULL ? sum : NULL, &told, &err), PLB_OK);
    f->learned = plb_learned_cost_new(&f->told, PUS, true);
    plb_learned_cost_begin(f->learned);
}

static void tear_down(struct fixture *f)
{
    plb_learned_cost_free(f->learned);
    plb_cost_map_fini(&f->told);
}

/* PUs of speeds 1, 2 and 3 execute the tasks [from, to) in turn. Returns how often the map changed. */
static int execute(struct fixture *f, cost_fn cost, int from, int to, double noise)
{
    int changes = 0;
    for (int i = from; i < to; i++) {
        struct plb_range range = {(int64_t)i * TASK, TASK};
        int pu = i % PUS;
        double seconds = sum(&cost, range.first, range.count) / (pu + 1.0);
        seconds *= exp(noise * plb_random_normal(1, (uint64_t)i));
        seconds *= pu == 0 && 2 * i >= UNITS / TASK ? f->slow : 1.0;
        changes += plb_learned_cost_add(f->learned, pu, &(struct plb_finished){range, 1.0, seconds});
    }
    return changes;
}

/* Work of the first `count` units over that of the last ones. */
static double ends_of(const struct fixture *f, int64_t count)
{
    const struct plb_cost_map *map = plb_learned_cost_map(f->learned);
    return plb_cost_work(map, 0, count) / plb_cost_work(map, UNITS - count, count);
}

static void test_a_map_that_is_right_stays_as_it_was_told(void **state)
{
    (void)state;
    struct fixture f;
    cost_fn told[] = {NULL, ramp, few};
    cost_fn costs[] = {equal, ramp, few};
    for (int k = 0; k < 3; k++) {
        set_up(&f, told[k]);
        assert_int_equal(execute(&f, costs[k], 0, UNITS / TASK, 0.05), 0);
        assert_ptr_equal(plb_learned_cost_map(f.learned)->prefix, f.told.prefix);
        tear_down(&f);
    }
}

static void test_a_ramp_that_nobody_told_is_learned(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, NULL);
    assert_true(execute(&f, ramp, 0, UNITS / TASK, 0.05) > 0);
    double truly = sum(&(cost_fn){ramp}, 0, 200) / sum(&(cost_fn){ramp}, 800, 200);
    assert_true(fabs(ends_of(&f, 200) / truly - 1.0) < 0.1);
    tear_down(&f);
}

/* Told to rise, they fall. */
static void test_costs_that_were_told_wrong_are_corrected(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, ramp);
    execute(&f, fall, 0, UNITS / TASK, 0.05);
    double truly = sum(&(cost_fn){fall}, 0, 200) / sum(&(cost_fn){fall}, 800, 200);
    assert_true(fabs(ends_of(&f, 200) / truly - 1.0) < 0.2);
    tear_down(&f);
}

/* The units that were seen tell of the others; a second of a PU stays as much work. */
static void test_what_comes_next_is_like_what_came_last(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, NULL);
    execute(&f, ramp, 0, UNITS / TASK / 2, 0.02);
    const struct plb_cost_map *map = plb_learned_cost_map(f.learned);
    double last = plb_cost_work(map, 480, 20), next = plb_cost_work(map, 500, 20);
    double first = plb_cost_work(map, 0, 20);
    assert_true(fabs(next / last - 1.0) < 0.2);
    assert_true(next > 3.0 * first);
    assert_true(first > 5.0 && first < 40.0); /* it was said to be 20 */
    tear_down(&f);
}

/* Dear units in no order tell nothing of others; the next pass knows each of them. */
static void test_the_next_pass_knows_units_that_tell_nothing_of_others(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, NULL);
    assert_int_equal(execute(&f, few, 0, UNITS / TASK, 0.02), 0);
    plb_learned_cost_begin(f.learned);
    const struct plb_cost_map *map = plb_learned_cost_map(f.learned);
    double dear = plb_cost_work(map, 7 * TASK, TASK), cheap = plb_cost_work(map, 8 * TASK, TASK);
    assert_true(fabs(dear / cheap / 30.0 - 1.0) < 0.2);
    assert_true(fabs(plb_cost_total(map) / UNITS - 1.0) < 1e-9);
    execute(&f, few, 0, UNITS / TASK, 0.02);
    tear_down(&f);
}

/* Costs that are others in every pass: what the last one taught is dropped. */
static void test_what_does_not_hold_any_more_is_forgotten(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, NULL);
    execute(&f, few, 0, UNITS / TASK, 0.02);
    plb_learned_cost_begin(f.learned);
    assert_true(plb_learned_cost_map(f.learned)->prefix != NULL);
    execute(&f, equal, 0, UNITS / TASK, 0.02);
    assert_null(plb_learned_cost_map(f.learned)->prefix);
    tear_down(&f);
}

/* A PU that becomes four times slower is no reason to take its units for dear ones. */
static void test_a_slow_pu_does_not_make_units_dear(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, NULL);
    f.slow = 4.0;
    execute(&f, equal, 0, UNITS / TASK, 0.05);
    assert_null(plb_learned_cost_map(f.learned)->prefix);
    tear_down(&f);
}

/* Tasks grow from one unit to hundreds, and each costs a start that is as long as 100 units of work, or more:
 * their times look as if the first units were a hundred times as expensive. */
static void test_starts_do_not_make_units_dear(void **state)
{
    (void)state;
    struct fixture f;
    int64_t first = 0;
    set_up(&f, NULL);
    for (int i = 0; first < UNITS; i++) {
        int64_t left = UNITS - first, count = (int64_t)1 << i / PUS;
        struct plb_range range = {first, count < left ? count : left};
        double seconds = 100.0 * (i % PUS + 1) + (double)range.count / (i % PUS + 1.0);
        seconds *= exp(0.01 * plb_random_normal(1, (uint64_t)i));
        plb_learned_cost_add(f.learned, i % PUS, &(struct plb_finished){range, 1.0, seconds});
        first += range.count;
    }
    assert_true(fabs(ends_of(&f, 200) - 1.0) < 0.1);
    tear_down(&f);
}

static void test_times_that_cannot_be_teach_nothing(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, NULL);
    const double nonsense[] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 100; i++)
        assert_false(
            plb_learned_cost_add(f.learned, i % PUS, &(struct plb_finished){{i, 1}, 1.0, nonsense[i % 4]}));
    plb_learned_cost_begin(f.learned);
    assert_null(plb_learned_cost_map(f.learned)->prefix);
    tear_down(&f);
}

/* The sums of the ledger follow a map whose numbers change. */
static void test_the_ledger_counts_again(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, NULL);
    struct plb_ledger *ledger = plb_ledger_new(2, 2);
    plb_ledger_begin(ledger, plb_learned_cost_map(f.learned), NULL);
    plb_ledger_grant(ledger, 0, 0, 300);
    plb_ledger_grant(ledger, 1, 1, 200);
    execute(&f, ramp, 0, UNITS / TASK, 0.02);
    assert_non_null(plb_ledger_check(ledger));
    plb_ledger_recount(ledger);
    assert_null(plb_ledger_check(ledger));
    double free_work = plb_cost_work(plb_learned_cost_map(f.learned), 500, 500);
    assert_true(fabs(plb_ledger_free_work(ledger) / free_work - 1.0) < 1e-9);
    plb_ledger_free(ledger);
    tear_down(&f);
}

/* A pass of tasks of a unit each, dear and cheap two by two, by two PUs in turn. */
static void report_units(struct plb_work_count *count, int units, double dear)
{
    for (int u = 0; u < units; u++) {
        double seconds = u % 4 < 2 ? dear : 1.0;
        struct plb_done done = {.range = {u, 1}, .slot = PLB_NO_SLOT, .tasks = 1, .execute_s = seconds};
        struct plb_sample sample = {.work = 1.0, .execute_s = seconds, .tasks = 1};
        plb_work_count_reported(count, u % 2, &done, &sample);
    }
}

/* A pass of twelve units, which have taught that some are dear. */
static void count_a_first_pass(struct plb_work_count *count, struct plb_cost_map *told)
{
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_cost_map_init(told, 12, NULL, NULL, &err), PLB_OK);
    plb_work_count_init(count, 2, 1, true);
    plb_work_count_begin(count, 0, told);
    report_units(count, 12, 5.0);
}

/* Costs that a pass has taught do not hold in the next one. Its few reports are only looked at when the third
 * one begins. Then all samples count as they were told again. */
static void test_samples_follow_a_map_that_is_dropped(void **state)
{
    (void)state;
    struct plb_cost_map told;
    struct plb_work_count count;
    count_a_first_pass(&count, &told);
    plb_work_count_begin(&count, 0, &told);
    assert_non_null(count.map->prefix);
    assert_true(count.histories[0].at[0].work > 1.5);
    report_units(&count, 6, 1.0);
    assert_non_null(count.map->prefix);
    plb_work_count_begin(&count, 0, &told);
    assert_null(count.map->prefix);
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < count.histories[p].n; i++)
            assert_true(count.histories[p].at[i].work == 1.0);
    plb_work_count_fini(&count);
    plb_cost_map_fini(&told);
}

/* A learned map stays, pass by pass, and each of them begins at once: nothing is counted or fitted again. */
static void test_a_pass_that_teaches_nothing_counts_nothing_again(void **state)
{
    (void)state;
    struct plb_cost_map told;
    struct plb_work_count count;
    count_a_first_pass(&count, &told);
    assert_true(plb_history_estimate(&count.histories[0])->watched_s > 0.0);
    plb_work_count_begin(&count, 0, &told);
    assert_false(count.histories[0].estimated);
    assert_non_null(count.map->prefix);
    assert_true(plb_history_estimate(&count.histories[0])->watched_s > 0.0);
    plb_work_count_begin(&count, 0, &told);
    assert_true(count.histories[0].estimated);
    plb_work_count_fini(&count);
    plb_cost_map_fini(&told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_map_that_is_right_stays_as_it_was_told),
        cmocka_unit_test(test_a_ramp_that_nobody_told_is_learned),
        cmocka_unit_test(test_costs_that_were_told_wrong_are_corrected),
        cmocka_unit_test(test_what_comes_next_is_like_what_came_last),
        cmocka_unit_test(test_the_next_pass_knows_units_that_tell_nothing_of_others),
        cmocka_unit_test(test_what_does_not_hold_any_more_is_forgotten),
        cmocka_unit_test(test_a_slow_pu_does_not_make_units_dear),
        cmocka_unit_test(test_starts_do_not_make_units_dear),
        cmocka_unit_test(test_times_that_cannot_be_teach_nothing),
        cmocka_unit_test(test_the_ledger_counts_again),
        cmocka_unit_test(test_samples_follow_a_map_that_is_dropped),
        cmocka_unit_test(test_a_pass_that_teaches_nothing_counts_nothing_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
