/* Virtual task migration, message by message: what is given, to whom, and that no unit is forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/master.h"
#include "core/worker.h"
#include "params.h"
#include "job/balancer_table.h"

#define NODES 3

/* A worker of node 1 with two PUs, and a pass of 1000 equal units. */
struct fixture {
    struct plb_cost_map map;
    struct plb_worker *worker;
    struct plb_outbox out;
};

static void start(struct fixture *f, const struct plb_migration *migration)
{
    struct plb_error err = {.status = PLB_OK};
    static const double powers[2] = {1.0, 3.0};
    memset(f, 0, sizeof *f);
    plb_cost_map_init(&f->map, 1000, NULL, NULL, &err);
    f->worker = plb_worker_new(1, 2);
    plb_worker_migrate(f->worker, migration, NODES, powers);
    plb_worker_pass(f->worker, 1, &f->map);
}

static void stop(struct fixture *f)
{
    plb_worker_free(f->worker);
    plb_outbox_fini(&f->out);
    plb_cost_map_fini(&f->map);
}

static void block(struct fixture *f, int pu, int64_t id, int64_t first, int64_t count)
{
    struct plb_message m = {.type = PLB_BLOCK, .pu = pu, .pass = 1};
    m.range = (struct plb_range){first, count};
    m.block = id;
    m.grain = count;
    plb_worker_block(f->worker, &m);
}

/* Nothing is left to grant, and these nodes have this much. */
static void empty(struct fixture *f, double node0, double node2)
{
    struct plb_message m = {.type = PLB_EMPTY, .pass = 1};
    double left[2] = {node0, node2};
    for (int i = 0; i < 2; i++)
        if (left[i] > 0.0) {
            m.victims[m.n_victims] = 2 * i;
            m.amounts[m.n_victims++] = left[i];
        }
    plb_worker_empty(f->worker, &m);
}

/* PU pu has had a block and is through with it. */
static void serve(struct fixture *f, int pu)
{
    struct plb_slice piece;
    block(f, pu, 99, 999, 1);
    assert_true(plb_worker_take(f->worker, pu, &piece));
}

static const struct plb_message *steal(struct fixture *f, int thief, double rate, double power)
{
    struct plb_message m = {.type = PLB_STEAL, .from = thief, .to = 1, .pass = 1};
    m.rate = rate;
    m.power = power;
    f->out.n = 0;
    plb_worker_steal(f->worker, &m, &f->out);
    return &f->out.at[0];
}

static int64_t taken(struct fixture *f, int pu)
{
    struct plb_slice piece;
    return plb_worker_take(f->worker, pu, &piece) ? piece.range.count : 0;
}

static const struct plb_migration on = {.on = true, .threshold = 1.0};

/* Powers 4 here and 12 there: 300 queued units are shared 1 : 3, from the back. */
static void a_thief_gets_its_share_by_power(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &on);
    block(&f, 1, 7, 100, 300);
    const struct plb_message *gift = steal(&f, 2, 0.0, 12.0);
    assert_int_equal(f.out.n, 2);
    assert_int_equal(gift->type, PLB_GIFT);
    assert_int_equal(gift->to, 2);
    assert_int_equal(gift->n_gifts, 1);
    assert_int_equal(gift->gifts[0].range.first, 175);
    assert_int_equal(gift->gifts[0].range.count, 225);
    assert_int_equal(gift->gifts[0].block, 7);
    assert_true(gift->left == 75.0);
    const struct plb_message *moved = &f.out.at[1];
    assert_int_equal(moved->type, PLB_MOVED);
    assert_int_equal(moved->to, 0);
    assert_int_equal(moved->thief, 2);
    assert_memory_equal(moved->gifts, gift->gifts, sizeof moved->gifts[0]);
    assert_int_equal(taken(&f, 1), 75);
    stop(&f);
}

/* Measured rates count more than powers, unless Li's powers are wanted. */
static void measured_rates_replace_powers(void **state)
{
    (void)state;
    for (int by_power = 0; by_power <= 1; by_power++) {
        struct fixture f;
        struct plb_migration m = on;
        m.by_power = by_power;
        start(&f, &m);
        for (int pu = 0; pu < 2; pu++) { /* ten units a second each */
            block(&f, pu, pu, 500 + 10 * pu, 10);
            struct plb_slice piece;
            assert_true(plb_worker_take(f.worker, pu, &piece));
            plb_worker_done(f.worker, pu, &piece, 1.0, 0.0, PLB_NO_SLOT);
        }
        block(&f, 0, 9, 0, 100);
        const struct plb_message *gift = steal(&f, 0, 5.0, 12.0); /* rates 20 : 5, powers 4 : 12 */
        assert_int_equal(gift->gifts[0].range.count, by_power ? 75 : 20);
        stop(&f);
    }
}

static void too_little_is_not_worth_a_message(void **state)
{
    (void)state;
    struct fixture f;
    struct plb_migration m = on;
    m.threshold = 50.0;
    start(&f, &m);
    block(&f, 0, 1, 0, 60);
    assert_int_equal(steal(&f, 2, 0.0, 4.0)->n_gifts, 0); /* half would be 30 */
    assert_int_equal(f.out.n, 1);
    assert_true(f.out.at[0].left == 60.0);
    block(&f, 1, 2, 100, 60);
    assert_int_equal(steal(&f, 2, 0.0, 4.0)->n_gifts, 1);
    stop(&f);
}

/* Before the master has said that nothing is left, a queue is its PU's own; then a neighbour takes from it
 * in proportion to its power, 1 : 3, and pieces get smaller. */
static void neighbours_help_when_nothing_is_left_to_grant(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &on);
    block(&f, 1, 7, 0, 400);
    assert_int_equal(taken(&f, 0), 0);
    empty(&f, 0.0, 0.0);
    assert_int_equal(taken(&f, 0), 0); /* it was never granted anything: perhaps it may not */
    serve(&f, 0);
    assert_int_equal(taken(&f, 0), 13); /* an eighth of 100 units */
    assert_int_equal(taken(&f, 1), 38); /* and of 300 */
    stop(&f);
}

/* The last unit goes to a PU that is idle only if it ends before the other would. */
static void the_last_unit_stays_with_the_faster(void **state)
{
    (void)state;
    for (int idle = 0; idle <= 1; idle++) { /* PU 1 is three times as fast */
        struct fixture f;
        start(&f, &on);
        serve(&f, idle);
        block(&f, 1 - idle, 7, 0, 1);
        empty(&f, 0.0, 0.0);
        assert_int_equal(taken(&f, idle), idle == 1 ? 1 : 0);
        stop(&f);
    }
}

/* The node to which the next STEAL goes, or -1. */
static int asked(struct fixture *f, double now)
{
    f->out.n = 0;
    plb_worker_collect(f->worker, now, &f->out);
    return f->out.n > 0 && f->out.at[f->out.n - 1].type == PLB_STEAL ? f->out.at[f->out.n - 1].to : -1;
}

static void refuse(struct fixture *f, int node)
{
    struct plb_message m = {.type = PLB_GIFT, .from = node, .pass = 1};
    plb_worker_gift(f->worker, &m);
}

static void an_idle_node_asks_who_has_most(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &on);
    serve(&f, 1);
    block(&f, 0, 1, 0, 1);
    empty(&f, 10.0, 20.0);
    taken(&f, 1);
    assert_int_equal(asked(&f, 0.0), -1); /* its own queue is not empty */
    taken(&f, 0);
    taken(&f, 0);
    assert_int_equal(asked(&f, 1.0), 2);
    assert_int_equal(asked(&f, 1.0 + 0.5 * PLB_PATIENCE), -1); /* it may still answer */
    refuse(&f, 2);
    assert_int_equal(asked(&f, 1.0 + 0.6 * PLB_PATIENCE), 0);
    assert_int_equal(asked(&f, 1.0 + 3.0 * PLB_PATIENCE), -1); /* nobody is left to ask */
    empty(&f, 5.0, 0.0);
    assert_int_equal(asked(&f, 2.0), 0);
    stop(&f);
}

static void who_does_not_answer_delays_nobody(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &on);
    serve(&f, 0);
    empty(&f, 10.0, 20.0);
    taken(&f, 0);
    assert_int_equal(asked(&f, 0.0), 2);
    assert_int_equal(asked(&f, 1.1 * PLB_PATIENCE), 0);
    struct plb_message late = {.type = PLB_GIFT, .from = 2, .pass = 1};
    late.n_gifts = 1;
    late.gifts[0] = (struct plb_gift){{40, 2}, 9, 2};
    plb_worker_gift(f.worker, &late); /* welcome all the same */
    assert_int_equal(taken(&f, 0), 1);
    stop(&f);
}

static void li_asks_the_first(void **state)
{
    (void)state;
    struct fixture f;
    struct plb_migration m = on;
    m.victim = PLB_FIRST;
    start(&f, &m);
    serve(&f, 0);
    empty(&f, 0.0, 20.0);
    taken(&f, 0);
    assert_int_equal(asked(&f, 0.0), 0);
    refuse(&f, 0);
    assert_int_equal(asked(&f, 0.0), 2);
    stop(&f);
}

static void off_means_off(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &(struct plb_migration){.on = false});
    block(&f, 1, 7, 0, 400);
    empty(&f, 10.0, 10.0);
    assert_int_equal(taken(&f, 0), 0);
    assert_int_equal(asked(&f, 0.0), -1);
    assert_int_equal(steal(&f, 2, 0.0, 4.0)->n_gifts, 0);
    assert_int_equal(taken(&f, 1), 400);
    stop(&f);
}

/* -------------------------------------------------------------- the master */

struct court {
    struct plb_cost_map map;
    struct plb_param params[MAX_PARAMS];
    struct plb_outbox out;
    struct plb_master *master;
};

/* Three nodes of one PU, 300 units, static shares of a hundred each: granted in three blocks at once. */
static void open_court(struct court *c)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_pu_info pus[NODES];
    memset(c, 0, sizeof *c);
    struct plb_master_config config = {.balancer = plb_balancer_find("static", "test", &err), .params = c->params, .migration = true};
    default_params(config.balancer, c->params);
    plb_cost_map_init(&c->map, 300, NULL, NULL, &err);
    for (int n = 0; n < NODES; n++)
        pus[n] = (struct plb_pu_info){.node = n, .power = 1.0, .memory = INFINITY};
    c->master = plb_master_new(&config, pus, NODES);
    plb_master_begin(c->master, 1, 0, &c->map, 0.0, &c->out);
}

static void close_court(struct court *c)
{
    plb_master_free(c->master);
    plb_outbox_fini(&c->out);
    plb_cost_map_fini(&c->map);
}

static struct plb_message block_of(const struct court *c, int node)
{
    for (int i = 0; i < c->out.n; i++)
        if (c->out.at[i].type == PLB_BLOCK && c->out.at[i].to == node)
            return c->out.at[i];
    fail_msg("node %d has no block", node);
    return c->out.at[0];
}

/* Node `by` reports the part [skip, skip + count) of a block. */
static int64_t report(struct court *c, struct plb_message block, int by, int64_t skip, int64_t count)
{
    block.type = PLB_DONE;
    block.from = by;
    block.range.first += skip;
    block.range.count = count;
    block.tasks = 1;
    block.execute_s = (double)count;
    return plb_master_done(c->master, &block, 1.0, &c->out);
}

static void move(struct court *c, struct plb_message block, int from, int to, int64_t skip, int64_t count)
{
    struct plb_message m = {.type = PLB_MOVED, .from = from, .pass = 1};
    m.thief = to;
    m.n_gifts = 1;
    m.gifts[0] = (struct plb_gift){{block.range.first + skip, count}, block.block, count};
    plb_master_moved(c->master, &m, 1.0, &c->out);
}

/* Executes every block that came after message `from`, at nodes that live. */
static void finish_rest(struct court *c, int from, int dead)
{
    for (int i = from; i < c->out.n; i++)
        if (c->out.at[i].type == PLB_BLOCK && c->out.at[i].to != dead)
            report(c, c->out.at[i], c->out.at[i].to, 0, c->out.at[i].range.count);
}

static void everybody_hears_that_nothing_is_left(void **state)
{
    (void)state;
    struct court c;
    open_court(&c);
    int told = 0;
    for (int i = 0; i < c.out.n; i++)
        if (c.out.at[i].type == PLB_EMPTY) {
            told++;
            assert_int_equal(c.out.at[i].n_victims, 2);
            assert_int_not_equal(c.out.at[i].victims[0], c.out.at[i].to);
            assert_true(c.out.at[i].amounts[0] == 100.0);
        } else {
            assert_int_equal(c.out.at[i].grain, 6); /* a sixteenth, so that there is something to take */
        }
    assert_int_equal(told, NODES);
    close_court(&c);
}

/* Granted to 0, stolen by 1, reported by 1: counted for both, and the idle one hears who has most. */
static void a_stolen_unit_is_accepted_from_the_thief(void **state)
{
    (void)state;
    struct court c;
    open_court(&c);
    struct plb_message zero = block_of(&c, 0), one = block_of(&c, 1);
    report(&c, one, 1, 0, 100);
    int heard = c.out.n - 1;
    assert_int_equal(c.out.at[heard].type, PLB_EMPTY);
    assert_int_equal(c.out.at[heard].to, 1);
    move(&c, zero, 0, 1, 60, 40);
    assert_int_equal(report(&c, zero, 1, 60, 40), 40);
    assert_int_equal(report(&c, zero, 0, 60, 40), 0); /* the same again */
    assert_int_equal(report(&c, zero, 0, 0, 60), 60);
    report(&c, block_of(&c, 2), 2, 0, 100);
    assert_true(plb_master_over(c.master));
    int64_t gifts, units;
    plb_master_migrations(c.master, &gifts, &units);
    assert_int_equal(gifts, 1);
    assert_int_equal(units, 40);
    assert_int_equal(plb_master_totals(c.master, 1)->stolen_in, 40);
    assert_int_equal(plb_master_totals(c.master, 0)->stolen_out, 40);
    assert_int_equal(plb_master_totals(c.master, 1)->units, 140);
    close_court(&c);
}

/* The thief dies: what it stole comes back, whether MOVED or the loss arrives first. */
static void a_lost_thief_gives_back_what_it_stole(void **state)
{
    (void)state;
    for (int late = 0; late <= 1; late++) {
        struct court c;
        open_court(&c);
        struct plb_message zero = block_of(&c, 0);
        if (!late)
            move(&c, zero, 0, 1, 60, 40);
        int before = c.out.n;
        plb_master_lost(c.master, 1, 2.0, &c.out);
        if (late)
            move(&c, zero, 0, 1, 60, 40);
        assert_int_equal(report(&c, zero, 0, 0, 60), 60);
        assert_int_equal(report(&c, block_of(&c, 2), 2, 0, 100), 100);
        finish_rest(&c, before, 1);
        assert_true(plb_master_over(c.master));
        assert_null(plb_master_failure(c.master));
        close_court(&c);
    }
}

/* 0 gives to 1, which gives on to 2, which dies; the second MOVED overtakes the first. */
static void a_chain_of_thieves_forgets_nothing(void **state)
{
    (void)state;
    for (int overtaken = 0; overtaken <= 1; overtaken++) {
        struct court c;
        open_court(&c);
        struct plb_message zero = block_of(&c, 0);
        move(&c, zero, overtaken ? 1 : 0, overtaken ? 2 : 1, 60, 40);
        move(&c, zero, overtaken ? 0 : 1, overtaken ? 1 : 2, 60, 40);
        int before = c.out.n;
        plb_master_lost(c.master, 2, 2.0, &c.out);
        report(&c, zero, 0, 0, 60);
        report(&c, block_of(&c, 1), 1, 0, 100);
        finish_rest(&c, before, 2);
        assert_true(plb_master_over(c.master));
        close_court(&c);
    }
}

/* Greedy pieces of ten units. With times that follow the size, blocks are whole tasks to the end; where equal
 * pieces last 1 s and 3 s in turn, those of the end are cut. */
static void surprising_times_cut_the_last_blocks(void **state)
{
    (void)state;
    for (int surprising = 0; surprising <= 1; surprising++) {
        struct court c;
        struct plb_error err = {.status = PLB_OK};
        struct plb_pu_info pus[2] = {{.node = 0, .power = 1.0, .memory = INFINITY}, {.node = 1, .power = 1.0, .memory = INFINITY}};
        memset(&c, 0, sizeof c);
        struct plb_master_config config = {.balancer = plb_balancer_find("greedy", "test", &err), .params = c.params, .migration = true};
        default_params(config.balancer, c.params);
        c.params[0].value = 20.0;
        plb_cost_map_init(&c.map, 2000, NULL, NULL, &err);
        c.master = plb_master_new(&config, pus, 2);
        plb_master_begin(c.master, 1, 0, &c.map, 0.0, &c.out);
        int cut_early = 0, cut_late = 0;
        for (int i = 0; i < c.out.n; i++) {
            struct plb_message b = c.out.at[i];
            if (b.type != PLB_BLOCK)
                continue;
            *(b.range.first < 1000 ? &cut_early : &cut_late) += b.grain < b.range.count;
            b.type = PLB_DONE;
            b.from = b.to;
            b.tasks = 1;
            b.execute_s = surprising && b.range.first / 100 % 2 == 0 ? 3.0 : 1.0;
            plb_master_done(c.master, &b, (double)i, &c.out);
        }
        assert_true(plb_master_over(c.master));
        assert_int_equal(cut_early, 0);
        assert_true(surprising ? cut_late >= 4 : cut_late <= 2); /* what is granted last is cut in any case */
        close_court(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thief_gets_its_share_by_power),
        cmocka_unit_test(measured_rates_replace_powers),
        cmocka_unit_test(too_little_is_not_worth_a_message),
        cmocka_unit_test(neighbours_help_when_nothing_is_left_to_grant),
        cmocka_unit_test(the_last_unit_stays_with_the_faster),
        cmocka_unit_test(an_idle_node_asks_who_has_most),
        cmocka_unit_test(who_does_not_answer_delays_nobody),
        cmocka_unit_test(li_asks_the_first),
        cmocka_unit_test(off_means_off),
        cmocka_unit_test(surprising_times_cut_the_last_blocks),
        cmocka_unit_test(everybody_hears_that_nothing_is_left),
        cmocka_unit_test(a_stolen_unit_is_accepted_from_the_thief),
        cmocka_unit_test(a_lost_thief_gives_back_what_it_stole),
        cmocka_unit_test(a_chain_of_thieves_forgets_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
