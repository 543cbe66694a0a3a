/* A PU that becomes faster or slower: what was measured before is scaled, and noise is not taken for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "core/measure/history.h"
#include "plb/kernel.h"

#define RATE 100.0 /* work per second at first */

static void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * expected))
        fail_msg("got %.12g, expected %.12g", got, expected);
}

static void add(struct plb_history *h, double work, double factor)
{
    struct plb_sample s = {work, factor * work / RATE, 0.0, 1, 0.0, true};
    plb_history_add(h, &s);
}

/* Five blocks at the usual rate, then three that take twice as long: the third tells, and all earlier times
 * are doubled. Two say nothing yet, neither do three of which one is quick. */
static void three_slow_reports_scale_what_was_before(void **state)
{
    (void)state;
    for (int slow = 2; slow <= 3; slow++)
        for (int quick = 0; quick <= 1; quick++) {
            struct plb_history h = {0};
            for (int i = 0; i < 5; i++)
                add(&h, 10.0, 1.0);
            for (int i = 0; i < slow; i++)
                add(&h, 10.0, quick == 1 && i == 1 ? 0.5 : 2.0);
            near(h.at[0].execute_s, (slow == 3 && quick == 0 ? 0.2 : 0.1));
            near(h.at[h.n - 1].execute_s, (slow == 2 && quick == 1 ? 0.05 : 0.2));
            plb_history_fini(&h);
        }
}

/* A single report, of blocks of 1 s and of 1 ms, that takes eight times as long. Then as before. */
static void one_report_is_enough_where_it_is_no_hiccup(void **state)
{
    (void)state;
    for (int large = 0; large <= 1; large++) {
        struct plb_history h = {0};
        double work = large ? RATE : 1e-3 * RATE, usual = work / RATE;
        for (int i = 0; i < 4; i++)
            add(&h, work, 1.0);
        add(&h, work, 8.0);
        near(h.at[0].execute_s, (large ? 8.0 * usual : usual));
        add(&h, work, 1.0);
        near(h.at[0].execute_s, usual);
        near(h.at[5].execute_s, usual);
        plb_history_fini(&h);
    }
}

/* A block was under way when its PU became twice as slow, and took only 1.66 times as long. The next ones say
 * how large the change was, as far as they are alike, and that is no second change. */
static void reports_since_a_change_say_how_large_it_was(void **state)
{
    (void)state;
    struct plb_history h = {0};
    for (int i = 0; i < 5; i++)
        add(&h, 1000.0, 1.0);
    add(&h, 1000.0, 1.66);
    near(h.at[0].execute_s, 16.6);
    add(&h, 800.0, 2.0);
    near(h.at[0].execute_s, 20.0);
    add(&h, 10.0, 3.0); /* of a size that those before do not know */
    near(h.at[0].execute_s, 20.0);
    add(&h, 900.0, 2.1);
    add(&h, 900.0, 1.95);
    near(h.at[0].execute_s, 20.0); /* the middle one of them */
    assert_int_equal(h.changes, 1);
    plb_history_fini(&h);
}

/* Tasks of 1 s and 0.01 s a unit, of growing and of falling sizes: it is always the same machine. */
static void a_fixed_cost_is_no_change(void **state)
{
    (void)state;
    static const double sizes[] = {1, 2, 4, 12, 12, 40, 40, 20, 10, 5, 3, 100, 50, 2};
    struct plb_history h = {0};
    for (int i = 0; i < 14; i++) {
        struct plb_sample s = {sizes[i], 1.0 + 0.01 * sizes[i], 0.0, 1, 0.0, true};
        plb_history_add(&h, &s);
    }
    for (int i = 0; i < 14; i++)
        near(h.at[i].execute_s, 1.0 + 0.01 * sizes[i]);
    plb_history_fini(&h);
}

/* A size that nothing is known about is no change of speed. */
static void another_size_is_no_change(void **state)
{
    (void)state;
    struct plb_history h = {0};
    for (int i = 0; i < 5; i++)
        add(&h, 1000.0, 1.0);
    for (int i = 0; i < 4; i++)
        add(&h, 10.0, 20.0);
    near(h.at[0].execute_s, 1000.0 / RATE);
    plb_history_fini(&h);
}

/* However many reports came before, and whether the older ones have been dropped meanwhile. */
static void a_change_is_seen_after_many_reports(void **state)
{
    (void)state;
    for (int before = 5; before < 3 * PLB_MAX_SAMPLES; before++) {
        struct plb_history h = {0};
        for (int i = 0; i < before; i++)
            add(&h, 10.0 + i % 7, 1.0);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(h.changes, 0);
            add(&h, 12.0, 1.25);
        }
        assert_int_equal(h.changes, 1);
        for (int i = 0; i < h.n; i++)
            near(h.at[i].execute_s, 1.25 * h.at[i].work / RATE);
        plb_history_fini(&h);
    }
}

/* Times that are a few percent off, either way, are no change. */
static void noise_is_no_change(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct plb_history h = {0};
        double sum = 0.0, expected = 0.0;
        for (int i = 0; i < 100; i++) {
            double factor = 0.92 + 0.16 * plb_random_real(seed, (uint64_t)i), work = 10.0 + i % 7;
            add(&h, work, factor);
            expected += factor * work / RATE;
        }
        for (int i = 0; i < h.n; i++)
            sum += h.at[i].execute_s;
        assert_int_equal(h.changes, 0);
        near(sum, expected);
        plb_history_fini(&h);
    }
}

/* A PU whose tasks of 400 and 100 showed that starts are free becomes ten times slower, and its tasks are cut
 * shorter: that is no start cost. */
static void a_smaller_task_that_lasts_as_long_is_a_change(void **state)
{
    (void)state;
    for (int many = 0; many <= 1; many++) { /* so many that the larger ones are forgotten */
        struct plb_history h = {0};
        for (int i = 0; i < 4; i++)
            add(&h, 400.0, 1.0);
        for (int i = 0; i < (many ? 3 * PLB_MAX_SAMPLES : 8); i++)
            add(&h, 100.0, 1.0);
        add(&h, 20.0, 10.0);
        assert_int_equal(h.changes, 1);
        near(h.at[h.n - 2].execute_s, 10.0 * 100.0 / RATE);
        assert_true(plb_history_least_task(&h) < 1.0);
        plb_history_fini(&h);
    }
}

/* Where all tasks were alike, it may as well be a start cost. */
static void a_smaller_task_alone_says_nothing(void **state)
{
    (void)state;
    struct plb_history h = {0};
    for (int i = 0; i < 12; i++)
        add(&h, 100.0, 1.0);
    add(&h, 20.0, 10.0);
    assert_int_equal(h.changes, 0);
    plb_history_fini(&h);
}

/* A jitter of 1 to 4 in each report, as on a machine that others use. `logs` says how it is spread. */
static double jitter(uint64_t seed, int i, bool logs)
{
    double u = plb_random_real(seed, (uint64_t)i);
    return logs ? exp(u * log(4.0)) : 1.0 + 3.0 * u;
}

/* The mean factor by which the times of samples are longer than at the first rate. */
static double mean_factor(const struct plb_history *h)
{
    double sum = 0.0;
    for (int i = 0; i < h->n; i++)
        sum += h->at[i].execute_s / (h->at[i].work / RATE);
    return sum / h->n;
}

/* Blocks of 1 s and of 10 ms, of one size and of several, on a machine that others use all the time. It is no
 * other machine: no time leaves what was seen by more than a false alarm or two can do. */
static void jitter_is_no_change(void **state)
{
    (void)state;
    int changes = 0, runs = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct plb_history h = {0};
        double size = seed & 1 ? RATE : 0.01 * RATE;
        for (int i = 0; i < 300; i++) {
            add(&h, seed & 2 ? size : size * (1.0 + 0.5 * (i % 3)), jitter(seed, i, seed & 4));
            for (int k = 0; k < h.n; k++) {
                double factor = h.at[k].execute_s / (h.at[k].work / RATE);
                if (!(factor >= 0.25 && factor <= 16.0))
                    fail_msg("seed %d, report %d: sample %d by %g", (int)seed, i, k, factor);
            }
        }
        if (!(mean_factor(&h) > 1.6 && mean_factor(&h) < 3.2))
            fail_msg("seed %d: %g", (int)seed, mean_factor(&h));
        changes += h.changes;
        runs++;
        plb_history_fini(&h);
    }
    print_message("%g changes believed per 300 reports\n", (double)changes / runs);
    assert_true(changes <= runs);
}

/* A PU that becomes three times slower for good is followed by the third report where tasks are short, by the
 * first where they last a second; on a busy machine within eight reports, most often. */
static void three_times_slower_is_followed(void **state)
{
    (void)state;
    for (int large = 0; large <= 1; large++) {
        struct plb_history h = {0};
        for (int i = 0; i < 30; i++)
            add(&h, large ? RATE : 0.01 * RATE, 1.0);
        for (int i = 0; i < (large ? 1 : 3); i++)
            add(&h, large ? RATE : 0.01 * RATE, 3.0);
        near(mean_factor(&h), 3.0);
        plb_history_fini(&h);
    }
    int followed = 0, runs = 100;
    for (int seed = 0; seed < runs; seed++) {
        struct plb_history h = {0};
        for (int i = 0; i < 40; i++)
            add(&h, 0.01 * RATE, jitter((uint64_t)seed, i, false));
        for (int i = 40; i < 48; i++)
            add(&h, 0.01 * RATE, 3.0 * jitter((uint64_t)seed, i, false));
        followed += mean_factor(&h) > 5.5; /* 7.5 is right, 2.5 was before */
        plb_history_fini(&h);
    }
    print_message("%d of %d followed\n", followed, runs);
    assert_true(followed >= 75);
}

/* Ten tasks, and then five of as many units that last eight times as long. Where the costs that are learned
 * then say that these units cost eight times as much, the PU is as quick as before. Where they say that all
 * cost alike, it is slower. */
static void costs_that_explain_the_times_take_a_change_back(void **state)
{
    (void)state;
    enum { UNITS = 150, DEAR = 100 };
    for (int costs = 0; costs <= 1; costs++) {
        double prefix[UNITS + 1] = {0.0};
        struct plb_cost_map map = {
            .units = UNITS, .bucket = 1, .n = UNITS, .prefix = prefix, .per_work = 1.0};
        struct plb_history h = {0};
        for (int i = 0; i < UNITS; i++)
            prefix[i + 1] = prefix[i] + (costs && i >= DEAR ? 8.0 : 1.0);
        for (int i = 0; i < UNITS / 10; i++) {
            add(&h, 10.0, 10 * i >= DEAR ? 8.0 : 1.0);
            plb_history_place(&h, (struct plb_range){10 * i, 10});
        }
        near(h.at[0].execute_s, 0.8);
        plb_history_recount(&h, &map, 1.0);
        near(h.at[0].execute_s, costs ? 0.1 : 0.8);
        near(h.at[h.n - 1].execute_s, 0.8);
        near(plb_history_estimate(&h)->rate, costs ? RATE : RATE / 8.0);
        plb_history_fini(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_slow_reports_scale_what_was_before),
        cmocka_unit_test(one_report_is_enough_where_it_is_no_hiccup),
        cmocka_unit_test(reports_since_a_change_say_how_large_it_was),
        cmocka_unit_test(a_fixed_cost_is_no_change),
        cmocka_unit_test(another_size_is_no_change),
        cmocka_unit_test(a_change_is_seen_after_many_reports),
        cmocka_unit_test(noise_is_no_change),
        cmocka_unit_test(a_smaller_task_that_lasts_as_long_is_a_change),
        cmocka_unit_test(a_smaller_task_alone_says_nothing),
        cmocka_unit_test(jitter_is_no_change),
        cmocka_unit_test(three_times_slower_is_followed),
        cmocka_unit_test(costs_that_explain_the_times_take_a_change_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
