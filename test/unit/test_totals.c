/* Sums over the reports of PUs, from literals: who has waited at the end of a pass, and for whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/ledger/totals.h"

static void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9))
        fail_msg("got %.12g, expected %.12g", got, expected);
}

/* A pass from second 10 to 20, whose last report is of two tasks of 3 s, by PU 0. */
static void waits_are_tail_while_the_last_task_runs(void **state)
{
    (void)state;
    struct plb_pu_totals totals[4] = {{.latest = 20.0}, /* ended the pass */
                                      {.latest = 18.0}, /* waited for the last task alone */
                                      {.latest = 12.0}, /* waited for more */
                                      {.latest = 4.0}}; /* reported in an earlier pass: had nothing to do */
    struct plb_done done = {.tasks = 2, .execute_s = 5.0, .transfer_s = 1.0};
    plb_totals_end_pass(totals, 4, 0, &done, 10.0, 20.0);
    const double tail[] = {0.0, 2.0, 3.0, 3.0}, imbalance[] = {0.0, 0.0, 5.0, 7.0};
    for (int p = 0; p < 4; p++) {
        near(totals[p].tail_s, tail[p]);
        near(totals[p].imbalance_s, imbalance[p]);
        near(totals[p].others_waited_s, p == 0 ? 20.0 : 0.0);
    }
    totals[0].latest = 21.0; /* the next pass adds to it */
    plb_totals_end_pass(totals, 4, 1, &done, 20.0, 22.0);
    near(totals[0].tail_s, 1.0);
    near(totals[1].others_waited_s, 1.0 + 2.0 + 2.0);
    near(totals[2].imbalance_s, 5.0);
}

/* A PU that has failed waits for nobody. A time that is no number counts as none. */
static void failed_pus_and_bad_times_do_not_count(void **state)
{
    (void)state;
    struct plb_pu_totals totals[3] = {{.latest = 2.0}, {.latest = 0.0}, {.latest = 1.0}};
    struct plb_done done = {.tasks = 1, .execute_s = NAN, .transfer_s = -1.0};
    assert_true(plb_totals_fail(&totals[1], "broken"));
    plb_totals_end_pass(totals, 3, 0, &done, 0.0, 2.0);
    near(totals[1].tail_s + totals[1].imbalance_s, 0.0);
    near(totals[2].imbalance_s, 1.0);
    near(totals[0].others_waited_s, 1.0);
}

/* Of three reports the second one is the longest, and a shorter one after it changes nothing. */
static void the_longest_report_stays(void **state)
{
    (void)state;
    static const double seconds[] = {1.0, 3.0, 2.0};
    struct plb_pu_totals totals = {0};
    struct plb_pu_info info = {0};
    struct plb_ledger *ledger = plb_ledger_new(1, 1);
    for (int64_t i = 0; i < 3; i++) {
        const struct plb_done done = {.range = {10 * i, 10}, .tasks = 1, .execute_s = seconds[i]};
        plb_totals_count(&totals, &info, ledger, 0, &done, 10);
    }
    near(totals.longest_s, 3.0);
    assert_int_equal(totals.longest.first, 10);
    plb_ledger_free(ledger);
}

static void training_is_lost_as_far_as_nothing_was_done(void **state)
{
    (void)state;
    struct plb_pu_totals totals[2] = {{.execute_s = 1.0, .transfer_s = 0.5}, {.execute_s = 9.0}};
    plb_totals_end_training(totals, 2, 4.0);
    near(totals[0].training_s, 2.5);
    near(totals[1].training_s, 0.0);
}

/* Each report has the sum of all before it; one that comes late changes nothing. */
static void cores_and_copies_are_those_of_the_latest_report(void **state)
{
    (void)state;
    struct plb_pu_totals totals = {0};
    struct plb_pu_info info = {0};
    struct plb_ledger *ledger = plb_ledger_new(1, 1);
    const double cpu_s[] = {1.0, 3.0, 2.0, NAN};
    const int64_t copied[] = {10, 30, 20, 0};
    for (int i = 0; i < 4; i++) {
        struct plb_done done = {
            .tasks = 1, .range = {i, 1}, .so_far = {.cpu_s = cpu_s[i], .waited_s = 2.0 * cpu_s[i]}};
        done.so_far.copied_in = copied[i];
        done.so_far.copied_out = 2 * copied[i];
        done.so_far.locking_s = 3.0 * cpu_s[i];
        plb_totals_count(&totals, &info, ledger, 0, &done, 0);
    }
    near(totals.cpu_s, 3.0);
    near(totals.waited_s, 6.0);
    assert_true(totals.copied_in == 30 && totals.copied_out == 60);
    near(totals.locking_s, 9.0);
    plb_ledger_free(ledger);
}

/* PU 1 of node 1 executes units that were granted to PU 0 of node 0: a gift, or a copy that was faster. */
static void units_of_a_copy_were_not_given_away(void **state)
{
    (void)state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_cost_map costs;
    assert_int_equal(plb_cost_map_init(&costs, 10, NULL, NULL, &err), PLB_OK);
    for (int16_t copy = 0; copy <= 1; copy++) {
        struct plb_pu_totals totals[2] = {0};
        const struct plb_pu_info infos[2] = {{.node = 0}, {.node = 1}};
        struct plb_ledger *ledger = plb_ledger_new(2, 2);
        plb_ledger_begin(ledger, &costs, NULL);
        const struct plb_done done = {
            .range = {0, 10}, .tasks = 1, .copy = copy, .block = plb_ledger_grant(ledger, 0, 0, 10)};
        int64_t fresh = plb_ledger_accept(ledger, done.range, done.block);
        assert_int_equal(plb_totals_count(totals, infos, ledger, 1, &done, fresh), copy ? 0 : 10);
        assert_int_equal(totals[1].stolen_in, 10);
        plb_ledger_free(ledger);
    }
    plb_cost_map_fini(&costs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_are_tail_while_the_last_task_runs),
        cmocka_unit_test(failed_pus_and_bad_times_do_not_count),
        cmocka_unit_test(the_longest_report_stays),
        cmocka_unit_test(training_is_lost_as_far_as_nothing_was_done),
        cmocka_unit_test(cores_and_copies_are_those_of_the_latest_report),
        cmocka_unit_test(units_of_a_copy_were_not_given_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
