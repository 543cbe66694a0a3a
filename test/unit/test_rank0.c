/* Rank 0's receiver of messages, with neither MPI nor a node: which failure of a task ends the run. */
#include "rank0_world.h"

/* A node's message arrives: it has done, or failed in, the units [skip, skip + count) of a block. */
static void has_done(struct world *w, int by, struct plb_message block, int64_t skip, int64_t count)
{
    struct plb_message m = done_of(&w->f, &block, by, skip, count);
    plb_rank0_receive(&w->r, &m);
}

static void has_failed(struct world *w, int by, struct plb_message block, int pass)
{
    struct plb_message m = message(&w->f, PLB_FAIL, by);
    m.pass = pass;
    m.fail = (struct plb_failure){.range = block.block.range, .block = block.block.id, .status = 7};
    plb_rank0_receive(&w->r, &m);
}

static bool has_stopped(const struct world *w)
{
    for (int i = 0; i < w->r.out.n; i++)
        if (w->r.out.at[i].type == PLB_STOP)
            return true;
    return false;
}

static void a_failure_ends_the_run(void **state)
{
    (void)state;
    struct world w;
    set_up(&w);
    has_failed(&w, 1, block_of(&w.f, 1), w.f.pass);
    assert_true(has_stopped(&w));
    assert_int_equal(w.err.status, PLB_EFAILED);
    assert_non_null(strstr(w.err.text, "k returned 7 on PU 'pu1' (rank 1 on "));
    tear_down(&w);
}

static void a_failure_after_others_have_done_the_units_does_not(void **state)
{
    (void)state;
    struct world w;
    set_up(&w);
    struct plb_message block = block_of(&w.f, 1);
    has_done(&w, 0, block, 0, block.block.range.count);
    has_failed(&w, 1, block, w.f.pass);
    assert_false(has_stopped(&w));
    assert_int_equal(w.err.status, PLB_OK);
    tear_down(&w);
}

static void a_failure_counts_while_one_of_its_units_is_missing(void **state)
{
    (void)state;
    struct world w;
    set_up(&w);
    struct plb_message block = block_of(&w.f, 1);
    assert_true(block.block.range.count > 1);
    has_done(&w, 0, block, 0, block.block.range.count - 1);
    has_failed(&w, 1, block, w.f.pass);
    assert_true(has_stopped(&w));
    tear_down(&w);
}

static void a_failure_of_a_pass_that_is_over_does_not_end_the_run(void **state)
{
    (void)state;
    struct world w;
    set_up(&w);
    has_failed(&w, 1, block_of(&w.f, 1), w.f.pass - 1);
    assert_false(has_stopped(&w));
    w.rank0.in_pass = false;
    has_failed(&w, 1, block_of(&w.f, 1), w.f.pass);
    assert_false(has_stopped(&w));
    assert_int_equal(w.err.status, PLB_OK);
    tear_down(&w);
}

/* Passes are repeated: tasks of the pass that broke read what was lost, so that a check of the kernel failed.
 * The master has begun the next pass, and rank 0 has not read its own PASS yet. */
static void a_failure_of_a_pass_that_broke_does_not_end_the_run(void **state)
{
    (void)state;
    struct world w;
    set_up(&w);
    const struct plb_message block = block_of(&w.f, 0);
    const int pass = w.f.pass;
    plb_master_break(w.f.master);
    begin(&w.f, 0, 0, 10.0, 2);
    assert_int_equal(w.r.pass, pass);
    has_failed(&w, 0, block, pass);
    assert_false(has_stopped(&w));
    assert_int_equal(w.err.status, PLB_OK);
    tear_down(&w);
}

/* A rank that hangs at the start never says HELLO, and rank 0 leaves it behind (run/cluster.c). */
static void an_interrupt_before_all_pus_are_known_fails_the_run(void **state)
{
    (void)state;
    struct world w;
    set_up(&w);
    w.rank0.master = NULL;
    plb_rank0_interrupt(&w.r);
    assert_int_equal(w.r.status, PLB_EFAILED);
    assert_non_null(strstr(w.err.text, "interrupted by "));
    assert_int_equal(w.r.out.n, 0);
    tear_down(&w);
}

/* All that a node was granted comes back, since its device has failed. */
static void device_fails(struct world *w, int by)
{
    for (int i = w->f.out.n - 1; i >= 0; i--) {
        struct plb_message block = w->f.out.at[i], m = message(&w->f, PLB_FAIL, by);
        if (block.type != PLB_BLOCK || block.to != by)
            continue;
        m.fail = (struct plb_failure){
            .range = block.block.range, .block = block.block.id, .among = {0, 2}, .text = "it broke"};
        plb_rank0_receive(&w->r, &m);
    }
}

static void a_device_that_fails_does_not_end_the_run_unless_it_is_the_last(void **state)
{
    (void)state;
    struct world w;
    set_up(&w);
    device_fails(&w, 1);
    assert_false(has_stopped(&w));
    for (int i = 0; i < w.r.out.n; i++)
        assert_true(w.r.out.at[i].to != 1);
    assert_int_equal(w.err.status, PLB_OK);
    for (int i = 0; i < w.r.out.n; i++)
        *plb_outbox_copy(&w.f.out, &w.r.out.at[i]) = w.r.out.at[i];
    device_fails(&w, 0);
    assert_true(has_stopped(&w));
    assert_int_equal(w.err.status, PLB_EFAILED);
    assert_non_null(strstr(w.err.text, "k failed (it broke) on PU 'pu0' (rank 0 on "));
    assert_non_null(strstr(w.err.text, "for units 0 to 1; no output file is written"));
    tear_down(&w);
}

/* While other ranks open their PUs. */
static void a_rank_lost_before_the_run_begins_ends_it_with_a_remedy(void **state)
{
    (void)state;
    struct world w;
    const char *hosts[] = {"a", "b"};
    set_up(&w);
    w.rank0.master = NULL;
    w.r.hosts = hosts;
    plb_rank0_lose(&w.r, 1);
    assert_int_equal(w.r.status, PLB_EFAILED);
    assert_string_equal(w.err.text,
                        "rank 1 on b was lost before the first pass; the run cannot begin; start it again");
    tear_down(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_lost_before_the_run_begins_ends_it_with_a_remedy),
        cmocka_unit_test(a_failure_ends_the_run),
        cmocka_unit_test(a_failure_after_others_have_done_the_units_does_not),
        cmocka_unit_test(a_failure_counts_while_one_of_its_units_is_missing),
        cmocka_unit_test(a_failure_of_a_pass_that_is_over_does_not_end_the_run),
        cmocka_unit_test(a_failure_of_a_pass_that_broke_does_not_end_the_run),
        cmocka_unit_test(an_interrupt_before_all_pus_are_known_fails_the_run),
        cmocka_unit_test(a_device_that_fails_does_not_end_the_run_unless_it_is_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
