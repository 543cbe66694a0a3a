/* Which halos travel with the grants, and from whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "core/place/halos.h"

enum { UNITS = 300, NODES = 4, INPUT = 1, OUTPUT_STAYS = 2 };

static struct plb_owners *owners;
static struct plb_ledger *ledger;
static struct plb_cost_map map;
static struct plb_outbox out;
static int first; /* message of the blocks */

static void begin_pass(int pass, bool now)
{
    const struct plb_feed feed = {1, 0, now};
    struct plb_pass begin = {.stays = OUTPUT_STAYS};
    out.n = 0;
    plb_owners_feed(owners, &feed, 1);
    plb_owners_write(owners, &begin, false);
    plb_ledger_begin(ledger, &map, NULL);
    plb_owners_begin(owners, ledger, &begin, pass, &out);
    first = out.n;
}

static void report(int node, int64_t from, int64_t count)
{
    struct plb_message m = {.type = PLB_DONE, .from = node, .done.range = {from, count}};
    plb_owners_reported(owners, ledger, &m, false);
    plb_ledger_accept(ledger, m.done.range, 0);
}

static void prepare(void)
{
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_cost_map_init(&map, UNITS, NULL, NULL, &err), PLB_OK);
    ledger = plb_ledger_new(NODES, NODES);
    owners = plb_owners_new(&(struct plb_owners_config){NODES, OUTPUT_STAYS, true, false, 0});
    begin_pass(1, false);
    assert_false(plb_owners_fresh(owners));
}

/* Nodes 0 to 3 have executed so many units in pass 1, one after the other, and pass 2 begins. */
static void set_up(const int64_t counts[NODES])
{
    int64_t from = 0;
    prepare();
    for (int n = 0; n < NODES; from += counts[n++])
        if (counts[n] > 0)
            report(n, from, counts[n]);
    begin_pass(2, true);
    assert_true(plb_owners_fresh(owners));
}

static void tear_down(void)
{
    plb_owners_free(owners);
    plb_ledger_free(ledger);
    plb_cost_map_fini(&map);
    plb_outbox_fini(&out);
}

static void grant(int node, int64_t from, int64_t count)
{
    plb_outbox_add(&out, PLB_BLOCK, 0, node, 2)->block.range = (struct plb_range){from, count};
}

static void send(int64_t before, int64_t after)
{
    struct plb_halos halos = {INPUT, before, after, UNITS};
    int blocks = out.n;
    plb_halos_send(&halos, owners, first, &out);
    first = blocks;
    for (int i = blocks; i < out.n; i++) {
        const struct plb_message *m = &out.at[i];
        assert_true(m->pass == 2 && m->from == 0 && plb_message_allowed(m));
        assert_null(plb_message_check(m, m->size, NODES));
    }
}

/* A node is told that these units come to it from another one, which is told to send them, or is node 0. Each
 * is said once. */
static void goes(int64_t from, int64_t count, int node, int to)
{
    int named = 0, asked = 0;
    for (int i = first; i < out.n; i++) {
        const struct plb_message *m = &out.at[i];
        for (int k = 0; m->type == PLB_FROM && m->to == to && k < m->sources.n; k++) {
            const struct plb_source *s = &m->sources.at[k];
            named += s->node == node && s->range.first == from && s->range.count == count
                  && s->buffers == INPUT && m->sources.slot == PLB_HALO_SLOT;
        }
        asked += m->type == PLB_FETCH && m->to == node && m->fetch.to == to && m->fetch.range.first == from
              && m->fetch.range.count == count && m->fetch.buffers == INPUT && m->fetch.slot == PLB_HALO_SLOT;
    }
    assert_int_equal(named, 1);
    assert_int_equal(asked, node != 0);
}

/* How many parts are named in all. */
static int parts(void)
{
    int n = 0;
    for (int i = first; i < out.n; i++)
        n += out.at[i].type == PLB_FROM ? out.at[i].sources.n : 0;
    return n;
}

static void each_gets_what_its_neighbours_have(void **state)
{
    (void)state;
    set_up((int64_t[]){60, 80, 80, 80});
    for (int n = 0; n < NODES; n++)
        grant(n, n > 0 ? 80 * n - 20 : 0, n > 0 ? 80 : 60);
    send(1, 2);
    goes(60, 2, 1, 0);
    goes(59, 1, 0, 1);
    goes(140, 2, 2, 1);
    goes(139, 1, 1, 2);
    goes(220, 2, 3, 2);
    goes(219, 1, 2, 3);
    assert_int_equal(parts(), 6);
    tear_down();
}

/* Shares have moved: what a node had not goes with its halo. Two PUs of a node share what they lack. */
static void shares_that_moved_get_their_units(void **state)
{
    (void)state;
    set_up((int64_t[]){60, 80, 80, 80});
    grant(0, 0, 70);
    grant(1, 70, 30);
    grant(1, 100, 60);
    grant(2, 160, 58);
    grant(3, 218, 82);
    send(1, 1);
    goes(60, 11, 1, 0);
    goes(140, 21, 2, 1);
    goes(217, 3, 2, 3);
    assert_int_equal(parts(), 3);
    tear_down();
}

/* A node that has less than half of its share asks for it, task by task. */
static void a_share_of_others_is_asked_for(void **state)
{
    (void)state;
    set_up((int64_t[]){0, 100, 200, 0});
    grant(3, 0, 100);
    grant(1, 100, 100);
    grant(2, 200, 100);
    send(1, 1);
    assert_int_equal(parts(), 0);
    first = out.n;
    grant(1, 0, 180);
    send(1, 1);
    goes(100, 81, 2, 1);
    assert_int_equal(parts(), 1);
    tear_down();
}

/* A node lacks more parts than one FROM names. */
static void many_parts_need_several_messages(void **state)
{
    (void)state;
    int messages = 0;
    prepare();
    for (int i = 0; i < UNITS / 10; i++)
        report(1 + i % 2, 10 * i, 10);
    begin_pass(2, true);
    grant(2, 0, UNITS);
    send(0, 0);
    for (int i = 0; i < UNITS / 20; i++)
        goes(20 * i, 10, 1, 2);
    for (int i = first; i < out.n; i++)
        messages += out.at[i].type == PLB_FROM && out.at[i].sources.last == 1;
    assert_int_equal(parts(), UNITS / 20);
    assert_int_equal(messages, 2);
    tear_down();
}

/* After a loss rank 0 has all inputs, and those of an older pass belong to nobody. */
static void a_loss_ends_it(void **state)
{
    (void)state;
    set_up((int64_t[]){60, 80, 80, 80});
    plb_owners_lose(owners, 2);
    grant(1, 60, 80);
    send(1, 1);
    goes(59, 1, 0, 1);
    goes(140, 1, 0, 1);
    assert_true(plb_owners_broken(owners));
    plb_owners_restart(owners);
    assert_false(plb_owners_fresh(owners));
    first = out.n;
    grant(1, 60, 80);
    send(1, 1);
    assert_int_equal(parts(), 0); /* it has nothing */
    tear_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_gets_what_its_neighbours_have),
        cmocka_unit_test(shares_that_moved_get_their_units),
        cmocka_unit_test(a_share_of_others_is_asked_for),
        cmocka_unit_test(many_parts_need_several_messages),
        cmocka_unit_test(a_loss_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
