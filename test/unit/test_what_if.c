/* The section of changes on a page, from literals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/page/what_if.h"

#include "report_example.h"

static struct plb_report_pu pus[3];
static struct plb_report_change changes[4];

/* A run of 10 s, which the simulator takes for one of 9.8 s, with four changes of which one was not
 * simulated. */
static struct plb_report told(void)
{
    struct plb_report r = example(pus);
    changes[0] = (struct plb_report_change){"with one more <node>", 6.0, 0.6, NULL, true};
    changes[1] = (struct plb_report_change){"with balancer sure", 8.0, 0.8, NULL, false};
    changes[2] = (struct plb_report_change){"without PU 1", 12.0, 1.2, NULL, false};
    changes[3] = (struct plb_report_change){"with balancer gss", (double)NAN, (double)NAN, "no time is left",
                                            false};
    r.changes = changes;
    r.n_changes = 4;
    r.what_if_simulated_s = 9.8;
    r.what_if_passes = r.passes;
    return r;
}

/* The section; the caller frees it. */
static char *section(const struct plb_report *r)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    plb_what_if_put(r, out);
    fclose(out);
    return text;
}

static void has(const struct plb_report *r, const char *what, bool expected)
{
    char *text = section(r);
    if ((strstr(text, what) != NULL) != expected)
        fail_msg("%s\nis %sexpected in\n%s", what, expected ? "" : "not ", text);
    free(text);
}

static void the_best_change_needs_no_machine(void **state)
{
    (void)state;
    struct plb_report r = told();
    assert_ptr_equal(plb_what_if_best(&r), &changes[1]);
    has(&r, "<b>The run with balancer sure</b> would have taken 8.00 s: 20&nbsp;% less.", true);
    has(&r, " With more machines instead: <b>The run with one more &lt;node&gt;</b> would have taken 6.00 s",
        true);
    changes[1].ratio = 0.995;
    assert_null(plb_what_if_best(&r));
    has(&r,
        "On the same machines, none of these changes makes the run 1&nbsp;% shorter. With more machines: <b>",
        true);
}

static void changes_have_rows_or_reasons(void **state)
{
    (void)state;
    struct plb_report r = told();
    has(&r,
        "<tr><td>with one more &lt;node&gt;</td><td class=\"n\">6.00 s</td><td class=\"n\">60.0&nbsp;%</td>",
        true);
    has(&r, "<td>with balancer gss</td>", false);
    has(&r, "<p>Left out, because no time is left: with balancer gss.</p>", true);
    changes[2].left_out = "no time is left";
    has(&r, "<p>Left out, because no time is left: without PU 1; with balancer gss.</p>", true);
    changes[2].left_out = "of another reason";
    has(&r, "<p>Left out, because of another reason: without PU 1.</p>", true);
}

static void a_page_says_how_far_to_believe_it(void **state)
{
    (void)state;
    struct plb_report r = told();
    has(&r, "The simulator predicts 9.80 s for the run as it was, which took 10.00 s.", true);
    has(&r, "differ by", false);
    has(&r, "passes", false);
    r.what_if_simulated_s = 9.0;
    has(&r, "These differ by 10&nbsp;%", true);
    r.passes = 100;
    has(&r, "Of the 100 passes, 1 were simulated", true);
}

static void without_changes_there_is_a_reason_or_nothing(void **state)
{
    (void)state;
    struct plb_report r = told();
    r.n_changes = 0;
    has(&r, "section", false);
    snprintf(r.what_if_note, sizeof r.what_if_note, "a PU failed during the run");
    has(&r, "Other balancers and machines were not simulated: a PU failed during the run.", true);
    has(&r, "The simulator predicts 9.80 s", true);
    r.what_if_simulated_s = 0.0;
    has(&r, "The simulator", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_change_needs_no_machine),
        cmocka_unit_test(changes_have_rows_or_reasons),
        cmocka_unit_test(a_page_says_how_far_to_believe_it),
        cmocka_unit_test(without_changes_there_is_a_reason_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
