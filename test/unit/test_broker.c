/* The broker: which victims it names, to whom, and that thieves are spread over them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/grant/broker.h"
#include "dice.h"

/* Nodes of one PU each, so that their numbers are the same. */
struct fixture {
    int n;
    struct plb_cost_map costs;
    struct plb_ledger *ledger;
    struct plb_work_count work;
    struct plb_broker *broker;
    struct plb_empty hint;
};

/* Every node has been granted `work` units, but for those from `idle` on. */
static void start_as(struct fixture *f, enum plb_victim victim, int n, int idle, int64_t work)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_pu_info *pus = plb_alloc((size_t)n * sizeof *pus);
    *f = (struct fixture){.n = n};
    assert_int_equal(plb_cost_map_init(&f->costs, (int64_t)n * 1000, NULL, NULL, &err), PLB_OK);
    f->ledger = plb_ledger_new(n, n);
    plb_ledger_begin(f->ledger, &f->costs, NULL);
    for (int node = 0; node < n; node++)
        pus[node] = (struct plb_pu_info){.node = node};
    plb_work_count_init(&f->work, n, 1, false);
    f->broker = plb_broker_new(f->ledger, &f->work, victim, pus, n, n);
    free(pus);
    for (int node = 0; node < idle && work > 0; node++)
        plb_ledger_grant(f->ledger, node, node, work);
}

static void start(struct fixture *f, int n, int idle, int64_t work)
{
    start_as(f, PLB_MOST_REMAINING, n, idle, work);
}

static void report(struct fixture *f, int node, double work, double seconds)
{
    const struct plb_sample sample = {.work = work, .execute_s = seconds, .tasks = 1};
    plb_history_add(&f->work.histories[node], &sample);
}

static void stop(struct fixture *f)
{
    plb_broker_free(f->broker);
    plb_work_count_fini(&f->work);
    plb_ledger_free(f->ledger);
    plb_cost_map_fini(&f->costs);
}

/* These facts hold of every list of victims. */
static void expect_sound(const struct fixture *f, int thief)
{
    const struct plb_empty *e = &f->hint;
    assert_true(e->n_victims >= 0 && e->n_victims <= PLB_VICTIMS);
    for (int i = 0; i < e->n_victims; i++) {
        int node = e->victims[i];
        assert_true(node >= 0 && node < f->n && node != thief);
        assert_false(plb_ledger_lost(f->ledger, node));
        assert_true(e->amounts[i] == plb_ledger_left(f->ledger, node) && e->amounts[i] >= 0.5);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(node, e->victims[j]);
    }
}

/* The first victim that a thief hears of, or -1. */
static int hint(struct fixture *f, int thief)
{
    f->hint = (struct plb_empty){0};
    int n = plb_broker_hint(f->broker, thief, &f->hint);
    assert_int_equal(n, f->hint.n_victims);
    expect_sound(f, thief);
    return n > 0 ? f->hint.victims[0] : -1;
}

static bool named(const struct fixture *f, int node)
{
    for (int i = 0; i < f->hint.n_victims; i++)
        if (f->hint.victims[i] == node)
            return true;
    return false;
}

static void who_has_most_is_named_first(void **state)
{
    static const int64_t work[] = {50, 10, 80, 0, 30, 70, 20, 60, 40};
    static const int order[] = {2, 5, 7, 0, 8, 4};
    static const int sizes[] = {10, 64, 65, 300}; /* few nodes, and many, have another way */
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct fixture f;
        start(&f, sizes[k], 0, 0);
        for (int node = 0; node < 9; node++)
            if (work[node] > 0)
                plb_ledger_grant(f.ledger, node, node, work[node]);
        assert_int_equal(hint(&f, 9), 2);
        assert_int_equal(f.hint.n_victims, PLB_VICTIMS);
        for (int i = 0; i < PLB_VICTIMS; i++)
            assert_int_equal(f.hint.victims[i], order[i]);
        stop(&f);
    }
}

/* Node 0 has most left, node 1 ends last of those of known rate, and node 2 has not reported. */
static void a2ws_names_first_who_ends_last(void **state)
{
    static const int64_t work[] = {90, 20, 5, 60};
    static const double rates[] = {9.0, 1.0, 0.0, 5.0};
    static const int by_end[] = {2, 1, 3, 0}, by_work[] = {0, 3, 1, 2};
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct fixture f;
        bool a2ws = k % 2 == 0;
        start_as(&f, a2ws ? PLB_A2WS : PLB_MOST_REMAINING, k < 2 ? 10 : 100, 0, 0);
        for (int node = 0; node < 4; node++) {
            plb_ledger_grant(f.ledger, node, node, work[node]);
            if (rates[node] > 0.0)
                report(&f, node, 2.0 * rates[node], 2.0);
        }
        plb_broker_survey(f.broker);
        assert_int_equal(plb_broker_name_some(f.broker, 8, &f.hint), 4); /* from the first one on: 8 % 4 */
        for (int i = 0; i < 4; i++) {
            assert_int_equal(f.hint.victims[i], a2ws ? by_end[i] : by_work[i]);
            assert_true(f.hint.rates[i] == (a2ws ? rates[by_end[i]] : 0.0));
        }
        assert_int_equal(hint(&f, 9), a2ws ? 2 : 0);
        stop(&f);
    }
}

/* Promised 10 of 20 units, node 1 ends in 10 s, before the 12 s of node 3; its report settles it. */
static void a2ws_counts_promises_in_seconds(void **state)
{
    struct fixture f;
    (void)state;
    start_as(&f, PLB_A2WS, 10, 0, 0);
    plb_ledger_grant(f.ledger, 1, 1, 20);
    plb_ledger_grant(f.ledger, 3, 3, 60);
    report(&f, 1, 1.0, 1.0);
    report(&f, 3, 5.0, 1.0);
    assert_int_equal(hint(&f, 8), 1);
    assert_int_equal(hint(&f, 9), 3);
    plb_broker_heard(f.broker, 1);
    assert_int_equal(hint(&f, 8), 1);
    report(&f, 1, 4.0, 1.0); /* it is faster now: 5 s */
    plb_broker_begin(f.broker);
    assert_int_equal(hint(&f, 8), 3);
    stop(&f);
}

static void nobody_is_named_where_nothing_is_left(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 5, 1, 100);
    assert_int_equal(hint(&f, 0), -1); /* not to itself */
    assert_int_equal(hint(&f, 1), 0);
    plb_ledger_accept(f.ledger, (struct plb_range){0, 100}, PLB_CLOSED);
    plb_broker_heard(f.broker, 0);
    assert_int_equal(hint(&f, 1), -1);
    stop(&f);
}

/* Work promised to one thief is not offered to the next as if it were there; a report settles it. */
static void promises_last_until_the_victim_is_heard(void **state)
{
    static const int sizes[] = {10, 200};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct fixture f;
        start(&f, sizes[k], 0, 0);
        plb_ledger_grant(f.ledger, 0, 0, 100);
        plb_ledger_grant(f.ledger, 1, 1, 90);
        assert_int_equal(hint(&f, 5), 0);
        assert_int_equal(hint(&f, 6), 1);
        assert_int_equal(hint(&f, 7), 0); /* what remains of 0 is more than what remains of 1 */
        assert_int_equal(hint(&f, 8), 1);
        plb_broker_heard(f.broker, 1);
        plb_broker_survey(f.broker);
        assert_int_equal(hint(&f, 9), 1);
        plb_broker_begin(f.broker);
        assert_int_equal(hint(&f, 5), 0);
        stop(&f);
    }
}

/* Promises end: after so many thieves nothing of a victim is left to promise. */
static void a_victim_is_not_promised_for_ever(void **state)
{
    struct fixture f;
    int times = 0;
    (void)state;
    start(&f, 1000, 1, 100);
    while (times < 1000 && hint(&f, 1 + times % 999) == 0)
        times++;
    assert_in_range(times, 3, 30);
    plb_broker_heard(f.broker, 0);
    plb_broker_survey(f.broker);
    assert_int_equal(hint(&f, 2), 0);
    stop(&f);
}

/* A thousand idle nodes and a thousand that have as much: each thief is sent to another one. */
static void thieves_are_spread(void **state)
{
    static int first[2000], any[2000];
    (void)state;
    struct fixture f;
    int victims = 0, most = 0, distinct = 0;
    start(&f, 2000, 1000, 100);
    for (int thief = 1000; thief < 2000; thief++) {
        int victim = hint(&f, thief);
        assert_in_range(victim, 0, 999);
        first[victim]++;
        for (int i = 0; i < f.hint.n_victims; i++)
            any[f.hint.victims[i]]++;
    }
    for (int node = 0; node < 1000; node++) {
        victims += any[node] > 0;
        distinct += first[node] > 0;
        most = first[node] > most ? first[node] : most;
    }
    assert_true(most <= 3);
    assert_true(distinct >= 900);
    assert_true(victims >= 900);
    stop(&f);
}

/* Where some have much more than others, those are asked more often, but not by all. */
static void who_has_more_is_asked_more(void **state)
{
    static int first[1000];
    (void)state;
    struct fixture f;
    start(&f, 1000, 0, 0);
    for (int node = 0; node < 100; node++)
        plb_ledger_grant(f.ledger, node, node, node < 10 ? 900 : 100);
    for (int thief = 500; thief < 700; thief++)
        first[hint(&f, thief)]++;
    int rich = 0, most = 0;
    for (int node = 0; node < 100; node++) {
        rich += node < 10 ? first[node] : 0;
        most = first[node] > most ? first[node] : most;
    }
    assert_true(rich >= 30 && rich <= 120);
    assert_true(most <= 20);
    stop(&f);
}

/* The list of candidates was made before the loss, and serves more hints. */
static void a_lost_node_is_not_named(void **state)
{
    static const int sizes[] = {20, 500};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct fixture f;
        start(&f, sizes[k], 10, 100);
        for (int dead = 0; dead < 9; dead++) {
            for (int node = 0; node < 10; node++)
                plb_broker_heard(f.broker, node);
            hint(&f, 15);
            plb_ledger_lose(f.ledger, dead);
            for (int i = 0; i < 3; i++) {
                hint(&f, 11 + i);
                assert_true(f.hint.n_victims >= 1);
                assert_false(named(&f, dead));
            }
        }
        stop(&f);
    }
}

static void a_node_that_has_ended_is_not_named(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 500, 10, 100);
    hint(&f, 499);
    for (int node = 0; node < 9; node++) {
        plb_ledger_accept(f.ledger, (struct plb_range){100 * node, 100}, PLB_CLOSED);
        hint(&f, 300 + node);
        assert_false(named(&f, node));
    }
    stop(&f);
}

/* At the announcement all nodes are told at once: each hears of others, and nothing is promised. */
static void all_nodes_hear_of_different_victims(void **state)
{
    static int any[1000];
    (void)state;
    struct fixture f;
    start(&f, 1000, 1000, 100);
    plb_broker_survey(f.broker);
    int distinct = 0, most = 0;
    for (int node = 0; node < 1000; node++) {
        assert_int_equal(plb_broker_name_some(f.broker, node, &f.hint), PLB_VICTIMS);
        expect_sound(&f, node);
        for (int i = 0; i < PLB_VICTIMS; i++)
            any[f.hint.victims[i]]++;
    }
    for (int node = 0; node < 1000; node++) {
        distinct += any[node] > 0;
        most = any[node] > most ? any[node] : most;
    }
    assert_true(distinct >= 30);
    assert_true(most <= 6000 / 30);
    stop(&f);
    start(&f, 3, 1, 100);
    plb_broker_survey(f.broker);
    for (int i = 0; i < 5; i++)
        assert_int_equal(plb_broker_name_some(f.broker, 1, &f.hint), 1);
    assert_int_equal(plb_broker_name_some(f.broker, 0, &f.hint), 0);
    assert_int_equal(hint(&f, 1), 0);
    stop(&f);
}

static void pus_are_found_by_node(void **state)
{
    const struct plb_pu_info pus[] = {
        {.node = 0}, {.node = 0, .local = 1}, {.node = 2}, {.node = 5}, {.node = 5, .local = 1}};
    static const int first[] = {0, 0, 2, 0, 0, 3}, count[] = {2, 0, 1, 0, 0, 2};
    (void)state;
    struct plb_ledger *ledger = plb_ledger_new(5, 6);
    struct plb_broker *broker = plb_broker_new(ledger, NULL, PLB_MOST_REMAINING, pus, 5, 6);
    for (int node = 0; node < 6; node++) {
        assert_int_equal(plb_broker_pus(broker, node), count[node]);
        if (count[node] > 0)
            assert_int_equal(plb_broker_first_pu(broker, node), first[node]);
    }
    plb_broker_free(broker);
    plb_ledger_free(ledger);
}

/* Whatever has happened, a hint is sound. */
static void every_hint_is_sound(void **state)
{
    (void)state;
    for (uint64_t seed = seeds(300).first; seed < seeds(300).end; seed++) {
        struct dice d = {seed, 0};
        struct fixture f;
        int n = (int)whole(&d, 1, one_in(&d, 2) ? 64 : 300), lost = 0;
        start_as(&f, one_in(&d, 2) ? PLB_A2WS : PLB_MOST_REMAINING, n, 0, 0);
        for (int i = 0; i < 300; i++) {
            int node = (int)whole(&d, 0, n - 1);
            struct plb_range front = plb_ledger_front(f.ledger);
            if (one_in(&d, 2) && !plb_ledger_lost(f.ledger, node) && front.count > 0
                && plb_ledger_open_blocks(f.ledger, node) < PLB_BLOCKS_AHEAD)
                plb_ledger_grant(f.ledger, node, node, whole(&d, 1, front.count < 500 ? front.count : 500));
            else if (one_in(&d, 3))
                plb_ledger_accept(f.ledger, some_range(&d, f.costs.units, 900), PLB_CLOSED);
            else if (one_in(&d, 50) && lost++ < n - 1)
                plb_ledger_lose(f.ledger, node);
            else if (one_in(&d, 3))
                report(&f, node, real(&d, 0.0, 50.0), real(&d, 0.0, 5.0));
            else if (one_in(&d, 3))
                plb_broker_heard(f.broker, node);
            else
                hint(&f, node);
        }
        stop(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_most_is_named_first),
        cmocka_unit_test(a2ws_names_first_who_ends_last),
        cmocka_unit_test(a2ws_counts_promises_in_seconds),
        cmocka_unit_test(nobody_is_named_where_nothing_is_left),
        cmocka_unit_test(promises_last_until_the_victim_is_heard),
        cmocka_unit_test(a_victim_is_not_promised_for_ever),
        cmocka_unit_test(thieves_are_spread),
        cmocka_unit_test(who_has_more_is_asked_more),
        cmocka_unit_test(a_lost_node_is_not_named),
        cmocka_unit_test(a_node_that_has_ended_is_not_named),
        cmocka_unit_test(all_nodes_hear_of_different_victims),
        cmocka_unit_test(pus_are_found_by_node),
        cmocka_unit_test(every_hint_is_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
