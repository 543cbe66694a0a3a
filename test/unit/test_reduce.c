/* Neutral elements, folds and their order, element by element and pair by pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "app/reduce.h"

static void numbers_of_32_bits(void **state)
{
    (void)state;
    struct plb_data d = {.bytes = 8, .op = PLB_SUM, .type = PLB_INT32};
    int32_t a[2], b[2] = {INT32_MAX, -5};
    plb_reduce_clear(&d, a);
    plb_reduce_fold(&d, a, b);
    plb_reduce_fold(&d, a, (int32_t[]){1, 2});
    assert_int_equal(a[0], INT32_MIN);
    assert_int_equal(a[1], -3);
    d.op = PLB_MAX;
    plb_reduce_clear(&d, a);
    assert_int_equal(a[1], INT32_MIN);
    plb_reduce_fold(&d, a, b);
    plb_reduce_fold(&d, a, (int32_t[]){3, -7});
    assert_int_equal(a[0], INT32_MAX);
    assert_int_equal(a[1], -5);
    d.type = PLB_FLOAT32;
    float x[2];
    d.op = PLB_MIN;
    plb_reduce_clear(&d, x);
    assert_true(isinf(x[0]) && x[0] > 0.0f);
    plb_reduce_fold(&d, x, (float[]){2.5f, NAN});
    plb_reduce_fold(&d, x, (float[]){3.5f, 1.0f});
    assert_true(x[0] == 2.5f && x[1] == 1.0f);
    d.op = PLB_SUM;
    plb_reduce_fold(&d, x, (float[]){0.25f, 0.5f});
    assert_true(x[0] == 2.75f && x[1] == 1.5f);
}

/* Of equal values the smaller index counts, whichever comes first; a NaN never does. */
static void the_order_of_pairs_does_not_depend_on_who_comes_first(void **state)
{
    (void)state;
    const struct plb_data d = {
        .bytes = sizeof(struct plb_pair_float64), .op = PLB_ARG_MAX, .type = PLB_FLOAT64};
    const struct plb_pair_float64 of[] = {{1.0, 9}, {2.0, 7}, {2.0, 3}, {(double)NAN, 1}, {-1.0, 2}};
    for (int first = 0; first < 5; first++) {
        struct plb_pair_float64 best;
        plb_reduce_clear(&d, &best);
        for (int i = 0; i < 5; i++)
            plb_reduce_fold(&d, &best, &of[(first + i) % 5]);
        assert_true(best.value == 2.0);
        assert_int_equal(best.index, 3);
    }
    struct plb_pair_float64 best;
    plb_reduce_clear(&d, &best);
    plb_reduce_fold(&d, &best, &of[3]);
    assert_true(isinf(best.value) && best.index == PLB_NO_INDEX);
}

/* The least and greatest numbers that there are also beat a pair that nobody has written. */
static void a_real_pair_beats_the_neutral_one(void **state)
{
    (void)state;
    const struct plb_data least = {.bytes = 16, .op = PLB_ARG_MIN, .type = PLB_INT64};
    const struct plb_data most = {.bytes = 16, .op = PLB_ARG_MAX, .type = PLB_INT32};
    const struct plb_pair_int64 worst = {INT64_MAX, 5};
    const struct plb_pair_int32 worst32 = {.value = INT32_MIN, .index = 6};
    struct plb_pair_int64 a;
    struct plb_pair_int32 b;
    plb_reduce_clear(&least, &a);
    plb_reduce_fold(&least, &a, &worst);
    assert_int_equal(a.index, 5);
    plb_reduce_clear(&most, &b);
    plb_reduce_fold(&most, &b, &worst32);
    assert_int_equal(b.index, 6);
    assert_int_equal(b.unused, 0);
}

static void lists_keep_their_best_in_order(void **state)
{
    (void)state;
    const struct plb_data d = {.bytes = 96, .op = PLB_TOP_MIN, .type = PLB_INT64, .top = 3}; /* two lists */
    const struct plb_pair_int64 one[] = {{5, 1}, {2, 2}, {9, 3}, {1, 1}, {1, 0}, {1, 2}};
    const struct plb_pair_int64 other[] = {{2, 1}, {7, 0}, {3, 9}, {4, 4}, {1, 3}, {0, 7}};
    const struct plb_pair_int64 both[] = {{2, 1}, {2, 2}, {3, 9}, {0, 7}, {1, 0}, {1, 1}};
    struct plb_pair_int64 a[6], b[6];
    plb_reduce_clear(&d, a);
    plb_reduce_fold(&d, a, one);
    plb_reduce_fold(&d, a, other);
    assert_memory_equal(a, both, sizeof both);
    memcpy(b, other, sizeof b); /* a task's own array becomes the one into which others are folded */
    plb_reduce_sort(&d, b);
    assert_int_equal(b[1].value, 3);
    plb_reduce_fold(&d, b, one);
    assert_memory_equal(b, both, sizeof both);
}

static void too_few_pairs_leave_neutral_ones(void **state)
{
    (void)state;
    const struct plb_data d = {.bytes = 48, .op = PLB_TOP_MAX, .type = PLB_FLOAT32};
    struct plb_pair_float32 a[3];
    plb_reduce_clear(&d, a);
    plb_top_add(d.op, d.type, a, 3, &(struct plb_pair_float32){.value = 1.5f, .index = 4});
    plb_top_add(d.op, d.type, a, 3, &(struct plb_pair_float32){.value = 2.5f, .index = 8});
    assert_true(a[0].index == 8 && a[1].index == 4 && a[2].index == PLB_NO_INDEX);
}

static void own_folds_begin_with_their_image(void **state)
{
    (void)state;
    const char image[5] = "abcd";
    char array[5] = "....";
    struct plb_data d = {.bytes = 5, .op = PLB_OWN_FOLD, .neutral = image};
    plb_reduce_clear(&d, array);
    assert_string_equal(array, "abcd");
    d.neutral = NULL;
    plb_reduce_clear(&d, array);
    assert_memory_equal(array, "\0\0\0\0\0", 5);
}

static void wrong_declarations_are_described(void **state)
{
    (void)state;
    static const struct {
        struct plb_data data;
        const char *text;
    } wrong[] = {
        {{.bytes = 12, .type = PLB_FLOAT64}, "is reduced and must be a whole number of 8-byte elements"},
        {{.bytes = 0, .type = PLB_INT32}, "is reduced and must be a whole number of 4-byte elements"},
        {{.bytes = 24, .op = PLB_ARG_MIN, .type = PLB_INT32},
         "is reduced and must be a whole number of 16-byte pairs"},
        {{.bytes = 64, .op = PLB_TOP_MAX, .type = PLB_FLOAT64, .top = 3},
         "must be a whole number of lists of 3 pairs (`top`)"},
        {{.bytes = 8, .op = PLB_OWN_FOLD}, "is folded by the kernel, which has no `fold`"},
        {{.bytes = 8, .op = (enum plb_reduce_op)8}, "has the unknown operation 8 in `op`"},
        {{.bytes = 8, .type = (enum plb_reduce_type)5}, "has the unknown type 5 in `type`"},
        {{.bytes = 8}, "is reduced and has no `type`, such as PLB_FLOAT64"},
    };
    char text[PLB_REDUCE_TEXT];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(plb_reduce_is_wrong(&wrong[i].data, false, text));
        assert_string_equal(text, wrong[i].text);
    }
    const struct plb_data own = {.bytes = 3, .op = PLB_OWN_FOLD, .type = (enum plb_reduce_type)9};
    assert_false(plb_reduce_is_wrong(&own, true, text));
    assert_false(plb_reduce_is_wrong(&(struct plb_data){.bytes = 4, .type = PLB_INT32}, false, text));
    const struct plb_data list = {.bytes = 48, .op = PLB_TOP_MIN, .type = PLB_INT64};
    assert_false(plb_reduce_is_wrong(&list, false, text));
}

static void elements_are_described(void **state)
{
    (void)state;
    const struct plb_pair_float32 pairs[] = {{.value = 1.5f, .index = 3}, {.value = 2.5f, .index = 17}};
    char text[64];
    plb_reduce_print(&(struct plb_data){.op = PLB_TOP_MIN, .type = PLB_FLOAT32, .bytes = 32}, pairs, 1, text);
    assert_string_equal(text, "2.5 of 17");
    plb_reduce_print(&(struct plb_data){.type = PLB_INT32}, (int32_t[]){1, -2}, 1, text);
    assert_string_equal(text, "-2");
    plb_reduce_print(&(struct plb_data){.op = PLB_OWN_FOLD}, "\x01\xfe", 1, text);
    assert_string_equal(text, "0xfe");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_32_bits),
        cmocka_unit_test(the_order_of_pairs_does_not_depend_on_who_comes_first),
        cmocka_unit_test(a_real_pair_beats_the_neutral_one),
        cmocka_unit_test(lists_keep_their_best_in_order),
        cmocka_unit_test(too_few_pairs_leave_neutral_ones),
        cmocka_unit_test(own_folds_begin_with_their_image),
        cmocka_unit_test(wrong_declarations_are_described),
        cmocka_unit_test(elements_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
