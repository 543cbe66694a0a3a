/* A PU whose device fails, as its node sees it: all that it has goes back to the master, and others go on. */
#include "worker_fixture.h"

static const struct plb_device_failure broken = {.status = 700, .text = "it broke", .among = {0, 50}};

/* The FAILs that wait: how many, and their units. */
static int failures(struct fixture *f, int64_t *units)
{
    int n = 0;
    *units = 0;
    f->out.n = 0;
    plb_worker_collect(f->worker, 0.0, &f->out);
    for (int i = 0; i < f->out.n; i++) {
        const struct plb_message *m = &f->out.at[i];
        assert_null(plb_message_check(m, m->size, NODES));
        if (m->type != PLB_FAIL)
            continue;
        assert_true(m->fail.text[0] != '\0');
        *units += m->fail.range.count;
        n++;
    }
    return n;
}

static void all_that_it_has_goes_back(void **state)
{
    struct fixture f;
    int64_t units;
    (void)state;
    start(&f, 2, &migration_on);
    block(&f, 1, 0, 4, 0, 50, 10);
    block(&f, 1, 0, 6, 50, 30, 10);
    block(&f, 1, 1, 5, 100, 10, 10);
    struct plb_slice task;
    assert_true(plb_worker_take(f.worker, 0, &task));
    plb_worker_leave(f.worker, 0, &task, &broken);
    assert_int_equal(failures(&f, &units), 3); /* the task, and what two blocks have left */
    assert_int_equal(units, 80);
    assert_string_equal(f.out.at[0].fail.text, "it broke");
    assert_int_equal(f.out.at[0].fail.among.count, 50);
    expect_nothing(&f, 0);
    expect(&f, 1, 5, 100, 10);
    stop(&f);
}

static void what_reaches_it_later_goes_back(void **state)
{
    struct fixture f;
    int64_t units;
    (void)state;
    start(&f, 2, &migration_on);
    block(&f, 1, 0, 4, 0, 10, 10);
    struct plb_slice task;
    assert_true(plb_worker_take(f.worker, 0, &task));
    plb_worker_leave(f.worker, 0, &task, &broken);
    failures(&f, &units);
    assert_true(block(&f, 1, 0, 6, 20, 30, 10));
    assert_int_equal(failures(&f, &units), 1);
    assert_int_equal(units, 30);
    assert_true(begin(&f, 2, 0)); /* also in the next pass */
    assert_true(block(&f, 2, 0, 8, 20, 40, 10));
    assert_int_equal(failures(&f, &units), 1);
    assert_int_equal(units, 40);
    struct plb_message copy = message(PLB_BACKUP, 0, 2);
    copy.block = (struct plb_block){{0, 5}, 9, 5, 0, 0.0, 0};
    assert_false(receive(&f, &copy)); /* somebody else has these units */
    assert_int_equal(failures(&f, &units), 0);
    stop(&f);
}

static void a_gift_goes_to_another_pu_or_back(void **state)
{
    struct fixture f;
    int64_t units;
    (void)state;
    start(&f, 2, &migration_on);
    serve(&f, 0);
    serve(&f, 1);
    struct plb_slice task = {.range = {UNITS - 1, 1}, .block = 99, .pass = 1};
    plb_worker_leave(f.worker, 0, &task, &broken);
    failures(&f, &units);
    gift(&f, 1, 2, 300, 5);
    assert_int_equal(failures(&f, &units), 0);
    assert_true(taken(&f, 1) > 0);
    plb_worker_leave(f.worker, 1, &task, &broken);
    failures(&f, &units);
    gift(&f, 1, 2, 400, 7);
    assert_int_equal(failures(&f, &units), 1);
    assert_int_equal(units, 7);
    stop(&f);
}

static void it_does_not_count_as_slow(void **state)
{
    struct fixture f;
    int64_t units;
    (void)state;
    start(&f, 2, &migration_on);
    serve(&f, 0);
    block(&f, 1, 1, 5, 100, 100, 10);
    struct plb_slice task = {.range = {UNITS - 1, 1}, .block = 99, .pass = 1};
    assert_true(taken(&f, 1) > 0);
    done(&f, 1, 5, 100, 10, PLB_NO_SLOT);
    plb_worker_leave(f.worker, 0, &task, &broken); /* it has never reported a task */
    failures(&f, &units);
    struct plb_message m = message(PLB_STEAL, 2, 1);
    m.steal = (struct plb_steal){1.0, 1.0, 1.0};
    f.out.n = 0;
    receive(&f, &m);
    assert_true(f.out.n > 0 && f.out.at[0].type == PLB_GIFT && f.out.at[0].gifts.rate > 0.0);
    stop(&f);
}

/* It has nothing in hand, and results that it had reported are lost with it. */
static void a_device_may_fail_without_a_task(void **state)
{
    struct plb_device_failure lost = broken;
    struct fixture f;
    int64_t units;
    (void)state;
    lost.lost = true;
    start(&f, 2, &migration_on);
    block(&f, 1, 0, 4, 20, 30, 10);
    plb_worker_end(f.worker, 0, &lost);
    assert_int_equal(failures(&f, &units), 2);
    const struct plb_failure *first = &f.out.at[0].fail, *second = &f.out.at[1].fail;
    assert_true(first->lost && first->copy && !second->lost && !second->copy); /* nobody misses unit 0 */
    assert_true(second->range.first == 20 && second->range.count == 30);
    expect_nothing(&f, 0);
    plb_worker_leave(f.worker, 0, &(struct plb_slice){.range = {0, 5}, .pass = 1}, &lost);
    failures(&f, &units);
    assert_false(f.out.at[0].fail.lost); /* it is told once */
    stop(&f);
}

static void a_bye_has_possible_counts(void **state)
{
    (void)state;
    struct plb_message bye = message(PLB_BYE, 1, 0);
    assert_null(plb_message_check(&bye, bye.size, NODES));
    bye.bye.copied_out[PLB_LEAST - 1] = -1;
    assert_non_null(plb_message_check(&bye, bye.size, NODES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_it_has_goes_back),
        cmocka_unit_test(what_reaches_it_later_goes_back),
        cmocka_unit_test(a_gift_goes_to_another_pu_or_back),
        cmocka_unit_test(it_does_not_count_as_slow),
        cmocka_unit_test(a_device_may_fail_without_a_task),
        cmocka_unit_test(a_bye_has_possible_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
