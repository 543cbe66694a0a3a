/* Watts over time: from windows of meters, and from told watts and the times of tasks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "meter/series.h"
#include "numbers.h"
#include "report/page/energy.h"
#include "report/power.h"
#include "report/trace/power_trace.h"

/* Two PUs of node 0, of 10 and 20 W, and 100 and 50 W besides. PU 0 works from 1 to 3 s, with its copies, and
 * PU 1 from 2 to 4 s. The run takes 5 s. */
static struct plb_report told(struct plb_report_pu pus[2], enum plb_static_rule rule, double static_s,
                              struct plb_trace *trace)
{
    for (int p = 0; p < 2; p++) {
        pus[p] = (struct plb_report_pu){.id = p, .watts_origin = "given", .host = "h"};
        pus[p].watts_idle = p == 0 ? 10.0 : 20.0;
        pus[p].watts_busy = pus[p].watts_idle + (p == 0 ? 100.0 : 50.0);
        pus[p].static_j = static_s * pus[p].watts_idle;
        pus[p].dynamic_j = p == 0 ? 200.0 : 100.0;
        snprintf(pus[p].name, sizeof pus[p].name, "p%d", p);
    }
    *trace = (struct plb_trace){.on = 1};
    plb_trace_add(trace, (struct plb_trace_event){PLB_TRACE_TRANSFER, 0, 0, 1, 1.0, 0.5, 0, 1, 0});
    plb_trace_add(trace, (struct plb_trace_event){PLB_TRACE_TASK, 0, 0, 1, 1.25, 1.75, 0, 1, 0});
    plb_trace_add(trace, (struct plb_trace_event){PLB_TRACE_TASK, 0, 1, 1, 2.0, 2.0, 0, 1, 0});
    plb_trace_add(trace, (struct plb_trace_event){PLB_TRACE_WAIT, 0, 1, 1, 4.0, 1.0, 0, 0, 0});
    return (struct plb_report){
        .mode = PLB_SIMULATED, .goal.rule = rule, .makespan_s = 5.0, .energy_j = 1.0, .n_pus = 2, .pus = pus};
}

static void assert_joules(const struct plb_power_curve *c, double begin, double end, double joules)
{
    int from = 0;
    double known_s;
    near(plb_power_between(c, begin, end, &from, &known_s), joules, 1e-9);
    near(known_s, end - begin, 1e-9);
}

static void told_watts_follow_tasks(void **state)
{
    (void)state;
    struct plb_report_pu pus[2];
    struct plb_trace trace;
    struct plb_power power;
    struct plb_report r = told(pus, PLB_STATIC_JOB, 5.0, &trace);
    plb_power_find(&r, &trace, &power);
    assert_int_equal(power.n, 2);
    near(power.end, 5.0, 1e-9);
    assert_string_equal(power.curves[0].domain, "PU 0 p0");
    assert_joules(&power.curves[0], 0.0, 5.0, 250.0); /* copies beside a task count once */
    assert_joules(&power.curves[0], 1.0, 2.0, 110.0);
    assert_joules(&power.curves[1], 3.5, 4.5, 45.0);
    plb_power_fini(&power);
    plb_trace_fini(&trace);
}

/* The node is busy from 1 to 4 s; switched off, it is there until then. */
static void static_watts_follow_their_rule(void **state)
{
    (void)state;
    struct plb_report_pu pus[2];
    struct plb_trace trace;
    struct plb_power power;
    struct plb_report r = told(pus, PLB_STATIC_BUSY, 3.0, &trace);
    plb_power_find(&r, &trace, &power);
    assert_joules(&power.curves[0], 0.0, 5.0, 230.0);
    assert_joules(&power.curves[1], 0.0, 2.0, 20.0);
    plb_power_fini(&power);
    r.goal.rule = PLB_STATIC_OFF_WHEN_IDLE;
    pus[0].static_j = 40.0;
    plb_power_find(&r, &trace, &power);
    assert_joules(&power.curves[0], 0.0, 5.0, 240.0);
    assert_joules(&power.curves[0], 4.0, 5.0, 0.0);
    plb_power_fini(&power);
    pus[0].static_j = (double)NAN; /* unmeasured: no curve, and not one of 0 W */
    plb_power_find(&r, &trace, &power);
    assert_int_equal(power.n, 1);
    assert_string_equal(power.curves[0].domain, "PU 1 p1");
    plb_power_fini(&power);
    plb_trace_fini(&trace);
}

static struct plb_report_meter meter(int node, int number, const char *of, double joules)
{
    struct plb_report_meter m = {.node = node,
                                 .number = number,
                                 .of = of,
                                 .joules = joules,
                                 .resolution_j = 1e-6,
                                 .seconds = 3.0,
                                 .counted = isfinite(joules),
                                 .host = "h",
                                 .meter = "perf"};
    snprintf(m.domain, sizeof m.domain, "%s-%d", of, number);
    return m;
}

/* Windows of 10 and 30 J with a gap between them, among those of another domain and of a task. */
static struct plb_report metered(struct plb_report_meter meters[3], struct plb_trace *trace)
{
    const struct plb_trace_event told_at_end[] = {
        {PLB_TRACE_JOULES, 1, PLB_TRACE_MASTER, 0, 0.0, 1.0, 0, 10000000, 0},
        {PLB_TRACE_JOULES, 1, PLB_TRACE_MASTER, 0, 0.0, 3.0, 1, 6000000, 0},
        {PLB_TRACE_TASK, 1, 0, 1, 0.0, 3.0, 0, 1, 0},
        {PLB_TRACE_JOULES, 1, PLB_TRACE_MASTER, 0, 2.0, 1.0, 0, 30000000, 0}};
    meters[0] = meter(1, 0, "package", 40.0);
    meters[1] = meter(1, 1, "gpu", 6.0);
    meters[2] = meter(1, 2, "memory", (double)NAN);
    snprintf(meters[2].note, sizeof meters[2].note, "the counter stands still");
    *trace = (struct plb_trace){.on = 1};
    plb_trace_join(trace, told_at_end, 4);
    return (struct plb_report){
        .measured_j = 46.0, .energy_j = (double)NAN, .makespan_s = 3.0, .n_meters = 3, .meters = meters};
}

static void windows_are_of_their_meter(void **state)
{
    (void)state;
    struct plb_report_meter meters[3];
    struct plb_trace trace;
    struct plb_power power;
    struct plb_report r = metered(meters, &trace);
    assert_int_equal(trace.n, 1); /* windows are no events of PUs */
    assert_int_equal(trace.n_windows, 3);
    plb_power_find(&r, &trace, &power);
    assert_int_equal(power.n, 2);
    assert_joules(&power.curves[0], 0.5, 1.0, 5.0);
    assert_joules(&power.curves[0], 2.0, 3.0, 30.0);
    int from = 0;
    double known_s;
    assert_true(plb_power_between(&power.curves[0], 1.0, 2.0, &from, &known_s) == 0.0 && known_s == 0.0);
    assert_joules(&power.curves[1], 0.0, 3.0, 6.0);
    plb_power_fini(&power);
    plb_trace_fini(&trace);
}

static char *printed(void (*print)(const struct plb_report *, const struct plb_trace *, FILE *),
                     const struct plb_report *r, const struct plb_trace *trace)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    print(r, trace, out);
    fclose(out);
    return text;
}

static void each_joule_names_its_meter(void **state)
{
    (void)state;
    struct plb_report_meter meters[3];
    struct plb_trace trace;
    struct plb_report r = metered(meters, &trace);
    char *text = printed(plb_power_trace_print, &r, &trace);
    assert_non_null(
        strstr(text, "\"name\":\"package-0, by perf, 1 uJ: watts\",\"pid\":1,\"tid\":0,\"ts\":0.0"));
    assert_non_null(strstr(text, "\"name\":\"gpu-1, by perf, 1 uJ: joules\""));
    assert_non_null(strstr(text, "\"ts\":3000000.0,\"args\":{\"J\":40.0}"));
    assert_null(strstr(text, "memory"));
    free(text);
    text = printed(plb_page_energy_print, &r, &trace);
    assert_non_null(strstr(text, "<td>memory-2</td><td>perf</td><td class=\"n\">unmeasured</td>"));
    assert_non_null(strstr(text, "<td>package-0</td><td>perf</td><td class=\"n\">40 J</td><td "
                                 "class=\"n\">1 uJ</td><td class=\"n\">13.3 W</td>"));
    assert_non_null(strstr(text, "\"name\":\"package-0 on h, by perf\",\"joules\":40.0"));
    assert_null(strstr(text, "memory-2 on h"));
    free(text);
    r = (struct plb_report){.measured_j = (double)NAN, .energy_j = (double)NAN};
    text = printed(plb_page_energy_print, &r, &trace);
    assert_string_equal(text, "");
    free(text);
    plb_trace_fini(&trace);
}

/* Any number of readings: the same joules, in few windows. */
static void a_series_stays_short(void **state)
{
    (void)state;
    static struct plb_meter_series s;
    for (int i = 0; i <= 100000; i++)
        plb_meter_series_add(&s, &(struct plb_meter_point){0.1 * i, 3.0 * i, 0.0}, 1e-3);
    plb_meter_series_end(&s);
    assert_true(s.n > PLB_METER_SERIES / 4 && s.n <= PLB_METER_SERIES);
    assert_true(s.points[0].at == 0.0 && s.points[0].counted == 0.0);
    near(s.points[s.n - 1].at, 1e4, 1e-12);
    for (int i = 1; i < s.n; i++) {
        double seconds = s.points[i].at - s.points[i - 1].at;
        near(s.points[i].counted - s.points[i - 1].counted, 30.0 * seconds, 1e-9);
        assert_true(seconds > 0.0 && seconds < 30.0);
    }
    s = (struct plb_meter_series){.n = 0}; /* a counter that is refreshed slowly has longer windows */
    for (int i = 0; i <= 100; i++)
        plb_meter_series_add(&s, &(struct plb_meter_point){0.1 * i, 0.0, 0.0}, 0.1);
    assert_in_range(s.n, 11, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_watts_follow_tasks),    cmocka_unit_test(static_watts_follow_their_rule),
        cmocka_unit_test(windows_are_of_their_meter), cmocka_unit_test(each_joule_names_its_meter),
        cmocka_unit_test(a_series_stays_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
