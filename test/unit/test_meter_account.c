/* The sums of readings, and whether they are believed; then the thread that reads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

#include "base/clock.h"
#include "meter/sampler.h"

static const struct plb_meter_domain rapl = {.joules = 1e-6, .range = 1e9, .refresh = 1e-3};
static const struct plb_meter_domain gpu = {.joules = 1e-3, .watts = true, .refresh = 0.1};
static const struct plb_meter_domain gauge = {.watts = true, .refresh = 0.1};

static void a_counter_begins_again(void **state)
{
    (void)state;
    struct plb_meter_account a = {0};
    plb_meter_account_add(&a, &rapl, 10.0, 999000000, 0.0);
    plb_meter_account_add(&a, &rapl, 10.1, 5000000, 0.0); /* 1 J to the end, and 5 */
    plb_meter_account_add(&a, &rapl, 10.2, 11000000, 0.0);
    assert_near(plb_meter_account_joules(&a, &rapl), 12.0, 1e-9);
    assert_int_equal(plb_meter_account_state(&a, &rapl), PLB_METER_GOOD);
}

static void one_reading_is_none(void **state)
{
    (void)state;
    struct plb_meter_account a = {0};
    assert_int_equal(plb_meter_account_state(&a, &rapl), PLB_METER_NO_TIME);
    plb_meter_account_add(&a, &rapl, 10.0, 5, 0.0);
    assert_int_equal(plb_meter_account_state(&a, &rapl), PLB_METER_NO_TIME);
    assert_near(plb_meter_account_joules(&a, &rapl), 0.0, 0.0);
}

/* For a second it may be the counter's resolution: that is no reason to tell of 0 J. */
static void a_count_that_never_moves_measures_nothing(void **state)
{
    (void)state;
    struct plb_meter_account a = {0};
    plb_meter_account_add(&a, &rapl, 10.0, 5, 0.0);
    plb_meter_account_add(&a, &rapl, 11.0, 5, 0.0);
    assert_int_equal(plb_meter_account_state(&a, &rapl), PLB_METER_NO_TIME);
    plb_meter_account_add(&a, &rapl, 11.1, 6, 0.0);
    assert_int_equal(plb_meter_account_state(&a, &rapl), PLB_METER_GOOD);
    plb_meter_account_add(&a, &rapl, 20.0, 6, 0.0);
    assert_int_equal(plb_meter_account_state(&a, &rapl), PLB_METER_STANDS);
}

/* 1,000 J of range last 2.5 s at twice the least power that is thought of. */
static void a_long_gap_may_hide_a_whole_round(void **state)
{
    (void)state;
    struct plb_meter_account a = {0};
    plb_meter_account_add(&a, &rapl, 0.0, 0, 0.0);
    plb_meter_account_add(&a, &rapl, 1.0, 50000000, 0.0);
    plb_meter_account_add(&a, &rapl, 3.0, 150000000, 0.0);
    assert_int_equal(plb_meter_account_state(&a, &rapl), PLB_METER_GOOD);
    plb_meter_account_add(&a, &rapl, 9.0, 250000000, 0.0);
    assert_int_equal(plb_meter_account_state(&a, &rapl), PLB_METER_GAPS);
    assert_near(a.lost, 6.0, 1e-9);
}

static void a_counter_that_is_reset_counts_no_joules_for_it(void **state)
{
    (void)state;
    struct plb_meter_account a = {0};
    for (int i = 0; i < 3; i++)
        plb_meter_account_add(&a, &gpu, 0.1 * i, i == 1 ? 7000000 : 1000, 0.0);
    assert_int_equal(plb_meter_account_state(&a, &gpu), PLB_METER_GAPS);
    assert_near(a.joules, 6999.0, 1e-9);
}

static void a_counter_that_stands_is_not_believed(void **state)
{
    (void)state;
    struct plb_meter_account a = {0}, g = {0}, late = {0};
    for (int i = 0; i <= 30; i++) {
        plb_meter_account_add(&a, &rapl, 0.1 * i, 42, 0.0);
        plb_meter_account_add(&g, &gpu, 0.1 * i, 42, 100.0);
        plb_meter_account_add(&late, &rapl, 0.1 * i, i < 25 ? 42 : 42 + (uint64_t)i, 0.0);
    }
    assert_int_equal(plb_meter_account_state(&a, &rapl), PLB_METER_STANDS);
    assert_int_equal(plb_meter_account_state(&late, &rapl), PLB_METER_STANDS); /* once is enough */
    assert_int_equal(plb_meter_account_state(&g, &gpu), PLB_METER_STANDS);
    assert_near(plb_meter_account_joules(&g, &gpu), 300.0, 1e-6); /* the power goes on */
}

static void power_is_integrated(void **state)
{
    (void)state;
    struct plb_meter_account a = {0};
    for (int i = 0; i <= 20; i++)
        plb_meter_account_add(&a, &gauge, 0.1 * i, 0, 100.0 + 10.0 * i);
    assert_near(plb_meter_account_joules(&a, &gauge), 400.0, 1e-9);
    assert_int_equal(plb_meter_account_state(&a, &gauge), PLB_METER_GOOD);
}

/* A counter that lies by 10 % is told from one that lies by 4 %. */
static void counter_and_integral_are_compared(void **state)
{
    (void)state;
    const double lie[] = {1.04, 1.1, 0.9, 0.96};
    for (int l = 0; l < 4; l++) {
        struct plb_meter_account a = {0};
        for (int i = 0; i <= 50; i++)
            plb_meter_account_add(&a, &gpu, 0.1 * i, (uint64_t)(1e3 * lie[l] * 20.0 * i), 200.0);
        assert_int_equal(plb_meter_account_state(&a, &gpu),
                         l == 1 || l == 2 ? PLB_METER_DISAGREES : PLB_METER_GOOD);
        assert_near(plb_meter_account_joules(&a, &gpu), lie[l] * 1000.0, 0.1);
    }
}

static void mirrors_are_found(void **state)
{
    (void)state;
    struct plb_meter_account a = {0}, same = {0}, other = {0}, idle = {0};
    for (uint64_t i = 0; i <= 20; i++) {
        double now = 0.1 * (double)i;
        plb_meter_account_add(&a, &rapl, now, 500000000 + 5000000 * i, 0.0);
        plb_meter_account_add(&same, &rapl, now, 500010000 + 5000000 * i, 0.0); /* read a moment later */
        plb_meter_account_add(&other, &rapl, now, 300000000 + 5000000 * i, 0.0);
        plb_meter_account_add(&idle, &rapl, now, 500000000 + i, 0.0);
    }
    assert_true(plb_meter_mirrors(&a, &same, &rapl));
    assert_false(plb_meter_mirrors(&a, &other, &rapl));
    assert_false(plb_meter_mirrors(&idle, &idle, &rapl)); /* too early to say */
}

/* ------------------------------------------------------------ the thread */

static atomic_int reads;
static double slow; /* seconds of CPU time that a read takes */

static bool read_fake(const struct plb_meter_domain *domain, uint64_t *count, double *watts)
{
    (void)watts;
    double begin = plb_thread_seconds();
    while (plb_thread_seconds() - begin < slow)
        ;
    *count = 1000000 + 1000000 * (uint64_t)atomic_fetch_add(&reads, 1) + (uint64_t)domain->at[0];
    return true;
}

static void close_fake(struct plb_meter_domain *domain)
{
    (void)domain;
}

static const struct plb_meter_driver fake = {.name = "fake", .read = read_fake, .close = close_fake};

static struct plb_meters one_meter(void)
{
    struct plb_meters meters = {.n = 1};
    meters.at[0] = rapl;
    meters.at[0].driver = &fake;
    meters.at[0].at[0] = 0;
    strcpy(meters.at[0].name, "package-0");
    return meters;
}

static void the_thread_reads_until_it_is_stopped(void **state)
{
    (void)state;
    struct plb_meter_sum sums[PLB_METER_DOMAINS];
    struct plb_meters meters = one_meter();
    atomic_store(&reads, 0);
    slow = 0.0;
    struct plb_sampler *s = plb_sampler_start(&meters);
    while (atomic_load(&reads) < 4)
        plb_sleep_until(plb_now() + 0.01);
    plb_sampler_stop(s);
    assert_int_equal(plb_sampler_sums(s, sums), 1);
    assert_string_equal(sums[0].name, "package-0");
    assert_string_equal(sums[0].meter, "fake");
    assert_near(sums[0].joules, atomic_load(&reads) - 1, 1e-9);
    assert_true(sums[0].seconds > 0.0);
    assert_int_equal(sums[0].mirrors, 0);
    plb_sampler_free(s);
}

/* 20 ms for each read: at a five-hundredth of a core there is one in 10 s. */
static void a_slow_meter_is_read_seldom(void **state)
{
    (void)state;
    struct plb_meters meters = one_meter();
    atomic_store(&reads, 0);
    slow = 0.02;
    struct plb_sampler *s = plb_sampler_start(&meters);
    plb_sleep_until(plb_now() + 0.5);
    assert_in_range(atomic_load(&reads), 1, 2);
    assert_true(plb_sampler_cost(s) >= 0.02);
    plb_sampler_stop(s);
    assert_in_range(atomic_load(&reads), 2, 3);
    plb_sampler_free(s);
    slow = 0.0;
}

static void a_host_without_meters_needs_no_thread(void **state)
{
    (void)state;
    struct plb_meters none = {.n = 0};
    struct plb_meter_sum sums[PLB_METER_DOMAINS];
    struct plb_sampler *s = plb_sampler_start(&none);
    plb_sampler_stop(s);
    assert_int_equal(plb_sampler_sums(s, sums), 0);
    plb_sampler_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_begins_again),
        cmocka_unit_test(one_reading_is_none),
        cmocka_unit_test(a_count_that_never_moves_measures_nothing),
        cmocka_unit_test(a_long_gap_may_hide_a_whole_round),
        cmocka_unit_test(a_counter_that_is_reset_counts_no_joules_for_it),
        cmocka_unit_test(a_counter_that_stands_is_not_believed),
        cmocka_unit_test(power_is_integrated),
        cmocka_unit_test(counter_and_integral_are_compared),
        cmocka_unit_test(mirrors_are_found),
        cmocka_unit_test(the_thread_reads_until_it_is_stopped),
        cmocka_unit_test(a_slow_meter_is_read_seldom),
        cmocka_unit_test(a_host_without_meters_needs_no_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
