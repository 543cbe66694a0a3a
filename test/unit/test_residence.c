/* Which free units a node gets: those at home, those of nobody, and those of the node that will be last. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/place/residence.h"
#include "dice.h"

#define NODES 4
#define UNITS 1000

struct fixture {
    struct plb_cost_map map;
    struct plb_ledger *ledger;
    struct plb_residence *residence;
};

static void begin(struct fixture *f)
{
    plb_ledger_begin(f->ledger, &f->map, NULL);
    plb_residence_begin(f->residence, UNITS, NULL);
}

static void set_up_with(struct fixture *f, int64_t chunk, bool guesses)
{
    *f = (struct fixture){.map = {.units = UNITS, .per_work = 1.0, .chunk = chunk}};
    f->ledger = plb_ledger_new(2 * NODES, NODES);
    f->residence = plb_residence_new(NODES, guesses);
    begin(f);
}

static void set_up(struct fixture *f, int64_t chunk)
{
    set_up_with(f, chunk, false);
}

static void tear_down(struct fixture *f)
{
    plb_ledger_free(f->ledger);
    plb_residence_free(f->residence);
}

/* A choice for a node, which it executes at once. */
static struct plb_range take(struct fixture *f, int node, double work)
{
    struct plb_range r = plb_residence_choose(f->residence, f->ledger, node, work);
    if (r.count > 0) {
        int64_t free = plb_ledger_free_units(f->ledger);
        int64_t block = plb_ledger_grant_range(f->ledger, node, node, r);
        assert_int_equal(plb_ledger_free_units(f->ledger), free - r.count); /* all of it was free */
        assert_null(plb_ledger_check(f->ledger));
        plb_residence_executed(f->residence, node, r);
        assert_int_equal(plb_ledger_accept(f->ledger, r, block), r.count);
    }
    return r;
}

static void expect(struct fixture *f, int node, double work, int64_t first, int64_t count)
{
    struct plb_range r = take(f, node, work);
    assert_int_equal(r.first, first);
    assert_int_equal(r.count, count);
}

/* Node 0 executes units 0 to 99 and 900 to 999, node 1 those from 100, 2 from 200, and 3 from 500 to 899. */
static void first_pass(struct fixture *f)
{
    expect(f, 0, 100.0, 0, 100);
    expect(f, 1, 100.0, 100, 100);
    expect(f, 2, 300.0, 200, 300);
    expect(f, 3, 400.0, 500, 400);
    expect(f, 0, 100.0, 900, 100);
    assert_false(plb_residence_any(f->residence));
    begin(f);
    assert_true(plb_residence_any(f->residence));
}

static void the_first_pass_takes_the_front(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, 0);
    for (int i = 0; i < 10; i++)
        expect(&f, i % NODES, 100.0, 100 * i, 100);
    expect(&f, 0, 100.0, 0, 0);
    assert_int_equal(plb_residence_counts(f.residence)->at_home, 0);
    tear_down(&f);
}

static void a_node_gets_what_it_has(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, 0);
    first_pass(&f);
    expect(&f, 3, 150.0, 500, 150);
    expect(&f, 2, 100.0, 200, 100);
    expect(&f, 3, 1000.0, 650, 250); /* no more than one range */
    expect(&f, 1, 100.0, 100, 100);
    expect(&f, 0, 150.0, 0, 100);
    expect(&f, 0, 50.0, 900, 50);
    expect(&f, 2, 200.0, 300, 200);
    assert_int_equal(plb_residence_counts(f.residence)->at_home, 950);
    assert_int_equal(plb_residence_counts(f.residence)->away, 0);
    tear_down(&f);
}

static void units_of_others_come_off_their_end(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, 0);
    first_pass(&f);
    expect(&f, 1, 100.0, 100, 100);
    expect(&f, 1, 30.0, 970, 30); /* of nobody but rank 0 */
    expect(&f, 1, 70.0, 900, 70);
    expect(&f, 1, 100.0, 0, 100);
    expect(&f, 2, 200.0, 200, 200); /* a third is left */
    expect(&f, 3, 100.0, 500, 100); /* three quarters are left */
    expect(&f, 1, 50.0, 850, 50);
    expect(&f, 0, 200.0, 650, 200); /* of 250: less than a third is left */
    expect(&f, 0, 60.0, 440, 60);
    assert_int_equal(plb_residence_counts(f.residence)->at_home, 400);
    assert_int_equal(plb_residence_counts(f.residence)->away, 510);
    begin(&f);
    assert_int_equal(plb_residence_of(f.residence, 860), 1);
    assert_int_equal(plb_residence_of(f.residence, 840), 3); /* rank 0 has it too */
    assert_int_equal(plb_residence_of(f.residence, 980), 1);
    expect(&f, 1, 1000.0, 0, 200); /* what touches is one */
    tear_down(&f);
}

static void freed_units_are_found_again(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, 0);
    first_pass(&f);
    struct plb_range r = plb_residence_choose(f.residence, f.ledger, 2, 300.0);
    int64_t block = plb_ledger_grant_range(f.ledger, 2, 2, r);
    expect(&f, 2, 10.0, 990, 10); /* nothing is left at home */
    plb_ledger_drop(f.ledger, (struct plb_range){250, 50}, block, PLB_REGRANT_DAMAGED);
    expect(&f, 2, 300.0, 250, 50);
    tear_down(&f);
}

static void a_lost_node_has_nothing(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, 0);
    first_pass(&f);
    expect(&f, 3, 100.0, 500, 100);
    expect(&f, 1, 100.0, 100, 100);
    plb_ledger_lose(f.ledger, 3);
    plb_residence_lose(f.residence, 3);
    assert_int_equal(plb_residence_counts(f.residence)->lost, 1);
    assert_int_equal(plb_residence_of(f.residence, 700), 0);
    expect(&f, 2, 300.0, 200, 300);
    expect(&f, 2, 250.0, 750, 250); /* one range of nobody now, with those of rank 0 */
    expect(&f, 0, 1000.0, 0, 100);
    expect(&f, 0, 1000.0, 600, 150);
    begin(&f);
    assert_int_equal(plb_residence_of(f.residence, 550), 0);
    assert_int_equal(plb_residence_of(f.residence, 800), 2);
    tear_down(&f);
}

static void chunks_stay_whole(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, 30);
    expect(&f, 1, 300.0, 0, 300);
    expect(&f, 2, 690.0, 300, 690);
    expect(&f, 2, 10.0, 990, 10);
    begin(&f);
    expect(&f, 1, 1000.0, 0, 300);
    expect(&f, 1, 5.0, 990, 10);
    expect(&f, 1, 40.0, 960, 30);
    tear_down(&f);
}

/* Where a home is several pieces, others take from the end of the last one. */
static void units_come_off_the_last_piece_of_a_home(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, 0);
    expect(&f, 1, 300.0, 0, 300);
    expect(&f, 2, 300.0, 300, 300);
    expect(&f, 1, 300.0, 600, 300);
    expect(&f, 3, 100.0, 900, 100);
    begin(&f);
    expect(&f, 3, 100.0, 900, 100);
    expect(&f, 2, 200.0, 300, 200); /* a third is left */
    expect(&f, 3, 50.0, 850, 50);   /* of node 1, which will be last */
    expect(&f, 1, 600.0, 0, 300);
    tear_down(&f);
}

/* Passes in which anybody takes anything: each ends, and then every unit is where it was executed last. */
static void random_passes_end(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct dice d = {seed, 0};
        struct fixture f;
        int home[UNITS] = {0};
        set_up(&f, seed % 3 == 0 ? (int64_t)(seed % 20) : 0);
        for (int pass = 0; pass < 5; pass++) {
            for (struct plb_range r = {0, 1}; r.count > 0;) {
                int node = (int)whole(&d, 0, NODES - 1);
                r = take(&f, node, real(&d, 0.0, 80.0));
                for (int64_t u = r.first; u < r.first + r.count && node > 0; u++)
                    home[u] = node;
            }
            assert_int_equal(plb_ledger_accepted_units(f.ledger), UNITS);
            begin(&f);
            for (int64_t u = 0; u < UNITS; u++)
                assert_int_equal(plb_residence_of(f.residence, u), home[u]);
        }
        tear_down(&f);
    }
}

/* Each node begins with its part of the units, and goes on there in the next pass. */
static void homes_can_be_guessed(void **state)
{
    (void)state;
    struct fixture f;
    set_up_with(&f, 0, true);
    for (int pass = 0; pass < 2; pass++) {
        expect(&f, 2, 10.0, 500, 10);
        expect(&f, 0, 250.0, 0, 250);
        expect(&f, 3, 250.0, 750, 250);
        expect(&f, 2, 240.0, 510, 240);
        expect(&f, 1, 250.0, 250, 250);
        assert_int_equal(plb_ledger_free_units(f.ledger), 0);
        begin(&f);
    }
    struct plb_range guess = plb_residence_guess(f.residence, 10, 1);
    assert_int_equal(guess.first, 2); /* of 10 units, nodes have 2, 3, 2 and 3 */
    assert_int_equal(guess.count, 3);
    tear_down(&f);
    set_up(&f, 0);
    assert_int_equal(plb_residence_guess(f.residence, UNITS, 1).count, 0);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_pass_takes_the_front),
        cmocka_unit_test(a_node_gets_what_it_has),
        cmocka_unit_test(units_of_others_come_off_their_end),
        cmocka_unit_test(freed_units_are_found_again),
        cmocka_unit_test(a_lost_node_has_nothing),
        cmocka_unit_test(chunks_stay_whole),
        cmocka_unit_test(units_come_off_the_last_piece_of_a_home),
        cmocka_unit_test(random_passes_end),
        cmocka_unit_test(homes_can_be_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
