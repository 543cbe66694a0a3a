/* Whom an idle node asks for work, message by message, and which work stays where it is. */
#include "core/worker/thief.h"
#include "worker_fixture.h"

/* The node to which the next STEAL goes, or -1. */
static int asked(struct fixture *f, double now)
{
    f->out.n = 0;
    plb_worker_collect(f->worker, now, &f->out);
    return f->out.n > 0 && f->out.at[f->out.n - 1].type == PLB_STEAL ? f->out.at[f->out.n - 1].to : -1;
}

static void refuse(struct fixture *f, int node)
{
    assert_true(gift(f, plb_worker_pass(f->worker), node, 0, 0));
}

static void an_idle_node_asks_who_has_most(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 2, &migration_on);
    serve(&f, 1);
    assert_true(block(&f, 1, 0, 1, 0, 1, 1));
    empty(&f, 1, 10.0, 20.0);
    taken(&f, 1);
    assert_int_equal(asked(&f, 0.0), -1); /* its own queue is not empty */
    taken(&f, 0);
    taken(&f, 0);
    assert_int_equal(asked(&f, 1.0), 2);
    assert_true(f.out.at[0].steal.power == 1.0 && f.out.at[0].steal.rate == 0.0); /* PU 1 is busy */
    assert_int_equal(asked(&f, 1.0 + 0.5 * PLB_PATIENCE), -1);                    /* it may still answer */
    refuse(&f, 2);
    assert_int_equal(asked(&f, 1.0 + 0.6 * PLB_PATIENCE), 0);
    assert_int_equal(asked(&f, 1.0 + 3.0 * PLB_PATIENCE), -1); /* nobody is left to ask */
    empty(&f, 1, 5.0, 0.0);
    assert_int_equal(asked(&f, 2.0), 0);
    stop(&f);
}

static void who_does_not_answer_delays_nobody(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 2, &migration_on);
    serve(&f, 0);
    empty(&f, 1, 10.0, 20.0);
    taken(&f, 0);
    assert_int_equal(asked(&f, 0.0), 2);
    assert_int_equal(asked(&f, 1.1 * PLB_PATIENCE), 0);
    assert_true(gift(&f, 1, 2, 40, 2)); /* late, and welcome all the same */
    assert_int_equal(taken(&f, 0), 1);
    stop(&f);
}

/* A refusal, and an answer that never came, are of their pass. */
static void who_refused_is_asked_again_in_the_next_pass(void **state)
{
    (void)state;
    for (int answers = 0; answers <= 1; answers++) {
        struct fixture f;
        start(&f, 1, &migration_on);
        for (int pass = 1; pass <= 3; pass++) {
            if (pass > 1)
                assert_true(begin(&f, pass, 0));
            serve(&f, 0);
            empty(&f, pass, 0.0, 0.0); /* without names: two others can be asked */
            taken(&f, 0);
            int first = asked(&f, pass), second;
            assert_true(first == 0 || first == 2);
            if (answers)
                refuse(&f, first);
            second = asked(&f, pass + 0.5);
            assert_int_equal(second, 2 - first);
            if (answers)
                refuse(&f, second);
            assert_int_equal(asked(&f, pass + 0.6), -1);
        }
        stop(&f);
    }
}

/* Without backups the master hears of no node that waits, and names nobody again. Givers may have measured
 * their rates meanwhile: so a node that all have refused asks again, and less often each time. */
static void who_is_refused_by_all_asks_again_later(void **state)
{
    (void)state;
    for (int backups = 0; backups <= 1; backups++) {
        struct fixture f;
        struct plb_migration m = migration_on;
        double now = 1.0, waited[3] = {0.0};
        m.backups = backups;
        start(&f, 1, &m);
        serve(&f, 0);
        empty(&f, 1, 0.0, 20.0);
        taken(&f, 0);
        assert_int_equal(asked(&f, now), 2);
        refuse(&f, 2);
        assert_int_equal(asked(&f, now), 0);
        refuse(&f, 0);
        for (int i = 0; i < 3 && !backups; i++) {
            double before = now;
            assert_int_equal(asked(&f, now), -1);
            now = plb_worker_due(f.worker);
            waited[i] = now - before;
            assert_int_equal(asked(&f, 0.5 * (before + now)), -1);
            for (int n = 0; n < 2; n++) {
                int victim = asked(&f, now);
                assert_true(victim == 0 || victim == 2);
                refuse(&f, victim);
            }
        }
        if (backups) {
            assert_int_equal(asked(&f, 1e9), -1);
            assert_true(isinf(plb_worker_due(f.worker)));
        } else {
            assert_true(waited[0] >= PLB_PATIENCE && waited[1] >= waited[0] && waited[2] >= waited[1]);
        }
        stop(&f);
    }
}

/* The names of other nodes, also of thousands, come in the order in which they were drawn or asked: each is
 * asked once. */
static void each_node_is_asked_once(void **state)
{
    (void)state;
    enum { MANY = 500 };
    for (int victim = PLB_FIRST; victim <= PLB_RANDOM; victim++) {
        struct plb_migration m = migration_on;
        struct plb_gifts none = {0};
        bool seen[MANY] = {false};
        m.victim = victim;
        m.backups = true;
        struct plb_thief *t = plb_thief_new(7, MANY, &m);
        for (int i = 1; i < MANY; i++) {
            int node = plb_thief_ask(t, 0.0);
            assert_true(node >= 0 && node < MANY && node != 7 && !seen[node]);
            seen[node] = true;
            plb_thief_answered(t, node, &none);
        }
        assert_int_equal(plb_thief_ask(t, 0.0), PLB_NOBODY);
        plb_thief_free(t);
    }
}

/* Node 0 has half of what node 2 has, and a tenth of its rate. Without rates, more work is later. */
static void a2ws_asks_who_ends_last(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        bool a2ws = k % 2 == 0, known = k < 2;
        struct plb_migration m = migration_on;
        struct plb_empty loads = {
            .n_victims = 2, .victims = {0, 2}, .amounts = {10.0, 20.0}, .rates = {1.0, known ? 10.0 : 0.0}};
        m.victim = a2ws ? PLB_A2WS : PLB_MOST_REMAINING;
        struct plb_thief *t = plb_thief_new(1, 3, &m);
        plb_thief_hint(t, &loads);
        assert_int_equal(plb_thief_ask(t, 0.0), a2ws && known ? 0 : 2);
        plb_thief_free(t);
    }
}

/* A task of 16 units takes 16 + 40 ms, and one of 64 takes 64 + 40. The master says that this PU ends when
 * all do: the rest is one task. Without that word it stays cut. */
static void work_that_need_not_move_is_one_task(void **state)
{
    (void)state;
    for (int sure = 0; sure <= 1; sure++) {
        struct fixture f;
        struct plb_slice task;
        start(&f, 1, &migration_on);
        f.maps[0].told = true;
        assert_true(block(&f, 1, 0, 1, 0, 992, 16));
        empty(&f, 1, 0.0, 0.0);
        for (int i = 0; i < 2; i++) {
            assert_true(plb_worker_take(f.worker, 0, &task));
            assert_int_equal(task.range.count, i == 0 ? 16 : 64);
            plb_worker_done(f.worker, 0, &task, 1e-3 * (40.0 + (double)task.range.count), 0.0, PLB_NO_SLOT);
        }
        struct plb_message m = message(PLB_EMPTY, 0, 1);
        m.empty.sure[0] = sure ? 1000.0 : 0.0;
        assert_true(receive(&f, &m));
        assert_true(plb_worker_take(f.worker, 0, &task));
        assert_true(sure ? task.range.count == 912 : task.range.count < 300);
        stop(&f);
    }
}

static void li_asks_the_first(void **state)
{
    (void)state;
    struct fixture f;
    struct plb_migration m = migration_on;
    m.victim = PLB_FIRST;
    start(&f, 2, &m);
    serve(&f, 0);
    empty(&f, 1, 0.0, 20.0);
    taken(&f, 0);
    assert_int_equal(asked(&f, 0.0), 0);
    refuse(&f, 0);
    assert_int_equal(asked(&f, 0.0), 2);
    stop(&f);
}

/* PU 0 has executed ten units in a second and waits; PU 1 does, too, or is busy. */
static void a_node_asks_for_those_that_wait(void **state)
{
    (void)state;
    for (int both = 0; both <= 1; both++) {
        struct fixture f;
        struct plb_slice task;
        start(&f, 2, &migration_on);
        assert_true(block(&f, 1, 0, 1, 500, 10, 10));
        assert_true(plb_worker_take(f.worker, 0, &task));
        plb_worker_done(f.worker, 0, &task, 1.0, 0.0, PLB_NO_SLOT);
        assert_true(block(&f, 1, 1, 2, 600, 30, 30));
        assert_true(plb_worker_take(f.worker, 1, &task));
        if (both)
            plb_worker_done(f.worker, 1, &task, 1.0, 0.0, PLB_NO_SLOT);
        empty(&f, 1, 100.0, 0.0);
        for (int pu = 0; pu <= both; pu++)
            assert_int_equal(taken(&f, pu), 0);
        f.out.n = 0;
        plb_worker_collect(f.worker, 0.0, &f.out);
        const struct plb_message *m = &f.out.at[f.out.n - 1];
        assert_int_equal(m->type, PLB_STEAL);
        assert_true(m->steal.rate == (both ? 40.0 : 10.0) && m->steal.power == (both ? 4.0 : 1.0));
        assert_true(m->steal.best == (both ? 30.0 : 10.0));
        stop(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_asks_for_those_that_wait),
        cmocka_unit_test(an_idle_node_asks_who_has_most),
        cmocka_unit_test(who_does_not_answer_delays_nobody),
        cmocka_unit_test(who_refused_is_asked_again_in_the_next_pass),
        cmocka_unit_test(who_is_refused_by_all_asks_again_later),
        cmocka_unit_test(each_node_is_asked_once),
        cmocka_unit_test(a2ws_asks_who_ends_last),
        cmocka_unit_test(work_that_need_not_move_is_one_task),
        cmocka_unit_test(li_asks_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
