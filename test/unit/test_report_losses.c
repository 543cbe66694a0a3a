/* Where the time of a run went, from constructed runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report_losses.h"

static void a_perfect_run_loses_nothing(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    account(&r);
    near(r.ideal_s, 10.0);
    near(r.load_balance, 1.0);
    assert_string_equal(
        text_of(plb_verdict_print, &r),
        "The run took 1.00 times the ideal time (parallel efficiency 100 %). No single loss is above 1 %.");
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
    assert_int_equal(loss->pu, -1); /* it is alone behind its node's link */
    assert_int_equal(loss->node, 1);
    near(loss->part, 0.4);
    r.nodes = 1;
    for (int p = 0; p < 3; p++)
        pus[p].node = 0;
    account(&r);
    assert_int_equal(loss->pu, 2);
    near(loss->part, 0.4);
    assert_string_equal(
        text_of(plb_verdict_print, &r),
        "The run took 1.2 times the ideal time (parallel efficiency 80 %). The largest loss is "
        "copies not hidden: 20 % of the run. PU 2 (p2) lost most of this time.");
}

/* A PU computes while its thread locks pages, as long as its device has tasks. */
static void page_locks_count_where_nothing_hides_them(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    pus[2].locking_s = 1.0;
    account(&r);
    near(NAMED(&r, PLB_LOST_TO_LOCKS), 0.0);
    pus[2].busy_s = 6.0; /* 4 s less than the makespan */
    pus[2].units = 120;
    pus[2].work = 120.0;
    account(&r);
    near(NAMED(&r, PLB_LOST_TO_LOCKS), 0.5);
    near(NAMED(&r, PLB_LOST_TO_WAITS), 1.5);
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

/* Both PUs behind a link wait, the faster one more: it is the link's, not that PU's. */
static void what_all_pus_of_a_node_wait_for_is_their_nodes(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    pus[1].node = 1;
    pus[1].transfer_s = 4.0;
    pus[1].work = 60.0;
    pus[2].transfer_s = 5.0;
    pus[2].work = 100.0;
    account(&r);
    assert_int_equal(r.losses[PLB_LOST_TO_COPIES].pu, -1);
    assert_int_equal(r.losses[PLB_LOST_TO_COPIES].node, 1);
    near(r.losses[PLB_LOST_TO_COPIES].part, 0.45);
    struct plb_report_traffic traffic[2] = {{.node = 0},
                                            {.node = 1, .bytes = 20000000, .received = 15000000}};
    r.traffic = traffic;
    r.n_traffic = 2;
    r.replicated_bytes = 5e6; /* before the run */
    assert_non_null(strstr(text_of(plb_verdict_print, &r),
                           ". Node 1 received 10.0 MB and sent 20.0 MB during the run, 3.0 MB per second, "
                           "and 5.0 MB before it."));
    pus[1].busy_s = pus[2].busy_s = 8.0;
    pus[1].work = 40.0;
    pus[2].work = 60.0;
    account(&r);
    assert_non_null(
        strstr(text_of(plb_verdict_print, &r),
               "; the waits for work (15 % of the run) have the same cause; together they are 50 %."));
}

/* Each PU has one task, its share: others wait since shares are wrong, not for a task that is too large. */
static void a_task_that_is_a_whole_share_is_imbalance(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    for (int p = 0; p < 3; p++)
        pus[p].blocks = pus[p].tasks = 1;
    pus[0].busy_s = pus[2].busy_s = 2.5;
    pus[0].work = 25.0;
    pus[2].work = 50.0;
    pus[0].tail_s = pus[2].tail_s = 7.5;
    pus[1].others_waited_s = 15.0;
    r.balancer = "static";
    account(&r);
    near(NAMED(&r, PLB_LOST_TO_TAIL), 0.0);
    near(NAMED(&r, PLB_LOST_TO_IMBALANCE), 0.75 * 7.5);
    near(pus[1].work_share, 100.0 / 175.0);
    near(pus[1].rate_share, 0.25);
    const char *late = "imbalance: 56 % of the run. PU 1 (p1) was granted 57 % of the work";
    assert_non_null(strstr(text_of(plb_verdict_print, &r), late));
    assert_non_null(strstr(text_of(plb_verdict_print, &r), "work, but its share of the total rate is 25 %."));
    for (int p = 0; p < 3; p++)
        pus[p].power = p == 1 ? 4.0 : 1.5;
    account(&r);
    assert_non_null(strstr(text_of(plb_verdict_print, &r),
                           "of the work because of its power 4, but its share of the total rate is 25 %; "
                           "power 1, 0.25 times as much, would match."));
    r.largest_unit = 0.5; /* that one unit may be what took so long */
    account(&r);
    near(NAMED(&r, PLB_LOST_TO_TAIL), 0.75 * 7.5);
    r.largest_unit = 0.0;
    pus[0].blocks = 2; /* shares can still be mended */
    account(&r);
    near(NAMED(&r, PLB_LOST_TO_TAIL), 0.75 * 7.5);
}

/* By a line through their times, tasks of any size take what an empty one does, and a little more. */
static void tasks_that_are_all_start_are_lost_to_starts(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    for (int p = 0; p < 3; p++)
        pus[p].starts_s = 10.0 + p;
    pus[0].busy_s = 6.0;
    pus[0].work = 60.0;
    account(&r);
    assert_true(plb_losses_only_starts(&r));
    for (int p = 0; p < 3; p++)
        pus[p].tasks = 10;
    assert_string_equal(
        text_of(plb_verdict_print, &r),
        "The ideal time is unknown. The largest loss is task starts: 89 % of the run. 30 tasks "
        "took 866.7 ms each, whatever their size, because the kernel takes that long for any task.");
    assert_int_equal(plb_losses_largest(&r), PLB_LOST_TO_STARTS);
    near(NAMED(&r, PLB_LOST_TO_STARTS), 0.99 * 9.0);
    near(NAMED(&r, PLB_LOST_TO_WAITS), 1.0);
    pus[2].starts_s = 5.0;
    account(&r);
    assert_false(plb_losses_only_starts(&r));
}

/* A hundredth of its time is work, which is what noise has left: it is no rate of a hundred times as much. */
static void a_pu_that_only_starts_has_the_rate_of_others(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    pus[1].starts_s = 11.0;
    for (int p = 0; p < 3; p++)
        pus[p].power = p == 2 ? 2.0 : 1.0;
    account(&r);
    assert_false(plb_losses_only_starts(&r));
    near(pus[1].rate_share, 0.25); /* by its power */
    near(NAMED(&r, PLB_LOST_TO_STARTS), 0.25 * 9.9);
    pus[1].power = 0.0;
    snprintf(pus[1].name, sizeof pus[1].name, "p0"); /* it is like this one */
    account(&r);
    near(pus[1].rate_share, 0.25);
    pus[1].unit_s = 1e-9; /* nor does one unit tell it */
    pus[1].unit_seen = true;
    snprintf(pus[1].name, sizeof pus[1].name, "p1");
    account(&r);
    near(pus[1].rate_share, 0.0);
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
    pus[0].others_waited_s = 10.0;
    account(&r);
    assert_int_equal(plb_losses_largest(&r), PLB_LOST_TO_IMBALANCE);
    assert_int_equal(r.losses[PLB_LOST_TO_IMBALANCE].pu, 0);
    assert_int_equal(r.losses[PLB_LOST_TO_TAIL].pu, 0);
    near(NAMED(&r, PLB_LOST_TO_IMBALANCE), 4.0 * NAMED(&r, PLB_LOST_TO_TAIL));
    assert_non_null(strstr(text_of(plb_verdict_print, &r),
                           ". PU 0 (p0) was granted 25 % of the work, but its share of the total rate "
                           "is 14 %."));
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
    pus[1].unit_s = 1e-9; /* the least that one unit may take, of which it has not reported any */
    account(&r);
    near(r.ideal_s, 10.0);
    near(pus[1].rate_share, 0.0);
    for (int p = 0; p < 3; p++)
        pus[p].power = p == 1 ? 5.0 : 10.0; /* of these, the others have 1.5 a second each */
    account(&r);
    near(pus[1].rate_share, 0.2);
    pus[1].unit_s = 0.1;
    pus[1].unit_seen = true;
    account(&r);
    near(r.ideal_s, 7.5);
}

/* The ideal has the work of repeated passes, and the bound does not: nothing is said of it. */
static void repeated_passes_are_named(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = perfect(pus);
    assert_non_null(strstr(text_of(plb_report_line, &r), "; bound 10.00 s, "));
    r.passes_again = 1;
    r.again_s = 4.0;
    plb_report_derive(&r);
    account(&r);
    assert_non_null(
        strstr(text_of(plb_verdict_print, &r), " Repeated passes took 40 % of the run. No single"));
    assert_non_null(strstr(text_of(plb_report_line, &r), "; bound unknown (passes were repeated), "));
    assert_non_null(strstr(text_of(plb_report_line, &r), "; 1 pass re-executed in 4.00 s; "));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_perfect_run_loses_nothing),
        cmocka_unit_test(copies_count_by_the_rate_of_their_pu),
        cmocka_unit_test(page_locks_count_where_nothing_hides_them),
        cmocka_unit_test(a_loss_of_several_pus_is_their_nodes_or_everybodys),
        cmocka_unit_test(what_all_pus_of_a_node_wait_for_is_their_nodes),
        cmocka_unit_test(a_task_that_is_a_whole_share_is_imbalance),
        cmocka_unit_test(tasks_that_are_all_start_are_lost_to_starts),
        cmocka_unit_test(a_pu_that_only_starts_has_the_rate_of_others),
        cmocka_unit_test(waits_at_the_end_belong_to_who_is_late),
        cmocka_unit_test(every_second_has_one_name),
        cmocka_unit_test(waits_while_the_master_solves_are_its_own),
        cmocka_unit_test(a_pu_without_work_could_have_worked),
        cmocka_unit_test(repeated_passes_are_named),
        cmocka_unit_test(a_report_of_nothing_has_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
