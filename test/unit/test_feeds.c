/* Which results of a node count, and what it hears of that when the next pass begins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "core/place/owners.h"

#define UNITS 200
#define NODES 4

static const struct plb_feed now = {2, 0, 1}, later = {2, 0, 0};
static struct plb_cost_map map;
static struct plb_ledger *ledger;
static struct plb_owners *owners;
static struct plb_outbox out;

static void begin_pass(int pass, const struct plb_feed *feed)
{
    struct plb_pass begin = {0};
    out.n = 0;
    plb_owners_feed(owners, feed, feed != NULL);
    plb_owners_write(owners, &begin, false);
    assert_int_equal(begin.n_feeds, feed != NULL);
    plb_ledger_begin(ledger, &map, NULL);
    plb_owners_begin(owners, ledger, &begin, pass, &out);
}

#define STAY 4 /* the mask of output 2 */

static int64_t stays;

static void set_up(bool audits)
{
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_cost_map_init(&map, UNITS, NULL, NULL, &err), PLB_OK);
    ledger = plb_ledger_new(NODES, NODES);
    owners = plb_owners_new(&(struct plb_owners_config){NODES, stays, stays != 0, audits, 0});
    begin_pass(1, &later);
}

static void tear_down(void)
{
    stays = 0;
    plb_owners_free(owners);
    plb_ledger_free(ledger);
    plb_cost_map_fini(&map);
    plb_outbox_fini(&out);
}

/* A PU of a node reports units, and the ledger accepts them. */
static void report_pu(int node, int pu, int64_t first, int64_t count, bool whole)
{
    struct plb_message m = {.type = PLB_DONE, .from = node, .pu = pu};
    m.done = (struct plb_done){.range = {first, count}, .slot = 0, .tasks = 1};
    plb_owners_reported(owners, ledger, &m, whole);
    if (!whole || plb_ledger_open_units(ledger, m.done.range, 0) == count)
        plb_ledger_accept(ledger, m.done.range, 0);
}

static void report(int node, int64_t first, int64_t count, bool whole)
{
    report_pu(node, 0, first, count, whole);
}

static void is_told(int at, int node, int i, int64_t first, int64_t count)
{
    assert_true(at < out.n && out.at[at].type == PLB_COUNTED && out.at[at].to == node);
    assert_true(i < out.at[at].counted.n);
    assert_int_equal(out.at[at].counted.at[i].first, first);
    assert_int_equal(out.at[at].counted.at[i].count, count);
}

static void a_node_hears_what_counted_of_its_results(void **state)
{
    (void)state;
    set_up(false);
    report(0, 0, 20, false);
    report(1, 20, 20, false);
    report(2, 30, 20, false); /* of which half is new */
    report(2, 20, 10, false);
    report(1, 40, 10, false);
    report(2, 60, 10, false);
    begin_pass(2, &now);
    assert_int_equal(out.n, 3);
    is_told(0, 0, 0, 0, 20);
    is_told(1, 1, 0, 20, 20);
    assert_int_equal(out.at[1].counted.n, 1);
    assert_int_equal(out.at[1].pass, 2);
    is_told(2, 2, 0, 40, 10);
    is_told(2, 2, 1, 60, 10);
    report(3, 0, 5, false);
    begin_pass(3, &later); /* nothing changes */
    assert_int_equal(out.n, 0);
    begin_pass(4, &now); /* nothing was reported in the last pass */
    assert_int_equal(out.n, 0);
    tear_down();
}

/* Two PUs of a node execute a unit: one result counts. */
static void a_node_hears_which_pu_s_result_counted(void **state)
{
    (void)state;
    set_up(false);
    report_pu(1, 2, 0, 20, false);
    report_pu(1, 0, 10, 20, false); /* of which half is new */
    report_pu(0, 1, 20, 20, false); /* the same */
    report_pu(1, 2, 40, 10, false);
    begin_pass(2, &now);
    assert_int_equal(out.n, 3);
    is_told(0, 0, 0, 30, 10);
    is_told(1, 1, 0, 20, 10);
    is_told(2, 1, 0, 0, 20);
    is_told(2, 1, 1, 40, 10);
    assert_true(out.at[0].pu == 1 && out.at[1].pu == 0 && out.at[2].pu == 2);
    report_pu(1, 1, 0, 5, false);
    begin_pass(3, &now);
    assert_int_equal(out.n, 1);
    assert_int_equal(out.at[0].pu, 1);
    tear_down();
}

static void results_that_count_whole_count_whole(void **state)
{
    (void)state;
    set_up(false);
    report(1, 0, 20, true);
    report(2, 10, 20, true);
    report(2, 30, 20, true);
    begin_pass(2, &now);
    assert_int_equal(out.n, 2);
    is_told(1, 2, 0, 30, 20);
    assert_int_equal(out.at[1].counted.n, 1);
    tear_down();
}

static void many_ranges_are_told_in_several_messages(void **state)
{
    (void)state;
    set_up(false);
    for (int64_t u = 0; u < 2 * PLB_COUNTED_RANGES + 2; u += 2)
        report(3, u, 1, false);
    begin_pass(2, &now);
    assert_int_equal(out.n, 2);
    assert_int_equal(out.at[0].counted.n, PLB_COUNTED_RANGES);
    assert_int_equal(out.at[1].counted.n, 1);
    is_told(0, 3, 1, 2, 1);
    is_told(1, 3, 0, 2 * PLB_COUNTED_RANGES, 1);
    tear_down();
}

static void nobody_hears_where_nothing_may_be_kept(void **state)
{
    (void)state;
    set_up(true); /* a result may be replaced after an audit */
    report(1, 0, 20, false);
    begin_pass(2, &now);
    assert_int_equal(out.n, 0);
    tear_down();
    set_up(false);
    report(1, 0, 20, false);
    report(2, 20, 20, false);
    plb_ledger_lose(ledger, 1);
    begin_pass(2, &now);
    assert_int_equal(out.n, 1);
    is_told(0, 2, 0, 20, 20);
    begin_pass(3, NULL);
    report(2, 20, 20, false);
    begin_pass(4, &now); /* its node has not kept the results of a pass that named nothing */
    assert_int_equal(out.n, 0);
    tear_down();
}

static void who_joins_has_no_results(void **state)
{
    struct plb_pass begin = {0};
    (void)state;
    set_up(false);
    plb_owners_feed(owners, &now, 1);
    plb_owners_write(owners, &begin, true);
    assert_true(begin.n_feeds == 1 && begin.feeds[0].now == 0 && begin.feeds[0].output == 2);
    tear_down();
}

/* The first units of a range, and who has their inputs. */
static void has(int node, int64_t first, int64_t count, int64_t of)
{
    struct plb_range part;
    assert_int_equal(plb_owners_of(owners, PLB_BUFFER(0), (struct plb_range){first, of}, &part), node);
    assert_int_equal(part.first, first);
    assert_int_equal(part.count, count);
}

/* A result that has come to rank 0. */
static void send(int node, int64_t first, int64_t count)
{
    struct plb_message m = {.type = PLB_DONE, .from = node};
    m.done = (struct plb_done){.range = {first, count}, .slot = 0, .tasks = 1, .buffers = STAY};
    plb_owners_reported(owners, ledger, &m, false);
    plb_ledger_accept(ledger, m.done.range, 0);
}

static void inputs_are_where_their_results_stay(void **state)
{
    (void)state;
    stays = STAY;
    set_up(false);
    has(0, 0, UNITS, UNITS);
    report(0, 0, 20, false);
    report(1, 20, 20, false);
    report(2, 40, 10, false);
    send(2, 50, 10); /* it found no room at its node */
    report(1, 60, 30, false);
    has(0, 0, UNITS, UNITS); /* of this pass */
    begin_pass(2, &now);
    is_told(0, 0, 0, 0, 20);
    is_told(1, 1, 0, 20, 20);
    is_told(1, 1, 1, 60, 30);
    is_told(2, 2, 0, 40, 10);
    has(0, 0, 20, UNITS);
    has(0, 19, 1, 30);
    has(1, 20, 20, UNITS);
    has(1, 25, 5, 5);
    has(2, 40, 10, UNITS);
    has(0, 50, 10, UNITS);
    has(1, 89, 1, UNITS);
    has(0, 90, UNITS - 90, UNITS - 90);
    report(3, 20, 70, false);
    begin_pass(3, &later); /* the inputs stay what they are */
    has(1, 20, 20, UNITS);
    report(2, 0, 5, false);
    begin_pass(4, &now); /* what counted in pass 2 does not count any more */
    has(2, 0, 5, UNITS);
    has(0, 5, UNITS - 5, UNITS - 5);
    assert_false(plb_owners_broken(owners));
    tear_down();
}

/* A pass with two feeds, of inputs 0 and 1, begins, which feeds those of this mask. */
static void begin_with(int pass, int64_t inputs)
{
    struct plb_pass begin = {0};
    const struct plb_feed feeds[] = {{2, 0, (inputs & 1) != 0}, {3, 1, (inputs & 2) != 0}};
    out.n = 0;
    plb_owners_feed(owners, feeds, 2);
    plb_owners_write(owners, &begin, false);
    plb_ledger_begin(ledger, &map, NULL);
    plb_owners_begin(owners, ledger, &begin, pass, &out);
}

/* Who has unit 30 of an input. */
static int owner_of(int input)
{
    struct plb_range part;
    return plb_owners_of(owners, PLB_BUFFER(input), (struct plb_range){30, 1}, &part);
}

/* An input that a pass does not feed stays where it is, whoever executes the unit. */
static void inputs_that_are_not_fed_stay(void **state)
{
    (void)state;
    stays = STAY | 8;
    set_up(false);
    begin_with(2, 0);
    assert_int_equal(plb_owners_together(owners, 3), 3);
    report(1, 20, 20, false);
    begin_with(3, 1);
    assert_true(owner_of(0) == 1 && owner_of(1) == 0 && !plb_owners_fresh(owners));
    assert_true(plb_owners_together(owners, 3) == 1 && plb_owners_together(owners, 2) == 2);
    report(2, 20, 20, false);
    begin_with(4, 2);
    assert_true(owner_of(0) == 1 && owner_of(1) == 2);
    assert_int_equal(plb_owners_together(owners, 3), 1);
    send(3, 20, 20); /* it had no room for its results */
    begin_with(5, 2);
    assert_true(owner_of(0) == 1 && owner_of(1) == 0);
    report(3, 20, 20, false);
    begin_with(6, 3);
    assert_true(owner_of(0) == 3 && owner_of(1) == 3 && plb_owners_fresh(owners));
    assert_int_equal(plb_owners_together(owners, 3), 3);
    report(2, 20, 20, false);
    begin_with(7, 1);
    plb_owners_lose(owners, 3); /* it had an older input alone */
    assert_true(plb_owners_broken(owners));
    assert_true(owner_of(0) == 2 && owner_of(1) == 0);
    tear_down();
}

static void what_a_lost_node_had_is_lost(void **state)
{
    (void)state;
    stays = STAY;
    set_up(false);
    report(1, 20, 20, false);
    begin_pass(2, &now);
    plb_owners_lose(owners, 2);
    assert_false(plb_owners_broken(owners)); /* it had nothing */
    report(3, 50, 1, false);
    plb_owners_lose(owners, 3);
    assert_true(plb_owners_broken(owners));
    plb_owners_restart(owners);
    assert_false(plb_owners_broken(owners));
    has(0, 0, UNITS, UNITS);
    begin_pass(3, &now);
    assert_int_equal(out.n, 0);
    report(1, 20, 20, false);
    begin_pass(4, &now);
    plb_owners_lose(owners, 1);
    assert_true(plb_owners_broken(owners));
    has(0, 0, UNITS, UNITS);
    tear_down();
    set_up(false); /* results are on rank 0, too */
    report(1, 20, 20, false);
    begin_pass(2, &now);
    has(0, 0, UNITS, UNITS);
    plb_owners_lose(owners, 1);
    assert_false(plb_owners_broken(owners));
    tear_down();
}

/* Also in a pass that nothing feeds; not where all passes begin again. */
static void a_node_has_its_inputs_until_a_restart(void **state)
{
    (void)state;
    for (int restarts = 0; restarts < 2; restarts++) {
        stays = STAY;
        set_up(false);
        report(1, 20, 20, false);
        begin_pass(2, &now);
        begin_pass(3, &later);
        if (restarts)
            plb_owners_restart(owners);
        plb_owners_lose(owners, 1);
        assert_int_equal(plb_owners_broken(owners), !restarts);
        tear_down();
    }
}

/* The wrong number makes a message that was right be refused. */
static void refused(struct plb_message *m, void *field, size_t bytes, int64_t number)
{
    unsigned char before[sizeof number];
    int16_t i16 = (int16_t)number;
    int32_t i32 = (int32_t)number;
    memcpy(before, field, bytes);
    assert_null(plb_message_check(m, m->size, NODES));
    memcpy(field, bytes == 2 ? (void *)&i16 : bytes == 4 ? (void *)&i32 : (void *)&number, bytes);
    assert_non_null(plb_message_check(m, m->size, NODES));
    memcpy(field, before, bytes);
}
#define REFUSED(message, member, number) refused(message, &(message)->member, sizeof(message)->member, number)

static void impossible_messages_are_refused(void **state)
{
    (void)state;
    struct plb_outbox box = {0};
    struct plb_message m = *plb_outbox_add(&box, PLB_PASS, 0, 1, 1);
    m.begin.n_feeds = 2;
    m.begin.feeds[0] = m.begin.feeds[1] = now;
    REFUSED(&m, begin.n_feeds, -1);
    REFUSED(&m, begin.n_feeds, PLB_FEEDS + 1);
    REFUSED(&m, begin.feeds[0].output, -1);
    REFUSED(&m, begin.feeds[1].output, 63);
    REFUSED(&m, begin.feeds[0].input, 63);
    REFUSED(&m, begin.feeds[1].input, -1);
    REFUSED(&m, begin.feeds[1].now, 2);
    m = *plb_outbox_add(&box, PLB_COUNTED, 0, 1, 1);
    m.counted = (struct plb_counted){{{10, 5}, {20, 1}}, 2};
    REFUSED(&m, counted.n, 0);
    REFUSED(&m, counted.n, PLB_COUNTED_RANGES + 1);
    REFUSED(&m, counted.at[0].first, -1);
    REFUSED(&m, counted.at[1].count, 0);
    plb_outbox_fini(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_hears_what_counted_of_its_results),
        cmocka_unit_test(a_node_hears_which_pu_s_result_counted),
        cmocka_unit_test(results_that_count_whole_count_whole),
        cmocka_unit_test(many_ranges_are_told_in_several_messages),
        cmocka_unit_test(nobody_hears_where_nothing_may_be_kept),
        cmocka_unit_test(inputs_are_where_their_results_stay),
        cmocka_unit_test(inputs_that_are_not_fed_stay),
        cmocka_unit_test(what_a_lost_node_had_is_lost),
        cmocka_unit_test(a_node_has_its_inputs_until_a_restart),
        cmocka_unit_test(who_joins_has_no_results),
        cmocka_unit_test(impossible_messages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
