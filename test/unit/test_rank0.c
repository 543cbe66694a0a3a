/* Rank 0's receiver of messages, with neither MPI nor a node: which failure of a task ends the run. */
#include "master_fixture.h"

#include "rank0/rank0.h"

#define UNITS 8
#define NODES 2

static const struct plb_kernel kernel = {.name = "k", PLB_KERNEL_HEAD, .unit = "units"};

struct world {
    struct fixture f;
    struct plb_job job;
    struct plb_trace trace;
    struct plb_rank0 rank0;
    struct plb_cluster_options options;
    struct plb_error err;
    struct plb_rank r;
};

/* A pass of two nodes with a PU each: both hold blocks of several units. */
static void set_up(struct world *w)
{
    memset(w, 0, sizeof *w);
    start(&w->f, "greedy", 2.0, NODES, UNITS, NULL);
    w->job.kernel = w->job.app.kernel = &kernel;
    w->job.run.limit_s = INFINITY;
    plb_rank0_init(&w->rank0, &w->job, &w->trace, NODES, NODES, true);
    w->rank0.master = w->f.master;
    w->rank0.pus = w->f.pus;
    w->rank0.n_pus = NODES;
    w->rank0.in_pass = true;
    w->rank0.incoming = plb_incoming_new(&w->r.data, &(struct plb_incoming_calls){0}, NULL);
    w->r.data.units = UNITS;
    w->r.kernel = &kernel;
    w->r.options = &w->options;
    w->r.size = NODES;
    w->r.pass = w->f.pass;
    w->r.rank0 = &w->rank0;
    w->r.err = &w->err;
    for (int n = 0; n < NODES; n++)
        snprintf(w->f.pus[n].name, sizeof w->f.pus[n].name, "pu%d", n);
}

static void tear_down(struct world *w)
{
    w->rank0.master = NULL; /* the fixture's */
    w->rank0.pus = NULL;
    plb_rank0_fini(&w->rank0);
    plb_outbox_fini(&w->r.out);
    stop(&w->f);
}

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
    assert_non_null(strstr(w.err.text, "for units 0 to 1; no output is written"));
    tear_down(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_ends_the_run),
        cmocka_unit_test(a_failure_after_others_have_done_the_units_does_not),
        cmocka_unit_test(a_failure_counts_while_one_of_its_units_is_missing),
        cmocka_unit_test(a_failure_of_a_pass_that_is_over_does_not_end_the_run),
        cmocka_unit_test(an_interrupt_before_all_pus_are_known_fails_the_run),
        cmocka_unit_test(a_device_that_fails_does_not_end_the_run_unless_it_is_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
