/* The worker's queues and reports, event by event. */
#include "worker_fixture.h"

static void tasks_are_cut_off_the_front(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 2, &migration_on);
    block(&f, 1, 0, 7, 100, 10, 4);
    block(&f, 1, 0, 8, 200, 3, 3);
    block(&f, 1, 1, 9, 300, 1, 5);
    expect(&f, 0, 7, 100, 4);
    expect(&f, 0, 7, 104, 3); /* as many as a grain of 4 asks for, but of one size */
    expect(&f, 0, 7, 107, 3);
    expect(&f, 0, 8, 200, 3);
    expect_nothing(&f, 0);
    expect(&f, 1, 9, 300, 1);
    stop(&f);
}

static void the_queue_grows_and_wraps(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 1, &migration_on);
    int64_t pushed = 0, got = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 7; i++, pushed++)
            block(&f, 1, 0, pushed, pushed * 2, 1, 1);
        assert_true(plb_worker_queued(f.worker) == (double)(pushed - got));
        for (int i = 0; i < 5; i++, got++)
            expect(&f, 0, got, got * 2, 1);
    }
    for (; got < pushed; got++)
        expect(&f, 0, got, got * 2, 1);
    expect_nothing(&f, 0);
    stop(&f);
}

static void neighbours_are_reported_together(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 2, &migration_on);
    done(&f, 0, 1, 0, 10, PLB_NO_SLOT);
    done(&f, 1, 2, 50, 5, PLB_NO_SLOT); /* another PU in between does not part them */
    done(&f, 0, 1, 10, 10, PLB_NO_SLOT);
    done(&f, 0, 1, 30, 10, PLB_NO_SLOT); /* a gap */
    done(&f, 0, 3, 40, 10, PLB_NO_SLOT); /* another block */
    plb_worker_collect(f.worker, 0.0, &f.out);
    assert_int_equal(f.out.n, 4);
    const struct plb_message *m = f.out.at;
    assert_int_equal(m[0].done.range.count, 20);
    assert_int_equal(m[0].done.tasks, 2);
    assert_true(m[0].done.execute_s == 2.0 && m[0].done.transfer_s == 0.5);
    for (int i = 0; i < 4; i++)
        assert_true(m[i].type == PLB_DONE && m[i].from == OWN && m[i].to == 0 && m[i].pass == 1);
    assert_true(m[0].pu == 0 && m[1].pu == 1);
    assert_int_equal(m[2].done.range.first, 30);
    assert_int_equal(m[3].done.block, 3);
    done(&f, 0, 3, 50, 10, PLB_NO_SLOT); /* what was collected grows no more */
    plb_worker_collect(f.worker, 0.0, &f.out);
    assert_int_equal(f.out.n, 5);
    stop(&f);
}

static void what_has_data_is_reported_alone(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 1, &migration_on);
    done(&f, 0, 1, 0, 10, 2);
    done(&f, 0, 1, 10, 10, 3);
    done(&f, 0, 1, 20, 10, PLB_NO_SLOT);
    plb_worker_collect(f.worker, 0.0, &f.out);
    assert_int_equal(f.out.n, 3);
    assert_int_equal(f.out.at[0].done.slot, 2);
    assert_int_equal(f.out.at[1].done.slot, 3);
    assert_int_equal(f.out.at[2].done.slot, PLB_NO_SLOT);
    stop(&f);
}

/* A report that has results, or ends what the PU has of a block, should not wait. */
static void a_report_tells_whether_it_may_wait(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 1, &migration_on);
    block(&f, 1, 0, 7, 0, 10, 5);
    block(&f, 1, 0, 8, 10, 10, 5);
    expect(&f, 0, 7, 0, 5);
    assert_false(done(&f, 0, 7, 0, 5, PLB_NO_SLOT)); /* the PU has more of this block */
    expect(&f, 0, 7, 5, 5);
    assert_true(done(&f, 0, 7, 5, 5, PLB_NO_SLOT));
    expect(&f, 0, 8, 10, 5);
    assert_true(done(&f, 0, 8, 10, 5, 0)); /* results */
    expect(&f, 0, 8, 15, 5);
    assert_true(done(&f, 0, 8, 15, 5, PLB_NO_SLOT));
    stop(&f);
}

/* PU 0 of two of each of so many nodes has ended three of the four tasks of a block, and PU 1 both of one. */
static void execute_most_of_a_block(struct fixture *f, int n_nodes)
{
    const struct plb_worker_pu pus[2] = {{1.0, {INT64_MAX, INFINITY}, false},
                                         {1.0, {INT64_MAX, INFINITY}, false}};
    struct plb_worker_config config = {.node = OWN,
                                       .n_nodes = n_nodes,
                                       .n_pus = 2,
                                       .pus = pus,
                                       .sizes = &f->sizes,
                                       .maps = f->maps,
                                       .n_phases = PHASES,
                                       .migration = migration_on};
    prepare(f, 2, pus, NULL, &migration_on);
    plb_worker_free(f->worker);
    f->worker = plb_worker_new(&config);
    begin(f, 1, 0);
    block(f, 1, 0, 7, 0, 20, 5);
    block(f, 1, 1, 8, 50, 10, 5);
    for (int i = 0; i < 2; i++) {
        expect(f, 0, 7, 5 * i, 5);
        expect(f, 1, 8, 50 + 5 * i, 5);
        done(f, 0, 7, 5 * i, 5, PLB_NO_SLOT);
        done(f, 1, 8, 50 + 5 * i, 5, PLB_NO_SLOT);
    }
    plb_worker_collect(f->worker, 10.0, &f->out);
    expect(f, 0, 7, 10, 5);
    done(f, 0, 7, 10, 5, PLB_NO_SLOT);
}

static void where_there_are_many_pus_reports_grow(void **state)
{
    struct fixture f;
    (void)state;
    execute_most_of_a_block(&f, 500); /* 1,000 PUs: each hears at once */
    assert_int_equal(f.out.n, 2);
    stop(&f);
    execute_most_of_a_block(&f, 2001);
    assert_int_equal(f.out.n, 1);
    assert_int_equal(f.out.at[0].pu, 1);
    plb_worker_collect(f.worker, 10.019, &f.out);
    assert_int_equal(f.out.n, 1);
    plb_worker_collect(f.worker, 10.021, &f.out);
    assert_int_equal(f.out.n, 2);
    assert_int_equal(f.out.at[1].done.range.count, 15);
    assert_int_equal(f.out.at[1].done.tasks, 3);
    expect(&f, 0, 7, 15, 5);
    done(&f, 0, 7, 15, 5, PLB_NO_SLOT); /* the block's end waits for nothing */
    plb_worker_collect(f.worker, 10.022, &f.out);
    assert_int_equal(f.out.n, 3);
    stop(&f);
}

/* A run that ends early hears of all tasks first. */
static void no_report_waits_for_a_task_that_does_not_come(void **state)
{
    struct fixture f;
    (void)state;
    execute_most_of_a_block(&f, 2001);
    plb_worker_rest(f.worker);
    plb_worker_collect(f.worker, 10.001, &f.out);
    assert_int_equal(f.out.n, 2);
    assert_int_equal(f.out.at[1].done.range.count, 15);
    stop(&f);
}

static void a_new_pass_forgets_the_old_one(void **state)
{
    struct fixture f;
    struct plb_slice old;
    (void)state;
    start(&f, 1, &migration_on);
    block(&f, 1, 0, 1, 0, 10, 5);
    assert_true(plb_worker_take(f.worker, 0, &old));
    done(&f, 0, 9, 0, 10, PLB_NO_SLOT);
    assert_true(begin(&f, 2, 0));
    expect_nothing(&f, 0);
    assert_false(plb_worker_done(f.worker, 0, &old, 1.0, 0.0, PLB_NO_SLOT)); /* it ended after its pass */
    plb_worker_collect(f.worker, 0.0, &f.out);
    assert_int_equal(f.out.n, 0);
    assert_false(block(&f, 1, 0, 1, 0, 10, 10)); /* late, from the old pass */
    expect_nothing(&f, 0);
    assert_true(block(&f, 2, 0, 2, 0, 10, 10));
    expect(&f, 0, 2, 0, 10);
    assert_false(begin(&f, 2, 0)); /* again */
    assert_false(begin(&f, 1, 0));
    assert_int_equal(plb_worker_pass(f.worker), 2);
    stop(&f);
}

static void a_pass_has_its_phase_s_costs(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 1, &migration_on);
    assert_int_equal(plb_worker_phase(f.worker), 0);
    block(&f, 1, 0, 1, 500, 100, 100);
    assert_true(plb_worker_queued(f.worker) == 100.0);
    assert_true(begin(&f, 2, 1));
    assert_int_equal(plb_worker_phase(f.worker), 1);
    block(&f, 2, 0, 1, 500, 100, 100);
    assert_true(fabs(plb_worker_queued(f.worker) - 150.0) < 1e-9); /* 3 each, where the mean is 2 */
    assert_false(begin(&f, 3, PHASES));                            /* of no phase */
    assert_int_equal(plb_worker_pass(f.worker), 2);
    stop(&f);
}

/* BLOCK, EMPTY and GIFT may overtake the PASS that they belong to: they are kept for it. */
static void what_overtakes_its_pass_is_kept(void **state)
{
    (void)state;
    for (int before = 0; before <= 1; before++) { /* before the first pass, and in it */
        struct fixture f;
        const struct plb_worker_pu pu = {1.0, {INT64_MAX, INFINITY}, false};
        prepare(&f, 1, &pu, NULL, &migration_on);
        if (!before)
            begin(&f, 1, 0);
        int next = plb_worker_pass(f.worker) + 1;
        for (int i = 0; i < 30; i++) /* more than an outbox has room for at first */
            assert_true(block(&f, next, 0, i, 10 * i, 10, 10));
        assert_true(empty(&f, next, 0.0, 5.0));
        assert_true(gift(&f, next, 2, 900, 3));
        assert_true(block(&f, next + 1, 0, 77, 0, 1, 1)); /* of the pass after that */
        expect_nothing(&f, 0);
        assert_false(plb_worker_shares(f.worker));
        assert_true(begin(&f, next, 0));
        assert_true(plb_worker_shares(f.worker));
        assert_true(plb_worker_queued(f.worker) == 303.0);
        assert_true(begin(&f, next + 1, 0));
        assert_false(plb_worker_shares(f.worker));
        expect(&f, 0, 77, 0, 1);
        expect_nothing(&f, 0);
        stop(&f);
    }
}

static void what_is_kept_is_dropped_when_its_pass_is_skipped(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 1, &migration_on);
    assert_true(block(&f, 2, 0, 1, 0, 10, 10));
    assert_true(block(&f, 3, 0, 2, 10, 10, 10));
    assert_true(begin(&f, 3, 0));
    expect(&f, 0, 2, 10, 10);
    expect_nothing(&f, 0);
    stop(&f);
}

static void what_belongs_to_an_older_pass_is_dropped(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 1, &migration_on);
    assert_true(begin(&f, 2, 0));
    serve(&f, 0);
    assert_false(gift(&f, 1, 2, 40, 2));
    assert_false(empty(&f, 1, 10.0, 20.0));
    assert_false(block(&f, 1, 0, 3, 0, 5, 5));
    assert_false(plb_worker_shares(f.worker));
    expect_nothing(&f, 0);
    stop(&f);
}

static void nonsense_is_dropped(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 1, &migration_on);
    assert_false(block(&f, 1, 1, 1, 0, 10, 10)); /* there is one PU */
    assert_false(block(&f, 1, INT32_MAX, 1, 0, 10, 10));
    assert_false(block(&f, 1, 0, 1, UNITS - 5, 10, 10)); /* beyond the last unit */
    struct plb_message m = message(PLB_BLOCK, 0, 1);
    m.block = (struct plb_block){{0, 0}, 1, 10, 0, 0.0, 0};
    assert_non_null(plb_message_check(&m, m.size, NODES));
    for (int type = 1; type < PLB_MESSAGE_TYPES; type++) {
        bool to_master = type == PLB_HELLO || type == PLB_FETCH || type == PLB_DONE || type == PLB_FAIL
                      || type == PLB_MOVED || type == PLB_BYE;
        m = message((enum plb_message_type)type, 0, 1);
        if (to_master)
            assert_false(plb_worker_receive(f.worker, &m, &f.out));
    }
    assert_int_equal(f.out.n, 0);
    expect_nothing(&f, 0);
    stop(&f);
}

static void a_failure_is_reported(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 1, &migration_on);
    struct plb_slice task = {.range = {30, 5}, .block = 2, .pass = 1};
    char long_text[300];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    plb_worker_fail(
        f.worker, 0, &task,
        &(struct plb_device_failure){.status = -3, .text = "", .among = task.range, .why = "x is negative"});
    plb_worker_fail(
        f.worker, 0, &task,
        &(struct plb_device_failure){.status = -4, .text = long_text, .among = task.range, .why = long_text});
    plb_worker_collect(f.worker, 0.0, &f.out);
    assert_int_equal(f.out.n, 2);
    for (int i = 0; i < 2; i++) {
        const struct plb_message *m = &f.out.at[i];
        assert_null(plb_message_check(m, m->size, NODES));
        assert_true(m->type == PLB_FAIL && m->to == 0);
        assert_int_equal(m->fail.status, -3 - i);
        assert_int_equal(m->fail.range.first, 30);
        assert_int_equal(m->fail.range.count, 5);
    }
    assert_string_equal(f.out.at[0].fail.text, "");
    assert_int_equal(strlen(f.out.at[1].fail.text), sizeof f.out.at[1].fail.text - 1);
    assert_string_equal(f.out.at[0].fail.why, "x is negative");
    assert_int_equal(strlen(f.out.at[1].fail.why), sizeof f.out.at[1].fail.why - 1);
    stop(&f);
}

static void a_stop_ends_sharing(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 1, &migration_on);
    empty(&f, 1, 0.0, 10.0);
    assert_true(plb_worker_shares(f.worker));
    struct plb_message m = message(PLB_STOP, 0, 1);
    assert_true(receive(&f, &m));
    assert_false(plb_worker_shares(f.worker));
    stop(&f);
}

/* The master refuses PU 1 for lack of memory: it never has a block, and gets no gift either. */
static void a_gift_goes_to_a_pu_that_has_had_blocks(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 2, &migration_on);
    assert_true(block(&f, 1, 0, 7, 0, 10, 10));
    assert_int_equal(taken(&f, 0), 10);
    expect_nothing(&f, 1);
    assert_true(gift(&f, 1, 2, 500, 4)); /* nobody is hungry any more */
    expect_nothing(&f, 1);
    expect(&f, 0, 9, 500, 4);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gift_goes_to_a_pu_that_has_had_blocks),
        cmocka_unit_test(tasks_are_cut_off_the_front),
        cmocka_unit_test(the_queue_grows_and_wraps),
        cmocka_unit_test(neighbours_are_reported_together),
        cmocka_unit_test(what_has_data_is_reported_alone),
        cmocka_unit_test(a_report_tells_whether_it_may_wait),
        cmocka_unit_test(where_there_are_many_pus_reports_grow),
        cmocka_unit_test(no_report_waits_for_a_task_that_does_not_come),
        cmocka_unit_test(a_new_pass_forgets_the_old_one),
        cmocka_unit_test(a_pass_has_its_phase_s_costs),
        cmocka_unit_test(what_overtakes_its_pass_is_kept),
        cmocka_unit_test(what_is_kept_is_dropped_when_its_pass_is_skipped),
        cmocka_unit_test(what_belongs_to_an_older_pass_is_dropped),
        cmocka_unit_test(nonsense_is_dropped),
        cmocka_unit_test(a_failure_is_reported),
        cmocka_unit_test(a_stop_ends_sharing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
