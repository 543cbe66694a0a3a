/* The objective of a run and its limits, as the summary tells them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/summary/goal.h"

/* Its line; to be freed. */
static char *said(struct plb_report *r)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    plb_report_derive(r);
    plb_goal_say(r, out);
    fclose(out);
    return text;
}

static void least_time_says_nothing(void **state)
{
    (void)state;
    struct plb_report r = {.makespan_s = 1.0};
    char *text = said(&r);
    assert_string_equal(text, "");
    assert_string_equal(r.goal.objective, "time");
    assert_string_equal(r.goal.deadline, "none");
    assert_string_equal(r.goal.cap, "none");
    free(text);
}

static void who_is_left_out_and_the_gain_are_told(void **state)
{
    (void)state;
    struct plb_report_pu pus[3] = {[1] = {.left_out = true}};
    struct plb_report r = {.pus = pus, .n_pus = 3, .makespan_s = 1.0};
    r.goal.objective_is = PLB_OBJECTIVE_ENERGY;
    r.goal.saved_j = 1200.0;
    r.goal.longer_s = 2.0;
    char *text = said(&r);
    assert_string_equal(text,
                        "objective energy: 1 of 3 PUs left out at the end (1), which saved about 1.2 kJ "
                        "and took 2.00 s longer\n");
    free(text);
    assert_string_equal(pus[1].unused, "other PUs need less energy");
    r.goal.saved_j = NAN;
    text = said(&r);
    assert_string_equal(text, "objective energy: 1 of 3 PUs left out at the end (1)\n");
    free(text);
}

/* A pass that took 3 s. */
static struct plb_report limited(struct plb_report_phase *phase)
{
    *phase = (struct plb_report_phase){.passes = 2, .longest_s = 3.0};
    struct plb_report r = {.phases = phase, .n_phases = 1};
    r.goal.objective_is = PLB_OBJECTIVE_EDP;
    return r;
}

static void limits_are_met_or_not(void **state)
{
    (void)state;
    struct plb_report_phase phase;
    struct plb_report r = limited(&phase);
    r.goal.deadline_s = 4.0;
    r.goal.power_cap_w = 100.0;
    r.goal.most_w = 99.0;
    char *text = said(&r);
    assert_string_equal(text,
                        "objective edp: 0 of 0 PUs left out at the end; deadline of 4.00 s met: the longest "
                        "pass took 3.00 s; cap of 100 W kept: at most 99 W\n");
    free(text);
    r.goal.deadline_s = 2.0;
    r.goal.most_w = 101.0;
    text = said(&r);
    assert_non_null(strstr(text, "deadline of 2.00 s NOT met"));
    assert_non_null(strstr(text, "cap of 100 W NOT kept: at most 101 W"));
    assert_string_equal(r.goal.deadline, "late");
    assert_string_equal(r.goal.cap, "over");
    free(text);
    r.goal.most_w = 0.0;
    text = said(&r);
    assert_non_null(strstr(text, "not tried, because the run ended before all PUs were measured"));
    assert_string_equal(r.goal.cap, "untried");
    free(text);
}

/* Where watts are unmeasured, or not known yet, the summary does not say that the cap was kept. */
static void an_unknown_cap_is_told(void **state)
{
    (void)state;
    struct plb_report_phase phase;
    struct plb_report_pu pus[3] = {{.watts_origin = "measured"},
                                   {.watts_origin = "unmeasured", .left_out = true},
                                   {.watts_origin = "unmeasured", .failure = "lost"}};
    struct plb_report r = limited(&phase);
    r.pus = pus;
    r.n_pus = 3;
    r.goal.power_cap_w = 100.0;
    r.goal.most_w = 90.0;
    r.goal.learning_w = 120.0;
    r.goal.saved_j = (double)NAN;
    char *text = said(&r);
    assert_string_equal(
        text, "objective edp: 1 of 3 PUs left out at the end (1); cap of 100 W NOT known to be kept, because "
              "the watts of 1 PU are unmeasured; NOT kept while watts were being measured: up to 120 W\n");
    assert_string_equal(r.goal.cap, "unmeasured");
    free(text);
    r.goal.most_w = 101.0;
    text = said(&r);
    assert_non_null(strstr(text, "cap of 100 W NOT kept: at most 101 W"));
    assert_string_equal(r.goal.cap, "over");
    free(text);
    pus[1].watts_origin = "given";
    r.goal.most_w = r.goal.learning_w = 99.0;
    text = said(&r);
    assert_non_null(strstr(text, "cap of 100 W kept: at most 99 W\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_time_says_nothing),
        cmocka_unit_test(who_is_left_out_and_the_gain_are_told),
        cmocka_unit_test(limits_are_met_or_not),
        cmocka_unit_test(an_unknown_cap_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
