/* Tables of text: the values that are read, and everything that is refused, with its sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "folder.h"
#include "format/csv.h"

static const struct plb_csv_column wanted[] = {
    {"price", NULL}, {"type", "call|put"}, {"n", NULL}, {NULL, NULL}};

/* The table of the text has these values. */
static void reads(const struct folder *folder, const struct plb_csv_column *columns, const char *text,
                  int64_t rows, int64_t width, const double *values)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_array a = {.rows = -1};
    put(folder->file, text, strlen(text));
    if (plb_csv_read(folder->file, columns, &a, &err) != PLB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(a.rows, rows);
    assert_int_equal(a.columns, width);
    assert_int_equal(a.element_bytes, 8);
    assert_false(a.column_major);
    assert_int_equal((uintptr_t)a.data % 64, 0);
    assert_memory_equal(a.data, values, (size_t)(rows * width) * sizeof *values);
    free(a.data);
}

static void test_reads_wanted_columns(void **state)
{
    static const char *const texts[] = {
        "price,type,n\n1.5,call,3\n-2e3,put,4\n",
        "price,type,n\r\n1.5,call,3\r\n-2e3,put,4",
        "\xef\xbb\xbfn;id;Type;PRICE\n3;x y;CALL;1.5\n\n  \n4;;Put;-2e3\n",
        "n\ttype\tprice\n 3 \tcall\t1.5\n4\tput\t-2e3\n",
        "\"price\" , \"type\",\"n\",\"a,\"\"b\"\"\"\n\"1.5\",\"call\" ,3,\"x,\"\"\"\"y\"\n-2000,put,+4,\n",
    };
    static const double values[] = {1.5, 0, 3, -2000, 1, 4};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        reads(*state, wanted, texts[i], 2, 3, values);
}

static void test_reads_all_columns(void **state)
{
    static const double values[] = {1, 2, 3, 4};
    reads(*state, NULL, "x,y\n1,2\n3,4\n", 2, 2, values);
    reads(*state, NULL, "1,2\n3,4\n", 2, 2, values);
    reads(*state, NULL, "1\n2\n3\n4", 4, 1, values);
    reads(*state, NULL, "1;2;3;4", 1, 4, values);
}

/* A number with many digits is the nearest double. */
static void test_reads_as_strtod(void **state)
{
    static const double values[] = {0.1234567890123456789, 1e-300};
    reads(*state, NULL, "a,b\n0.1234567890123456789,1e-300\n", 1, 2, values);
}

static void test_reads_many_rows(void **state)
{
    enum { ROWS = 20000 };
    char *text = malloc(ROWS * 8 + 8), *at = text + sprintf(text, "a,b\n");
    double *values = malloc(2 * ROWS * sizeof *values);
    for (int i = 0; i < ROWS; i++) {
        at += sprintf(at, "%d,%d\n", i, i % 7);
        values[2 * i] = i;
        values[2 * i + 1] = i % 7;
    }
    reads(*state, NULL, text, ROWS, 2, values);
    free(text);
    free(values);
}

static void refused(const struct folder *folder, const struct plb_csv_column *columns, const char *text,
                    size_t bytes, int line, const char *words)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_array a = {.rows = -7};
    char start[256];
    put(folder->file, text, bytes);
    assert_int_equal(plb_csv_read(folder->file, columns, &a, &err), PLB_EINPUT);
    assert_int_equal(a.rows, -7); /* not touched */
    snprintf(start, sizeof start, "%s:%d: ", folder->file, line);
    if (strncmp(err.text, start, strlen(start)) != 0 || strstr(err.text, words) == NULL
        || strstr(err.text, "expected") == NULL)
        fail_msg("'%s' or '%s' is missing in: %s", start, words, err.text);
}

static void test_refuses(void **state)
{
    static const struct {
        const char *text;
        int line;
        const char *words;
    } cases[] = {
        {"", 1, "is empty"},
        {"\n \n", 3, "is empty"},
        {"price,type,n\n", 2, "at least one row"},
        {"price,type\n1,call\n", 1, "names no column 'n'"},
        {"price,type,n,N\n1,call,2,3\n", 1, "names the column 'n' twice"},
        {"price,type,n\n1,call,2\n\n1,call,\n", 4, "column 'n' is empty"},
        {"price,type,n\n1,,2\n", 2, "column 'type' is empty, but one of call|put"},
        {"price,type,n\n1,cal,2\n", 2, "column 'type' is 'cal', but one of call|put"},
        {"price,type,n\n1,call|put,2\n", 2, "column 'type' is 'call|put'"},
        {"price,type,n\n1.5x,call,2\n", 2, "column 'price' is '1.5x', but a finite number"},
        {"price,type,n\n1 5,call,2\n", 2, "column 'price' is '1 5'"},
        {"price,type,n\nnan,call,2\n", 2, "column 'price' is 'nan'"},
        {"price,type,n\ninf,call,2\n", 2, "column 'price' is 'inf'"},
        {"price,type,n\n1e999,call,2\n", 2, "column 'price' is '1e999'"},
        {"price,type,n\n0x10,call,2\n", 2, "column 'price' is '0x10'"},
        {"price,type,n\n1,call\n", 2, "has 2 cells, but 3"},
        {"price,type,n\n1,call,2,3\n", 2, "more cells than the 3"},
        {"price,type,n\n1,call,2,\n", 2, "more cells than the 3"},
        {"price,type,n\n\"1,call,2\n", 2, "without its closing quote"},
        {"price,type,n\n\"1\n\",call,2\n", 2, "without its closing quote"},
        {"price,type,n\n\"1\"2,call,2\n", 2, "'2,call,2' after a closing quote"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(*state, wanted, cases[i].text, strlen(cases[i].text), cases[i].line, cases[i].words);
    refused(*state, NULL, "1,nan\n", 6, 1, "column 2 is 'nan'");
    refused(*state, NULL, "a,b\n1,\0002\n", 9, 2, "column 'b'"); /* a byte of value 0 ends no number */
    refused(*state, NULL, "a,b\n1,2\000\n", 9, 2, "column 'b'");
}

static void test_refuses_a_folder(void **state)
{
    const struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_array a;
    assert_int_equal(plb_csv_read(folder->path, NULL, &a, &err), PLB_EINPUT);
    assert_non_null(strstr(err.text, "is a folder, but a table of text was expected"));
}

/* A table with names: each array of it is freed apart. */
static void test_reads_names(void **state)
{
    const struct folder *folder = *state;
    static const char *const texts[] = {
        ",a,b,a\nx y,1,2,3\n\n\"z,\",4,5,6\n",
        "gene\ta\tb\ta\n  x y \t1\t2\t3\r\n\n\"z,\"\t4\t5\t6",
        "1;a;b;a\nx y;1;2;3\n\nz,;4;5;6\n",
    };
    static const double values[] = {1, 2, 3, 4, 5, 6};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct plb_error err = {.status = PLB_OK};
        struct plb_table t = {.rows = -1};
        put(folder->file, texts[i], strlen(texts[i]));
        if (plb_csv_read_named(folder->file, &t, &err) != PLB_OK)
            fail_msg("%s", err.text);
        assert_int_equal(t.rows, 2);
        assert_int_equal(t.columns, 3);
        assert_memory_equal(t.values, values, sizeof values);
        assert_string_equal(t.row_names[0], "x y");
        assert_string_equal(t.row_names[1], "z,");
        assert_string_equal(t.column_names[1], "b");
        assert_string_equal(t.column_names[2], "a");
        assert_int_equal(t.lines[0], 2);
        assert_int_equal(t.lines[1], 4);
        free(t.values);
        free(t.row_names);
        free(t.column_names);
        free(t.lines);
    }
}

static void test_refuses_names(void **state)
{
    const struct folder *folder = *state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {",a\nx,1\ny,1\n\nx,2\ny,3\n", ":5: has the name 'x', as line 2 has; give"},
        {",a\nx,1\ny,1\ny,2\nx,3\n", ":4: has the name 'y', as line 3 has; give"},
        {",a\nx,1\n,1\n", ":3: has no name in its first cell"},
        {",a\n\"\",1\n", ":2: has no name in its first cell"},
        {"gene\nx\n", ":1: names no column of numbers"},
        {",a\nx\n", ":2: has 1 cells, but 2 were expected"},
        {",a\nx,1,2\n", ":2: has more cells than the 2"},
        {",a\nx,one\n", ":2: column 'a' is 'one'"},
        {",a\n", "ends after the names of columns"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plb_error err = {.status = PLB_OK};
        struct plb_table t = {.rows = -1};
        put(folder->file, cases[i].text, strlen(cases[i].text));
        assert_int_equal(plb_csv_read_named(folder->file, &t, &err), PLB_EINPUT);
        if (strstr(err.text, cases[i].words) == NULL)
            fail_msg("%s", err.text);
        assert_int_equal(t.rows, -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(test_reads_wanted_columns),
        TEST_IN_FOLDER(test_reads_all_columns),
        TEST_IN_FOLDER(test_reads_as_strtod),
        TEST_IN_FOLDER(test_reads_many_rows),
        TEST_IN_FOLDER(test_refuses),
        TEST_IN_FOLDER(test_refuses_a_folder),
        TEST_IN_FOLDER(test_reads_names),
        TEST_IN_FOLDER(test_refuses_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
