/* .npy files: everything that is refused, with the words of its sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "npy.h"

static const double six[] = {1, 2, 3, 4, 5, 6};

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

static void test_refuses_what_is_no_npy(void **state)
{
    struct folder *folder = *state;
    put(folder->file, "%%MatrixMarket matrix", 21);
    REFUSED(folder, "not an .npy file", "numpy.save");
    put(folder->file, "x", 1);
    REFUSED(folder, "not an .npy file");
    put(folder->file, "", 0);
    REFUSED(folder, "not an .npy file", "empty");
    put_npy(folder, 4, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", six, sizeof six);
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
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (6,)}", "'<c8'", "astype('float64')"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (3,)}", "'<f16'", "astype('float64')"},
        {"{'descr': '<M8[s]', 'fortran_order': False, 'shape': (6,)}", "'<M8[s]'", "astype('float64')"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (6,)}", "'|O'", "astype('float64')"},
        {"{'descr': '=f8', 'fortran_order': False, 'shape': (6,)}", "'=f8'", "astype('float64')"},
        {"{'descr': '|f8', 'fortran_order': False, 'shape': (6,)}", "'|f8'", "astype('float64')"},
        {"{'descr': '<f80', 'fortran_order': False, 'shape': (6,)}", "'<f80'", "astype"},
        {"{'descr': '', 'fortran_order': False, 'shape': (6,)}", "''", "astype('float64')"},
        {"{'descr': '<U000000000000000000000000000000000000000000000000', 'fortran_order': False, "
         "'shape': (6,)}",
         "'<U0000", "astype('float64')"},
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
        size_t size = build(bytes, version,
                            "{'descr': '<f8', 'fortran_order': False, 'shape': "
                            "(2, 3), }  \n",
                            six, sizeof six);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(test_refuses_what_is_no_npy),
        TEST_IN_FOLDER(test_refuses_missing_and_unreadable),
        TEST_IN_FOLDER(test_refuses_malformed_headers),
        TEST_IN_FOLDER(test_refuses_an_enormous_header),
        TEST_IN_FOLDER(test_refuses_other_types),
        TEST_IN_FOLDER(test_refuses_other_shapes),
        TEST_IN_FOLDER(test_refuses_every_prefix_and_any_suffix),
        TEST_IN_FOLDER(test_first_error_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
