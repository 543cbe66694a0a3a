/* A node that comes while the run goes on: it gets work under every balancer, and the run ends earlier. Three
 * nodes of one PU each, 100 units per second; 1,000 units take two of them 5 s. */
#include "small_cluster.h"

#define JOINS 1.0

/* A run of two nodes, and a third one that comes then; infinite: never. Returns the seconds. */
static double join_at(struct fixture *f, const char *balancer, double at, bool migration)
{
    set_up(f, 3, balancer);
    f->s.n_joiners = 1;
    f->s.join_at = &at;
    f->s.master.migration = f->s.migration.on = migration;
    run(f);
    return f->result.makespan_s;
}

static int64_t units_of(const struct fixture *f, int pu)
{
    return pu < plb_master_pus(f->result.master) ? plb_master_totals(f->result.master, pu)->units : 0;
}

static int64_t all_units(const struct fixture *f)
{
    int64_t sum = 0;
    for (int p = 0; p < plb_master_pus(f->result.master); p++)
        sum += units_of(f, p);
    return sum;
}

static void every_balancer_gives_it_work(void **state)
{
    (void)state;
    struct fixture f;
    for (int b = 0; plb_balancers[b] != NULL; b++) {
        const char *name = plb_balancers[b]->name;
        double alone = join_at(&f, name, 1e9, true);
        assert_int_equal(plb_master_pus(f.result.master), 2);
        tear_down(&f);
        double together = join_at(&f, name, JOINS, true);
        if (units_of(&f, 2) < 100)
            fail_msg("%s: the PU that joined has executed %lld units", name, (long long)units_of(&f, 2));
        assert_int_equal(all_units(&f), UNITS);
        assert_int_equal(plb_master_counts(f.result.master)->joined, 1);
        if (together > 0.9 * alone)
            fail_msg("%s: %g s with the joined PU, %g s without", name, together, alone);
        tear_down(&f);
    }
}

/* All shares are fixed at the start, and nothing moves: it gets nothing, and nothing breaks. */
static void where_nothing_is_left_and_nothing_moves_it_gets_nothing(void **state)
{
    (void)state;
    struct fixture f;
    near(join_at(&f, "static", JOINS, false), 5.0);
    assert_int_equal(units_of(&f, 2), 0);
    assert_int_equal(plb_master_counts(f.result.master)->joined, 1);
    tear_down(&f);
}

/* A node joins once: the second HELLO of the same, one of a node that was there, and one with too many PUs
 * are refused. */
static void it_joins_once(void **state)
{
    (void)state;
    struct fixture f;
    struct plb_outbox out = {0};
    set_up(&f, 3, "greedy");
    f.s.master.joiners = 1;
    f.s.master.joining_pus = 2;
    struct plb_pu_info infos[3] = {{.node = 0}, {.node = 1}, {.node = 2}};
    for (int i = 0; i < 3; i++)
        infos[i].memory = INFINITY;
    struct plb_master *m = plb_master_new(&f.s.master, infos, 2);
    assert_false(plb_master_join(m, 1, infos + 2, 1, 0, 0.0, &out));
    assert_false(plb_master_join(m, 2, infos, 3, 0, 0.0, &out));
    assert_true(plb_master_join(m, 2, infos + 2, 1, 0, 0.0, &out));
    assert_false(plb_master_join(m, 2, infos + 2, 1, 0, 0.0, &out));
    plb_master_lost(m, 2, 0.0, &out);
    assert_false(plb_master_join(m, 2, infos + 2, 1, 0, 0.0, &out));
    assert_int_equal(plb_master_pus(m), 3);
    plb_outbox_fini(&out);
    f.result.master = m;
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_balancer_gives_it_work),
        cmocka_unit_test(where_nothing_is_left_and_nothing_moves_it_gets_nothing),
        cmocka_unit_test(it_joins_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
