/* Matrix Market files: everything that is refused, with the line and the words of its sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "mtx.h"

static void refused_path(const char *path, const char *where, const char *const *words)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_csr matrix = {.rows = -7};
    char start[256];
    assert_int_equal(plb_mtx_read(path, false, &matrix, &err), PLB_EINPUT);
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
static void refused(const struct folder *folder, const char *text, const char *where, const char *word,
                    const char *more)
{
    put(folder->file, text, strlen(text));
    refused_path(folder->file, where, (const char *const[]){word, more, "expected", NULL});
}

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
        {"%%MatrixMarket matrix array pattern general\n", "a pattern of a dense matrix", "real or integer"},
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
        {GENERAL "200000000 200000000 1\n1 1 1\n", ":2:", "200000000 rows are too many for 1 entries",
         "size line"},
        {SYMMETRIC "2 3 0\n", ":2:", "a square one", "2 rows and 3 columns"},
        {SKEW "3 2 0\n", ":2:", "a square one", "general"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(*state, cases[i].text, cases[i].where, cases[i].word, cases[i].more);
}

static void test_refuses_dense_values(void **state)
{
    static const struct {
        const char *text, *where, *word, *more;
    } cases[] = {
        {DENSE "2 2\n1\n2\n3\n", ":6:", "truncated", "3 of 4 values"},
        {DENSE "2 2\n1\n2\n3\n4\n5\n", ":7:", "more values than the 4", "surplus"},
        {DENSE "2 2\n1 2\n3\n4\n", ":3:", "malformed entry '1 2'", "one value"},
        {DENSE "2 2 4\n1\n2\n3\n4\n", ":2:", "malformed size line", "'rows columns'"},
        {DENSE "1000000 2000000000\n1\n", ":4:", "truncated", "1 of 2000000000000000 values"},
        {DENSE "1 1\nnan\n", ":3:", "not finite", "nan"},
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
        {PATTERN "2 2 1\n1 1 five\n", ":3:", "malformed entry", "'row column'"},
        {PATTERN "2 2 1\n1 1 5 x\n", ":3:", "malformed entry", "'row column'"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(test_refuses_headers),
        TEST_IN_FOLDER(test_refuses_size_lines),
        TEST_IN_FOLDER(test_refuses_dense_values),
        TEST_IN_FOLDER(test_refuses_entries),
        TEST_IN_FOLDER(test_refuses_nul_bytes),
        TEST_IN_FOLDER(test_refuses_every_cut_between_entries),
        TEST_IN_FOLDER(test_refuses_missing_and_unreadable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
