/* The JSON report and the summary to the letter: programs and people read them, so they change on purpose
 * only. The expected texts are in golden/, beside this file; VERSION in them stands for plbrun's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "report/fields/json.h"
#include "report/report.h"
#include "report/summary/summary.h"

#define PUS 3
#define PHASES 2
#define MOST 16384 /* bytes of a text */

struct example {
    struct plb_report report;
    struct plb_report_pu pus[PUS];
    struct plb_report_curve curves[PUS * PHASES];
    struct plb_report_phase phases[PHASES];
};

/* Every member has a value of its own, so that two that were exchanged would show. */
static const struct plb_report_pu example_pus[PUS] = {
    {.id = 0,
     .node = 0,
     .host = "first",
     .name = "a CPU of many words",
     .kind = PLB_CPU,
     .threads = 7,
     .units = 600,
     .blocks = 31,
     .tasks = 62,
     .busy_s = 8.25,
     .transfer_s = 2.125,
     .static_j = 210.5,
     .dynamic_j = 1099.5,
     .watts_idle = 12.5,
     .watts_busy = 80.25,
     .watts_origin = "measured",
     .stolen_in = 11,
     .stolen_out = 12,
     .curve = {.text = "0.1 x + 3",
               .n_terms = 2,
               .terms = {{"1", 3.0}, {"u", 0.8}},
               .scale = 8.0,
               .low = 2.0,
               .high = 64.0,
               .r2 = 0.9375}},
    {.id = 1,
     .node = 1,
     .host = "a-host-of-a-long-name",
     .name = "b",
     .kind = PLB_GPU,
     .units = 1310,
     .blocks = 2,
     .tasks = 5,
     .busy_s = 4.0 / 3.0,
     .transfer_s = 1e-3,
     .static_j = NAN,
     .dynamic_j = NAN,
     .watts_idle = NAN,
     .watts_busy = NAN,
     .watts_origin = "unmeasured",
     .stolen_in = 13,
     .stolen_out = 14,
     .curve = {.text = "x ln x", .n_terms = 1, .terms = {{"u ln u", 2.5}}, .scale = 16.0, .r2 = 1.0 / 3.0}},
    {.id = 2, .node = 1, .host = "second", .name = "c \"quoted\"", .kind = PLB_ACCELERATOR, .refused = true},
};

static const struct plb_report example_report = {
    .app = "heat",
    .unit = "rows",
    .balancer = "greedy",
    .command = "./plbrun 'a b.conf'",
    .date = "2026-02-03T04:05:06Z",
    .seed = 19,
    .migration = true,
    .costs_given = true,
    .nodes = 2,
    .hosts = 3,
    .passes = 4,
    .passes_again = 6,
    .n_pus = PUS,
    .units = 500,
    .makespan_s = 10.5,
    .setup_s = 0.5,
    .collect_s = 0.25,
    .again_s = 2.5,
    .between_s = 0.01,
    .ending_s = 0.3,
    .verify_s = 1.0,
    .write_s = 2.0,
    .elapsed_s = 14.31,
    .bound_s = 7.0625,
    .cost_spread = 1.25,
    .cost_apart = 0.4,
    .least_cost = 0.03125,
    .most_cost = 36.5,
    .profile_s = 0.0123,
    .solve_s = 4.5e-5,
    .optimum_s = 6.75,
    .solves = 21,
    .messages = 22,
    .bytes_moved = 23456789,
    .migrations = 24,
    .migrated_units = 250,
    .backups = 3,
    .backups_won = 2,
    .backup_units = 29,
    .sets_handed = 30,
    .sets_to_rank0 = 4,
    .set_aside_units = 3,
    .audited = 400,
    .audit_differences = 2,
    .damaged = 3,
    .largest_unit = 0.4,
    .slowest_answer_s = 2.6e-3,
    .profiles_used = 27,
    .profiles_dropped = 28,
    .resumed = true,
    .resumed_pass = 5,
    .resumed_units = 90,
    .n_phases = PHASES,
    .n_settings = 2,
};

static struct plb_report_setting example_settings[] = {{"heat", "rows", "500", "a b.conf:3"},
                                                       {"heat", "output", NULL, NULL}};

static struct plb_report_aside example_aside[] = {
    {17, 1, 3, "assign", "SIGSEGV", 2, false, 2, 1, 0, 0},
    {40, 2, 4, "smooth", "SIGABRT", 1, true, 1, 1, -1, -1},
};

static struct plb_report_regrant example_regrants[] = {
    {100, 29, 2, 0, 2, "backup"},
    {40, 2, 4, -1, 1, "lost result"},
};

static void fill(struct example *e)
{
    static const char *const names[PHASES] = {"assign", "smooth"};
    e->report = example_report;
    memcpy(e->pus, example_pus, sizeof e->pus);
    e->report.pus = e->pus;
    e->report.curves = e->curves;
    e->report.settings = example_settings;
    e->report.phases = e->phases;
    e->report.set_aside = example_aside;
    e->report.n_set_aside = 2;
    e->report.regrants = example_regrants;
    e->report.n_regrants = 2;
    for (int i = 0; i < PHASES; i++)
        e->phases[i] = (struct plb_report_phase){names[i], 3 - 2 * i, 9.0 + i, 2.0 + i, 4.0 + i};
    for (int i = 0; i < PUS * PHASES; i++) {
        e->curves[i] = (struct plb_report_curve){.phase = names[i % PHASES], .r2 = i / 8.0};
        snprintf(e->curves[i].text, sizeof e->curves[i].text, "%d x", i);
        e->curves[i].n_terms = i % 2;
        e->curves[i].terms[0] = (struct plb_report_term){"u", i};
    }
    plb_report_derive(&e->report);
}

/* The differences in a simulation: its mode, one pass, one phase, a verdict, and what is unknown. */
static void fill_simulated(struct example *e)
{
    fill(e);
    e->report.mode = PLB_SIMULATED;
    e->report.passes = 1;
    e->report.passes_again = 0;
    e->report.again_s = 0.0;
    e->report.resumed = false;
    e->report.resumed_pass = 0;
    e->report.resumed_units = 0;
    e->report.n_phases = 1;
    e->report.costs_given = false;
    e->report.curves = NULL;
    e->report.verified = PLB_WRONG;
    e->report.bound_s = e->report.cost_spread = e->report.least_cost = e->report.most_cost = NAN;
    plb_report_derive(&e->report);
}

static void read_text(const char *path, char text[MOST])
{
    FILE *f = fopen(path, "r");
    if (f == NULL)
        fail_msg("%s cannot be read", path);
    text[fread(text, 1, MOST - 1, f)] = '\0';
    fclose(f);
}

/* `actual` is what golden/NAME says. Where it is not, golden/NAME.new is left to look at. */
static void same_as(const char *name, const char *actual)
{
    char here[] = __FILE__, path[300], golden[MOST], expected[MOST + 32];
    snprintf(path, sizeof path, "%s/golden/%s", dirname(here), name);
    read_text(path, golden);
    char *version = strstr(golden, "VERSION");
    int before = version != NULL ? (int)(version - golden) : (int)strlen(golden);
    snprintf(expected, sizeof expected, "%.*s%s%s", before, golden, version != NULL ? PLB_VERSION : "",
             version != NULL ? version + strlen("VERSION") : "");
    if (strcmp(expected, actual) == 0)
        return;
    strcat(path, ".new");
    FILE *f = fopen(path, "w");
    if (f != NULL) {
        fputs(actual, f);
        fclose(f);
    }
    fail_msg("not as golden/%s says; see %s", name, path);
}

static void same_json(const char *name, const struct plb_report *report)
{
    char file[] = "/tmp/test_report_text.XXXXXX", text[MOST];
    struct plb_error err = {.status = PLB_OK};
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(plb_report_write(report, file, &err), PLB_OK);
    read_text(file, text);
    unlink(file);
    same_as(name, text);
}

static void same_summary(const char *name, const struct plb_report *report)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    plb_report_summary(report, out);
    fclose(out);
    same_as(name, text);
    free(text);
}

static void the_json_of_a_run(void **state)
{
    (void)state;
    struct example e;
    fill(&e);
    same_json("run.json", &e.report);
}

static void the_json_of_a_simulation(void **state)
{
    (void)state;
    struct example e;
    fill_simulated(&e);
    same_json("simulation.json", &e.report);
}

static void the_summary_of_a_run(void **state)
{
    (void)state;
    struct example e;
    fill(&e);
    same_summary("run.txt", &e.report);
}

static void the_summary_of_a_simulation(void **state)
{
    (void)state;
    struct example e;
    fill_simulated(&e);
    same_summary("simulation.txt", &e.report);
}

static void a_pu_that_did_nothing_is_said_why(void **state)
{
    (void)state;
    struct plb_report_pu pus[] = {{.units = 1, .busy_s = 8.0},          {.refused = true, .unit_s = 9.0},
                                  {.blocks = 1, .unit_s = 9.0},         {.unit_s = 9.0, .unit_late_s = 90.0},
                                  {.unit_s = 7.0, .unit_late_s = 70.0}, {.unit_s = 0.5, .unit_late_s = 5.0},
                                  {.unit_s = NAN, .unit_late_s = NAN}};
    static const char *const why[] = {NULL,
                                      "its memory is too small",
                                      "other PUs finished its units first",
                                      "a single unit would end after all others",
                                      "a single unit might end after all others",
                                      "no work was left for it",
                                      "no work was left for it"};
    struct plb_report r = {.n_pus = 7, .passes = 1, .units = 1, .makespan_s = 8.0, .pus = pus};
    plb_report_derive(&r);
    assert_null(pus[0].unused);
    for (int p = 1; p < r.n_pus; p++)
        assert_string_equal(pus[p].unused, why[p]);
    r.passes = 10; /* each of them 0.8 s */
    pus[0].units = 10;
    plb_report_derive(&r);
    assert_string_equal(pus[4].unused, "a single unit would end after all others");
    assert_string_equal(pus[5].unused, "a single unit might end after all others");
}

/* A run that ended before all units were done did not leave a PU out. */
static void a_run_that_ended_early_says_so(void **state)
{
    (void)state;
    struct plb_report_pu pus[] = {{.units = 6}, {.blocks = 1}, {.unit_s = 90.0}, {.refused = true}};
    struct plb_report r = {.n_pus = 4, .passes = 2, .units = 5, .makespan_s = 8.0, .pus = pus};
    plb_report_derive(&r);
    assert_null(pus[0].unused);
    assert_string_equal(pus[1].unused, "the run ended first");
    assert_string_equal(pus[2].unused, "the run ended first");
    assert_string_equal(pus[3].unused, "its memory is too small");
}

/* The PU is as fast as it is, although others had done half of its units before. */
static void a_rate_counts_what_was_executed_in_vain(void **state)
{
    (void)state;
    struct plb_report_pu pu = {.units = 30, .in_vain = 30, .busy_s = 5.0, .transfer_s = 2.0};
    struct plb_report r = {.n_pus = 1, .passes = 1, .units = 30, .makespan_s = 8.0, .pus = &pu};
    plb_report_derive(&r);
    assert_true(pu.rate == 20.0);
}

/* A short task that took many times its own makes no unequal units. Nor do times on cores that others had, or
 * tasks of microseconds, or a few of them on a core that another program had once. */
static void a_little_time_is_not_worth_saying(void **state)
{
    struct example e;
    (void)state;
    for (int i = 0; i < 5; i++) {
        bool worth = i == 1;
        char *text = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        fill(&e);
        e.report.cost_apart = i > 0 ? 0.4 : 0.03;
        for (int p = 0; p < e.report.n_pus && i > 2; p++) {
            e.report.pus[p].tasks = i == 3 ? 10000 : 4;
            e.report.pus[p].busy_s = e.report.pus[p].transfer_s + (i == 3 ? 0.4 : 2e-3);
        }
        e.report.pus[0].threads = 1;
        e.report.pus[0].waited_s = i == 2 ? 0.1 * e.report.makespan_s : 0.0;
        plb_report_summary(&e.report, out);
        fclose(out);
        assert_int_equal(strstr(text, "rows differ in cost") != NULL, worth);
        free(text);
    }
}

/* One of each: singular words, no solves, nothing migrated. */
static void the_summary_of_one_of_each(void **state)
{
    (void)state;
    struct plb_report_pu pu = {.host = "h", .name = "n", .units = 1, .blocks = 1, .busy_s = 1e-4};
    struct plb_report r = {.app = "x",
                           .unit = "cells",
                           .balancer = "static",
                           .nodes = 1,
                           .hosts = 1,
                           .passes = 1,
                           .n_pus = 1,
                           .units = 1,
                           .makespan_s = 2e-4,
                           .messages = 1,
                           .bytes_moved = 12,
                           .profiles_used = 1,
                           .verified = PLB_RIGHT,
                           .pus = &pu};
    plb_report_derive(&r);
    same_summary("one.txt", &r);
    r.solves = 1;
    r.migrations = 1;
    r.migrated_units = 1;
    same_summary("one_more.txt", &r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_json_of_a_run),
        cmocka_unit_test(the_json_of_a_simulation),
        cmocka_unit_test(the_summary_of_a_run),
        cmocka_unit_test(the_summary_of_a_simulation),
        cmocka_unit_test(a_pu_that_did_nothing_is_said_why),
        cmocka_unit_test(a_run_that_ended_early_says_so),
        cmocka_unit_test(a_rate_counts_what_was_executed_in_vain),
        cmocka_unit_test(a_little_time_is_not_worth_saying),
        cmocka_unit_test(the_summary_of_one_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
