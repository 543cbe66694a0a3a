/* Rank 0's receiver of messages, with neither MPI nor a node: which failure of a task ends the run, and what
 * becomes of results that stayed at ranks. */
#include "master_fixture.h"

#include "rank0/rank0_fetch.h"
#include "rank0/rank0_own_results.h"
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

/* Rank 0 of the fixture's pass. */
static void plug_in(struct world *w)
{
    int n = w->f.nodes;
    w->job.kernel = w->job.app.kernel = &kernel;
    w->job.run.limit_s = INFINITY;
    plb_rank0_init(&w->rank0, &w->job, &w->trace, n, n, true);
    w->rank0.master = w->f.master;
    w->rank0.pus = w->f.pus;
    w->rank0.n_pus = n;
    w->rank0.in_pass = true;
    w->rank0.incoming = plb_incoming_new(&w->r.data, &(struct plb_incoming_calls){0}, NULL);
    w->r.data.units = UNITS;
    w->r.kernel = &kernel;
    w->r.options = &w->options;
    w->r.size = n;
    w->r.pass = w->f.pass;
    w->r.rank0 = &w->rank0;
    w->r.err = &w->err;
    for (int i = 0; i < n; i++)
        snprintf(w->f.pus[i].name, sizeof w->f.pus[i].name, "pu%d", i);
}

/* A pass of two nodes with a PU each: both hold blocks of several units. */
static void set_up(struct world *w)
{
    memset(w, 0, sizeof *w);
    start(&w->f, "greedy", 2.0, NODES, UNITS, NULL);
    plug_in(w);
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
    assert_non_null(strstr(w.err.text, "for units 0 to 1; no output is written"));
    tear_down(&w);
}

/* ------------------------------------------------------ results that stay, and feed inputs */

enum { NOW, THEN };
static double now[UNITS], then[UNITS];

/* The data that rank 0 receives: the linker puts this in the place of plb_mpi_get. */
static struct receive {
    int from;
    void *data;
    size_t bytes;
    int *pending;
} receives[32];
static int n_receives;

void __wrap_plb_mpi_get(struct plb_mpi *mpi, int from, int tag, void *data, size_t bytes, int *pending);
void __wrap_plb_mpi_get(struct plb_mpi *mpi, int from, int tag, void *data, size_t bytes, int *pending)
{
    (void)mpi;
    (void)tag;
    receives[n_receives++] = (struct receive){from, data, bytes, pending};
    ++*pending;
}

/* The bytes from a rank arrive: that number again and again. */
static void bytes_arrive(int from, double number)
{
    for (int i = 0; i < n_receives; i++) {
        for (size_t at = 0; receives[i].from == from && at < receives[i].bytes; at += sizeof number)
            memcpy((char *)receives[i].data + at, &number, sizeof number);
        *receives[i].pending -= receives[i].from == from;
    }
}

/* Results stay where they are computed. */
static void execute_pass(struct world *w)
{
    for (int i = 0; i < w->f.out.n; i++)
        if (w->f.out.at[i].type == PLB_BLOCK)
            finish(&w->f, i);
    assert_true(plb_master_over(w->f.master));
    w->f.out.n = 0;
}

/* Two passes of three nodes are over, and the results of the second, which feed inputs, are being fetched. */
static void set_up_fetch(struct world *w)
{
    struct plb_master_config config = {.stays = PLB_BUFFER(THEN), .feeds_stay = true};
    memset(w, 0, sizeof *w);
    prepare(&w->f, "static", 0.0, 3, UNITS, &config);
    plb_master_feed(w->f.master, &(struct plb_feed){.output = THEN, .input = NOW, .now = 0}, 1);
    begin(&w->f, 0, 0, 10.0, 3);
    execute_pass(w);
    plb_master_feed(w->f.master, &(struct plb_feed){.output = THEN, .input = NOW, .now = 1}, 1);
    begin(&w->f, 0, 0, 20.0, 3);
    execute_pass(w);
    plug_in(w);
    w->rank0.in_pass = false;
    w->r.data.fed = PLB_BUFFER(NOW);
    w->r.data.n = 2;
    w->r.data.at[NOW] = (struct plb_data){.name = "now", .mode = PLB_PARTITION, .unit_bytes = 8};
    w->r.data.at[THEN] = (struct plb_data){.name = "then", .mode = PLB_OUTPUT, .unit_bytes = 8};
    w->r.data.host[NOW] = now;
    w->r.data.host[THEN] = then;
    n_receives = 0;
    assert_true(plb_fetch_results(&w->r, false));
}

/* A node announces the results that rank 0 has asked for. */
static void answer(struct world *w, int node)
{
    for (int i = 0; i < w->r.out.n; i++) {
        const struct plb_message asked = w->r.out.at[i];
        if (asked.type != PLB_FETCH || asked.to != node)
            continue;
        struct plb_message m = message(&w->f, PLB_FROM, node);
        m.sources = (struct plb_sources){.slot = asked.fetch.slot, .n = 1};
        m.sources.at[0] = (struct plb_source){asked.fetch.range, asked.fetch.buffers, node};
        plb_rank0_receive(&w->r, &m);
    }
}

static void a_loss_after_all_results_of_a_rank_have_come_repeats_nothing(void **state)
{
    (void)state;
    struct world w;
    set_up_fetch(&w);
    answer(&w, 1);
    bytes_arrive(1, 1.0);
    plb_fetch_collect(&w.r);
    assert_true(then[UNITS / 2] == 1.0);
    assert_true(plb_master_gathers(w.f.master));
    plb_rank0_lose(&w.r, 1);
    assert_int_equal(plb_master_lacking(w.f.master), 0);
    assert_false(w.rank0.redo.broken);
    assert_true(w.rank0.fetching.on);
    plb_rank0_lose(&w.r, 2);
    assert_true(w.rank0.redo.broken);
    tear_down(&w);
}

/* Passes are repeated then, and buffers are as they were before. A rank that was too slow goes on sending. */
static void bytes_of_a_lost_rank_reach_no_buffer(void **state)
{
    (void)state;
    struct world w;
    set_up_fetch(&w);
    answer(&w, 1);
    assert_true(n_receives > 0);
    plb_rank0_lose(&w.r, 1);
    assert_true(w.rank0.redo.broken);
    for (int u = 0; u < UNITS; u++)
        then[u] = now[u] = -1.0;
    bytes_arrive(1, 1.0);
    plb_fetch_collect(&w.r);
    for (int u = 0; u < UNITS; u++)
        assert_true(then[u] == -1.0 && now[u] == -1.0);
    tear_down(&w);
}

/* 20 passes were noted, of which the kernel has counted 40: the first of them begins again. */
static void a_repeated_pass_has_the_kernel_s_number(void **state)
{
    (void)state;
    struct world w;
    set_up_fetch(&w);
    w.r.pass = 45;
    w.rank0.repairs = 24;
    w.rank0.redo.n = 20;
    assert_int_equal(plb_rank0_kernel_pass(&w.r), 21);
    assert_true(plb_redo_repeats(&w.rank0.redo));
    w.rank0.redo.at = 19;
    assert_false(plb_redo_repeats(&w.rank0.redo));
    w.rank0.redo.n = 0;
    tear_down(&w);
}

/* A device of a rank fails, which goes on with others. */
static void results_that_a_device_takes_along_repeat_passes(void **state)
{
    (void)state;
    struct world w;
    set_up_fetch(&w);
    struct plb_message m = message(&w.f, PLB_FAIL, 1);
    m.fail = (struct plb_failure){.range = {0, 1}, .copy = 1, .text = "it broke"};
    plb_rank0_receive(&w.r, &m);
    assert_true(w.rank0.fetching.on && !w.rank0.redo.broken);
    m.fail.lost = 1;
    plb_rank0_receive(&w.r, &m);
    assert_true(!w.rank0.fetching.on && w.rank0.redo.broken);
    tear_down(&w);
}

/* Of a pass that is over nobody wants the inputs; rank 0's buffers have the results. The test has no node. */
static void nothing_is_brought_after_a_pass(void **state)
{
    (void)state;
    struct world w;
    set_up_fetch(&w);
    plb_own_results_give(&w.r, PLB_BUFFER(NOW), (struct plb_range){0, 1});
    w.rank0.in_pass = w.r.stopped = true;
    plb_own_results_give(&w.r, PLB_BUFFER(NOW), (struct plb_range){0, 1});
    tear_down(&w);
}

/* A node asks for inputs of a pass that is over. Perhaps this pass has not fed them, and its place has the
 * only copy: nobody sends it any other bytes. */
static void a_late_question_changes_no_inputs(void **state)
{
    struct world w;
    (void)state;
    set_up(&w);
    w.r.data.n = 1;
    w.r.data.at[0] = (struct plb_data){.name = "in", .mode = PLB_PARTITION, .unit_bytes = 8};
    w.r.data.fed = PLB_BUFFER(0);
    w.r.out.n = 0;
    struct plb_message m = {.type = PLB_FETCH, .from = 1, .to = 0, .pass = w.r.pass - 1};
    m.fetch = (struct plb_fetch){{2, 4}, 3, PLB_BUFFER(0), 1, 0, 0};
    plb_fetch_serve(&w.r, &m);
    assert_int_equal(w.r.out.n, 1);
    const struct plb_message *from = &w.r.out.at[0];
    assert_true(from->type == PLB_FROM && from->to == 1 && from->sources.last);
    assert_true(from->sources.n == 1 && from->sources.at[0].node == 1);
    assert_true(from->sources.at[0].range.first == 2 && from->sources.at[0].range.count == 4);
    tear_down(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_question_changes_no_inputs),
        cmocka_unit_test(a_loss_after_all_results_of_a_rank_have_come_repeats_nothing),
        cmocka_unit_test(bytes_of_a_lost_rank_reach_no_buffer),
        cmocka_unit_test(a_repeated_pass_has_the_kernel_s_number),
        cmocka_unit_test(results_that_a_device_takes_along_repeat_passes),
        cmocka_unit_test(nothing_is_brought_after_a_pass),
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
