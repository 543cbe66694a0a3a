/* A node's set of reduced arrays: what it folds, when it hands the set over, and what it answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "node/memory/own_set.h"

#define RANK 3
#define PASS 5

/* Two arrays, and an output that is none. */
static struct plb_dataset data = {
    .n = 3,
    .units = 100,
    .at = {{.mode = PLB_REDUCE, .bytes = 3 * sizeof(int64_t), .op = PLB_SUM, .type = PLB_INT64},
           {.mode = PLB_OUTPUT, .unit_bytes = 8},
           {.mode = PLB_REDUCE, .bytes = sizeof(int32_t), .op = PLB_MAX, .type = PLB_INT32}}};
static struct plb_own_set *set;
static struct plb_outbox out;
static bool lost[8]; /* ranks */

/* Transfers that have begun. The test ends them. */
static struct {
    int peer, tag;
    char *memory;
    size_t bytes;
    int *pending;
} way[8];
static int n;

static void note(int peer, int tag, const void *memory, size_t bytes, int *pending)
{
    assert_true(n < 8);
    way[n].peer = peer;
    way[n].tag = tag;
    way[n].memory = (char *)memory;
    way[n].bytes = bytes;
    way[n++].pending = pending;
    ++*pending;
}

static void get(void *context, int from, int tag, void *memory, size_t bytes, int *pending)
{
    (void)context;
    note(from, tag, memory, bytes, pending);
}

static void put(void *context, int to, int tag, const void *memory, size_t bytes, int *pending)
{
    (void)context;
    note(to, tag, memory, bytes, pending);
}

static bool is_lost(void *context, int rank)
{
    (void)context;
    return lost[rank];
}

static void begin_pass(int pass)
{
    const struct plb_message m = {.type = PLB_PASS, .pass = pass, .begin = {.folds = 1}};
    plb_own_set_begin(set, &m);
}

static int begin(void **state)
{
    struct plb_node_config config = {.rank = RANK, .data = &data};
    (void)state;
    config.wire = (struct plb_wire){.get = get, .put = put, .is_lost = is_lost};
    set = plb_own_set_new(&config);
    begin_pass(PASS);
    memset(lost, 0, sizeof lost);
    n = out.n = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    plb_own_set_free(set);
    plb_outbox_fini(&out);
    return 0;
}

/* A result of this node. */
static void add(int64_t first, int64_t last, int32_t most)
{
    int64_t sums[3] = {first, 1, last};
    void *arrays[3] = {sums, NULL, &most};
    plb_own_set_add(set, arrays, &out);
}

static bool hear(enum plb_message_type type, int from, struct plb_fold fold)
{
    struct plb_message m = {.type = type, .from = from, .to = RANK, .pass = PASS};
    m.fold = fold;
    return plb_own_set_hear(set, &m, &out);
}

static bool hand(int to, int results, int serial)
{
    return hear(PLB_HAND, 0, (struct plb_fold){.node = to, .results = results, .serial = serial});
}

/* The last message answers for a node. */
static void assert_answers(int node, bool counts)
{
    const struct plb_message *m = &out.at[out.n - 1];
    assert_true(out.n > 0 && m->type == PLB_FOLDED && m->to == 0 && m->from == RANK && m->pass == PASS);
    assert_int_equal(m->fold.node, node);
    assert_int_equal(m->fold.counts, counts);
}

/* The set that is on its way to this rank. */
static void assert_set(int to, int64_t first, int64_t ones, int64_t last, int32_t most)
{
    const int64_t *sums = (const int64_t *)way[n - 1].memory;
    const struct plb_message *m = &out.at[out.n - 1];
    assert_true(n > 0 && way[n - 1].peer == to && way[n - 1].tag == PLB_SET_TAG);
    assert_true(m->type == PLB_ARRAYS && m->to == to && m->from == RANK);
    assert_true(sums[0] == first && sums[1] == ones && sums[2] == last);
    assert_int_equal(((const int32_t *)way[n - 1].memory)[16], most); /* 64 bytes on */
}

/* A set comes from a rank, of the size that this one's has. */
static void comes(int from)
{
    assert_true(hear(PLB_ARRAYS, from, (struct plb_fold){0}));
    int64_t *sums = (int64_t *)way[n - 1].memory;
    assert_int_equal(way[n - 1].peer, from);
    assert_int_equal(way[n - 1].bytes, 128);
    sums[0] = 100;
    sums[1] = 10;
    sums[2] = 1000;
    ((int32_t *)sums)[16] = 50;
}

static void it_is_handed_over_when_all_that_counts_is_in_it(void **state)
{
    (void)state;
    add(1, 7, 9);
    assert_true(hand(2, 2, 1));
    assert_int_equal(out.n + n, 0);
    add(2, 8, 4);
    assert_int_equal(out.n, 1);
    assert_set(2, 3, 2, 15, 9);
    add(3, 9, 99);
    assert_int_equal(out.n, 1); /* once */
}

static void a_later_word_counts(void **state)
{
    (void)state;
    add(1, 7, 9);
    assert_true(hand(4, 2, 6));
    assert_false(hand(2, 1, 5)); /* said before */
    assert_false(hand(RANK, 1, 7));
    assert_int_equal(out.n, 0);
    lost[4] = true;
    assert_true(hand(1, 1, 8));
    assert_set(1, 1, 1, 7, 9);
    --*way[0].pending;
    assert_true(hand(0, 1, 9)); /* rank 1 is lost, too: the same set again */
    assert_set(0, 1, 1, 7, 9);
}

static void a_set_that_comes_is_folded_once(void **state)
{
    (void)state;
    add(1, 7, 9);
    comes(1);
    assert_false(plb_own_set_step(set, &out)); /* it is on its way */
    --*way[0].pending;
    assert_true(plb_own_set_step(set, &out));
    assert_answers(1, true);
    assert_int_equal(out.n, 1);
    assert_false(plb_own_set_step(set, &out));
    assert_true(hear(PLB_DROP, 0, (struct plb_fold){.node = 1})); /* it has told that already */
    assert_false(hear(PLB_ARRAYS, 1, (struct plb_fold){0}));
    assert_int_equal(out.n, 1);
    assert_true(hand(0, 1, 1));
    assert_set(0, 101, 11, 1007, 50);
}

/* Its own result may count later. */
static void a_set_may_come_into_an_empty_one(void **state)
{
    (void)state;
    comes(1);
    --*way[0].pending;
    plb_own_set_step(set, &out);
    assert_true(hand(0, 1, 1));
    assert_int_equal(n, 1);
    add(1, 7, 9);
    assert_set(0, 101, 11, 1007, 50);
}

/* The transport counts a transfer from a lost rank as ended. */
static void what_a_lost_rank_was_sending_is_not_folded(void **state)
{
    (void)state;
    add(1, 7, 9);
    comes(1);
    lost[1] = true;
    --*way[0].pending;
    assert_false(plb_own_set_step(set, &out));
    assert_true(hear(PLB_DROP, 0, (struct plb_fold){.node = 1}));
    assert_answers(1, false);
    assert_false(plb_own_set_step(set, &out));
    assert_true(hear(PLB_DROP, 0, (struct plb_fold){.node = 2})); /* that one has never said anything */
    assert_answers(2, false);
    lost[4] = true;
    assert_false(hear(PLB_ARRAYS, 4, (struct plb_fold){0}));
    hear(PLB_DROP, 0, (struct plb_fold){.node = 4});
    assert_answers(4, false);
    memset(way[0].memory, 77, way[0].bytes); /* MPI may still write there, in the next pass, too */
    begin_pass(PASS + 1);
    memset(way[0].memory, 78, way[0].bytes);
    begin_pass(PASS);
    add(1, 7, 9);
    assert_true(hand(0, 1, 1));
    assert_set(0, 1, 1, 7, 9);
}

static void a_pass_begins_with_an_empty_set(void **state)
{
    (void)state;
    add(1, 7, 9);
    assert_true(plb_own_set_folds(set, PASS) && !plb_own_set_folds(set, PASS - 1));
    begin_pass(PASS + 1);
    assert_false(hand(0, 1, 1)); /* of the last pass */
    begin_pass(PASS);
    assert_true(hand(0, 1, 2));
    assert_int_equal(n, 0);
    add(2, 6, 5);
    assert_set(0, 2, 1, 6, 5);
    const struct plb_message m = {.type = PLB_PASS, .pass = PASS};
    plb_own_set_begin(set, &m);
    assert_false(plb_own_set_folds(set, PASS));
    assert_false(hear(PLB_ARRAYS, 1, (struct plb_fold){0}));
}

static void rank_0_folds_into_the_jobs_arrays(void **state)
{
    int64_t sums[3] = {5, 5, 5};
    int32_t most = 60;
    struct plb_node_config config = {.data = &data};
    (void)state;
    config.wire = (struct plb_wire){.get = get, .put = put, .is_lost = is_lost};
    plb_own_set_free(set);
    data.on_rank0 = true;
    data.host[0] = sums;
    data.host[2] = &most;
    set = plb_own_set_new(&config);
    begin_pass(PASS);
    assert_false(plb_own_set_folds(set, PASS));
    comes(1);
    --*way[0].pending;
    assert_true(plb_own_set_step(set, &out));
    assert_true(out.at[0].type == PLB_FOLDED && out.at[0].fold.counts == 1);
    assert_true(sums[0] == 105 && sums[1] == 15 && sums[2] == 1005 && most == 60);
    assert_false(hand(2, 0, 1));
    data.on_rank0 = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_handed_over_when_all_that_counts_is_in_it, begin, end),
        cmocka_unit_test_setup_teardown(a_later_word_counts, begin, end),
        cmocka_unit_test_setup_teardown(a_set_that_comes_is_folded_once, begin, end),
        cmocka_unit_test_setup_teardown(a_set_may_come_into_an_empty_one, begin, end),
        cmocka_unit_test_setup_teardown(what_a_lost_rank_was_sending_is_not_folded, begin, end),
        cmocka_unit_test_setup_teardown(a_pass_begins_with_an_empty_set, begin, end),
        cmocka_unit_test_setup_teardown(rank_0_folds_into_the_jobs_arrays, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
