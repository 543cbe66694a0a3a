/* Halos that come unasked: where they are received, who waits for them, and what a loss leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "node/memory/unasked.h"

enum { UNITS = 100, UNIT_BYTES = 64, PARTS = 4 };

static const struct plb_dataset fed = {
    .n = 2,
    .units = UNITS,
    .fed = PLB_BUFFER(0),
    .at = {{.mode = PLB_PARTITION, .unit_bytes = UNIT_BYTES, .before = 1, .after = 1},
           {.mode = PLB_OUTPUT, .unit_bytes = UNIT_BYTES}}};

/* Transfers that have begun. */
static struct {
    char *to;
    size_t bytes;
    int from, tag, *pending;
} gets[PARTS];
static int n_gets, lost;

static void get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    (void)context;
    if (lost != 0 && from == lost) /* as the transport does */
        return;
    assert_true(n_gets < PARTS);
    gets[n_gets].to = data;
    gets[n_gets].bytes = bytes;
    gets[n_gets].from = from;
    gets[n_gets].tag = tag;
    gets[n_gets++].pending = pending;
    ++*pending;
}

static bool is_lost(void *context, int rank)
{
    (void)context;
    return lost != 0 && rank == lost;
}

static const struct plb_node_config config = {.rank = 1, .data = &fed, .wire = {NULL, get, NULL, is_lost}};

static struct plb_mirror *mirror;
static struct plb_unasked unasked;

/* A pass begins; now: with inputs that results of the last one have become. */
static void begin_pass(int pass, bool now)
{
    struct plb_pass begin = {.n_feeds = 1, .feeds = {{1, 0, now}}};
    struct plb_mirror_tasks tasks = {0};
    struct plb_rangeset busy = {0};
    plb_unasked_under_way(&unasked, &tasks.read);
    plb_mirror_feed(mirror, pass, &begin, &tasks);
    plb_mirror_begin_pass(mirror, &busy);
    plb_rangeset_fini(&tasks.read);
}

/* The task of units 40 to 59 was reported in the last pass, and has counted. */
static void set_up(double room)
{
    n_gets = lost = 0;
    unasked = (struct plb_unasked){0};
    mirror = room > 0.0 ? plb_mirror_new(&fed, room, false, NULL) : NULL;
    if (mirror == NULL)
        return;
    struct plb_range pulled, task = {40, 20};
    struct plb_message counted = {.type = PLB_COUNTED, .pass = 2, .counted = {{task}, 1}};
    begin_pass(1, false);
    assert_true(plb_mirror_take(mirror, task, &pulled) && plb_mirror_give(mirror, task));
    plb_mirror_arrived(mirror, pulled, true);
    plb_mirror_reported(mirror, 1, task);
    begin_pass(2, true);
    plb_mirror_counted(mirror, &counted);
}

static void tear_down(void)
{
    plb_mirror_free(mirror);
    plb_unasked_fini(&unasked);
}

static struct plb_message from_both(int pass)
{
    struct plb_message m = {.type = PLB_FROM, .to = 1, .pass = pass};
    m.sources = (struct plb_sources){.slot = PLB_HALO_SLOT, .last = 1, .n = 2};
    m.sources.at[0] = (struct plb_source){{39, 1}, PLB_BUFFER(0), 0};
    m.sources.at[1] = (struct plb_source){{60, 1}, PLB_BUFFER(0), 2};
    return m;
}

static bool hear(const struct plb_message *m)
{
    return plb_unasked_hear(&unasked, &config, mirror, m);
}

static bool settle(void)
{
    return plb_unasked_settle(&unasked, &config.wire, mirror);
}

/* A transfer ends, with these bytes. */
static void arrive(int i, char value)
{
    memset(gets[i].to, value, gets[i].bytes);
    --*gets[i].pending;
}

static void a_task_waits_for_them_and_asks_for_nothing(void **state)
{
    (void)state;
    struct plb_range pulled, task = {40, 20};
    set_up(1e6);
    struct plb_message m = from_both(2);
    assert_true(hear(&m));
    assert_int_equal(n_gets, 2);
    assert_true(gets[0].from == 0 && gets[1].from == 2 && gets[0].tag == PLB_HALO_SLOT);
    assert_true(plb_mirror_take(mirror, task, &pulled));
    assert_int_equal(pulled.count, 0);
    assert_true(plb_mirror_pulls(mirror, task));
    assert_false(settle());
    arrive(0, 5);
    assert_true(settle());
    assert_false(plb_mirror_has(mirror, task));
    arrive(1, 6);
    assert_true(settle());
    assert_true(plb_mirror_has(mirror, task));
    assert_int_equal(*(char *)plb_mirror_place(mirror, 0, 39), 5);
    assert_int_equal(*(char *)plb_mirror_place(mirror, 0, 60), 6);
    assert_null(unasked.first);
    tear_down();
}

/* A task was quicker, and has asked: what comes unasked is received, and changes nothing. So is what comes
 * where there is no room, or no mirror. */
static void what_has_no_place_is_received_beside_it(void **state)
{
    (void)state;
    for (int why = 0; why < 3; why++) {
        struct plb_range pulled = {0, 0}, task = {40, 20};
        set_up(why == 0 ? 1e6 : why == 1 ? 2.0 * 22 * UNIT_BYTES : 0.0);
        if (why == 0)
            assert_true(plb_mirror_take(mirror, task, &pulled) && pulled.first == 39 && pulled.count == 1);
        struct plb_message m = from_both(2);
        if (why == 1) /* 20 units and their halo are all that there is room for */
            m.sources.at[0].range = (struct plb_range){0, 10};
        assert_true(hear(&m));
        assert_int_equal(n_gets, 2);
        assert_true(why != 0 || gets[0].to != plb_mirror_place(mirror, 0, 39));
        if (why == 0)
            memset(plb_mirror_place(mirror, 0, 39), 1, UNIT_BYTES);
        arrive(0, 5);
        arrive(1, 6);
        settle();
        assert_true(why != 0 || *(char *)plb_mirror_place(mirror, 0, 39) == 1);
        assert_true(why != 0 || plb_mirror_pulls(mirror, task)); /* what the task has asked for */
        assert_null(unasked.first);
        tear_down();
    }
}

/* The sender is lost: the task never begins, and nobody uses the place that may still be written. */
static void a_lost_sender_leaves_no_input(void **state)
{
    (void)state;
    struct plb_range pulled, task = {40, 20};
    set_up(1e6);
    struct plb_message m = from_both(2);
    assert_true(hear(&m));
    arrive(0, 5);
    settle();
    lost = 2;
    --*gets[1].pending; /* as the transport counts it */
    settle();
    assert_false(plb_mirror_has(mirror, task));
    assert_true(plb_mirror_pulls(mirror, task));
    begin_pass(3, true);
    assert_false(plb_mirror_take(mirror, task, &pulled)); /* it has its inputs elsewhere */
    assert_true(plb_mirror_take(mirror, (struct plb_range){20, 10}, &pulled));
    tear_down();
}

/* A part that had arrived before its sender was lost leaves its place free; so does one that never began. */
static void a_loss_leaves_only_what_was_on_its_way(void **state)
{
    (void)state;
    struct plb_range pulled, task = {40, 20};
    set_up(1e6);
    struct plb_message m = from_both(2);
    assert_true(hear(&m));
    arrive(0, 5);
    arrive(1, 6);
    assert_true(settle());
    lost = 2;
    n_gets = 0;
    m.sources.at[0].range = (struct plb_range){20, 1};
    m.sources.at[1].range = (struct plb_range){80, 1};
    assert_true(hear(&m));
    assert_int_equal(n_gets, 1); /* that of rank 0 */
    arrive(0, 5);
    settle();
    begin_pass(3, true);
    assert_true(plb_mirror_take(mirror, task, &pulled));
    assert_true(plb_mirror_take(mirror, (struct plb_range){79, 3}, &pulled));
    tear_down();
}

/* The pass is given up while they come: they are no inputs of the next one, and keep their place. */
static void those_of_a_pass_that_is_over_are_no_inputs(void **state)
{
    (void)state;
    struct plb_range pulled, task = {40, 20};
    set_up(1e6);
    struct plb_message m = from_both(2);
    assert_true(hear(&m));
    begin_pass(3, true);
    assert_false(plb_mirror_take(mirror, task, &pulled));
    arrive(0, 5);
    arrive(1, 6);
    settle();
    assert_false(plb_mirror_has(mirror, (struct plb_range){60, 1}));
    assert_true(plb_mirror_take(mirror, (struct plb_range){70, 10}, &pulled));
    assert_int_equal(pulled.count, 12);
    begin_pass(4, false); /* with the inputs of pass 3 */
    assert_true(plb_mirror_take(mirror, task, &pulled));
    assert_int_equal(pulled.count, 22);
    tear_down();
}

/* A message may name anything. */
static void what_cannot_come_is_refused(void **state)
{
    (void)state;
    set_up(1e6);
    struct plb_message m = from_both(2);
    m.sources.at[1].range.count = UNITS;
    assert_false(hear(&m));
    m = from_both(2);
    m.sources.at[1].buffers = PLB_BUFFER(1);
    assert_false(hear(&m));
    m = from_both(2);
    m.sources.at[0].node = 1;
    assert_false(hear(&m));
    assert_int_equal(n_gets, 0);
    tear_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_waits_for_them_and_asks_for_nothing),
        cmocka_unit_test(what_has_no_place_is_received_beside_it),
        cmocka_unit_test(a_lost_sender_leaves_no_input),
        cmocka_unit_test(a_loss_leaves_only_what_was_on_its_way),
        cmocka_unit_test(those_of_a_pass_that_is_over_are_no_inputs),
        cmocka_unit_test(what_cannot_come_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
