/* Which joules of a run's meters add up, and how the summary tells them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/energy.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) <= 1e-9)

static struct plb_report_meter meter(const char *host, const char *of, double joules)
{
    struct plb_report_meter m = {.of = of, .joules = joules, .resolution_j = 1e-6};
    snprintf(m.host, sizeof m.host, "%s", host);
    snprintf(m.domain, sizeof m.domain, "%s-0", of);
    snprintf(m.meter, sizeof m.meter, "perf");
    return m;
}

static struct plb_report report_of(struct plb_report_meter *meters, int n)
{
    struct plb_report r = {.meters = meters, .n_meters = n};
    plb_report_derive(&r);
    return r;
}

/* The lines of the summary; to be freed. */
static char *said(const struct plb_report *r)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    plb_energy_say(r, out);
    fclose(out);
    return text;
}

static void parts_of_all_hosts_add_up(void **state)
{
    (void)state;
    struct plb_report_meter meters[] = {meter("a", "package", 1000.0), meter("a", "memory", 200.0),
                                        meter("a", "cores", 800.0),    meter("a", "platform", 1500.0),
                                        meter("b", "package", 30.0),   meter("b", "gpu", 4.0)};
    struct plb_report r = report_of(meters, 6);
    assert_near(r.energy_j, 1234.0);
    assert_near(r.measured_j, 1234.0);
    assert_true(meters[0].counted && meters[1].counted && meters[4].counted && meters[5].counted);
    assert_false(meters[2].counted || meters[3].counted);
    char *text = said(&r);
    assert_string_equal(
        text,
        "energy 1.23 kJ: packages 1.03 kJ (perf, 1 uJ), memory 200 J (perf, 1 uJ), GPUs 4 J (perf, 1 uJ)\n");
    free(text);
}

static void a_platform_counts_where_it_is_alone(void **state)
{
    (void)state;
    struct plb_report_meter meters[] = {meter("a", "platform", 700.0), meter("a", "package", NAN),
                                        meter("b", "package", 30.0)};
    struct plb_report r = report_of(meters, 3);
    assert_near(r.energy_j, 730.0);
    char *text = said(&r);
    assert_string_equal(text,
                        "energy 730 J: packages 30 J (perf, 1 uJ), hosts as a whole 700 J (perf, 1 uJ)\n");
    free(text);
}

static void mirrors_count_once(void **state)
{
    (void)state;
    struct plb_report_meter meters[] = {meter("a", "package", 10.0), meter("a", "package", 10.0)};
    meters[1].mirrors = true;
    assert_near(report_of(meters, 2).energy_j, 10.0);
}

/* One GPU is enough to make a sum that is no energy of the run. */
static void a_missing_part_makes_it_unknown(void **state)
{
    (void)state;
    struct plb_report_meter meters[] = {meter("a", "package", 10.0), meter("b", "package", 20.0),
                                        meter("b", "gpu", NAN), meter("b", "memory", NAN)};
    snprintf(meters[2].note, sizeof meters[2].note, "there is no library");
    struct plb_report r = report_of(meters, 4);
    assert_true(isnan(r.energy_j));
    assert_near(r.measured_j, 30.0);
    char *text = said(&r);
    assert_string_equal(text,
                        "energy at least 30 J: packages 30 J (perf, 1 uJ); incomplete on 1 host, such as b: "
                        "there is no library\n");
    free(text);
}

static void nothing_measured_says_nothing(void **state)
{
    (void)state;
    struct plb_report_meter meters[] = {meter("a", "package", NAN)};
    struct plb_report r = report_of(meters, 1);
    assert_true(isnan(r.energy_j) && isnan(r.measured_j));
    char *text = said(&r);
    assert_string_equal(text, "");
    free(text);
    r = report_of(NULL, 0);
    assert_true(isnan(r.energy_j) && isnan(r.measured_j));
}

static void doubts_are_told(void **state)
{
    (void)state;
    struct plb_report_meter meters[] = {meter("a", "gpu", 50.0), meter("a", "package", 5.0)};
    snprintf(meters[0].meter, sizeof meters[0].meter, "nvml");
    meters[0].resolution_j = NAN; /* its power was integrated */
    snprintf(meters[0].note, sizeof meters[0].note, "the integral of the power is 10 %% more");
    struct plb_report r = report_of(meters, 2);
    char *text = said(&r);
    assert_string_equal(text, "energy 55 J: packages 5 J (perf, 1 uJ), GPUs 50 J (nvml)\n"
                              "energy of gpu-0 on a by nvml: the integral of the power is 10 % more\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_all_hosts_add_up),
        cmocka_unit_test(a_platform_counts_where_it_is_alone),
        cmocka_unit_test(mirrors_count_once),
        cmocka_unit_test(a_missing_part_makes_it_unknown),
        cmocka_unit_test(nothing_measured_says_nothing),
        cmocka_unit_test(doubts_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
