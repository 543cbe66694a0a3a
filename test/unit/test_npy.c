/* .npy files: every form that is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
        TEST_IN_FOLDER(test_header_only_gives_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
