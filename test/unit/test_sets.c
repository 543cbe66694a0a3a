/* Sets of reduced arrays that go along a tree: who hands his to whom, and what a loss takes with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "core/place/sets.h"
#include "core/work/sizes.h"
#include "dice.h"

#define MOST 12 /* nodes */
#define PASS 3

static struct plb_sets *sets;
static struct plb_outbox out;
static int nodes;

/* A bit for each result that a node has. Node n makes result n alone. */
static struct node {
    uint32_t has;
    uint32_t heard; /* bit: it has folded that node's set, or will not */
    bool dead, twice;
} node[MOST];

static int end(void **state)
{
    (void)state;
    plb_sets_free(sets);
    sets = NULL;
    plb_outbox_fini(&out);
    return 0;
}

static void report(int n, bool counts)
{
    struct plb_message done = {.type = PLB_DONE, .from = n, .pass = PASS, .pu = 1};
    done.done = (struct plb_done){.range = {n * 10, 10}, .slot = 4, .tasks = 1, .folds = 1};
    plb_sets_reported(sets, &done, counts, &out);
}

/* n nodes have a result each, rank 0's own apart, and the sets go along the tree. */
static void begin(int n)
{
    end(NULL);
    nodes = n;
    memset(node, 0, sizeof node);
    sets = plb_sets_new(n);
    plb_sets_begin(sets);
    node[0].has = 1;
    for (int i = 1; i < n; i++) {
        report(i, true);
        node[i].has = 1u << i;
    }
    out.n = 0;
}

static bool folded(int taker, int giver, bool counts)
{
    struct plb_message m = {.type = PLB_FOLDED, .from = taker, .pass = PASS};
    m.fold = (struct plb_fold){.node = giver, .counts = counts};
    return plb_sets_folded(sets, &m, &out);
}

static void assert_says(int at, enum plb_message_type type, int to, int about)
{
    assert_true(at < out.n);
    assert_int_equal(out.at[at].type, type);
    assert_int_equal(out.at[at].to, to);
    assert_int_equal(out.at[at].fold.node, about);
}

static void a_node_hears_whether_its_result_counts(void **state)
{
    (void)state;
    begin(3);
    report(2, false);
    assert_int_equal(out.n, 1);
    assert_true(out.at[0].type == PLB_TAKEN && out.at[0].to == 2 && out.at[0].pu == 1);
    assert_true(out.at[0].fold.slot == 4 && out.at[0].fold.counts == 0 && out.at[0].pass == PASS);
    report(2, true);
    assert_int_equal(out.at[1].fold.counts, 1);
    assert_int_equal(plb_sets_counts(sets)->stayed, 3);
    out.n = 0;
    plb_sets_start(sets, PASS, &out); /* it waits for both results that counted */
    assert_int_equal(out.at[0].fold.results, 1);
    assert_true(folded(0, 1, true));
    assert_says(1, PLB_HAND, 2, 0);
    assert_int_equal(out.at[1].fold.results, 2);
}

/* Four nodes: 1 to 0 and 3 to 2 at the same time, and then 2 to 0. */
static void sets_go_along_a_tree(void **state)
{
    (void)state;
    begin(4);
    plb_sets_start(sets, PASS, &out);
    assert_int_equal(out.n, 2);
    assert_says(0, PLB_HAND, 1, 0);
    assert_says(1, PLB_HAND, 3, 2);
    assert_true(out.at[1].fold.serial > out.at[0].fold.serial);
    assert_true(folded(0, 1, true));
    assert_false(folded(0, 1, true)); /* once */
    assert_false(folded(3, 2, true)); /* by the other one */
    assert_int_equal(out.n, 2);
    assert_true(folded(2, 3, true) && !plb_sets_over(sets));
    assert_says(2, PLB_HAND, 2, 0);
    assert_true(folded(0, 2, true) && plb_sets_over(sets));
    assert_int_equal(plb_sets_counts(sets)->handed, 3);
    assert_int_equal(plb_sets_counts(sets)->to_0, 2);
    assert_int_equal(plb_sets_lacking(sets)->units, 0);
}

static void a_node_without_results_hands_nothing(void **state)
{
    (void)state;
    begin(3);
    plb_sets_begin(sets);
    report(2, true);
    report(1, false);
    out.n = 0;
    plb_sets_start(sets, PASS, &out);
    assert_int_equal(out.n, 1);
    assert_says(0, PLB_HAND, 2, 0);
}

/* Node 2 is lost with the set of node 3, which hands it to node 0 then. */
static void what_a_lost_node_has_taken_is_handed_again(void **state)
{
    (void)state;
    begin(4);
    plb_sets_start(sets, PASS, &out);
    folded(2, 3, true);
    out.n = 0;
    plb_sets_lose(sets, 2, &out);
    assert_int_equal(out.n, 0); /* node 0 is busy */
    folded(0, 1, true);
    assert_says(0, PLB_HAND, 3, 0);
    folded(0, 3, true);
    assert_true(plb_sets_over(sets));
    assert_int_equal(plb_sets_lacking(sets)->units, 10);
    assert_int_equal(plb_sets_lacking(sets)->at[0].first, 20);
    assert_int_equal(plb_sets_counts(sets)->again, 1);
}

/* The taker of a lost node's set is asked. */
static void a_set_of_a_lost_node_may_have_come(void **state)
{
    (void)state;
    for (int came = 0; came < 2; came++) {
        begin(2);
        plb_sets_start(sets, PASS, &out);
        out.n = 0;
        plb_sets_lose(sets, 1, &out);
        assert_says(0, PLB_DROP, 0, 1);
        assert_false(plb_sets_over(sets));
        assert_true(folded(0, 1, came) && plb_sets_over(sets));
        assert_int_equal(plb_sets_lacking(sets)->units, came ? 0 : 10);
        assert_int_equal(plb_sets_counts(sets)->dropped, !came);
    }
}

static void a_loss_in_the_pass_takes_the_nodes_own_results(void **state)
{
    (void)state;
    begin(3);
    plb_sets_lose(sets, 1, &out);
    plb_sets_lose(sets, 1, &out);
    assert_int_equal(out.n, 0);
    assert_int_equal(plb_sets_lacking(sets)->units, 10);
    plb_sets_start(sets, PASS, &out);
    assert_int_equal(out.n, 1);
    assert_says(0, PLB_HAND, 2, 0);
    folded(0, 2, true);
    assert_true(plb_sets_over(sets));
    plb_sets_lose(sets, 2, &out); /* after that it takes nothing */
    assert_int_equal(plb_sets_lacking(sets)->units, 10);
}

/* ------------------------------------------------------------- any order, any losses */

/* A node folds a set, or is told that it will not come: the first word counts. */
static void settle(int taker, int giver, bool comes)
{
    if (node[taker].heard >> giver & 1)
        return;
    node[taker].heard |= 1u << giver;
    node[taker].twice |= comes && ((node[taker].has & node[giver].has) != 0 || node[giver].twice);
    node[taker].has |= comes ? node[giver].has : 0;
    if (!node[taker].dead)
        folded(taker, giver, comes);
}

/* A message reaches its node, any one of those under way. */
static void deliver(struct dice *d)
{
    int i = (int)whole(d, 0, out.n - 1);
    struct plb_message m = out.at[i];
    out.at[i] = out.at[--out.n];
    if (node[m.to].dead)
        return;
    if (m.type == PLB_HAND && !node[m.fold.node].dead)
        settle(m.fold.node, m.to, true);
    if (m.type == PLB_DROP)
        settle(m.to, m.fold.node, false);
}

static void each_result_is_at_node_0_once_or_lacks(void **state)
{
    int lost = 0;
    (void)state;
    for (uint64_t seed = seeds(20000).first; seed < seeds(20000).end; seed++) {
        struct dice d = {seed, 0};
        begin((int)whole(&d, 2, MOST));
        for (int n = 1; n < nodes && one_in(&d, 3); n++) {
            plb_sets_lose(sets, n, &out);
            node[n].dead = true;
        }
        plb_sets_start(sets, PASS, &out);
        while (!plb_sets_over(sets)) {
            int victim = (int)whole(&d, 1, nodes - 1);
            assert_true(out.n > 0);
            if (one_in(&d, 8) && !node[victim].dead) {
                node[victim].dead = true;
                plb_sets_lose(sets, victim, &out);
            } else {
                deliver(&d);
            }
        }
        uint32_t all = node[0].has;
        for (int i = 0; i < plb_sets_lacking(sets)->n; i++)
            for (int64_t u = plb_sets_lacking(sets)->at[i].first / 10, k = 0;
                 k < plb_sets_lacking(sets)->at[i].count / 10; k++) {
                assert_false(all >> (u + k) & 1);
                all |= 1u << (u + k);
                lost++;
            }
        assert_false(node[0].twice);
        assert_int_equal(all, (1u << nodes) - 1);
    }
    assert_true(lost > 0);
}

/* ------------------------------------------------------------- when, and what is said */

/* A link of 1 Gbit/s: 1 MB lasts 8 ms. */
static void a_tree_is_used_where_it_saves_time(void **state)
{
    struct plb_sizes s = {.task_bytes = 1e6};
    (void)state;
    assert_false(plb_sizes_fold(&s, 1));
    assert_true(plb_sizes_fold(&s, 2) && plb_sizes_fold(&s, 4) && plb_sizes_fold(&s, 1000));
    s.task_bytes = 1e3;
    assert_false(plb_sizes_fold(&s, 10) || plb_sizes_fold(&s, 100));
    assert_true(plb_sizes_fold(&s, 1000)); /* 8 ms for one of each */
    s.task_bytes = 0.0;
    assert_false(plb_sizes_fold(&s, 1000));
    assert_false(plb_sizes_fold(&plb_no_sizes, 1000));
}

static void impossible_messages_are_refused(void **state)
{
    static const struct plb_fold wrong[] = {{-1, 0, 0, 0, 0}, {0, -1, 0, 0, 0}, {0, 4, 0, 0, 0},
                                            {0, 0, -1, 0, 0}, {0, 0, 0, -1, 0}, {0, 0, 0, 2, 0}};
    (void)state;
    for (int type = PLB_TAKEN; type <= PLB_FOLDED; type++)
        for (int i = 0; i < 6 && type != PLB_ARRAYS; i++) {
            struct plb_message m = *plb_outbox_add(&out, (enum plb_message_type)type, 0, 1, 5);
            m.fold = (struct plb_fold){.slot = 1, .node = 3, .results = 1, .counts = 1};
            assert_null(plb_message_check(&m, m.size, 4));
            m.fold = wrong[i];
            assert_non_null(plb_message_check(&m, m.size, 4));
        }
    struct plb_message pass = *plb_outbox_add(&out, PLB_PASS, 0, 1, 5), done = pass;
    for (int i = -1; i <= 2; i++) {
        pass.begin = (struct plb_pass){.folds = i, .again = 1};
        assert_true((plb_message_check(&pass, pass.size, 4) == NULL) == (i == 0 || i == 1));
        pass.begin = (struct plb_pass){.folds = 1, .again = i};
        assert_true((plb_message_check(&pass, pass.size, 4) == NULL) == (i == 0 || i == 1));
    }
    done = *plb_outbox_add(&out, PLB_DONE, 1, 0, 5);
    done.done = (struct plb_done){.range = {0, 1}, .tasks = 1, .slot = PLB_NO_SLOT};
    assert_null(plb_message_check(&done, done.size, 4));
    done.done.folds = 1; /* in no slot */
    assert_non_null(plb_message_check(&done, done.size, 4));
    done.done.slot = 2;
    assert_null(plb_message_check(&done, done.size, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_node_hears_whether_its_result_counts, end),
        cmocka_unit_test_teardown(sets_go_along_a_tree, end),
        cmocka_unit_test_teardown(a_node_without_results_hands_nothing, end),
        cmocka_unit_test_teardown(what_a_lost_node_has_taken_is_handed_again, end),
        cmocka_unit_test_teardown(a_set_of_a_lost_node_may_have_come, end),
        cmocka_unit_test_teardown(a_loss_in_the_pass_takes_the_nodes_own_results, end),
        cmocka_unit_test_teardown(each_result_is_at_node_0_once_or_lacks, end),
        cmocka_unit_test_teardown(a_tree_is_used_where_it_saves_time, end),
        cmocka_unit_test_teardown(impossible_messages_are_refused, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
