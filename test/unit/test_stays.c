/* Which node has which results, what the master asks for, and what is lacking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/place/owners.h"

#define UNITS 100
#define NODES 4
#define OUTPUTS 6 /* two buffers */

static struct plb_cost_map map;
static struct plb_ledger *ledger;
static struct plb_owners *owners;
static struct plb_outbox out;

static void begin_pass(int64_t stays)
{
    plb_ledger_begin(ledger, &map, NULL);
    plb_owners_begin(owners, ledger, &(struct plb_pass){.stays = stays}, 1, &out);
}

static int begin(void **state)
{
    struct plb_error err = {.status = PLB_OK};
    (void)state;
    assert_int_equal(plb_cost_map_init(&map, UNITS, NULL, NULL, &err), PLB_OK);
    ledger = plb_ledger_new(NODES, NODES);
    owners = plb_owners_new(&(struct plb_owners_config){.n_nodes = NODES, .stays = OUTPUTS});
    begin_pass(OUTPUTS);
    return 0;
}

static int end(void **state)
{
    (void)state;
    plb_owners_free(owners);
    plb_ledger_free(ledger);
    plb_cost_map_fini(&map);
    plb_outbox_fini(&out);
    return 0;
}

/* A node reports units, and the ledger accepts them. sent: results that come with it. */
static void report(int node, int64_t first, int64_t count, int64_t sent)
{
    struct plb_message m = {.type = PLB_DONE, .from = node};
    m.done = (struct plb_done){.range = {first, count}, .slot = 0, .tasks = 1, .buffers = sent};
    plb_owners_reported(owners, ledger, &m, false);
    plb_ledger_accept(ledger, m.done.range, 0);
}

/* This message asks a node for these units. */
static void assert_asked(int at, int node, int64_t first, int64_t count)
{
    assert_true(at < out.n);
    assert_int_equal(out.at[at].type, PLB_FETCH);
    assert_int_equal(out.at[at].to, node);
    assert_int_equal(out.at[at].fetch.range.first, first);
    assert_int_equal(out.at[at].fetch.range.count, count);
    assert_int_equal(out.at[at].fetch.buffers, OUTPUTS);
}

/* The slot of the latest question to a node for units from `first` on; none: that of no question. */
static int64_t slot_of(int node, int64_t first)
{
    for (int i = out.n - 1; i >= 0; i--)
        if (out.at[i].to == node && out.at[i].fetch.range.first == first)
            return out.at[i].fetch.slot;
    return PLB_FETCH_SLOT;
}

static bool answer(int node, int64_t first, int64_t count, bool here)
{
    struct plb_message m = {.type = PLB_FROM, .from = node, .pass = 1};
    m.sources = (struct plb_sources){slot_of(node, first), 0, 1, here, {{{first, count}, OUTPUTS, node}}};
    if (!plb_owners_awaits(owners, &m))
        return false;
    plb_owners_receive(owners, &m, &out);
    return true;
}

static void what_stayed_is_asked_for(void **state)
{
    (void)state;
    report(1, 0, 10, 0);
    report(1, 10, 10, 2); /* one of the two outputs alone: the node is asked for both */
    report(2, 20, 20, OUTPUTS);
    report(0, 40, 10, 0);
    report(3, 50, 50, 0);
    assert_true(plb_owners_any(owners));
    plb_owners_gather(owners, 1, true, &out);
    assert_int_equal(out.n, 2);
    assert_asked(0, 1, 0, 20);
    assert_asked(1, 3, 50, 50);
    assert_false(answer(1, 50, 50, true) || answer(1, 0, 10, true) || answer(2, 0, 20, true));
    assert_true(answer(1, 0, 20, true));
    assert_false(answer(1, 0, 20, true));
    assert_true(plb_owners_any(owners));
    assert_true(answer(3, 50, 50, true));
    assert_false(plb_owners_any(owners));
    assert_int_equal(plb_owners_lacking(owners)->units, 0);
    assert_int_equal(plb_owners_counts(owners)->gathered, 70);
}

static void no_more_than_rank_0_takes_at_a_time_is_asked_for(void **state)
{
    struct plb_owners_config config = {.n_nodes = NODES, .stays = OUTPUTS, .most = 15};
    (void)state;
    plb_owners_free(owners);
    owners = plb_owners_new(&config);
    begin_pass(OUTPUTS);
    report(1, 0, 20, 0);
    report(1, 30, 60, 0);
    plb_owners_gather(owners, 1, true, &out);
    assert_int_equal(out.n, 4);
    assert_asked(0, 1, 0, 15);
    assert_asked(1, 1, 15, 5);
    assert_asked(2, 1, 30, 15);
    assert_asked(3, 1, 45, 15);
    assert_true(answer(1, 15, 5, true));
    assert_asked(4, 1, 60, 15);
    assert_true(answer(1, 0, 15, true));
    assert_asked(5, 1, 75, 15);
}

/* The second of two results is not at home anywhere. */
static void a_unit_is_where_its_accepted_result_is(void **state)
{
    (void)state;
    report(1, 0, 10, 0);
    report(2, 5, 10, 0);
    report(3, 0, 15, 0);
    plb_owners_gather(owners, 1, true, &out);
    assert_int_equal(out.n, 2);
    assert_asked(0, 1, 0, 10);
    assert_asked(1, 2, 10, 5);
}

static void what_is_lost_is_lacking(void **state)
{
    (void)state;
    report(1, 0, 10, 0);
    report(2, 10, 10, 0);
    report(3, 20, 10, 0);
    plb_owners_lose(owners, 1);
    plb_owners_gather(owners, 1, true, &out);
    assert_int_equal(out.n, 2);
    plb_owners_lose(owners, 2);
    assert_false(answer(2, 10, 10, true));
    assert_true(answer(3, 20, 10, false)); /* it has not what it should */
    assert_false(plb_owners_any(owners));
    assert_int_equal(plb_owners_lacking(owners)->n, 1);
    assert_int_equal(plb_owners_lacking(owners)->units, 30);
}

static void a_few_ranges_are_asked_for_at_a_time(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++)
        report(1, 10 * i, 1, 0);
    plb_owners_gather(owners, 1, true, &out);
    int asked = out.n;
    assert_true(asked > 1 && asked < 10);
    for (int i = 0; i < 10; i++)
        assert_true(answer(1, 10 * i, 1, true));
    assert_int_equal(out.n, 10);
    assert_false(plb_owners_any(owners));
}

static void a_new_pass_forgets(void **state)
{
    (void)state;
    report(1, 0, 10, 0);
    plb_owners_lose(owners, 1);
    report(2, 10, 10, 0);
    begin_pass(0);
    report(2, 0, 10, 0); /* nothing stays in this one */
    assert_false(plb_owners_any(owners));
    assert_int_equal(plb_owners_staying(owners), 0);
    assert_int_equal(plb_owners_lacking(owners)->units, 0);
}

/* Whether it counts, each time one of its numbers is another one. */
static void what_nobody_asked_for_is_not_awaited(void **state)
{
    (void)state;
    report(1, 0, 10, 0);
    plb_owners_gather(owners, 1, true, &out);
    for (int i = 0; i < 7; i++) {
        struct plb_message m = {.type = PLB_FROM, .from = i == 1 ? 2 : 1, .pass = 1};
        struct plb_source *part = &m.sources.at[0];
        m.sources = (struct plb_sources){PLB_FETCH_SLOT, 0, 1, 1, {{{0, 10}, OUTPUTS, 1}}};
        m.sources.slot += i == 2 ? -1 : i == 3 ? 1 : i == 4 ? 100 : 0;
        part->range.count -= i == 5;
        part->buffers = i == 6 ? 2 : OUTPUTS;
        assert_int_equal(plb_owners_awaits(owners, &m), i == 0);
    }
}

static void an_impossible_mask_is_refused(void **state)
{
    (void)state;
    struct plb_message *pass = plb_outbox_add(&out, PLB_PASS, 0, 1, 1);
    pass->begin.stays = -1;
    assert_non_null(plb_message_check(pass, pass->size, NODES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_stayed_is_asked_for, begin, end),
        cmocka_unit_test_setup_teardown(no_more_than_rank_0_takes_at_a_time_is_asked_for, begin, end),
        cmocka_unit_test_setup_teardown(a_unit_is_where_its_accepted_result_is, begin, end),
        cmocka_unit_test_setup_teardown(what_is_lost_is_lacking, begin, end),
        cmocka_unit_test_setup_teardown(a_few_ranges_are_asked_for_at_a_time, begin, end),
        cmocka_unit_test_setup_teardown(a_new_pass_forgets, begin, end),
        cmocka_unit_test_setup_teardown(what_nobody_asked_for_is_not_awaited, begin, end),
        cmocka_unit_test_setup_teardown(an_impossible_mask_is_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
