/* The ledger, operation by operation: who holds what, and which blocks changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/ledger/ledger.h"

#define PUS 4
#define NODES 4 /* PU n is node n's */
#define UNITS 100

struct fixture {
    struct plb_cost_map costs;
    struct plb_ledger *ledger;
};

static void start(struct fixture *f)
{
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_cost_map_init(&f->costs, UNITS, NULL, NULL, &err), PLB_OK);
    f->ledger = plb_ledger_new(PUS, NODES);
    plb_ledger_begin(f->ledger, &f->costs, NULL);
}

static void stop(struct fixture *f)
{
    plb_ledger_free(f->ledger);
    plb_cost_map_fini(&f->costs);
}

static void expect_units(const struct fixture *f, int64_t free, int64_t held, int64_t accepted)
{
    assert_int_equal(plb_ledger_free_units(f->ledger), free);
    assert_int_equal(plb_ledger_held_units(f->ledger), held);
    assert_int_equal(plb_ledger_accepted_units(f->ledger), accepted);
    assert_true(plb_ledger_free_work(f->ledger) == (double)free);
    assert_null(plb_ledger_check(f->ledger));
}

static void expect_front(const struct fixture *f, int64_t first, int64_t count)
{
    struct plb_range front = plb_ledger_front(f->ledger);
    assert_true(front.count == count && (count == 0 || front.first == first));
}

static void expect_left(const struct fixture *f, double n0, double n1, double n2, double n3)
{
    double left[NODES] = {n0, n1, n2, n3};
    for (int n = 0; n < NODES; n++)
        assert_true(plb_ledger_left(f->ledger, n) == left[n]);
}

/* The last operation changed one block, of this PU. */
static void expect_change(const struct fixture *f, int pu, bool over, double settled, double freed)
{
    int n;
    const struct plb_block_change *c = plb_ledger_changes(f->ledger, &n);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        assert_int_equal(c[i].pu, pu);
        assert_int_equal(c[i].over, over && i == n - 1);
        assert_true(c[i].work == (double)c[i].units);
        *(c[i].freed ? &freed : &settled) -= c[i].work;
    }
    assert_true(settled == 0.0 && freed == 0.0);
}

static void expect_no_change(const struct fixture *f)
{
    int n;
    plb_ledger_changes(f->ledger, &n);
    assert_int_equal(n, 0);
}

static int64_t grant(struct fixture *f, int pu, int64_t count)
{
    return plb_ledger_grant(f->ledger, pu, pu, count);
}

static int64_t accept(struct fixture *f, int64_t first, int64_t count)
{
    return plb_ledger_accept(f->ledger, (struct plb_range){first, count}, PLB_CLOSED);
}

static int64_t move(struct fixture *f, int64_t first, int64_t count, int64_t block, int64_t hop, int from,
                    int to)
{
    return plb_ledger_move(f->ledger, &(struct plb_gift){{first, count}, block, hop}, from, to);
}

static void a_pass_begins_free(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    expect_units(&f, 100, 0, 0);
    expect_front(&f, 0, 100);
    expect_left(&f, 0, 0, 0, 0);
    stop(&f);
}

static void before_the_first_pass_nothing_is_there(void **state)
{
    struct fixture f = {.ledger = plb_ledger_new(PUS, NODES)};
    (void)state;
    assert_null(plb_ledger_check(f.ledger));
    expect_front(&f, 0, 0);
    assert_int_equal(plb_ledger_lose(f.ledger, 2), 0);
    assert_true(plb_ledger_lost(f.ledger, 2));
    expect_no_change(&f);
    stop(&f);
}

static void a_grant_takes_the_front(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    int64_t a = grant(&f, 1, 30), b = grant(&f, 1, 20), c = grant(&f, 3, 10);
    assert_true(a % PUS == 1 && b % PUS == 1 && c % PUS == 3 && a != b);
    expect_units(&f, 40, 60, 0);
    expect_front(&f, 60, 40);
    expect_left(&f, 0, 50, 0, 10);
    assert_int_equal(plb_ledger_open_blocks(f.ledger, 1), 2);
    assert_int_equal(plb_ledger_open_blocks(f.ledger, 3), 1);
    expect_no_change(&f);
    grant(&f, 2, 40);
    expect_units(&f, 0, 100, 0);
    expect_front(&f, 0, 0);
    stop(&f);
}

static void a_unit_is_accepted_once(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    grant(&f, 0, 10);
    assert_int_equal(plb_ledger_open_units(f.ledger, (struct plb_range){0, 20}, PLB_CLOSED), 20);
    assert_int_equal(accept(&f, 2, 5), 5);
    expect_change(&f, 0, false, 5.0, 0.0);
    assert_int_equal(plb_ledger_open_units(f.ledger, (struct plb_range){0, 20}, PLB_CLOSED), 15);
    assert_int_equal(accept(&f, 2, 5), 0);
    expect_no_change(&f);
    assert_int_equal(accept(&f, 0, 8), 3);
    expect_change(&f, 0, false, 3.0, 0.0);
    assert_int_equal(accept(&f, 8, 2), 2);
    expect_change(&f, 0, true, 2.0, 0.0);
    expect_units(&f, 90, 0, 10);
    assert_int_equal(plb_ledger_open_blocks(f.ledger, 0), 0);
    stop(&f);
}

/* A result names the block that its units were granted in. Whether it does so rightly changes nothing. */
static void any_block_may_be_named(void **state)
{
    (void)state;
    for (int64_t named = PLB_CLOSED; named < 3 * PUS; named++) {
        struct fixture f;
        start(&f);
        int64_t a = grant(&f, 0, 10), b = grant(&f, 0, 10);
        grant(&f, 1, 10);
        move(&f, 14, 3, b, 1, 0, 2);
        assert_int_equal(plb_ledger_accept(f.ledger, (struct plb_range){12, 4}, named), 4);
        expect_change(&f, 0, false, 4.0, 0.0);
        expect_left(&f, 15, 10, 1, 0);
        assert_int_equal(plb_ledger_open_units(f.ledger, (struct plb_range){10, 10}, named), 6);
        assert_int_equal(plb_ledger_accept(f.ledger, (struct plb_range){10, 10}, named), 6);
        expect_change(&f, 0, true, 6.0, 0.0);
        assert_int_equal(plb_ledger_open_units(f.ledger, (struct plb_range){10, 10}, named), 0);
        plb_ledger_drop(f.ledger, (struct plb_range){0, 10}, a, PLB_REGRANT_DAMAGED);
        assert_int_equal(plb_ledger_accept(f.ledger, (struct plb_range){5, 10}, named), 5);
        expect_no_change(&f);
        expect_units(&f, 75, 10, 15);
        stop(&f);
    }
}

/* A result may arrive of units that were freed: nobody gets them any more. */
static void free_units_can_be_accepted(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    assert_int_equal(accept(&f, 0, 10), 10);
    expect_front(&f, 10, 90);
    assert_int_equal(accept(&f, 20, 5), 5);
    expect_front(&f, 10, 10);
    expect_units(&f, 85, 0, 15);
    expect_no_change(&f);
    grant(&f, 2, 10);
    expect_front(&f, 25, 75);
    assert_int_equal(accept(&f, 0, 100), 85);
    expect_change(&f, 2, true, 10.0, 0.0);
    expect_units(&f, 0, 0, 100);
    expect_front(&f, 0, 0);
    stop(&f);
}

static void a_dropped_result_frees_what_its_block_holds(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    int64_t a = grant(&f, 0, 10);
    grant(&f, 1, 10);
    accept(&f, 0, 3);
    assert_int_equal(plb_ledger_drop(f.ledger, (struct plb_range){0, 20}, a, PLB_REGRANT_DAMAGED),
                     7); /* not those of PU 1 */
    expect_change(&f, 0, true, 0.0, 7.0);
    expect_units(&f, 87, 10, 3);
    expect_front(&f, 3, 7);
    assert_int_equal(plb_ledger_drop(f.ledger, (struct plb_range){0, 20}, a, PLB_REGRANT_DAMAGED), 0);
    expect_no_change(&f);
    stop(&f);
}

static void free_units_that_come_back_are_the_front_again(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    grant(&f, 0, 10);
    grant(&f, 1, 10);
    int64_t c = grant(&f, 2, 10);
    plb_ledger_drop(f.ledger, (struct plb_range){25, 2}, c, PLB_REGRANT_DAMAGED);
    expect_front(&f, 25, 2);
    plb_ledger_lose(f.ledger, 0);
    expect_front(&f, 0, 10);
    grant(&f, 1, 10);
    expect_front(&f, 25, 2);
    grant(&f, 3, 2);
    expect_front(&f, 30, 70);
    expect_units(&f, 70, 30, 0);
    stop(&f);
}

/* Units go from node 0 to 1, 2 and 3. Whatever the order in which the master hears of it, node 3 has them. */
static void moves_may_arrive_in_any_order(void **state)
{
    static const int orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct fixture f;
        start(&f);
        int64_t a = grant(&f, 0, 20);
        int youngest = 0;
        for (int k = 0; k < 3; k++) {
            int hop = orders[i][k];
            assert_int_equal(move(&f, 5, 10, a, hop, hop - 1, hop), hop > youngest ? 10 : 0);
            youngest = hop > youngest ? hop : youngest;
            expect_no_change(&f);
            expect_left(&f, 10, youngest == 1 ? 10 : 0, youngest == 2 ? 10 : 0, youngest == 3 ? 10 : 0);
            assert_null(plb_ledger_check(f.ledger));
        }
        assert_int_equal(plb_ledger_lose(f.ledger, 1), 0);  /* it neither has them nor gave them last */
        assert_int_equal(plb_ledger_lose(f.ledger, 2), 10); /* it did, and its gift may be lost with it */
        expect_change(&f, 0, false, 0.0, 10.0);
        expect_units(&f, 90, 10, 0);
        stop(&f);
    }
}

static void a_move_of_settled_units_changes_nothing(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    int64_t a = grant(&f, 0, 20);
    accept(&f, 0, 5);
    plb_ledger_drop(f.ledger, (struct plb_range){5, 5}, a, PLB_REGRANT_DAMAGED);
    assert_int_equal(move(&f, 0, 10, a, 1, 0, 1), 0);
    assert_int_equal(move(&f, 0, 12, a, 1, 0, 1), 2);
    assert_int_equal(move(&f, 10, 10, a + PUS, 1, 0, 1), 0); /* of another block, which has ended */
    expect_left(&f, 8, 2, 0, 0);
    expect_units(&f, 85, 10, 5);
    stop(&f);
}

static void a_move_to_a_lost_node_frees(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    int64_t a = grant(&f, 0, 20);
    assert_int_equal(plb_ledger_lose(f.ledger, 1), 0);
    assert_int_equal(move(&f, 10, 10, a, 1, 0, 1), 10);
    expect_change(&f, 0, false, 0.0, 10.0);
    expect_units(&f, 90, 10, 0);
    assert_int_equal(move(&f, 0, 10, a, 1, 0, 1), 10);
    expect_change(&f, 0, true, 0.0, 10.0);
    expect_units(&f, 100, 0, 0);
    expect_front(&f, 0, 100);
    stop(&f);
}

/* The giver dies: its gift may not have got out although the master knows of it. */
static void a_loss_frees_what_was_held_and_what_was_given_last(void **state)
{
    struct fixture f;
    int n;
    (void)state;
    start(&f);
    int64_t a = grant(&f, 0, 20), b = grant(&f, 1, 20);
    move(&f, 0, 5, a, 1, 0, 1);
    move(&f, 20, 5, b, 1, 1, 2);
    assert_int_equal(plb_ledger_lose(f.ledger, 1), 25); /* 15 of its own, 5 from node 0, 5 given to node 2 */
    const struct plb_block_change *c = plb_ledger_changes(f.ledger, &n);
    assert_int_equal(n, 3); /* in the order of the units */
    assert_true(c[0].pu == 0 && c[0].freed && !c[0].over && c[0].work == 5.0);
    assert_true(c[1].pu == 1 && c[1].freed && !c[1].over && c[1].work == 5.0);
    assert_true(c[2].pu == 1 && c[2].freed && c[2].over && c[2].work == 15.0);
    expect_left(&f, 15, 0, 0, 0);
    expect_units(&f, 85, 15, 0);
    stop(&f);
}

static void a_lost_node_stays_lost(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    grant(&f, 2, 10);
    assert_int_equal(plb_ledger_lose(f.ledger, 2), 10);
    assert_int_equal(plb_ledger_lose(f.ledger, 2), 0);
    plb_ledger_begin(f.ledger, &f.costs, NULL);
    assert_true(plb_ledger_lost(f.ledger, 2));
    expect_units(&f, 100, 0, 0);
    assert_int_equal(plb_ledger_open_blocks(f.ledger, 2), 0);
    int64_t a = grant(&f, 0, 10);
    move(&f, 0, 10, a, 1, 0, 2);
    expect_units(&f, 100, 0, 0);
    stop(&f);
}

/* An earlier run has done some units: nobody gets them, and the pass is over without them. */
static void a_pass_may_begin_in_the_middle(void **state)
{
    struct fixture f;
    struct plb_rangeset accepted = {0};
    (void)state;
    start(&f);
    plb_rangeset_add(&accepted, (struct plb_range){0, 10});
    plb_rangeset_add(&accepted, (struct plb_range){40, 50});
    plb_ledger_begin(f.ledger, &f.costs, &accepted);
    expect_units(&f, 40, 0, 60);
    expect_front(&f, 10, 30);
    int64_t block = plb_ledger_grant(f.ledger, 0, 0, 30);
    expect_front(&f, 90, 10);
    assert_int_equal(plb_ledger_open_units(f.ledger, (struct plb_range){30, 20}, block), 10);
    assert_int_equal(plb_ledger_accept(f.ledger, (struct plb_range){10, 30}, block), 30);
    block = plb_ledger_grant(f.ledger, 1, 1, 10);
    assert_int_equal(plb_ledger_accept(f.ledger, (struct plb_range){85, 15}, block), 10);
    expect_units(&f, 0, 0, UNITS);
    plb_ledger_begin(f.ledger, &f.costs, NULL);
    expect_units(&f, UNITS, 0, 0);
    plb_rangeset_fini(&accepted);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_may_begin_in_the_middle),
        cmocka_unit_test(a_pass_begins_free),
        cmocka_unit_test(before_the_first_pass_nothing_is_there),
        cmocka_unit_test(a_grant_takes_the_front),
        cmocka_unit_test(a_unit_is_accepted_once),
        cmocka_unit_test(any_block_may_be_named),
        cmocka_unit_test(free_units_can_be_accepted),
        cmocka_unit_test(a_dropped_result_frees_what_its_block_holds),
        cmocka_unit_test(free_units_that_come_back_are_the_front_again),
        cmocka_unit_test(moves_may_arrive_in_any_order),
        cmocka_unit_test(a_move_of_settled_units_changes_nothing),
        cmocka_unit_test(a_move_to_a_lost_node_frees),
        cmocka_unit_test(a_loss_frees_what_was_held_and_what_was_given_last),
        cmocka_unit_test(a_lost_node_stays_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
