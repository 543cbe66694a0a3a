/* A device that fails drops out, as the master sees it: others get its units, it gets no more, and the run
 * ends with the last PU. */
#include "master_fixture.h"

static const struct plb_master_config migrating = {.migration = true, .backups = true};

/* Node `by` says that its PU's device has failed and will not execute these units of a block. */
static void fail_units(struct fixture *f, struct plb_message block, int by, int64_t skip, int64_t count)
{
    struct plb_message m = message(f, PLB_FAIL, by);
    struct plb_range range = {block.block.range.first + skip, count};
    m.fail = (struct plb_failure){
        .range = range, .block = block.block.id, .status = 700, .among = range, .text = "it broke"};
    receive(f, &m, 12.0);
}

/* All that a node has been sent. */
static int64_t units_for(const struct fixture *f, int from, int node)
{
    int64_t units = 0;
    for (int i = from; i < f->out.n; i++)
        if (f->out.at[i].type == PLB_BLOCK && f->out.at[i].to == node)
            units += f->out.at[i].block.range.count;
    return units;
}

static void others_get_its_units(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "static", 0.0, 3, 300, &migrating); /* a hundred each */
    struct plb_message one = block_of(&f, 1);
    int from = f.out.n;
    report(&f, one, 1, 0, 10);
    fail_units(&f, one, 1, 10, 20);
    fail_units(&f, one, 1, 30, 70);
    assert_int_equal(units_for(&f, from, 1), 0);
    assert_true(plb_master_failure(f.master) == NULL);
    finish_rest(&f, 0, 1);
    finish_rest(&f, from, 1);
    assert_true(plb_master_over(f.master));
    assert_string_equal(plb_master_totals(f.master, 1)->failure, "it broke");
    assert_int_equal(plb_master_regrants(f.master)->units[PLB_REGRANT_FAILED_PU], 90);
    begin(&f, 0, 0, 20.0, 3);
    assert_int_equal(units_for(&f, 0, 1), 100); /* nothing in the second pass */
    stop(&f);
}

static void a_failure_in_an_old_task_frees_nothing_and_counts(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "greedy", 2.0, 2, 100, &migrating);
    finish_rest(&f, 0, -1);
    assert_true(plb_master_over(f.master));
    struct plb_message old = block_of(&f, 1);
    begin(&f, 0, 0, 20.0, 2);
    int64_t held = units_for(&f, 0, 1);
    struct plb_message m = message(&f, PLB_FAIL, 1);
    m.pass = 1;
    m.fail = (struct plb_failure){
        .range = old.block.range, .block = old.block.id, .among = old.block.range, .text = "it broke"};
    receive(&f, &m, 21.0);
    assert_int_equal(plb_master_regrants(f.master)->units[PLB_REGRANT_FAILED_PU], 0);
    for (int i = f.out.n - 1; i >= 0;
         i--) /* what it was granted in this pass is on its way, and comes back */
        if (f.out.at[i].type == PLB_BLOCK && f.out.at[i].to == 1 && f.out.at[i].pass == f.pass)
            fail_units(&f, f.out.at[i], 1, 0, f.out.at[i].block.range.count);
    assert_int_equal(units_for(&f, 0, 1), held);
    finish_rest(&f, 0, 1);
    assert_true(plb_master_over(f.master));
    stop(&f);
}

static void the_last_pu_ends_the_run(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "greedy", 2.0, 2, 100, &migrating);
    for (int node = 0; node < 2; node++) {
        assert_null(plb_master_failure(f.master));
        for (int i = f.out.n - 1; i >= 0; i--)
            if (f.out.at[i].type == PLB_BLOCK && f.out.at[i].to == node)
                fail_units(&f, f.out.at[i], node, 0, f.out.at[i].block.range.count);
    }
    assert_non_null(strstr(plb_master_failure(f.master), "no PU is left"));
    stop(&f);
}

static void nonsense_is_dropped(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "greedy", 2.0, 2, 100, &migrating);
    struct plb_message m = message(&f, PLB_FAIL, 1);
    m.fail = (struct plb_failure){.range = {0, 1}, .among = {0, 1}};
    receive(&f, &m, 11.0); /* no device: the kernel has failed, which is not the master's business */
    m.pu = 1;
    memcpy(m.fail.text, "x", 2);
    receive(&f, &m, 11.0); /* the node has one PU */
    assert_int_equal(plb_master_counts(f.master)->dropped, 2);
    assert_string_equal(plb_master_totals(f.master, 1)->failure, "");
    stop(&f);
}

static double first_default(const struct plb_balancer *balancer)
{
    struct plb_param params[MAX_PARAMS] = {0};
    default_params(balancer, params);
    return params[0].value;
}

/* With every balancer, whoever fails and whenever, all units are accepted. */
static void every_balancer_goes_on(void **state)
{
    (void)state;
    for (int b = 0; plb_balancers[b] != NULL; b++) {
        if (strcmp(plb_balancers[b]->name, "oracle") == 0)
            continue; /* it knows a simulation */
        for (int after = 0; after < 6; after++) {
            struct fixture f;
            start(&f, plb_balancers[b]->name, first_default(plb_balancers[b]), 3, 3000, &migrating);
            int done = 0, failed = -1;
            for (int i = 0; i < f.out.n; i++) {
                if (f.out.at[i].type != PLB_BLOCK)
                    continue;
                if (failed < 0 && done++ == after)
                    failed = f.out.at[i].to;
                if (f.out.at[i].to == failed)
                    fail_units(&f, f.out.at[i], failed, 0, f.out.at[i].block.range.count);
                else
                    finish(&f, i);
            }
            if (!plb_master_over(f.master))
                fail_msg("%s does not end where PU %d fails", plb_balancers[b]->name, failed);
            stop(&f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_get_its_units),
        cmocka_unit_test(a_failure_in_an_old_task_frees_nothing_and_counts),
        cmocka_unit_test(the_last_pu_ends_the_run),
        cmocka_unit_test(nonsense_is_dropped),
        cmocka_unit_test(every_balancer_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
