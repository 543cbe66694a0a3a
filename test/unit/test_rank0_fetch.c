/* Rank 0's part in results that stayed at ranks and become inputs, with neither MPI nor a node. */
#include "rank0_world.h"

#include "rank0/rank0_fetch.h"
#include "rank0/rank0_own_results.h"

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

bool __wrap_plb_mpi_is_lost(const struct plb_mpi *mpi, int rank);
bool __wrap_plb_mpi_is_lost(const struct plb_mpi *mpi, int rank)
{
    return mpi != NULL || rank < 0;
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

/* Two passes of three nodes are over. Results of the first are inputs, and those of the second may be. */
static void set_up_results(struct world *w)
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
}

/* They are being fetched. */
static void set_up_fetch(struct world *w)
{
    set_up_results(w);
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

/* Rank 0 replaced so much that results are due: inputs come with them that it has as they were before. */
static void old_inputs_come_with_results_that_are_due(void **state)
{
    (void)state;
    struct world w;
    set_up_results(&w);
    w.rank0.redo.old = PLB_BUFFER(NOW);
    w.rank0.redo.bytes = 1e12;
    assert_true(plb_fetch_results(&w.r, true));
    const int inputs = n_receives;
    assert_int_equal(inputs, 2); /* of each rank */
    assert_true(receives[0].data != receives[1].data && receives[0].bytes + receives[1].bytes < sizeof now);
    answer(&w, 1);
    answer(&w, 2);
    for (int i = inputs; i < n_receives; i++)
        --*receives[i].pending;
    plb_fetch_collect(&w.r);
    assert_false(plb_master_gathers(w.f.master));
    assert_true(w.rank0.fetching.on && !w.rank0.redo.complete);
    plb_rank0_lose(&w.r, 2);
    assert_true(!w.rank0.fetching.on && w.rank0.redo.broken);
    n_receives = inputs;
    bytes_arrive(1, 1.0);
    plb_fetch_collect(&w.r);
    tear_down(&w);
}

/* A pass begins with these feeds; gathered: rank 0 has the results of the last one. */
static void note(struct world *w, int fed, bool gathered)
{
    struct plb_pass pass = {.n_feeds = 2, .feeds = {{2, 0, fed & 1}, {3, 1, fed >> 1}}};
    w->rank0.redo.complete = gathered;
    plb_redo_note(&w->r, &pass);
}

/* A loss repeats the passes since rank 0 had all inputs, though each pass feeds one of two. */
static void all_inputs_are_there_after_two_gatherings(void **state)
{
    static double data[4][UNITS];
    static const struct {
        int fed, noted;
        bool gathered;
    } passes[] = {{0, 1, false}, {1, 2, false}, {2, 3, false}, {1, 4, true},  {2, 1, true},
                  {1, 2, false}, {1, 1, true},  {0, 1, false}, {2, 2, false}, {3, 1, true}};
    (void)state;
    struct world w;
    set_up_results(&w);
    w.r.data.n = 4;
    w.r.data.fed = PLB_BUFFER(0) | PLB_BUFFER(1);
    for (int i = 0; i < 4; i++) {
        w.r.data.at[i] = (struct plb_data){.mode = i < 2 ? PLB_PARTITION : PLB_OUTPUT, .unit_bytes = 8};
        w.r.data.host[i] = data[i];
    }
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        note(&w, passes[i].fed, passes[i].gathered);
        assert_int_equal(w.rank0.redo.n, passes[i].noted);
    }
    plb_redo_fini(&w.rank0.redo);
    memset(&w.rank0.redo, 0, sizeof w.rank0.redo);
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
 * only copy: nobody sends it any other bytes. Perhaps it has none of them: it is not told that it has. */
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
    assert_true(from->sources.slot == 3 && from->sources.n == 0);
    tear_down(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_question_changes_no_inputs),
        cmocka_unit_test(a_loss_after_all_results_of_a_rank_have_come_repeats_nothing),
        cmocka_unit_test(bytes_of_a_lost_rank_reach_no_buffer),
        cmocka_unit_test(old_inputs_come_with_results_that_are_due),
        cmocka_unit_test(all_inputs_are_there_after_two_gatherings),
        cmocka_unit_test(a_repeated_pass_has_the_kernel_s_number),
        cmocka_unit_test(results_that_a_device_takes_along_repeat_passes),
        cmocka_unit_test(nothing_is_brought_after_a_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
