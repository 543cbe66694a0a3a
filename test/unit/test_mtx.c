/* Matrix Market files: every form that is read, every refusal and its sentence, and the matrices of
 * the data folder (PLB_DATA, or ../shared/data) against counts taken from their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/mtx.h"

#define GENERAL "%%MatrixMarket matrix coordinate real general\n"
#define SYMMETRIC "%%MatrixMarket matrix coordinate real symmetric\n"
#define SKEW "%%MatrixMarket matrix coordinate real skew-symmetric\n"
#define PATTERN "%%MatrixMarket matrix coordinate pattern general\n"
#define INTEGER "%%MatrixMarket matrix coordinate integer general\n"

struct folder {
    char path[64];
    char file[128];
};

static int make_folder(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    if (folder == NULL)
        return -1;
    strcpy(folder->path, "/tmp/test_mtx.XXXXXX");
    if (mkdtemp(folder->path) == NULL)
        return -1;
    snprintf(folder->file, sizeof folder->file, "%s/a.mtx", folder->path);
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    struct folder *folder = *state;
    unlink(folder->file);
    int failed = rmdir(folder->path);
    free(folder);
    return failed;
}

static void put(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void refused_path(const char *path, const char *where, const char *const *words)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_csr matrix = {.rows = -7};
    char start[256];
    assert_int_equal(plb_mtx_read(path, &matrix, &err), PLB_EINPUT);
    assert_int_equal(err.status, PLB_EINPUT);
    assert_int_equal(matrix.rows, -7); /* not touched */
    assert_null(matrix.offsets);
    assert_null(strchr(err.text, '\n'));
    snprintf(start, sizeof start, "%s%s", path, where);
    if (strncmp(err.text, start, strlen(start)) != 0)
        fail_msg("'%s' is not the start of: %s", start, err.text);
    for (int i = 0; words[i] != NULL; i++)
        if (strstr(err.text, words[i]) == NULL)
            fail_msg("'%s' is missing in: %s", words[i], err.text);
}

/* The text is refused at the line that `where` (":LINE:") says, with these words. */
static void refused(const struct folder *folder, const char *text, const char *where,
                    const char *word, const char *more)
{
    put(folder->file, text, strlen(text));
    refused_path(folder->file, where, (const char *const[]){word, more, "expected", NULL});
}

static struct plb_csr read_ok(const char *path)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_csr m = {.rows = -1};
    if (plb_mtx_read(path, &m, &err) != PLB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(err.status, PLB_OK);
    assert_int_equal(m.offsets[0], 0);
    assert_int_equal(m.offsets[m.rows], m.nonzeros);
    assert_int_equal((uintptr_t)m.offsets % 64 + (uintptr_t)m.indices % 64 +
                     (uintptr_t)m.values % 64, 0);
    for (int64_t row = 0; row < m.rows; row++) {
        assert_true(m.offsets[row] <= m.offsets[row + 1]);
        for (int64_t i = m.offsets[row]; i < m.offsets[row + 1]; i++) {
            assert_true(m.indices[i] >= 0 && m.indices[i] < m.columns);
            assert_true(i == m.offsets[row] || m.indices[i - 1] < m.indices[i]);
        }
    }
    return m;
}

static void release(struct plb_csr *m)
{
    free(m->offsets);
    free(m->indices);
    free(m->values);
}

/* Whether (row, column), from 0, is stored, and its value. */
static bool find(const struct plb_csr *m, int64_t row, int64_t column, double *value)
{
    for (int64_t i = m->offsets[row]; i < m->offsets[row + 1]; i++)
        if (m->indices[i] == column) {
            *value = m->values[i];
            return true;
        }
    return false;
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

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

/* --------------------------------------------------------------- accepted */

static void test_fields(void **state)
{
    gives(*state, GENERAL "2 3 3\n2 3 -1.5e1\n1 1 +.5\n2 1 4.\n", 2, 3,
          (const double[]){.5, 0, 0, 4, 0, -15});
    gives(*state, INTEGER "2 3 2\n2 3 -15\n1 1 +7\n", 2, 3, (const double[]){7, 0, 0, 0, 0, -15});
    gives(*state, PATTERN "2 3 2\n2 3\n1 1\n", 2, 3, (const double[]){1, 0, 0, 0, 0, 1});
}

static void test_symmetries(void **state)
{
    gives(*state, SYMMETRIC "3 3 3\n1 1 5\n2 1 6\n3 2 7\n", 3, 3,
          (const double[]){5, 6, 0, 6, 0, 7, 0, 7, 0});
    gives(*state, SKEW "3 3 2\n2 1 6\n3 2 -7\n", 3, 3,
          (const double[]){0, -6, 0, 6, 0, 7, 0, -7, 0});
    gives(*state, "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", 2, 2,
          (const double[]){0, 1, 1, 0});
    gives(*state, "%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n", 2, 2,
          (const double[]){0, -1, 1, 0});
    gives(*state, "%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 9\n", 2, 2,
          (const double[]){0, 9, 9, 0});
}

static void test_upper_triangle_is_mirrored(void **state)
{
    gives(*state, SYMMETRIC "3 3 2\n1 2 6\n2 3 7\n", 3, 3,
          (const double[]){0, 6, 0, 6, 0, 7, 0, 7, 0});
    gives(*state, SYMMETRIC "3 3 2\n1 2 6\n3 2 7\n", 3, 3,
          (const double[]){0, 6, 0, 6, 0, 7, 0, 7, 0});
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
    gives(*state, "%%matrixmarket MATRIX Coordinate REAL General\n2 2 2\n1 1 1\n2 2 2\n", 2, 2,
          dense);
    gives(*state, "%%MatrixMarket  matrix\tcoordinate real general \r\n%\r\n%c\r\n\r\n2 2 2\r\n"
                  "1 1 1\r\n2 2 2\r\n", 2, 2, dense);
    gives(*state, GENERAL "% one\n\n  % two\n 2\t2  2 \n\n% three\n\t1 1 1 \n%4\n\n2 2 2\n\n% end",
          2, 2, dense);
    gives(*state, GENERAL "2 2 2\n1 1 1\n2 2 2", 2, 2, dense); /* no last line end */
}

static void test_duplicates_are_summed(void **state)
{
    gives(*state, GENERAL "2 2 5\n2 1 1\n1 1 2\n2 1 3\n2 2 8\n2 1 5\n", 2, 2,
          (const double[]){2, 0, 9, 8});
    gives(*state, SYMMETRIC "2 2 3\n2 1 1\n2 1 2\n1 1 7\n", 2, 2, (const double[]){7, 3, 3, 0});
    /* in the order of the file, also in a row that has to be sorted: 1e16 + 1 - 1e16 is 0 there,
     * and 3 is left, but not in every other order */
    gives(*state, GENERAL "1 3 6\n1 3 9\n1 2 1e16\n1 1 4\n1 2 1\n1 2 -1e16\n1 2 3\n", 1,
          3, (const double[]){4, 3, 9});
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
        "1",     "0.1",   "-0.3",    "1e22",  "1e23",   "9007199254740992",
        "-1e-5", "1E+5",  "5e-324",  "1e-400", "123456789012345678901234567890",
        "0.1e1", "00012", "2.2250738585072011e-308", "1.7976931348623157e308",
        "-0.0",  "3.14159265358979323846264338327950288", "0.000000000000000000000001e30",
        "9007199254740993", "8.5e-22", "8.5e-23",
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

/* --------------------------------------------------------------- refusals */

static void test_refuses_headers(void **state)
{
    static const struct {
        const char *line, *word, *more;
    } cases[] = {
        {"", "not a Matrix Market file", "''"},
        {"2 2 1\n1 1 5\n", "not a Matrix Market file", "'2 2 1'"},
        {"\n" GENERAL "1 1 0\n", "not a Matrix Market file", "mmwrite"},
        {"%MatrixMarket matrix coordinate real general\n", "not a Matrix Market file", "mmwrite"},
        {"\x93NUMPY\x01\n", "not a Matrix Market file", "'?NUMPY?'"},
        {"%%MatrixMarket\n1 1 0\n", "nothing", "coordinate"},
        {"%%MatrixMarket vector coordinate real general\n", "'vector", "only matrices"},
        {"%%MatrixMarket matrix array real general\n1 1\n5\n", "array", ".npy"},
        {"%%MatrixMarket matrix list real general\n", "'list", "coordinate"},
        {"%%MatrixMarket matrix coordinate complex general\n", "complex", "two files"},
        {"%%MatrixMarket matrix coordinate double general\n", "'double", "real|integer"},
        {"%%MatrixMarket matrix coordinate real hermitian\n", "hermitian", "write symmetric"},
        {"%%MatrixMarket matrix coordinate real square\n", "'square'", "skew-symmetric"},
        {"%%MatrixMarket matrix coordinate real\n1 1 0\n", "nothing", "general|symmetric"},
        {"%%MatrixMarket matrix coordinate real general 5\n", "'5'", "fifth word"},
        {"%%MatrixMarket matrix coordinate reall general\n", "'reall", "real|integer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(*state, cases[i].line, ":1:", cases[i].word, cases[i].more);
}

static void test_refuses_size_lines(void **state)
{
    static const struct {
        const char *text, *where, *word, *more;
    } cases[] = {
        {GENERAL, ":2:", "before the size line", "rows columns entries"},
        {GENERAL "% only a comment\n\n", ":4:", "before the size line", "copy"},
        {GENERAL "2 2\n", ":2:", "malformed size line", "'2 2'"},
        {GENERAL "2 2 x\n", ":2:", "malformed size line", "'2 2 x'"},
        {GENERAL "2 2 1 1\n", ":2:", "malformed size line", "'2 2 1 1'"},
        {GENERAL "%\n2 2.0 1\n", ":3:", "malformed size line", "'2 2.0 1'"},
        {GENERAL "2 2 -1\n", ":2:", "malformed size line", "'2 2 -1'"},
        {GENERAL "-2 2 1\n", ":2:", "malformed size line", "whole numbers"},
        {GENERAL "0 2 0\n", ":2:", "zero rows", "at least one"},
        {GENERAL "2 0 0\n", ":2:", "zero columns", "at least one"},
        {GENERAL "2 2147483648 1\n1 1 1\n", ":2:", "2147483648 columns", "2147483647"},
        {GENERAL "1099511627776 1099511627776 1\n", ":2:", "columns are too many", "at most"},
        {GENERAL "1152921504606846976 1 0\n", ":2:", "rows are too many", "memory"},
        {GENERAL "99999999999999999999999 1 0\n", ":2:", "rows are too many", "memory"},
        {SYMMETRIC "2 3 0\n", ":2:", "a square one", "2 rows and 3 columns"},
        {SKEW "3 2 0\n", ":2:", "a square one", "general"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(*state, cases[i].text, cases[i].where, cases[i].word, cases[i].more);
}

static void test_refuses_entries(void **state)
{
    static const struct {
        const char *text, *where, *word, *more;
    } cases[] = {
        {GENERAL "2 3 1\n0 1 5\n", ":3:", "row 0 is out of range", "1 to 2"},
        {GENERAL "2 3 1\n3 1 5\n", ":3:", "row 3 is out of range", "1 to 2"},
        {GENERAL "2 3 1\n1 0 5\n", ":3:", "column 0 is out of range", "1 to 3"},
        {GENERAL "2 3 1\n1 4 5\n", ":3:", "column 4 is out of range", "1 to 3"},
        {GENERAL "2 3 1\n-1 4 5\n", ":3:", "row -1 is out of range", "start at 1"},
        {GENERAL "2 3 1\n1 4294967297 5\n", ":3:", "column 4294967297", "1 to 3"},
        {GENERAL "2 3 1\n99999999999999999999 1 5\n", ":3:", "out of range", "1 to 2"},
        {GENERAL "2 2 2\n1 1 5\n%\n\n1 2\n", ":6:", "malformed entry '1 2'", "row column value"},
        {GENERAL "2 2 1\n1\n1 5\n", ":3:", "malformed entry '1'", "row column value"},
        {GENERAL "2 2 1\n1 1 5 6\n", ":3:", "malformed entry '1 1 5 6'", "row column value"},
        {GENERAL "2 2 1\n1 1 5 % five\n", ":3:", "malformed entry", "correct the line"},
        {GENERAL "2 2 1\n1 1 five\n", ":3:", "malformed entry '1 1 five'", "value"},
        {GENERAL "2 2 1\n1 1 5x\n", ":3:", "malformed entry", "value"},
        {GENERAL "2 2 1\n1 1 0x10\n", ":3:", "malformed entry", "value"},
        {GENERAL "2 2 1\n1 1 1D5\n", ":3:", "malformed entry", "value"},
        {GENERAL "2 2 1\n1 1 1,5\n", ":3:", "malformed entry", "value"},
        {GENERAL "2 2 1\n1 1 1e\n", ":3:", "malformed entry", "value"},
        {GENERAL "2 2 1\n1 1 1e+\n", ":3:", "malformed entry", "value"},
        {GENERAL "2 2 1\n1 1 .\n", ":3:", "malformed entry", "value"},
        {GENERAL "2 2 1\n1 1 1.2.3\n", ":3:", "malformed entry", "value"},
        {GENERAL "2 2 1\n1 1 -\n", ":3:", "malformed entry", "value"},
        {GENERAL "2 2 1\n1.0 1 5\n", ":3:", "malformed entry", "value"},
        {GENERAL "2 2 1\n- 1 5\n", ":3:", "malformed entry", "value"},
        {INTEGER "2 2 1\n1 1 5.5\n", ":3:", "malformed entry", "whole numbers"},
        {INTEGER "2 2 1\n1 1 1e3\n", ":3:", "malformed entry", "whole numbers"},
        {PATTERN "2 2 1\n1 1 5\n", ":3:", "malformed entry", "'row column'"},
        {PATTERN "2 2 1\n1\n", ":3:", "malformed entry", "'row column'"},
        {GENERAL "2 2 1\n1 1 nan\n", ":3:", "not finite", "nan"},
        {GENERAL "2 2 1\n1 1 -Inf\n", ":3:", "not finite", "-Inf"},
        {GENERAL "2 2 1\n1 1 1e999\n", ":3:", "not finite", "1e999"},
        {GENERAL "2 2 1\n1 1 1e99999999999999999999\n", ":3:", "not finite", "remove"},
        {GENERAL "2 2 3\n1 1 5\n2 2 5\n", ":5:", "truncated", "2 of 3 entries"},
        {GENERAL "2 2 1", ":2:", "truncated", "0 of 1 entries"},
        {GENERAL "2 2 9223372036854775807\n1 1 5\n", ":4:", "1 of 9223372036854775807", "copy"},
        {GENERAL "2 2 1\n1 1 5\n\n2 2 6\n", ":5:", "more entries than the 1", "surplus"},
        {GENERAL "2 2 0\n2 2 6\n", ":3:", "more entries than the 0", "surplus"},
        {SKEW "2 2 1\n2 2 6\n", ":3:", "(2, 2)", "on its diagonal"},
        {SYMMETRIC "3 3 3\n3 1 6\n2 1 1\n1 2 1\n", ":", "both (2, 1) and (1, 2)", "general"},
        {SKEW "2 2 2\n2 1 1\n1 2 -1\n", ":", "both (2, 1) and (1, 2)", "lower triangle"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(*state, cases[i].text, cases[i].where, cases[i].word, cases[i].more);
}

static void test_refuses_nul_bytes(void **state)
{
    struct folder *folder = *state;
    static const char text[] = GENERAL "2 2 2\n1 1 5\n1 2 \0\n";
    put(folder->file, text, sizeof text - 1);
    refused_path(folder->file, ":4:", (const char *const[]){"malformed entry '1 2 ?'", NULL});
    static const char end[] = GENERAL "2 2 1\n1 1 5\n\0";
    put(folder->file, end, sizeof end - 1);
    refused_path(folder->file, ":4:", (const char *const[]){"more entries", NULL});
}

static void test_refuses_every_cut_between_entries(void **state)
{
    static const char text[] = PATTERN "% c\n3 3 3\n1 1\n2 2\n3 3\n";
    struct folder *folder = *state;
    for (size_t cut = 0; cut < sizeof text - 2; cut++) {
        put(folder->file, text, cut);
        refused_path(folder->file, ":", (const char *const[]){"expected", NULL});
    }
}

static void test_refuses_missing_and_unreadable(void **state)
{
    struct folder *folder = *state;
    refused_path(folder->file, ":", (const char *const[]){"cannot be read", "No such file", NULL});
    refused_path(folder->path, ":", (const char *const[]){"folder", NULL});
    refused_path("/dev/null", ":", (const char *const[]){"device", NULL});
    assert_int_equal(mkfifo(folder->file, 0600), 0);
    refused_path(folder->file, ":", (const char *const[]){"pipe", NULL});
}

/* ------------------------------------------------- matrices of the field */

/* Reads a matrix of the data folder, or skips the test with the reason. */
static struct plb_csr read_data(const char *name)
{
    const char *folder = getenv("PLB_DATA");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "../shared/data", name);
    if (access(path, R_OK) != 0) {
        print_message("%s cannot be read; set PLB_DATA to the folder that has it\n", path);
        skip();
    }
    return read_ok(path);
}

static int64_t diagonals(const struct plb_csr *m)
{
    int64_t count = 0;
    double value;
    for (int64_t row = 0; row < m->rows && row < m->columns; row++)
        count += find(m, row, row, &value);
    return count;
}

static void check_symmetric(const struct plb_csr *m)
{
    assert_int_equal(m->rows, m->columns);
    for (int64_t row = 0; row < m->rows; row++)
        for (int64_t i = m->offsets[row]; i < m->offsets[row + 1]; i++) {
            double value = 0;
            assert_true(find(m, m->indices[i], row, &value));
            assert_true(same(value, m->values[i]));
        }
}

static void symmetric_data(const char *name, int64_t rows, int64_t stored, int64_t on_diagonal)
{
    struct plb_csr m = read_data(name);
    assert_int_equal(m.rows, rows);
    assert_int_equal(diagonals(&m), on_diagonal);
    assert_int_equal(m.nonzeros, 2 * stored - on_diagonal);
    check_symmetric(&m);
    release(&m);
}

static void general_data(const char *name, int64_t rows, int64_t stored)
{
    struct plb_csr m = read_data(name);
    assert_int_equal(m.rows, rows);
    assert_int_equal(m.columns, rows);
    assert_int_equal(m.nonzeros, stored);
    release(&m);
}

static void test_bcsstk13(void **state)
{
    (void)state;
    symmetric_data("bcsstk13.mtx", 2003, 42943, 2003);
}

static void test_karate(void **state)
{
    (void)state;
    symmetric_data("karate.mtx", 34, 78, 0);
}

static void test_pushpull(void **state)
{
    (void)state;
    symmetric_data("pushpull.mtx", 4000, 99208, 2111);
}

static void test_cryg2500(void **state)
{
    (void)state;
    general_data("cryg2500.mtx", 2500, 12349);
}

static void test_west0067(void **state)
{
    (void)state;
    general_data("west0067.mtx", 67, 294);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_fields),
        TEST(test_symmetries),
        TEST(test_upper_triangle_is_mirrored),
        TEST(test_skew_may_store_a_zero_diagonal),
        TEST(test_layout_of_the_text),
        TEST(test_duplicates_are_summed),
        TEST(test_rows_out_of_order),
        TEST(test_no_entries),
        TEST(test_numbers_are_exact),
        TEST(test_refuses_headers),
        TEST(test_refuses_size_lines),
        TEST(test_refuses_entries),
        TEST(test_refuses_nul_bytes),
        TEST(test_refuses_every_cut_between_entries),
        TEST(test_refuses_missing_and_unreadable),
        cmocka_unit_test(test_bcsstk13),
        cmocka_unit_test(test_karate),
        cmocka_unit_test(test_pushpull),
        cmocka_unit_test(test_cryg2500),
        cmocka_unit_test(test_west0067),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
