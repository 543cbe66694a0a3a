/* Where the time of a run went, and what is advised, from constructed runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice.h"
#include "report/losses.h"
#include "report/summary.h"

#define NAMED(r, kind) ((r)->losses[kind].seconds)

static void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9))
        fail_msg("got %.12g, expected %.12g", got, expected);
}

/* A run of 10 s of two nodes, with PUs that did nothing but compute for 10 s: 0 and 1 on node 0, 2 on node 1,
 * which is twice as fast. */
static struct plb_report perfect(struct plb_report_pu pus[3])
{
    memset(pus, 0, 3 * sizeof *pus);
    for (int p = 0; p < 3; p++) {
        pus[p] = (struct plb_report_pu){.id = p, .node = p / 2, .busy_s = 10.0, .units = 100, .work = 100.0};
        snprintf(pus[p].name, sizeof pus[p].name, "p%d", p);
    }
    pus[2].units = 200;
    pus[2].work = 200.0;
    return (struct plb_report){.app = "x",
                               .unit = "rows",
                               .balancer = "sure",
                               .nodes = 2,
                               .passes = 1,
                               .n_pus = 3,
                               .units = 400,
                               .makespan_s = 10.0,
                               .bound_s = 10.0,
                               .pus = pus};
}

static void account(struct plb_report *r)
{
    double sum = 0.0;
    plb_losses_account(r);
    plb_advice_find(r);
    for (int i = 0; i < PLB_LOSSES; i++)
        sum += r->losses[i].seconds;
    near(r->ideal_s + sum, r->makespan_s);
    near(r->parallel_efficiency, r->load_balance * r->communication_efficiency);
    near(r->parallel_efficiency, r->ideal_s / r->makespan_s);
}

/* The text that a function writes. */
static const char *text_of(void (*print)(const struct plb_report *, FILE *), const struct plb_report *r)
{
    static char text[1000];
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text, "w");
    print(r, out);
    fclose(out);
    return text;
}

static void a_perfect_run_loses_nothing(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    account(&r);
    near(r.ideal_s, 10.0);
    near(r.load_balance, 1.0);
    assert_string_equal(text_of(plb_verdict_print, &r), "100 % of the ideal. No single loss is above 1 %.");
    assert_string_equal(text_of(plb_advice_print, &r), "");
}

/* PU 2 has half of all rates. It waits 4 s for its inputs, in which it would have done 2 s of the run. */
static void copies_count_by_the_rate_of_their_pu(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    pus[2].transfer_s = 4.0;
    pus[2].units = 120;
    pus[2].work = 120.0; /* 20 a second still */
    account(&r);
    near(NAMED(&r, PLB_LOST_TO_COPIES), 2.0);
    near(r.ideal_s, 8.0);
    near(r.communication_efficiency, 1.0);
    const struct plb_report_loss *loss = &r.losses[PLB_LOST_TO_COPIES];
    assert_int_equal(loss->pu, 2);
    assert_int_equal(loss->node, 1);
    near(loss->part, 0.4);
    const char *verdict = text_of(plb_verdict_print, &r);
    assert_non_null(strstr(verdict,
                           "80 % of the ideal. The largest loss: 20 % of the run was lost in waits for "
                           "inputs and results, most of it by PU 2 (p2): 40 % of its time."));
}

/* Two PUs of a node lose alike: the loss is the node's. All alike: it is nobody's. */
static void a_loss_of_several_pus_is_their_nodes_or_everybodys(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    pus[0].transfer_s = pus[1].transfer_s = 2.0;
    account(&r);
    assert_int_equal(r.losses[PLB_LOST_TO_COPIES].pu, -1);
    assert_int_equal(r.losses[PLB_LOST_TO_COPIES].node, 0);
    near(r.losses[PLB_LOST_TO_COPIES].part, 0.2);
    r = perfect(pus);
    for (int p = 0; p < 3; p++)
        pus[p].starts_s = 2.0;
    pus[2].work = 100.0; /* as fast as the others */
    pus[2].node = 2;
    r.nodes = 3;
    account(&r);
    near(NAMED(&r, PLB_LOST_TO_STARTS), 2.0);
    assert_int_equal(r.losses[PLB_LOST_TO_STARTS].pu, -1);
    assert_int_equal(r.losses[PLB_LOST_TO_STARTS].node, -1);
}

/* Others wait for the late one: the loss is its own, and the lost time is theirs. */
static void waits_at_the_end_belong_to_who_is_late(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    for (int p = 1; p < 3; p++) {
        pus[p].busy_s = 5.0;
        pus[p].imbalance_s = 4.0;
        pus[p].tail_s = 1.0;
    }
    pus[0].held_up_s = 10.0;
    account(&r);
    assert_int_equal(plb_losses_largest(&r), PLB_LOST_TO_IMBALANCE);
    assert_int_equal(r.losses[PLB_LOST_TO_IMBALANCE].pu, 0);
    assert_int_equal(r.losses[PLB_LOST_TO_TAIL].pu, 0);
    near(NAMED(&r, PLB_LOST_TO_IMBALANCE), 4.0 * NAMED(&r, PLB_LOST_TO_TAIL));
    assert_non_null(strstr(text_of(plb_verdict_print, &r), "at the end: others waited for PU 0 (p0)"));
}

static void every_second_has_one_name(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    pus[0].busy_s = 6.0; /* idle 4 s: 1 s each of training, imbalance, tail; the rest is waits */
    pus[0].training_s = pus[0].imbalance_s = pus[0].tail_s = 1.0;
    pus[1].in_vain = 100; /* half of what it executed */
    pus[2].busy_s = 3.0;
    snprintf(pus[2].failure, sizeof pus[2].failure, "broken");
    account(&r);
    double weight = 100.0 / 6.0 / (100.0 / 6.0 + 10.0 + 200.0 / 3.0);
    near(NAMED(&r, PLB_LOST_TO_TRAINING), weight);
    near(NAMED(&r, PLB_LOST_TO_IMBALANCE), weight);
    near(NAMED(&r, PLB_LOST_TO_TAIL), weight);
    near(NAMED(&r, PLB_LOST_TO_WAITS), weight);
    assert_true(NAMED(&r, PLB_LOST_TO_TWICE) > 0.0);
    assert_int_equal(r.losses[PLB_LOST_TO_TWICE].pu, 1);
    assert_int_equal(r.losses[PLB_LOST_TO_FAILURES].pu, 2);
    assert_int_equal(plb_losses_largest(&r), PLB_LOST_TO_FAILURES);
}

#define ADD(trace, ...) plb_trace_add(trace, (struct plb_trace_event){__VA_ARGS__})

/* Solves from second 1 to 2 and from 5 to 8. PU 2 waits for work from 1.5 to 6, for inputs from 6 to 7. */
static void waits_while_the_master_solves_are_its_own(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    struct plb_trace t = {.on = 1};
    ADD(&t, PLB_TRACE_SOLVE, 0, PLB_TRACE_MASTER, 0, 5.0, 3.0, 0, 0, 0);
    ADD(&t, PLB_TRACE_SOLVE, 0, PLB_TRACE_MASTER, 0, 1.0, 1.0, 0, 0, 0);
    ADD(&t, PLB_TRACE_WAIT, 1, 2, 1, 1.5, 4.5, 0, 0, 0);
    ADD(&t, PLB_TRACE_WAIT, 1, 2, 1, 6.0, 1.0, 0, 10, 0);
    ADD(&t, PLB_TRACE_TASK, 0, 1, 1, 0.0, 9.0, 0, 10, 0);
    ADD(&t, PLB_TRACE_WAIT, 0, 0, 1, 0.0, 0.5, 0, 0, 0);
    plb_losses_trace(&r, &t);
    near(pus[2].solving_s, 1.5);
    near(pus[0].solving_s + pus[1].solving_s, 0.0);
    pus[2].busy_s = 5.5;
    pus[2].work = 110.0; /* half of all rates still */
    account(&r);
    near(NAMED(&r, PLB_LOST_TO_MASTER), 0.75);
    near(NAMED(&r, PLB_LOST_TO_WAITS), 1.5);
    plb_trace_fini(&t);
}

/* A PU that had nothing to do counts at the rate of those like it. */
static void a_pu_without_work_could_have_worked(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    pus[1].units = 0;
    pus[1].work = pus[1].busy_s = 0.0;
    pus[1].imbalance_s = 10.0;
    account(&r);
    near(r.ideal_s, 10.0); /* nobody knows how fast it is */
    snprintf(pus[1].name, sizeof pus[1].name, "p0");
    account(&r);
    near(r.ideal_s, 7.5);
    snprintf(pus[1].name, sizeof pus[1].name, "p1");
    pus[1].unit_s = 0.1;
    account(&r);
    near(r.ideal_s, 7.5);
}

static void a_report_of_nothing_has_no_verdict(void **state)
{
    (void)state;
    struct plb_report r = {.makespan_s = 0.0};
    plb_losses_account(&r);
    plb_advice_find(&r);
    assert_string_equal(text_of(plb_verdict_print, &r), "");
    assert_string_equal(text_of(plb_advice_print, &r), "");
}

/* ---------------------------------------------------------------- advice */

/* The advice where PU 2 has lost half of its time to `kind`, with these settings, ended by NULL. */
static const char *advice(int kind, struct plb_report r, struct plb_report_setting *settings)
{
    struct plb_report_pu pus[3];
    struct plb_report base = perfect(pus);
    double *lost[] = {[PLB_LOST_TO_STARTS] = &pus[2].starts_s,
                      [PLB_LOST_TO_TRAINING] = &pus[2].training_s,
                      [PLB_LOST_TO_IMBALANCE] = &pus[2].imbalance_s,
                      [PLB_LOST_TO_COPIES] = &pus[2].transfer_s,
                      [PLB_LOST_TO_WAITS] = NULL,
                      [PLB_LOST_TO_TAIL] = &pus[2].tail_s};
    if (kind != PLB_LOST_TO_STARTS && kind != PLB_LOST_TO_COPIES)
        pus[2].busy_s = 5.0;
    if (lost[kind] != NULL)
        *lost[kind] = 5.0;
    base.balancer = r.balancer != NULL ? r.balancer : base.balancer;
    base.passes = r.passes > 0 ? r.passes : base.passes;
    base.largest_unit = r.largest_unit;
    base.settings = settings;
    while (settings[base.n_settings].key != NULL)
        base.n_settings++;
    account(&base);
    assert_int_equal(plb_losses_largest(&base), kind);
    return text_of(plb_advice_print, &base);
}
#define SETTINGS(...) ((struct plb_report_setting[]){__VA_ARGS__, {.key = NULL}})
#define NOTHING \
    { \
        "balance", "none", "", "" \
    }
#define ADVISES(text, ...) assert_non_null(strstr(advice(__VA_ARGS__), text))
#define NO_ADVICE(...) assert_string_equal(advice(__VA_ARGS__), "")

static void advice_names_what_was_set(void **state)
{
    (void)state;
    const struct plb_report usual = {.passes = 1};
    struct plb_report_setting *nothing = SETTINGS(NOTHING);
    NO_ADVICE(PLB_LOST_TO_STARTS, usual, nothing);
    NO_ADVICE(PLB_LOST_TO_STARTS, usual, SETTINGS({"balance", "grain", "0", ""}));
    ADVISES("leave out balance.grain", PLB_LOST_TO_STARTS, usual, SETTINGS({"balance", "grain", "1", ""}));
    NO_ADVICE(PLB_LOST_TO_TRAINING, usual, nothing);
    ADVISES("--balancer sure", PLB_LOST_TO_TRAINING, ((struct plb_report){.balancer = "plb-hec"}), nothing);
    NO_ADVICE(PLB_LOST_TO_IMBALANCE, usual, SETTINGS({"balance", "migration", "on", ""}));
    ADVISES("balance.migration=on", PLB_LOST_TO_IMBALANCE, usual,
            SETTINGS({"balance", "migration", "off", ""}));
    ADVISES("--balancer sure", PLB_LOST_TO_IMBALANCE, ((struct plb_report){.balancer = "static"}), nothing);
    NO_ADVICE(PLB_LOST_TO_WAITS, usual, nothing);
    ADVISES("--balancer sure", PLB_LOST_TO_WAITS, ((struct plb_report){.balancer = "plb-hec"}), nothing);
    NO_ADVICE(PLB_LOST_TO_TAIL, usual, nothing);
    ADVISES("it is 50 % of the work", PLB_LOST_TO_TAIL, ((struct plb_report){.largest_unit = 0.5}), nothing);
    ADVISES("--balancer sure", PLB_LOST_TO_TAIL, ((struct plb_report){.balancer = "static"}), nothing);
    ADVISES("balance.backups=on", PLB_LOST_TO_TAIL, usual, SETTINGS({"balance", "backups", "off", ""}));
    NO_ADVICE(PLB_LOST_TO_COPIES, usual, nothing); /* the kernel cannot leave its data in files */
    ADVISES("x.mapped=yes", PLB_LOST_TO_COPIES, usual, SETTINGS({"x", "mapped", "no", ""}));
    NO_ADVICE(PLB_LOST_TO_COPIES, usual, SETTINGS({"x", "mapped", "yes", ""}));
    ADVISES("run.keep_inputs=yes", PLB_LOST_TO_COPIES, ((struct plb_report){.passes = 9}),
            SETTINGS({"run", "keep_inputs", "no", ""}));
}

/* The line stands at the end of the summary, and not where a loss is small. */
static void the_summary_ends_with_the_advice(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    struct plb_report_setting grain = {"balance", "grain", "1", ""};
    r.settings = &grain;
    r.n_settings = 1;
    pus[2].starts_s = 0.8; /* half of which counts, about */
    account(&r);
    assert_null(r.advice);
    pus[2].starts_s = 5.0;
    account(&r);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    plb_report_summary(&r, out);
    fclose(out);
    const char *last = strstr(text, "\nAdvice: ");
    assert_non_null(last);
    assert_ptr_equal(strchr(last + 1, '\n'), text + size - 1);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_perfect_run_loses_nothing),
        cmocka_unit_test(copies_count_by_the_rate_of_their_pu),
        cmocka_unit_test(a_loss_of_several_pus_is_their_nodes_or_everybodys),
        cmocka_unit_test(waits_at_the_end_belong_to_who_is_late),
        cmocka_unit_test(every_second_has_one_name),
        cmocka_unit_test(waits_while_the_master_solves_are_its_own),
        cmocka_unit_test(a_pu_without_work_could_have_worked),
        cmocka_unit_test(a_report_of_nothing_has_no_verdict),
        cmocka_unit_test(advice_names_what_was_set),
        cmocka_unit_test(the_summary_ends_with_the_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
