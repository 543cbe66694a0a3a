/* Which units were granted twice, to whom, and why. */
#include "master_fixture.h"

#include "core/ledger/regrants.h"

static const struct plb_master_config migrating = {.migration = true}, whole = {.whole_results = true};

static struct plb_range range(int64_t first, int64_t count)
{
    return (struct plb_range){first, count};
}

static void is(const struct plb_regrants *r, int i, int64_t first, int64_t count, int first_pu, int second_pu,
               enum plb_regrant_reason reason)
{
    assert_true(i < r->granted.n);
    const struct plb_regrant *at = &r->granted.at[i];
    if (at->range.first != first || at->range.count != count || at->first_pu != first_pu
        || at->second_pu != second_pu || at->reason != reason)
        fail_msg("%d: %d units from %d on, of PU %d for PU %d: %s", i, (int)at->range.count,
                 (int)at->range.first, at->first_pu, at->second_pu, plb_regrant_reason(at->reason));
}

static void a_first_grant_is_not_listed(void **state)
{
    (void)state;
    struct plb_regrants r = {0};
    plb_regrants_begin(&r, 1);
    plb_regrants_granted(&r, range(0, 100), 0);
    plb_regrants_wait(&r, range(0, 50), 0, PLB_REGRANT_LOST_RANK);
    plb_regrants_granted(&r, range(50, 50), 1);
    assert_int_equal(r.granted.n, 0);
    assert_int_equal(r.units[PLB_REGRANT_LOST_RANK], 50);
    plb_regrants_begin(&r, 2); /* nobody waits any more */
    plb_regrants_granted(&r, range(0, 100), 0);
    assert_int_equal(r.granted.n, 0);
    plb_regrants_fini(&r);
}

/* Free units of three PUs are granted in other parts than those in which they became free. */
static void each_part_is_listed_once_and_neighbours_are_one(void **state)
{
    (void)state;
    struct plb_regrants r = {0};
    plb_regrants_begin(&r, 1);
    for (int p = 0; p < 3; p++)
        plb_regrants_wait(&r, range(100 * p, 100), p, PLB_REGRANT_LOST_RANK);
    plb_regrants_granted(&r, range(20, 30), 7); /* from the middle of one */
    is(&r, 0, 20, 30, 0, 7, PLB_REGRANT_LOST_RANK);
    plb_regrants_granted(&r, range(50, 10), 7);
    plb_regrants_granted(&r, range(0, 20), 7);
    assert_int_equal(r.granted.n, 1);
    is(&r, 0, 0, 60, 0, 7, PLB_REGRANT_LOST_RANK);
    plb_regrants_granted(&r, range(60, 240), 8);
    assert_int_equal(r.granted.n, 4);
    int64_t units = 0;
    for (int i = 1; i < r.granted.n; i++) {
        int p = r.granted.at[i].first_pu;
        is(&r, i, p == 0 ? 60 : 100 * p, p == 0 ? 40 : 100, p, 8, PLB_REGRANT_LOST_RANK);
        units += r.granted.at[i].range.count;
    }
    assert_int_equal(units, 240);
    plb_regrants_granted(&r, range(0, 300), 9); /* nothing waits */
    assert_int_equal(r.granted.n, 4);
    plb_regrants_fini(&r);
}

/* Two free parts that touch wait as one, in whichever order they became free. */
static void neighbours_wait_as_one(void **state)
{
    (void)state;
    struct plb_regrants r = {0};
    plb_regrants_begin(&r, 1);
    plb_regrants_wait(&r, range(10, 10), 0, PLB_REGRANT_LOST_RANK);
    plb_regrants_wait(&r, range(0, 10), 0, PLB_REGRANT_LOST_RANK);
    assert_int_equal(r.waiting.n, 1);
    plb_regrants_wait(&r, range(20, 10), 1, PLB_REGRANT_LOST_RANK);
    assert_int_equal(r.waiting.n, 2);
    plb_regrants_granted(&r, range(5, 20), 2);
    is(&r, 0, 20, 5, 1, 2, PLB_REGRANT_LOST_RANK);
    is(&r, 1, 5, 15, 0, 2, PLB_REGRANT_LOST_RANK);
    plb_regrants_granted(&r, range(0, 30), 3);
    assert_int_equal(r.granted.n, 4);
    assert_int_equal(r.granted.at[2].range.count + r.granted.at[3].range.count, 10);
    assert_int_equal(r.waiting.n, 0);
    plb_regrants_fini(&r);
}

static void other_reasons_and_pus_stay_apart(void **state)
{
    (void)state;
    struct plb_regrants r = {0};
    plb_regrants_begin(&r, 1);
    plb_regrants_copied(&r, range(0, 10), 0, 1, PLB_REGRANT_BACKUP);
    plb_regrants_copied(&r, range(10, 10), 0, 1, PLB_REGRANT_AUDIT);
    plb_regrants_copied(&r, range(20, 10), 2, 1, PLB_REGRANT_AUDIT);
    plb_regrants_copied(&r, range(30, 10), 2, 3, PLB_REGRANT_AUDIT);
    plb_regrants_copied(&r, range(41, 10), 2, 3, PLB_REGRANT_AUDIT); /* it does not touch the last one */
    plb_regrants_begin(&r, 2);
    plb_regrants_copied(&r, range(51, 10), 2, 3, PLB_REGRANT_AUDIT);
    assert_int_equal(r.granted.n, 6);
    assert_true(r.granted.at[4].pass == 1 && r.granted.at[5].pass == 2);
    plb_regrants_fini(&r);
}

static void the_list_ends_and_the_sums_do_not(void **state)
{
    (void)state;
    struct plb_regrants r = {0};
    plb_regrants_begin(&r, 1);
    for (int i = 0; i < PLB_REGRANTS_LISTED + 5; i++)
        plb_regrants_copied(&r, range(2 * i, 1), 0, 1, PLB_REGRANT_BACKUP);
    assert_int_equal(r.granted.n, PLB_REGRANTS_LISTED);
    assert_int_equal(r.units[PLB_REGRANT_BACKUP], PLB_REGRANTS_LISTED + 5);
    for (int i = 0; i < PLB_REGRANTS_LISTED + 5; i++) /* else each grant looks at all of them */
        plb_regrants_wait(&r, range(2 * i, 1), 0, PLB_REGRANT_LOST_RANK);
    assert_int_equal(r.waiting.n, PLB_REGRANTS_LISTED);
    plb_regrants_fini(&r);
}

/* Three nodes have a hundred units each. Those of node 1 are granted again, but for those that it has
 * reported. */
static void units_of_a_lost_rank(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "static", 0.0, 3, 300, &migrating);
    const struct plb_regrants *r = plb_master_regrants(f.master);
    struct plb_range one = block_of(&f, 1).block.range;
    assert_int_equal(r->granted.n, 0);
    report(&f, block_of(&f, 1), 1, 0, 40);
    lose(&f, 1);
    int64_t units = 0;
    for (int i = 0; i < r->granted.n; i++) {
        assert_true(plb_range_within(r->granted.at[i].range, range(one.first + 40, 60)));
        assert_true(r->granted.at[i].first_pu == 1 && r->granted.at[i].second_pu != 1
                    && r->granted.at[i].pass == 1);
        assert_int_equal(r->granted.at[i].reason, PLB_REGRANT_LOST_RANK);
        units += r->granted.at[i].range.count;
    }
    assert_int_equal(units, 60);
    stop(&f);
}

/* A result that has arrived damaged, or was overwritten: the same PU may get the units again. */
static void results_that_cannot_be_used(void **state)
{
    (void)state;
    const enum plb_regrant_reason reasons[] = {PLB_REGRANT_DAMAGED, PLB_REGRANT_OVERWRITTEN};
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        start(&f, "static", 0.0, 2, 200, &migrating);
        struct plb_message m = message(&f, PLB_DONE, 0), block = block_of(&f, 0);
        m.done = (struct plb_done){
            .range = block.block.range, .block = block.block.id, .tasks = 1, .execute_s = 1.0};
        plb_master_spoiled(f.master, &m, reasons[i], 1.0, &f.out);
        const struct plb_regrants *r = plb_master_regrants(f.master);
        assert_int_equal(r->units[reasons[i]], 100);
        is(r, 0, block.block.range.first, r->granted.at[0].range.count, 0, r->granted.at[0].second_pu,
           reasons[i]);
        stop(&f);
    }
}

/* Some units of the result have been accepted, and reduced arrays cannot be divided. */
static void a_result_that_is_partly_new(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "static", 0.0, 2, 200, &whole);
    report(&f, block_of(&f, 0), 0, 0, 20);
    report(&f, block_of(&f, 0), 0, 0, 100);
    assert_int_equal(plb_master_regrants(f.master)->units[PLB_REGRANT_PARTLY_NEW], 80);
    is(plb_master_regrants(f.master), 0, block_of(&f, 0).block.range.first + 20, 80, 0,
       plb_master_regrants(f.master)->granted.at[0].second_pu, PLB_REGRANT_PARTLY_NEW);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_grant_is_not_listed),
        cmocka_unit_test(each_part_is_listed_once_and_neighbours_are_one),
        cmocka_unit_test(neighbours_wait_as_one),
        cmocka_unit_test(other_reasons_and_pus_stay_apart),
        cmocka_unit_test(the_list_ends_and_the_sums_do_not),
        cmocka_unit_test(units_of_a_lost_rank),
        cmocka_unit_test(results_that_cannot_be_used),
        cmocka_unit_test(a_result_that_is_partly_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
