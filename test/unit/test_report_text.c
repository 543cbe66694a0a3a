/* The JSON report and the summary to the letter: programs and people read them, so they change on purpose
 * only. What is expected is in golden/, beside this file; VERSION in it stands for the version of plbrun. */
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
#include "report/json.h"
#include "report/report.h"
#include "report/summary.h"

#define PUS 3
#define PHASES 2
#define MOST 16384 /* bytes of a text */

struct example {
    struct plb_report report;
    struct plb_report_pu pus[PUS];
    struct plb_report_curve curves[PUS * PHASES];
};

/* Every member has a value of its own, so that two that were exchanged would show. */
static const struct plb_report_pu example_pus[PUS] = {
    {.id = 0,
     .node = 0,
     .host = "first",
     .name = "a CPU of many words",
     .kind = PLB_CPU,
     .units = 600,
     .blocks = 31,
     .tasks = 62,
     .busy_s = 8.25,
     .transfer_s = 2.125,
     .stolen_in = 11,
     .stolen_out = 12,
     .curve = "0.1 x + 3",
     .r2 = 0.9375},
    {.id = 1,
     .node = 1,
     .host = "a-host-of-a-long-name",
     .name = "b",
     .kind = PLB_GPU,
     .units = 1400,
     .blocks = 2,
     .tasks = 5,
     .busy_s = 4.0 / 3.0,
     .transfer_s = 1e-3,
     .stolen_in = 13,
     .stolen_out = 14,
     .curve = "x ln x",
     .r2 = 1.0 / 3.0},
    {.id = 2, .node = 1, .host = "second", .name = "c \"quoted\"", .kind = PLB_ACCELERATOR, .refused = true},
};

static const struct plb_report example_report = {
    .app = "heat",
    .unit = "rows",
    .balancer = "greedy",
    .migration = true,
    .costs_told = true,
    .nodes = 2,
    .passes = 4,
    .n_pus = PUS,
    .units = 500,
    .makespan_s = 10.5,
    .bound_s = 7.0625,
    .cost_spread = 1.25,
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
    .largest_unit = 0.4,
    .slowest_answer_s = 2.6e-3,
    .profiles_used = 27,
    .profiles_dropped = 28,
    .n_phases = PHASES,
};

static void fill(struct example *e)
{
    static const char *const names[PHASES] = {"assign", "smooth"};
    e->report = example_report;
    memcpy(e->pus, example_pus, sizeof e->pus);
    e->report.pus = e->pus;
    e->report.curves = e->curves;
    for (int i = 0; i < PUS * PHASES; i++) {
        e->curves[i] = (struct plb_report_curve){.phase = names[i % PHASES], .r2 = i / 8.0};
        snprintf(e->curves[i].curve, sizeof e->curves[i].curve, "%d x", i);
    }
    plb_report_derive(&e->report);
}

/* What differs in a simulation: its mode, one pass, one phase, a verdict, and what is unknown. */
static void fill_simulated(struct example *e)
{
    fill(e);
    e->report.mode = PLB_SIMULATED;
    e->report.passes = 1;
    e->report.n_phases = 1;
    e->report.costs_told = false;
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

/* One of each: singular words, no solves, nothing migrated. */
static void the_summary_of_one_of_each(void **state)
{
    (void)state;
    struct plb_report_pu pu = {.host = "h", .name = "n", .units = 1, .blocks = 1, .busy_s = 1e-4};
    struct plb_report r = {.app = "x",
                           .unit = "cells",
                           .balancer = "static",
                           .nodes = 1,
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
        cmocka_unit_test(the_json_of_a_run),          cmocka_unit_test(the_json_of_a_simulation),
        cmocka_unit_test(the_summary_of_a_run),       cmocka_unit_test(the_summary_of_a_simulation),
        cmocka_unit_test(the_summary_of_one_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
