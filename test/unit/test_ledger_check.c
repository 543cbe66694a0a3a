/* The findings of the ledger's check: invariants that the test breaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/ledger/ledger.h"

#define PUS 4 /* PU n is node n's */
#define UNITS 100

struct fixture {
    struct plb_cost_map costs;
    struct plb_ledger *ledger;
};

static void start(struct fixture *f)
{
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_cost_map_init(&f->costs, UNITS, NULL, NULL, &err), PLB_OK);
    f->ledger = plb_ledger_new(PUS, PUS);
    plb_ledger_begin(f->ledger, &f->costs, NULL);
}

static void stop(struct fixture *f)
{
    plb_ledger_free(f->ledger);
    plb_cost_map_fini(&f->costs);
}

/* The check finds that the invariant with this number does not hold. */
static void expect_wrong(const struct fixture *f, char number)
{
    const char *wrong = plb_ledger_check(f->ledger);
    assert_true(wrong != NULL && wrong[0] == number);
}

static void it_looks_for_overlaps(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    plb_ledger_grant(f.ledger, 0, 0, 10);
    struct plb_part *part = &f.ledger->held.parts[0];
    part->range.count++; /* free too */
    expect_wrong(&f, '1');
    part->range = (struct plb_range){95, 10}; /* beyond the pass */
    plb_ledger_accept(f.ledger, (struct plb_range){90, 10}, PLB_CLOSED);
    expect_wrong(&f, '1');
    stop(&f);
}

static void it_looks_at_the_order_of_free_ranges(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    plb_ledger_accept(f.ledger, (struct plb_range){40, 10}, PLB_CLOSED);
    struct plb_range *free = f.ledger->free.at, first = free[0];
    free[0] = free[1];
    free[1] = first;
    expect_wrong(&f, '2');
    free[0] = (struct plb_range){0, 40};
    free[1] = (struct plb_range){40, 50};
    expect_wrong(&f, '2');
    stop(&f);
}

static void it_adds_up_the_units(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    f.costs.units++;
    expect_wrong(&f, '3');
    f.costs.units--;
    stop(&f);
}

static void it_looks_for_the_blocks_of_held_units(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    for (int i = 0; i < PLB_BLOCKS_AHEAD; i++)
        plb_ledger_grant(f.ledger, 0, 0, 10);
    assert_null(plb_ledger_check(f.ledger));
    plb_ledger_grant(f.ledger, 0, 0, 10); /* one more than a PU may have */
    expect_wrong(&f, '4');
    stop(&f);
}

static void it_looks_for_lost_nodes(void **state)
{
    (void)state;
    for (int holds = 0; holds <= 1; holds++) {
        struct fixture f;
        start(&f);
        int64_t a = plb_ledger_grant(f.ledger, 0, 0, 10);
        plb_ledger_lose(f.ledger, 1);
        if (holds)
            plb_ledger_grant(f.ledger, 1, 1, 10);
        else
            plb_ledger_move(f.ledger, &(struct plb_gift){{0, 5}, a, 2}, 1, 2); /* a dead giver */
        expect_wrong(&f, '5');
        stop(&f);
    }
}

static void it_adds_up_the_work(void **state)
{
    double prefix[UNITS + 1] = {0.0}; /* all work is that of the last unit */
    struct fixture f;
    (void)state;
    start(&f);
    plb_ledger_grant(f.ledger, 0, 0, 10);
    prefix[UNITS] = (double)UNITS;
    f.costs.prefix = prefix;
    f.costs.bucket = 1;
    f.costs.n = UNITS;
    expect_wrong(&f, '6');
    f.costs.prefix = NULL;
    assert_null(plb_ledger_check(f.ledger));
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_looks_for_overlaps),   cmocka_unit_test(it_looks_at_the_order_of_free_ranges),
        cmocka_unit_test(it_adds_up_the_units),    cmocka_unit_test(it_looks_for_the_blocks_of_held_units),
        cmocka_unit_test(it_looks_for_lost_nodes), cmocka_unit_test(it_adds_up_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
