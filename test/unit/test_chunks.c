/* Chunks: their number, forests, and a tree whose root does not depend on the order in which its leaves come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "app/chunks.h"
#include "app/fold_tree.h"
#include "core/work/cost.h"
#include "dice.h"

static void the_number_of_units_alone_says_what_a_chunk_is(void **state)
{
    (void)state;
    assert_int_equal(plb_chunk_units(1, 0), 1);
    assert_int_equal(plb_chunk_units(4096, 1), 1);
    assert_int_equal(plb_chunk_units(4097, 1), 2);
    assert_int_equal(plb_chunk_units(1000000, 0), 245);
    assert_int_equal(plb_chunk_units(1000000, 128), 256);
    assert_int_equal(plb_chunk_units(100, 128), 128);
    assert_true((INT64_MAX - 1) / plb_chunk_units(INT64_MAX, 0) < PLB_MOST_CHUNKS);
}

/* The forest of a range covers it with whole nodes, and has room where it grows chunk by chunk. */
static void forests_are_the_largest_nodes(void **state)
{
    (void)state;
    struct dice d = {1, 0};
    struct plb_forest f, grown;
    plb_forest_of(&f, 3, 10); /* 3, 4-7, 8-11, 12 */
    assert_int_equal(f.n, 4);
    assert_int_equal(f.at[1].first, 4);
    assert_int_equal(f.at[1].level, 2);
    for (int i = 0; i < 2000; i++) {
        int64_t first = whole(&d, 0, PLB_MOST_CHUNKS - 1), end = whole(&d, first + 1, PLB_MOST_CHUNKS);
        plb_forest_of(&f, first, end - first);
        int64_t at = first;
        for (int k = 0; k < f.n; at += (int64_t)1 << f.at[k++].level)
            assert_true(f.at[k].first == at && at % ((int64_t)1 << f.at[k].level) == 0);
        assert_int_equal(at, end);
        grown.n = 0;
        for (int64_t c = first; c < end; c++)
            plb_forest_add(&grown, c, 0, NULL);
        assert_int_equal(grown.n, f.n);
    }
}

/* The folds that made an array, as brackets: "((0 1) 2)". */
#define TEXT 400
static void note(const void *context, int buffer, void *into, const void *from)
{
    char both[TEXT];
    (void)context;
    (void)buffer;
    snprintf(both, sizeof both, "(%.190s %.190s)", (char *)into, (const char *)from);
    memcpy(into, both, TEXT);
}

static void the_root_does_not_depend_on_the_order(void **state)
{
    (void)state;
    enum { CHUNKS = 11 };
    static const char expected[] = "((((0 1) (2 3)) ((4 5) (6 7))) ((8 9) 10))";
    const size_t bytes = TEXT;
    char root[TEXT], leaf[TEXT];
    void *const roots[] = {root}, *const leaves[] = {leaf};
    struct dice d = {2, 0};
    struct plb_fold_tree *t = plb_fold_tree_new(CHUNKS, 1, &bytes, roots);
    for (int round = 0; round < 50; round++) {
        int order[CHUNKS];
        for (int i = 0; i < CHUNKS; i++) {
            int k = (int)whole(&d, 0, i);
            order[i] = order[k];
            order[k] = i;
        }
        strcpy(root, "none");
        plb_fold_tree_add(t, 8, 0, leaves, note, NULL); /* of a pass that ended early */
        plb_fold_tree_clear(t);
        for (int i = 0; i < CHUNKS; i++) {
            assert_string_equal(root, "none");
            snprintf(leaf, sizeof leaf, "%d", order[i]);
            plb_fold_tree_add(t, order[i], 0, leaves, note, NULL);
        }
        assert_string_equal(root, expected);
        plb_fold_tree_clear(t);
    }
    strcpy(leaf, "all of 8 to 10"); /* nodes of results: their halves were folded elsewhere */
    plb_fold_tree_add(t, 8, 1, leaves, note, NULL);
    strcpy(leaf, "10");
    plb_fold_tree_add(t, 10, 0, leaves, note, NULL);
    strcpy(leaf, "0 to 7");
    plb_fold_tree_add(t, 0, 3, leaves, note, NULL);
    assert_string_equal(root, "(0 to 7 (all of 8 to 10 10))");
    plb_fold_tree_free(t);
}

static void chunks_that_were_set_aside_are_left_out(void **state)
{
    (void)state;
    const size_t bytes = TEXT;
    char root[TEXT] = "none", leaf[TEXT];
    void *const roots[] = {root}, *const leaves[] = {leaf};
    struct plb_fold_tree *t = plb_fold_tree_new(7, 1, &bytes, roots);
    for (int round = 0; round < 2; round++) {
        static const int orders[][5] = {{0, 3, 4, 5, 6}, {6, 4, 3, 5, 0}};
        for (int i = 0; i < 5; i++) {
            snprintf(leaf, sizeof leaf, "%d", orders[round][i]);
            plb_fold_tree_add(t, orders[round][i], 0, leaves, note, NULL);
        }
        assert_string_equal(root, "none");
        plb_fold_tree_end(t, note, NULL);
        assert_string_equal(root, "((0 3) ((4 5) 6))");
        strcpy(root, "none");
        plb_fold_tree_clear(t);
    }
    plb_fold_tree_end(t, note, NULL); /* all of them */
    assert_string_equal(root, "none");
    plb_fold_tree_free(t);
}

static void one_chunk_is_the_root(void **state)
{
    (void)state;
    const size_t bytes[] = {0, sizeof(double)};
    double root = 0.0, leaf = 1.5;
    void *const roots[] = {NULL, &root}, *const leaves[] = {NULL, &leaf};
    struct plb_fold_tree *t = plb_fold_tree_new(1, 2, bytes, roots);
    plb_fold_tree_add(t, 0, 0, leaves, note, NULL);
    assert_true(root == 1.5);
    plb_fold_tree_free(t);
}

static void ranges_of_units_are_whole_chunks(void **state)
{
    (void)state;
    const struct plb_cost_map map = {.units = 103, .bucket = 1, .n = 103, .per_work = 1.0, .chunk = 10};
    assert_int_equal(plb_cost_units(&map, 20, 80, 1.0), 10);
    assert_int_equal(plb_cost_units(&map, 20, 80, 31.0), 40);
    assert_int_equal(plb_cost_units(&map, 20, 83, 80.5), 83); /* to the end */
    assert_int_equal(plb_cost_units(&map, 20, 39, 38.0), 30); /* the last of 40 units stays */
    assert_int_equal(plb_cost_units(&map, 100, 3, 1.0), 3);
    assert_int_equal(plb_cost_units(&map, 20, 9, 5.0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_of_units_alone_says_what_a_chunk_is),
        cmocka_unit_test(forests_are_the_largest_nodes),
        cmocka_unit_test(the_root_does_not_depend_on_the_order),
        cmocka_unit_test(chunks_that_were_set_aside_are_left_out),
        cmocka_unit_test(one_chunk_is_the_root),
        cmocka_unit_test(ranges_of_units_are_whole_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
