/* Matrix Market files: every form that is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "format/number.h"
#include "mtx.h"

/* The text gives exactly this dense matrix, where 0 stands for what is not stored. */
static void gives(const struct folder *folder, const char *text, int64_t rows, int64_t columns,
                  const double *dense)
{
    int64_t nonzeros = 0;
    put(folder->file, text, strlen(text));
    struct plb_csr m = read_ok(folder->file);
    assert_int_equal(m.rows, rows);
    assert_int_equal(m.columns, columns);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0; column < columns; column++) {
            double value = 0, wanted = dense[row * columns + column];
            nonzeros += find(&m, row, column, &value);
            if (!same(value, wanted))
                fail_msg("(%d, %d) is %.17g, not %.17g", (int)row, (int)column, value, wanted);
        }
    assert_int_equal(m.nonzeros, nonzeros);
    release(&m);
}

static void test_fields(void **state)
{
    gives(*state, GENERAL "2 3 3\n2 3 -1.5e1\n1 1 +.5\n2 1 4.\n", 2, 3,
          (const double[]){.5, 0, 0, 4, 0, -15});
    gives(*state, INTEGER "2 3 2\n2 3 -15\n1 1 +7\n", 2, 3, (const double[]){7, 0, 0, 0, 0, -15});
    gives(*state, PATTERN "2 3 2\n2 3\n1 1\n", 2, 3, (const double[]){1, 0, 0, 0, 0, 1});
}

/* Column by column; zeros are not stored. */
static void test_dense(void **state)
{
    gives(*state, DENSE "2 3\n1\n0\n2\n-3\n\n% a comment\n0.0\n4e1\n", 2, 3,
          (const double[]){1, 2, 0, 0, -3, 40});
    gives(*state, "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 3, 3,
          (const double[]){1, 2, 3, 2, 4, 5, 3, 5, 6});
    gives(*state, "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", 3, 3,
          (const double[]){0, -1, -2, 1, 0, -3, 2, 3, 0});
    gives(*state, "%%MatrixMarket matrix array real skew-symmetric\n1 1\n", 1, 1, (const double[]){0});
}

/* SuiteSparse has such files; their values say nothing. */
static void test_pattern_with_values(void **state)
{
    gives(*state, PATTERN "2 3 3\n2 3 5\n1 1\n1 2 1.5 2\n", 2, 3, (const double[]){1, 1, 0, 0, 0, 1});
}

static void test_nonfinite_values_where_they_are_wanted(void **state)
{
    const struct folder *folder = *state;
    static const char text[] = GENERAL "1 6 6\n1 1 nan\n1 2 -Inf\n1 3 +infinity\n1 4 1e999\n1 5 NaN\n1 6 2\n";
    struct plb_error err = {.status = PLB_OK};
    struct plb_csr m;
    put(folder->file, text, strlen(text));
    assert_int_equal(plb_mtx_read(folder->file, true, &m, &err), PLB_OK);
    assert_true(isnan(m.values[0]) && m.values[1] == -INFINITY && m.values[2] == INFINITY);
    assert_true(m.values[3] == INFINITY && isnan(m.values[4]) && m.values[5] == 2.0);
    release(&m);
    static const char *const wrong[] = {GENERAL "1 1 1\n1 1 nano\n", GENERAL "1 1 1\n1 1 nan 5\n",
                                        INTEGER "1 1 1\n1 1 nan\n"};
    for (int i = 0; i < 3; i++) {
        err = (struct plb_error){.status = PLB_OK};
        put(folder->file, wrong[i], strlen(wrong[i]));
        assert_int_equal(plb_mtx_read(folder->file, true, &m, &err), PLB_EINPUT);
    }
}

static void test_symmetries(void **state)
{
    gives(*state, SYMMETRIC "3 3 3\n1 1 5\n2 1 6\n3 2 7\n", 3, 3,
          (const double[]){5, 6, 0, 6, 0, 7, 0, 7, 0});
    gives(*state, SKEW "3 3 2\n2 1 6\n3 2 -7\n", 3, 3, (const double[]){0, -6, 0, 6, 0, 7, 0, -7, 0});
    gives(*state, "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", 2, 2,
          (const double[]){0, 1, 1, 0});
    gives(*state, "%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n", 2, 2,
          (const double[]){0, -1, 1, 0});
    gives(*state, "%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 9\n", 2, 2,
          (const double[]){0, 9, 9, 0});
}

static void test_upper_triangle_is_mirrored(void **state)
{
    gives(*state, SYMMETRIC "3 3 2\n1 2 6\n2 3 7\n", 3, 3, (const double[]){0, 6, 0, 6, 0, 7, 0, 7, 0});
    gives(*state, SYMMETRIC "3 3 2\n1 2 6\n3 2 7\n", 3, 3, (const double[]){0, 6, 0, 6, 0, 7, 0, 7, 0});
    gives(*state, SKEW "2 2 1\n1 2 6\n", 2, 2, (const double[]){0, 6, -6, 0});
}

static void test_skew_may_store_a_zero_diagonal(void **state)
{
    struct folder *folder = *state;
    static const char text[] = SKEW "2 2 2\n1 1 0\n2 1 3\n";
    put(folder->file, text, sizeof text - 1);
    struct plb_csr m = read_ok(folder->file);
    assert_int_equal(m.nonzeros, 3);
    release(&m);
}

static void test_layout_of_the_text(void **state)
{
    static const double dense[] = {1, 0, 0, 2};
    gives(*state, "%%matrixmarket MATRIX Coordinate REAL General\n2 2 2\n1 1 1\n2 2 2\n", 2, 2, dense);
    gives(*state,
          "%%MatrixMarket  matrix\tcoordinate real general \r\n%\r\n%c\r\n\r\n2 2 2\r\n"
          "1 1 1\r\n2 2 2\r\n",
          2, 2, dense);
    gives(*state, GENERAL "% one\n\n  % two\n 2\t2  2 \n\n% three\n\t1 1 1 \n%4\n\n2 2 2\n\n% end", 2, 2,
          dense);
    gives(*state, GENERAL "2 2 2\n1 1 1\n2 2 2", 2, 2, dense); /* no last line end */
}

static void test_duplicates_are_summed(void **state)
{
    gives(*state, GENERAL "2 2 5\n2 1 1\n1 1 2\n2 1 3\n2 2 8\n2 1 5\n", 2, 2, (const double[]){2, 0, 9, 8});
    gives(*state, SYMMETRIC "2 2 3\n2 1 1\n2 1 2\n1 1 7\n", 2, 2, (const double[]){7, 3, 3, 0});
    /* in the order of the file, also in a row that has to be sorted: 1e16 + 1 - 1e16 is 0 there,
     * and 3 is left, but not in every other order */
    gives(*state, GENERAL "1 3 6\n1 3 9\n1 2 1e16\n1 1 4\n1 2 1\n1 2 -1e16\n1 2 3\n", 1, 3,
          (const double[]){4, 3, 9});
}

static void test_rows_out_of_order(void **state)
{
    struct folder *folder = *state;
    FILE *file = fopen(folder->file, "wb");
    assert_non_null(file);
    fputs(PATTERN "3 1000 2000\n", file);
    for (int i = 0; i < 1000; i++) /* 7 and 1000 have no common factor: each column once */
        fprintf(file, "3 %d\n1 %d\n", i * 7 % 1000 + 1, 1000 - i);
    fclose(file);
    struct plb_csr m = read_ok(folder->file);
    assert_int_equal(m.nonzeros, 2000);
    assert_int_equal(m.offsets[1], 1000);
    assert_int_equal(m.offsets[2], 1000);
    release(&m);
}

static void test_no_entries(void **state)
{
    struct folder *folder = *state;
    gives(folder, GENERAL "2 3 0\n", 2, 3, (const double[6]){0});
    gives(folder, GENERAL "2 3 0", 2, 3, (const double[6]){0});
    static const char wide[] = GENERAL "1 2147483647 1\n1 2147483647 1\n";
    put(folder->file, wide, sizeof wide - 1);
    struct plb_csr m = read_ok(folder->file);
    assert_int_equal(m.columns, INT32_MAX);
    assert_int_equal(m.indices[0], INT32_MAX - 1);
    release(&m);
}

/* Numbers come out as the nearest double, by the fast path and by the slow one. */
static void test_numbers_are_exact(void **state)
{
    static const char *const numbers[] = {
        "1",
        "0.1",
        "-0.3",
        "1e22",
        "1e23",
        "9007199254740992",
        "-1e-5",
        "1E+5",
        "5e-324",
        "1e-400",
        "123456789012345678901234567890",
        "0.1e1",
        "00012",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "-0.0",
        "3.14159265358979323846264338327950288",
        "0.000000000000000000000001e30",
        "9007199254740993",
        "8.5e-22",
        "8.5e-23",
    };
    struct folder *folder = *state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[256];
        int length = snprintf(text, sizeof text, "%s1 1 1\n1 1 %s\n", GENERAL, numbers[i]);
        put(folder->file, text, (size_t)length);
        struct plb_csr m = read_ok(folder->file);
        if (!same(m.values[0], strtod(numbers[i], NULL)))
            fail_msg("%s was read as %.17g", numbers[i], m.values[0]);
        release(&m);
    }
    for (int i = 0; i < 3000; i++) {
        char text[256], number[64];
        uint64_t bits = (uint64_t)(i + 1) * 0x9E3779B97F4A7C15u;
        snprintf(number, sizeof number, "%.*e", i % 18, (double)bits * pow(10, i % 61 - 40));
        int length = snprintf(text, sizeof text, "%s1 1 1\n1 1 %s\n", GENERAL, number);
        put(folder->file, text, (size_t)length);
        struct plb_csr m = read_ok(folder->file);
        if (!same(m.values[0], strtod(number, NULL)))
            fail_msg("%s was read as %.17g", number, m.values[0]);
        release(&m);
    }
}

/* All digits of a double, whole numbers in the middle of two doubles or one beside it, and powers of ten
 * around those that are exact in 64 bits. */
static void test_many_digits_are_rounded_once(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 60000; i++) {
        char number[64];
        uint64_t bits = i * 0x9E3779B97F4A7C15u, middle = (bits >> 10 | (uint64_t)1 << 53) | 1;
        double value = 0.0;
        if (i % 3 == 0)
            snprintf(number, sizeof number, "%.17g", (double)(bits >> 11) * 0x1p-53);
        else if (i % 3 == 1)
            snprintf(number, sizeof number, "-%llu.%llu", (unsigned long long)middle,
                     (unsigned long long)(bits >> 5) % 2);
        else
            snprintf(number, sizeof number, "%llue%d", (unsigned long long)(bits >> i % 60),
                     (int)(i % 61) - 30);
        assert_non_null(plb_scan_decimal(number, false, &value));
        if (!same(value, strtod(number, NULL)))
            fail_msg("%s was read as %.17g", number, value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(test_fields),
        TEST_IN_FOLDER(test_dense),
        TEST_IN_FOLDER(test_pattern_with_values),
        TEST_IN_FOLDER(test_nonfinite_values_where_they_are_wanted),
        TEST_IN_FOLDER(test_symmetries),
        TEST_IN_FOLDER(test_upper_triangle_is_mirrored),
        TEST_IN_FOLDER(test_skew_may_store_a_zero_diagonal),
        TEST_IN_FOLDER(test_layout_of_the_text),
        TEST_IN_FOLDER(test_duplicates_are_summed),
        TEST_IN_FOLDER(test_rows_out_of_order),
        TEST_IN_FOLDER(test_no_entries),
        TEST_IN_FOLDER(test_numbers_are_exact),
        cmocka_unit_test(test_many_digits_are_rounded_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
