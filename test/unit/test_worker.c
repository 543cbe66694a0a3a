/* The worker's queues and reports, event by event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/worker.h"

static void block(struct plb_worker *w, int pass, int pu, int64_t id, int64_t first, int64_t count, int64_t grain)
{
    struct plb_message m = {.type = PLB_BLOCK, .pu = pu, .pass = pass};
    m.range = (struct plb_range){first, count};
    m.block = id;
    m.grain = grain;
    plb_worker_block(w, &m);
}

static void expect(struct plb_worker *w, int pu, int64_t id, int64_t first, int64_t count)
{
    struct plb_slice p;
    assert_true(plb_worker_take(w, pu, &p));
    assert_int_equal(p.block, id);
    assert_int_equal(p.range.first, first);
    assert_int_equal(p.range.count, count);
}

static void expect_nothing(struct plb_worker *w, int pu)
{
    struct plb_slice p;
    assert_false(plb_worker_take(w, pu, &p));
}

static void done(struct plb_worker *w, int pu, int64_t id, int64_t first, int64_t count, int slot)
{
    struct plb_slice p = {{first, count}, id};
    plb_worker_done(w, pu, &p, 1.0, 0.25, slot);
}

static void tasks_are_cut_off_the_front(void **state)
{
    (void)state;
    struct plb_worker *w = plb_worker_new(3, 2);
    block(w, 0, 0, 7, 100, 10, 4);
    block(w, 0, 0, 8, 200, 3, 0); /* no grain: whole */
    block(w, 0, 1, 9, 300, 1, 5);
    expect(w, 0, 7, 100, 4);
    expect(w, 0, 7, 104, 3); /* as many as a grain of 4 asks for, but of one size */
    expect(w, 0, 7, 107, 3);
    expect(w, 0, 8, 200, 3);
    expect_nothing(w, 0);
    expect(w, 1, 9, 300, 1);
    plb_worker_free(w);
}

static void the_queue_grows_and_wraps(void **state)
{
    (void)state;
    struct plb_worker *w = plb_worker_new(0, 1);
    int64_t pushed = 0, taken = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 7; i++, pushed++)
            block(w, 0, 0, pushed, pushed * 10, 1, 1);
        for (int i = 0; i < 5; i++, taken++)
            expect(w, 0, taken, taken * 10, 1);
    }
    for (; taken < pushed; taken++)
        expect(w, 0, taken, taken * 10, 1);
    expect_nothing(w, 0);
    plb_worker_free(w);
}

static void neighbours_are_reported_together(void **state)
{
    (void)state;
    struct plb_worker *w = plb_worker_new(5, 2);
    struct plb_outbox out = {0};
    done(w, 0, 1, 0, 10, PLB_NO_SLOT);
    done(w, 1, 2, 50, 5, PLB_NO_SLOT); /* another PU in between does not part them */
    done(w, 0, 1, 10, 10, PLB_NO_SLOT);
    done(w, 0, 1, 30, 10, PLB_NO_SLOT); /* a gap */
    done(w, 0, 3, 40, 10, PLB_NO_SLOT); /* another block */
    plb_worker_collect(w, 0.0, &out);
    assert_int_equal(out.n, 4);
    assert_int_equal(out.at[0].range.count, 20);
    assert_int_equal(out.at[0].tasks, 2);
    assert_true(out.at[0].execute_s == 2.0 && out.at[0].transfer_s == 0.5);
    assert_int_equal(out.at[0].from, 5);
    assert_int_equal(out.at[0].to, 0);
    assert_int_equal(out.at[1].pu, 1);
    assert_int_equal(out.at[2].range.first, 30);
    assert_int_equal(out.at[3].block, 3);
    done(w, 0, 3, 50, 10, PLB_NO_SLOT); /* what was collected grows no more */
    plb_worker_collect(w, 0.0, &out);
    assert_int_equal(out.n, 5);
    plb_outbox_fini(&out);
    plb_worker_free(w);
}

static void what_has_data_is_reported_alone(void **state)
{
    (void)state;
    struct plb_worker *w = plb_worker_new(1, 1);
    struct plb_outbox out = {0};
    done(w, 0, 1, 0, 10, 2);
    done(w, 0, 1, 10, 10, 3);
    done(w, 0, 1, 20, 10, PLB_NO_SLOT);
    plb_worker_collect(w, 0.0, &out);
    assert_int_equal(out.n, 3);
    assert_int_equal(out.at[0].slot, 2);
    assert_int_equal(out.at[1].slot, 3);
    assert_int_equal(out.at[2].slot, PLB_NO_SLOT);
    plb_outbox_fini(&out);
    plb_worker_free(w);
}

static void a_new_pass_forgets_the_old_one(void **state)
{
    (void)state;
    struct plb_worker *w = plb_worker_new(1, 1);
    struct plb_outbox out = {0};
    block(w, 0, 0, 1, 0, 10, 10);
    done(w, 0, 9, 0, 10, PLB_NO_SLOT);
    plb_worker_pass(w, 1, NULL);
    expect_nothing(w, 0);
    plb_worker_collect(w, 0.0, &out);
    assert_int_equal(out.n, 0);
    block(w, 0, 0, 1, 0, 10, 10); /* late, from the old pass */
    expect_nothing(w, 0);
    block(w, 1, 0, 2, 0, 10, 10);
    expect(w, 0, 2, 0, 10);
    plb_outbox_fini(&out);
    plb_worker_free(w);
}

static void nonsense_is_dropped(void **state)
{
    (void)state;
    struct plb_worker *w = plb_worker_new(1, 1);
    block(w, 0, 1, 1, 0, 10, 10);
    block(w, 0, -1, 1, 0, 10, 10);
    block(w, 0, 0, 1, 0, 0, 10);
    expect_nothing(w, 0);
    plb_worker_free(w);
}

static void a_failure_is_reported(void **state)
{
    (void)state;
    struct plb_worker *w = plb_worker_new(4, 1);
    struct plb_outbox out = {0};
    struct plb_slice p = {{30, 5}, 2};
    plb_worker_fail(w, 0, &p, -3, "");
    plb_worker_collect(w, 0.0, &out);
    assert_int_equal(out.n, 1);
    assert_int_equal(out.at[0].type, PLB_FAIL);
    assert_int_equal(out.at[0].status, -3);
    assert_int_equal(out.at[0].range.first, 30);
    plb_outbox_fini(&out);
    plb_worker_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_are_cut_off_the_front),      cmocka_unit_test(the_queue_grows_and_wraps),
        cmocka_unit_test(neighbours_are_reported_together), cmocka_unit_test(what_has_data_is_reported_alone),
        cmocka_unit_test(a_new_pass_forgets_the_old_one),   cmocka_unit_test(nonsense_is_dropped),
        cmocka_unit_test(a_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
