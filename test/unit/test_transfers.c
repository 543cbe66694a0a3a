/* The order in which a node asks for inputs. */
#include <setjmp.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "node/daemon.h"
#include "node/daemon_state.h"
#include "stub_device.h"

#define UNITS 8
#define HANG 20 /* seconds until a test that hangs is ended */

static int *on_the_way;  /* the counter of the latest transfer */
static const char *into; /* where it goes */
static int lost;         /* a rank; 0: none */

/* Nothing arrives before a test says so. */
static void slow_get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    (void)from;
    (void)context, (void)tag, (void)bytes;
    into = data;
    on_the_way = pending;
    ++*pending;
}

static void no_put(void *context, int to, int tag, const void *data, size_t bytes, int *pending)
{
    (void)to;
    (void)context, (void)tag, (void)data, (void)bytes, (void)pending;
}

static bool is_lost(void *context, int rank)
{
    (void)context;
    return rank != 0 && rank == lost;
}

static int no_entry(const struct plb_task *task)
{
    (void)task;
    return 0;
}

static const struct plb_device_driver driver = {.name = "quick", .entry = stub_entry, .ops = {STUB_OPS}};
static const struct plb_kernel kernel = {.name = "none", PLB_KERNEL_HEAD, .unit = "units", .cpu = no_entry};
static const struct plb_cost_map map = {.units = UNITS, .bucket = 1, .n = UNITS, .per_work = 1.0};

static void begin_pass(struct plb_node *node, int pass)
{
    struct plb_outbox box = {0}, out = {0};
    plb_outbox_add(&box, PLB_PASS, 0, 1, pass);
    plb_outbox_add(&box, PLB_BLOCK, 0, 1, pass)->block = (struct plb_block){
        .range = {0, UNITS}, .id = 0, .grain = 1};
    assert_true(plb_node_receive(node, &box.at[0], &out));
    assert_true(plb_node_receive(node, &box.at[1], &out));
    plb_outbox_fini(&box);
    plb_outbox_fini(&out);
}

/* A node of rank 1 that may keep so many bytes. */
static struct plb_node *start_with(const struct plb_dataset *set, double mirror_bytes)
{
    struct plb_node *node;
    struct plb_error err = {.status = PLB_OK};
    struct plb_node_pu pu = {.driver = &driver, .device.config.threads = 1};
    struct plb_node_config config = {.rank = 1,
                                     .n_nodes = 2,
                                     .kernel = &kernel,
                                     .data = set,
                                     .maps = &map,
                                     .mirror_bytes = mirror_bytes,
                                     .wire = {NULL, slow_get, no_put, is_lost}};
    pu.info = (struct plb_pu_info){.node = 1, .power = 1.0, .memory = 1e12};
    alarm(HANG);
    assert_int_equal(plb_node_start(&config, &pu, 1, &node, &err), PLB_OK);
    return node;
}

/* It has a block of all units, a task each. */
static struct plb_node *start(const struct plb_dataset *set)
{
    struct plb_node *node = start_with(set, 0.0);
    begin_pass(node, 1);
    return node;
}

static int pulls(struct plb_node *node)
{
    struct plb_outbox out = {0};
    int n = 0;
    plb_node_step(node, &out);
    for (int i = 0; i < out.n; i++)
        n += out.at[i].type == PLB_FETCH;
    plb_outbox_fini(&out);
    return n;
}

static void stop(struct plb_node *node)
{
    plb_node_stop(node);
    plb_node_free(node);
    alarm(0);
}

static struct plb_dataset units_of(size_t bytes)
{
    return (struct plb_dataset){
        .n = 1, .units = UNITS, .at = {{.name = "in", .mode = PLB_PARTITION, .unit_bytes = bytes}}};
}

static void small_inputs_are_pulled_for_two_tasks(void **state)
{
    struct plb_dataset set = units_of(1 << 20);
    struct plb_node *node = start(&set);
    (void)state;
    assert_int_equal(pulls(node), 2);
    assert_int_equal(pulls(node), 0);
    stop(node);
}

/* The first task of another node may need the link. */
static void large_inputs_are_pulled_for_one_task_at_a_time(void **state)
{
    struct plb_dataset set = units_of(8 << 20);
    struct plb_node *node = start(&set);
    (void)state;
    for (int task = 0; task < 3; task++) {
        int asked;
        while ((asked = pulls(node)) == 0) /* until the slot is free */
            usleep(100);
        assert_int_equal(asked, 1);
        assert_int_equal(pulls(node), 0);
        --*on_the_way;
    }
    stop(node);
}

/* Rank 2 is to send the inputs of the task in slot 0. */
static void come_from_rank_2(struct plb_node *node, int pass)
{
    struct plb_message from = {.type = PLB_FROM, .from = 0, .to = 1, .pass = pass};
    struct plb_outbox out = {0};
    from.sources = (struct plb_sources){.slot = 0, .n = 1, .last = 1, .at = {{{0, 1}, PLB_BUFFER(0), 2}}};
    assert_true(plb_node_receive(node, &from, &out));
    plb_outbox_fini(&out);
}

/* Rank 2 is lost while it sends, and the pass is given up. Inputs of the next one come to other memory. */
static void memory_that_a_lost_rank_may_write_is_not_used_again(void **state)
{
    struct plb_dataset set = units_of(8 << 20);
    set.fed = PLB_BUFFER(0);
    struct plb_node *node = start(&set);
    (void)state;
    assert_int_equal(pulls(node), 1);
    come_from_rank_2(node, 1);
    const char *late = into;
    --*on_the_way;
    lost = 2;
    assert_int_equal(pulls(node), 0);
    begin_pass(node, 2);
    while (pulls(node) == 0)
        usleep(100);
    lost = 0;
    come_from_rank_2(node, 2);
    assert_true(into != late);
    --*on_the_way;
    stop(node);
}

/* Rank 0 sends the inputs that were asked for. */
static void come_from_rank_0(struct plb_node *node, const struct plb_message *fetch)
{
    struct plb_message from = {.type = PLB_FROM, .from = 0, .to = 1, .pass = fetch->pass};
    struct plb_outbox out = {0};
    from.sources = (struct plb_sources){
        .slot = fetch->fetch.slot, .n = 1, .last = 1, .at = {{fetch->fetch.range, PLB_BUFFER(0), 0}}};
    assert_true(plb_node_receive(node, &from, &out));
    plb_outbox_fini(&out);
    if (on_the_way != NULL)
        --*on_the_way;
    on_the_way = NULL;
}

/* Executes a pass, all units in one task. Its results may feed the next one. Returns the buffers that were
 * sent to rank 0. */
static int64_t sent_in(struct plb_node *node, int pass)
{
    struct plb_outbox box = {0}, out = {0};
    struct plb_pass *begin = &plb_outbox_add(&box, PLB_PASS, 0, 1, pass)->begin;
    begin->n_feeds = 1;
    begin->feeds[0] = (struct plb_feed){.input = 0, .output = 1};
    plb_outbox_add(&box, PLB_BLOCK, 0, 1, pass)->block = (struct plb_block){
        .range = {0, UNITS}, .id = 0, .grain = UNITS};
    assert_true(plb_node_receive(node, &box.at[0], &out));
    assert_true(plb_node_receive(node, &box.at[1], &out));
    plb_outbox_fini(&box);
    int64_t units = 0, sent = 0;
    while (units < UNITS) {
        plb_node_step(node, &out);
        for (int i = 0; i < out.n; i++) {
            bool done = out.at[i].type == PLB_DONE;
            units += done ? out.at[i].done.range.count : 0;
            sent |= done ? out.at[i].done.buffers : 0;
            if (out.at[i].type == PLB_FETCH)
                come_from_rank_0(node, &out.at[i]);
        }
        out.n = 0;
        usleep(100);
    }
    plb_outbox_fini(&out);
    return sent;
}

/* Rank 0 answers when the pass is over: the inputs do not come. */
static void do_not_come(struct plb_node *node, int pass)
{
    struct plb_message from = {.type = PLB_FROM, .from = 0, .to = 1, .pass = pass};
    struct plb_outbox out = {0};
    from.sources = (struct plb_sources){.slot = 0, .n = 0, .last = 1};
    assert_true(plb_node_receive(node, &from, &out));
    plb_outbox_fini(&out);
}

/* The next pass has the same inputs, as no results have fed them: a node that got none asks again, though its
 * mirror has a place for them. */
static void inputs_that_did_not_come_are_asked_for_again(void **state)
{
    struct plb_dataset set = units_of(8 << 20);
    set.fed = PLB_BUFFER(0);
    struct plb_node *node = start_with(&set, 1e9);
    struct plb_message fetch = {.type = PLB_FETCH, .pass = 2, .fetch = {.range = {0, 1}, .slot = 0}};
    (void)state;
    on_the_way = NULL;
    begin_pass(node, 1);
    assert_int_equal(pulls(node), 1);
    do_not_come(node, 1);
    assert_int_equal(pulls(node), 0); /* the task waits until the pass is given up */
    assert_int_equal(node->runners[0].slots[0].state, PLB_SLOT_FETCHING);
    begin_pass(node, 2);
    assert_int_equal(pulls(node), 1);
    come_from_rank_0(node, &fetch);
    assert_int_equal(pulls(node), 1); /* the next task */
    stop(node);
}

/* The next pass may begin before a node has looked whether its reports are sent. */
static void results_stay_in_each_pass(void **state)
{
    struct plb_dataset set = {.n = 2,
                              .units = UNITS,
                              .fed = PLB_BUFFER(0),
                              .named = PLB_BUFFER(0),
                              .at = {{.name = "in", .mode = PLB_PARTITION, .unit_bytes = 8},
                                     {.name = "out", .mode = PLB_OUTPUT, .unit_bytes = 8}}};
    struct plb_node *node = start_with(&set, 1e6);
    (void)state;
    on_the_way = NULL;
    for (int pass = 1; pass < 5; pass++)
        assert_int_equal(sent_in(node, pass), 0);
    stop(node);
}

/* Its device fails in the first task, as soon as the second one is fetched. */
static struct plb_node *failing;
static atomic_int fetched;

static int fail_late(const struct plb_task *task)
{
    (void)task;
    while (atomic_load(&fetched) < 2)
        usleep(100);
    return PLB_TASK_RETIRES;
}

static bool has_left(struct plb_node *node)
{
    pthread_mutex_lock(&node->shared.lock);
    bool left = plb_worker_state(node->shared.worker, 0) == PLB_PU_LOST;
    pthread_mutex_unlock(&node->shared.lock);
    return left;
}

/* Inputs are there at once. */
static void get_while_it_fails(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    (void)context, (void)from, (void)tag, (void)data, (void)bytes, (void)pending;
    if (atomic_fetch_add(&fetched, 1) + 1 == 2)
        while (!has_left(failing))
            usleep(100);
}

/* The PU's thread leaves while the communication thread fetches: the slot is nobody's then. */
static void a_slot_that_is_forgotten_while_it_is_fetched_is_free_again(void **state)
{
    static const struct plb_kernel fails = {
        .name = "fails", PLB_KERNEL_HEAD, .unit = "units", .cpu = fail_late};
    struct plb_dataset set = units_of(8);
    struct plb_outbox out = {0};
    (void)state;
    atomic_store(&fetched, 0);
    failing = start_with(&set, 0.0);
    failing->shared.config.kernel = &fails;
    failing->shared.config.wire.get = get_while_it_fails;
    begin_pass(failing, 1);
    for (int i = 0; i < 3; i++)
        plb_node_step(failing, &out);
    assert_int_equal(atomic_load(&fetched), 2);
    for (int s = 0; s < PLB_SLOTS; s++)
        assert_int_equal(failing->runners[0].slots[s].state, PLB_SLOT_FREE);
    plb_outbox_fini(&out);
    stop(failing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_inputs_are_pulled_for_two_tasks),
        cmocka_unit_test(large_inputs_are_pulled_for_one_task_at_a_time),
        cmocka_unit_test(memory_that_a_lost_rank_may_write_is_not_used_again),
        cmocka_unit_test(inputs_that_did_not_come_are_asked_for_again),
        cmocka_unit_test(results_stay_in_each_pass),
        cmocka_unit_test(a_slot_that_is_forgotten_while_it_is_fetched_is_free_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
