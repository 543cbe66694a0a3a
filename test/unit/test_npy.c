/* .npy files: every form that is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "npy.h"

static const double six[] = {1, 2, 3, 4, 5, 6};

static void test_accepts_each_form_of_header(void **state)
{
    static const char *const dicts[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }     \n",
        "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f8'}\n",
        "{\"fortran_order\":False,\"shape\":(2,3,),\"descr\":\"<f8\"}",
        "{ 'descr' : '<f8' , 'fortran_order' : False , 'shape' : ( 2L , 3L ) , } \n",
    };
    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++)
        for (int version = 1; version <= 3; version++) {
            struct folder *folder = *state;
            struct plb_array array;
            put_npy(folder, version, dicts[i], six, sizeof six);
            read_ok(folder->file, PLB_ROW_MAJOR, &array);
            assert_int_equal(array.rows, 2);
            assert_int_equal(array.columns, 3);
            assert_int_equal(array.element_bytes, 8);
            assert_memory_equal(array.data, six, sizeof six);
            free(array.data);
        }
}

static void test_one_dimension_is_one_column(void **state)
{
    struct folder *folder = *state;
    for (int order = PLB_ROW_MAJOR; order <= PLB_COLUMN_MAJOR; order++) {
        struct plb_array array;
        put_npy(folder, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", six, sizeof six);
        read_ok(folder->file, (enum plb_order)order, &array);
        assert_int_equal(array.rows, 6);
        assert_int_equal(array.columns, 1);
        assert_memory_equal(array.data, six, sizeof six);
        free(array.data);
    }
}

static void test_transposes_into_the_wanted_order(void **state)
{
    static const double by_rows[] = {1, 3, 5, 2, 4, 6}, by_columns[] = {1, 4, 2, 5, 3, 6};
    struct folder *folder = *state;
    struct plb_array array;
    put_npy(folder, 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", six, sizeof six);
    read_ok(folder->file, PLB_ROW_MAJOR, &array);
    assert_memory_equal(array.data, by_rows, sizeof by_rows);
    free(array.data);
    read_ok(folder->file, PLB_COLUMN_MAJOR, &array);
    assert_memory_equal(array.data, six, sizeof six);
    free(array.data);
    put_npy(folder, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", six, sizeof six);
    read_ok(folder->file, PLB_COLUMN_MAJOR, &array);
    assert_memory_equal(array.data, by_columns, sizeof by_columns);
    free(array.data);
}

/* 2 x 2 elements of each type, as they are in the file, and their values. */
static const struct {
    const char *descr;
    size_t size, bytes;
    unsigned char data[32];
    double values[4];
} numbers[] = {
    {"|b1", 1, 8, {1, 0, 0, 1}, {1, 0, 0, 1}},
    {"|u1", 1, 8, {1, 0, 200, 255}, {1, 0, 200, 255}},
    {"|i1", 1, 8, {1, 0, 200, 128}, {1, 0, -56, -128}},
    {"<u2", 2, 8, {1, 2, 0, 0, 0xff, 0xff, 0, 0x80}, {513, 0, 65535, 32768}},
    {"<i2", 2, 8, {1, 2, 0, 0, 0xff, 0xff, 0, 0x80}, {513, 0, -1, -32768}},
    {"<i4",
     4,
     8,
     {7, 0, 0, 0, 0, 0, 0, 0x80, 0xfe, 0xff, 0xff, 0xff, 0, 0, 1, 0},
     {7, -2147483648.0, -2, 65536}},
    {"<u4",
     4,
     8,
     {7, 0, 0, 0, 0, 0, 0, 0x80, 0xfe, 0xff, 0xff, 0xff, 0, 0, 1, 0},
     {7, 2147483648.0, 4294967294.0, 65536}},
    {"<i8",
     8,
     8,
     {9, 0, 0, 0, 0, 0, 0,    0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0, 0, 0, 0, 0, 0, 0x20, 0, 0,    0,    0,    0,    0,    0,    0xe0, 0xff},
     {9, -1, 9007199254740992.0, -9007199254740992.0}},
    {"<u8",
     8,
     8,
     {9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 1},
     {9, 0, 9007199254740992.0, 1}},
    {"<f2", 2, 4, {0, 0x3c, 1, 0, 0xff, 0xfb, 0, 0x7c}, {1, 0x1p-24, -65504, INFINITY}},
};

/* In both orders. */
static void test_other_numbers_become_real(void **state)
{
    const struct folder *folder = *state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int order = PLB_ROW_MAJOR; order <= PLB_COLUMN_MAJOR; order++) {
            char dict[200];
            struct plb_array array;
            snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': (2, 2), }",
                     numbers[i].descr);
            put_npy(folder, 1, dict, numbers[i].data, 4 * numbers[i].size);
            read_ok(folder->file, (enum plb_order)order, &array);
            assert_int_equal(array.element_bytes, numbers[i].bytes);
            for (int k = 0; k < 4; k++) {
                int at = order == PLB_ROW_MAJOR ? k : k / 2 + 2 * (k % 2);
                double value = numbers[i].bytes == 4 ? (double)((float *)array.data)[at]
                                                     : ((double *)array.data)[at];
                if (value != numbers[i].values[k])
                    fail_msg("'%s': element %d is %.17g, not %.17g", numbers[i].descr, k, value,
                             numbers[i].values[k]);
            }
            free(array.data);
        }
}

/* 2^53 + 1, as the second of three elements. */
static void test_whole_numbers_that_float64_cannot_hold(void **state)
{
    static const int64_t three[] = {1, ((int64_t)1 << 53) + 1, 2};
    const struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_array array;
    put_npy(folder, 1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }", three, sizeof three);
    assert_int_equal(plb_npy_read(folder->file, PLB_ROW_MAJOR, false, &array, &err), PLB_EINPUT);
    assert_non_null(strstr(err.text, "element 1 of its data is a whole number beyond 2^53"));
}

static void test_header_only_gives_sizes(void **state)
{
    struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_array array;
    put_npy(folder, 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (4, 3), }", six, sizeof six);
    assert_int_equal(plb_npy_read(folder->file, PLB_ROW_MAJOR, true, &array, &err), PLB_OK);
    assert_null(array.data);
    assert_int_equal(array.rows, 4);
    assert_int_equal(array.columns, 3);
    assert_int_equal(array.element_bytes, 4);
    assert_false(array.column_major);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(test_accepts_each_form_of_header),
        TEST_IN_FOLDER(test_one_dimension_is_one_column),
        TEST_IN_FOLDER(test_transposes_into_the_wanted_order),
        TEST_IN_FOLDER(test_other_numbers_become_real),
        TEST_IN_FOLDER(test_whole_numbers_that_float64_cannot_hold),
        TEST_IN_FOLDER(test_header_only_gives_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
