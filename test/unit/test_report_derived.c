/* The fields of a report that follow from others, from literals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/fields/fields.h"
#include "report/summary/summary.h"

#include "report_example.h"

static void derived_by_hand(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    assert_true(r.balancing_ratio == 2.0);       /* 8 / 4: the idle one does not count */
    assert_true(fabs(r.idle_pct - 60.0) < 1e-9); /* 2 + 6 + 10 of 30 */
    assert_true(pus[0].idle_s == 2.0 && pus[2].idle_s == 10.0);
    assert_true(pus[0].rate == 10.0 && pus[2].rate == 0.0); /* 60 in the 6 s it executed */
}

/* Nobody balances what a PU did not do after it failed. */
static void failed_pus_count_apart(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    snprintf(pus[1].failure, sizeof pus[1].failure, "its rank was lost");
    plb_report_derive(&r);
    assert_int_equal(r.failed_pus, 1);
    assert_true(r.balancing_ratio == 1.0);
    assert_true(fabs(r.idle_pct - 60.0) < 1e-9); /* 2 + 10 of 20 */
    assert_string_equal(pus[1].failed, "its rank was lost");
    plb_report_derive(&r); /* derives the same again */
    assert_int_equal(r.failed_pus, 1);
}

/* A PU whose memory holds nothing could not have worked. */
static void refused_pus_are_not_idle(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    pus[2].refused = true;
    plb_report_derive(&r);
    assert_true(fabs(r.idle_pct - 40.0) < 1e-9); /* 2 + 6 of 20 */
}

/* A run that went on in a pass of which half was done: what it had to do is the rest. */
static void a_resumed_run_tells_of_its_own_part(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    r.resumed = true;
    r.resumed_pass = 7;
    r.resumed_units = 50;
    pus[0].units = 30;
    pus[1].units = 20;
    plb_report_derive(&r);
    assert_int_equal(plb_report_units(&r), 50);
    assert_string_equal(pus[2].unused, "no work was left for it"); /* the run is whole */
    for (const struct plb_report_field *f = plb_pu_fields; f->meaning != NULL; f++)
        if (f->heading != NULL && strcmp(f->heading, "share") == 0)
            assert_true(plb_field_value(f, &r, &pus[0]).real == 60.0);
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    plb_report_line(&r, out);
    fclose(out);
    assert_non_null(strstr(line, "x: 50 rows in "));
    assert_non_null(strstr(line, "; resumed in pass 7 after 50 rows; "));
    free(line);
    pus[1].units = 19;
    plb_report_derive(&r);
    assert_string_equal(pus[2].unused, "the run ended first");
}

static void passes_add_up(void **state)
{
    (void)state;
    struct plb_report_phase phase = {.phase = "assign"};
    const double seconds[] = {2.0, 0.5, 4.0};
    for (int i = 0; i < 3; i++)
        plb_report_add_pass(&phase, seconds[i]);
    assert_int_equal(phase.passes, 3);
    assert_true(phase.time_s == 6.5 && phase.shortest_s == 0.5 && phase.longest_s == 4.0);
}

static void the_elapsed_time_is_the_sum_of_its_parts(void **state)
{
    (void)state;
    struct plb_report r = {.makespan_s = 8.0,
                           .between_s = 4.0,
                           .ending_s = 2.0,
                           .verify_s = 1.0,
                           .write_s = 0.5,
                           .collect_s = 0.25}; /* which is a part of the makespan */
    plb_report_elapse(&r);
    assert_true(r.elapsed_s == 0.0 && r.verify_s == 0.0); /* no pass began */
    r.setup_s = 16.0, r.verify_s = 1.0, r.write_s = 0.5;
    plb_report_elapse(&r);
    assert_true(r.elapsed_s == 31.5);
    r.mode = PLB_SIMULATED;
    plb_report_elapse(&r);
    assert_true(r.elapsed_s == 0.0 && r.write_s == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derived_by_hand),
        cmocka_unit_test(failed_pus_count_apart),
        cmocka_unit_test(refused_pus_are_not_idle),
        cmocka_unit_test(a_resumed_run_tells_of_its_own_part),
        cmocka_unit_test(passes_add_up),
        cmocka_unit_test(the_elapsed_time_is_the_sum_of_its_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
