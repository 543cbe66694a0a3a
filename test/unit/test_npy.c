/* .npy files: every form that is read, every refusal and its sentence, and that writing never
 * harms an older file. Files are made byte by byte here, so that no NumPy is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/npy.h"

struct folder {
    char path[64];
    char file[128];
};

static int make_folder(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    if (folder == NULL)
        return -1;
    strcpy(folder->path, "/tmp/test_npy.XXXXXX");
    if (mkdtemp(folder->path) == NULL)
        return -1;
    snprintf(folder->file, sizeof folder->file, "%s/a.npy", folder->path);
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    struct folder *folder = *state;
    unlink(folder->file);
    int failed = rmdir(folder->path); /* fails where a test has left a file behind */
    free(folder);
    return failed;
}

static void put(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* A file of this version with this dict, unpadded, and `count` bytes of data; returns its size. */
static size_t build(char *into, int version, const char *dict, const void *data, size_t count)
{
    size_t text = strlen(dict);
    size_t at = version == 1 ? 10 : 12;
    memcpy(into, "\x93NUMPY", 6);
    into[6] = (char)version;
    into[7] = 0;
    into[8] = (char)(text & 0xff);
    into[9] = (char)(text >> 8);
    into[10] = into[11] = 0;
    memcpy(into + at, dict, text);
    if (count > 0)
        memcpy(into + at + text, data, count);
    return at + text + count;
}

static void put_npy(const struct folder *folder, int version, const char *dict, const void *data,
                    size_t count)
{
    char bytes[1024];
    put(folder->file, bytes, build(bytes, version, dict, data, count));
}

/* The file is refused, the sentence names it and has all the words (ended by NULL), and the array
 * is not touched; with and without reading the data. */
static void refused_path(const char *path, const char *const *words)
{
    for (int header_only = 0; header_only < 2; header_only++) {
        struct plb_error err = {.status = PLB_OK};
        struct plb_array array = {.rows = -7};
        assert_int_equal(plb_npy_read(path, PLB_ROW_MAJOR, header_only, &array, &err), PLB_EINPUT);
        assert_int_equal(err.status, PLB_EINPUT);
        assert_int_equal(array.rows, -7);
        assert_null(array.data);
        assert_non_null(strstr(err.text, path));
        assert_null(strchr(err.text, '\n'));
        for (int i = 0; words[i] != NULL; i++)
            if (strstr(err.text, words[i]) == NULL)
                fail_msg("'%s' is missing in: %s", words[i], err.text);
    }
}

#define REFUSED(folder, ...) refused_path((folder)->file, (const char *const[]){__VA_ARGS__, NULL})

/* ---------------------------------------------------------------- reading */

static const double six[] = {1, 2, 3, 4, 5, 6};

static void read_ok(const char *path, enum plb_order order, struct plb_array *array)
{
    struct plb_error err = {.status = PLB_OK};
    if (plb_npy_read(path, order, false, array, &err) != PLB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(err.status, PLB_OK);
    assert_int_equal(array->column_major, order == PLB_COLUMN_MAJOR);
    assert_int_equal((uintptr_t)array->data % 64, 0);
}

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
        put_npy(folder, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", six,
                sizeof six);
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
    put_npy(folder, 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", six,
            sizeof six);
    read_ok(folder->file, PLB_ROW_MAJOR, &array);
    assert_memory_equal(array.data, by_rows, sizeof by_rows);
    free(array.data);
    read_ok(folder->file, PLB_COLUMN_MAJOR, &array);
    assert_memory_equal(array.data, six, sizeof six);
    free(array.data);
    put_npy(folder, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", six,
            sizeof six);
    read_ok(folder->file, PLB_COLUMN_MAJOR, &array);
    assert_memory_equal(array.data, by_columns, sizeof by_columns);
    free(array.data);
}

static void test_header_only_gives_sizes(void **state)
{
    struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_array array;
    put_npy(folder, 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (4, 3), }", six,
            sizeof six);
    assert_int_equal(plb_npy_read(folder->file, PLB_ROW_MAJOR, true, &array, &err), PLB_OK);
    assert_null(array.data);
    assert_int_equal(array.rows, 4);
    assert_int_equal(array.columns, 3);
    assert_int_equal(array.element_bytes, 4);
    assert_false(array.column_major);
}

/* --------------------------------------------------------------- refusals */

static void test_refuses_what_is_no_npy(void **state)
{
    struct folder *folder = *state;
    put(folder->file, "%%MatrixMarket matrix", 21);
    REFUSED(folder, "not an .npy file", "numpy.save");
    put(folder->file, "x", 1);
    REFUSED(folder, "not an .npy file");
    put(folder->file, "", 0);
    REFUSED(folder, "not an .npy file", "empty");
    put_npy(folder, 4, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", six,
            sizeof six);
    REFUSED(folder, "version 4.0", "1.0, 2.0 or 3.0");
}

static void test_refuses_missing_and_unreadable(void **state)
{
    struct folder *folder = *state;
    REFUSED(folder, "cannot be read", "No such file");
    refused_path(folder->path, (const char *const[]){"folder", NULL});
    refused_path("/dev/null", (const char *const[]){"device", NULL});
    assert_int_equal(mkfifo(folder->file, 0600), 0);
    REFUSED(folder, "pipe");
    if (geteuid() == 0)
        return; /* root may read anything */
    unlink(folder->file);
    put_npy(folder, 1, "{}", NULL, 0);
    assert_int_equal(chmod(folder->file, 0), 0);
    REFUSED(folder, "cannot be read", "Permission denied");
}

static void test_refuses_malformed_headers(void **state)
{
    static const struct {
        const char *dict, *word;
    } cases[] = {
        {"", "'{'"},
        {"    ", "'{'"},
        {"[1, 2]", "'{'"},
        {"{", "quoted string"},
        {"{'descr", "closing quote"},
        {"{'descr'", "':'"},
        {"{'descr' '<f8'}", "':'"},
        {"{'descr': 5}", "quoted string"},
        {"{'descr': '<f8' 'shape': (6,)}", "','"},
        {"{'descr': '<f8', 'descr': '<f8'}", "only once"},
        {"{'kind': 'x'}", "'fortran_order'"},
        {"{'a_key_that_is_longer_than_any': 'x'}", "'fortran_order'"},
        {"{'descr': '<f8', 'fortran_order': False}", "all of"},
        {"{'descr': '<f8', 'shape': (6,)}", "all of"},
        {"{'fortran_order': False, 'shape': (6,)}", "all of"},
        {"{}", "all of"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (6,)}", "True or False"},
        {"{'descr': '<f8', 'fortran_order': Fals", "True or False"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': 6}", "tuple"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (6)}", "','"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-6,)}", "whole number"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (,)}", "whole number"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2 3)}", "','"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2.5,)}", "','"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,", "whole number"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)", "'}'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (6,)} x", "nothing but spaces"},
    };
    struct folder *folder = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_npy(folder, 1, cases[i].dict, NULL, 0);
        REFUSED(folder, "malformed", "at byte", cases[i].word);
    }
    char zeros[12 + 3] = "\x93NUMPY\x01";
    zeros[8] = 5; /* a header of NULs */
    put(folder->file, zeros, sizeof zeros);
    REFUSED(folder, "malformed", "'{'");
}

static void test_refuses_an_enormous_header(void **state)
{
    struct folder *folder = *state;
    char head[12] = "\x93NUMPY\x02";
    head[10] = 0x20;
    put(folder->file, head, sizeof head);
    REFUSED(folder, "truncated inside its header");
    memset(head + 8, 0xff, 4);
    put(folder->file, head, sizeof head);
    REFUSED(folder, "truncated inside its header", "4294967307");
    memcpy(head + 8, "\0\0\x20\0", 4);
    put(folder->file, head, sizeof head);
    assert_int_equal(truncate(folder->file, 4 << 20), 0);
    REFUSED(folder, "malformed", "2097152 bytes long");
}

static void test_refuses_other_types(void **state)
{
    static const struct {
        const char *dict, *found, *word;
    } cases[] = {
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (6,)}", "'<i8'", "astype('float64')"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (6,)}", "'<f2'", "astype('float64')"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (6,)}", "'|O'", "astype('float64')"},
        {"{'descr': '=f8', 'fortran_order': False, 'shape': (6,)}", "'=f8'", "astype('float64')"},
        {"{'descr': '|f8', 'fortran_order': False, 'shape': (6,)}", "'|f8'", "astype('float64')"},
        {"{'descr': '<f80', 'fortran_order': False, 'shape': (6,)}", "'<f80'", "astype"},
        {"{'descr': '', 'fortran_order': False, 'shape': (6,)}", "''", "astype('float64')"},
        {"{'descr': '<U000000000000000000000000000000000000000000000000', 'fortran_order': False, "
         "'shape': (6,)}", "'<U0000", "astype('float64')"},
        {"{'descr': '>f8', 'fortran_order': False, 'shape': (6,)}", "byte order", "astype('<f8')"},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (6,)}", "byte order", "astype('<f4')"},
        {"{'descr': '>i4', 'fortran_order': False, 'shape': (6,)}", "byte order", "astype('<f8')"},
        {"{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (6,)}", "records", "field"},
    };
    struct folder *folder = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_npy(folder, 1, cases[i].dict, six, sizeof six);
        REFUSED(folder, cases[i].found, cases[i].word, "'<f4'");
    }
}

static void test_refuses_other_shapes(void **state)
{
    static const struct {
        const char *shape, *word, *more;
    } cases[] = {
        {"()", "0 dimensions", "one or two"},
        {"(1, 2, 3)", "3 dimensions", "one or two"},
        {"(1, 1, 1, 1, 1, 1, 1, 6)", "8 dimensions", "one or two"},
        {"(0,)", "zero rows", "at least one"},
        {"(0, 5)", "zero rows", "(0, 5)"},
        {"(5, 0)", "zero columns", "(5, 0)"},
        {"(1099511627776, 1099511627776)", "too large", "(1099511627776, 1099511627776)"},
        {"(2305843009213693952,)", "too large", "2^63"},
        {"(99999999999999999999999999,)", "too large", "2^63"},
        {"(99999999999999999999999999, 99999999999999999999999999)", "too large", "2^63"},
        {"(1099511627776, 2)", "truncated", "17592186044416 expected"},
        {"(2, 4)", "truncated: 48 bytes of data found, 64 expected", "copy or write"},
        {"(7,)", "truncated: 48 bytes of data found, 56 expected", "(7, 1)"},
        {"(1, 5)", "extra bytes at its end: 48 bytes of data found, 40 expected", "'<f8'"},
    };
    struct folder *folder = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char dict[256];
        snprintf(dict, sizeof dict, "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\n",
                 cases[i].shape);
        put_npy(folder, 1, dict, six, sizeof six);
        REFUSED(folder, cases[i].word, cases[i].more);
    }
}

static void test_refuses_every_prefix_and_any_suffix(void **state)
{
    struct folder *folder = *state;
    for (int version = 1; version <= 2; version++) {
        char bytes[256];
        size_t size = build(bytes, version, "{'descr': '<f8', 'fortran_order': False, 'shape': "
                                            "(2, 3), }  \n", six, sizeof six);
        for (size_t cut = 0; cut < size; cut++) {
            put(folder->file, bytes, cut);
            if (cut == 0)
                REFUSED(folder, "empty");
            else
                REFUSED(folder, "truncated", "found", "expected");
        }
        bytes[size] = 'x';
        put(folder->file, bytes, size + 1);
        REFUSED(folder, "extra bytes", "49 bytes", "48 expected");
    }
}

static void test_first_error_stays(void **state)
{
    struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_array array;
    plb_fail(&err, PLB_EINPUT, "earlier");
    assert_int_equal(plb_npy_read(folder->file, PLB_ROW_MAJOR, false, &array, &err), PLB_EINPUT);
    assert_string_equal(err.text, "earlier");
}

/* ---------------------------------------------------------------- writing */

static double value_at(int64_t row, int64_t column)
{
    return (double)(row * 1000 + column) + 0.25;
}

static size_t place_of(const struct plb_array *a, int64_t row, int64_t column)
{
    return (size_t)(a->column_major ? column * a->rows + row : row * a->columns + column);
}

static void fill(struct plb_array *a)
{
    a->data = plb_alloc((size_t)(a->rows * a->columns) * a->element_bytes);
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t column = 0; column < a->columns; column++) {
            size_t at = place_of(a, row, column);
            if (a->element_bytes == 4)
                ((float *)a->data)[at] = (float)value_at(row, column);
            else
                ((double *)a->data)[at] = value_at(row, column);
        }
}

static void check(const struct plb_array *a)
{
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t column = 0; column < a->columns; column++) {
            size_t at = place_of(a, row, column);
            double found = a->element_bytes == 4 ? (double)((const float *)a->data)[at]
                                                 : ((const double *)a->data)[at];
            if (found < value_at(row, column) || found > value_at(row, column))
                fail_msg("(%d, %d) is %g, not %g", (int)row, (int)column, found,
                         value_at(row, column));
        }
}

static void round_trip(const struct folder *folder, int64_t rows, int64_t columns, int variant)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_array out = {.rows = rows, .columns = columns, .column_major = variant & 1,
                            .element_bytes = (variant & 2) != 0 ? 4 : 8};
    struct plb_array in;
    fill(&out);
    if (plb_npy_write(folder->file, &out, &err) != PLB_OK)
        fail_msg("%s", err.text);
    read_ok(folder->file, (variant & 4) != 0 ? PLB_COLUMN_MAJOR : PLB_ROW_MAJOR, &in);
    assert_int_equal(in.rows, rows);
    assert_int_equal(in.columns, columns);
    assert_int_equal(in.element_bytes, out.element_bytes);
    check(&in);
    free(in.data);
    free(out.data);
}

/* Shapes around the transposition's blocks of 32, and one of several slabs of 32 MiB. */
static void test_round_trips(void **state)
{
    static const int64_t shapes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 3}, {31, 33}, {32, 32},
                                        {33, 65}, {100, 7}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int variant = 0; variant < 8; variant++)
            round_trip(*state, shapes[i][0], shapes[i][1], variant);
    round_trip(*state, 70, 70000, 4);
    round_trip(*state, 70000, 70, 1);
}

static void test_writes_what_numpy_reads(void **state)
{
    struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_array out = {.rows = 3, .columns = 1, .element_bytes = 4, .column_major = true};
    unsigned char bytes[256];
    fill(&out);
    assert_int_equal(plb_npy_write(folder->file, &out, &err), PLB_OK);
    FILE *file = fopen(folder->file, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00", 8);
    assert_int_equal(size, 128 + 12);
    assert_int_equal(bytes[8] + 256 * bytes[9] + 10, 128);
    static const char dict[] = "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 1), }";
    assert_memory_equal(bytes + 10, dict, sizeof dict - 1);
    assert_int_equal(bytes[126], ' ');
    assert_int_equal(bytes[127], '\n');
    assert_memory_equal(bytes + 128, out.data, 12);
    free(out.data);
}

static int files_in(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void write_fails(const char *path, const struct plb_array *array, const char *word)
{
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_npy_write(path, array, &err), PLB_EFAILED);
    assert_int_equal(err.status, PLB_EFAILED);
    assert_non_null(strstr(err.text, path));
    if (strstr(err.text, word) == NULL)
        fail_msg("'%s' is missing in: %s", word, err.text);
}

static void test_failed_write_keeps_the_older_file(void **state)
{
    struct folder *folder = *state;
    struct plb_array out = {.rows = 100, .columns = 100, .element_bytes = 8};
    struct rlimit before;
    char older[16] = {0};
    fill(&out);
    put(folder->file, "older", 5);

    /* a full disk in the middle of the data: a short write first, an error after it */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = {.rlim_cur = 5000, .rlim_max = before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct plb_error err = {.status = PLB_OK};
    int status = plb_npy_write(folder->file, &out, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, PLB_EFAILED);
    assert_non_null(strstr(err.text, "File too large"));

    FILE *file = fopen(folder->file, "rb");
    assert_non_null(file);
    assert_int_equal(fread(older, 1, sizeof older, file), 5);
    fclose(file);
    assert_string_equal(older, "older");
    assert_int_equal(files_in(folder->path), 1);
    free(out.data);
}

static void test_write_refusals(void **state)
{
    struct folder *folder = *state;
    struct plb_array out = {.rows = 2, .columns = 2, .element_bytes = 8};
    char path[256];
    fill(&out);
    snprintf(path, sizeof path, "%s/missing/a.npy", folder->path);
    write_fails(path, &out, "No such file");
    write_fails(folder->path, &out, "Is a directory");

    /* A device is written in place. Through a link: a mistake here, run by root, would otherwise
     * rename a file over the machine's /dev/full. */
    struct stat info;
    assert_int_equal(symlink("/dev/full", folder->file), 0);
    write_fails(folder->file, &out, "No space left");
    assert_int_equal(files_in(folder->path), 1);
    assert_int_equal(lstat(folder->file, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(unlink(folder->file), 0);

    struct plb_array wrong[] = {out, out, out, out, out};
    wrong[0].rows = 0;
    wrong[1].columns = -1;
    wrong[2].element_bytes = 2;
    wrong[3].data = NULL;
    wrong[4].rows = wrong[4].columns = (int64_t)1 << 40;
    for (int i = 0; i < 5; i++)
        write_fails(folder->file, &wrong[i], "mistake in the kernel");
    assert_int_equal(files_in(folder->path), 0);
    free(out.data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_accepts_each_form_of_header),
        TEST(test_one_dimension_is_one_column),
        TEST(test_transposes_into_the_wanted_order),
        TEST(test_header_only_gives_sizes),
        TEST(test_refuses_what_is_no_npy),
        TEST(test_refuses_missing_and_unreadable),
        TEST(test_refuses_malformed_headers),
        TEST(test_refuses_an_enormous_header),
        TEST(test_refuses_other_types),
        TEST(test_refuses_other_shapes),
        TEST(test_refuses_every_prefix_and_any_suffix),
        TEST(test_first_error_stays),
        TEST(test_round_trips),
        TEST(test_writes_what_numpy_reads),
        TEST(test_failed_write_keeps_the_older_file),
        TEST(test_write_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
