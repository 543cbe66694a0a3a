/* Matrices of the field, in test/data and in the folder PLB_DATA (or ../shared/data), against counts from
 * their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mtx.h"
#include "skip.h"

/* Reads a matrix from a folder. */
static struct plb_csr read_from(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_ok(path);
}

/* Reads a matrix that is too large for the repository, or skips the test. */
static struct plb_csr read_large(const char *name)
{
    const char *folder = getenv("PLB_DATA") != NULL ? getenv("PLB_DATA") : "../shared/data";
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (access(path, R_OK) != 0)
        skip_since("PLB_DATA names no folder with larger matrices");
    return read_from(folder, name);
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

static void check_symmetric_data(struct plb_csr m, int64_t rows, int64_t stored, int64_t on_diagonal)
{
    assert_int_equal(m.rows, rows);
    assert_int_equal(diagonals(&m), on_diagonal);
    assert_int_equal(m.nonzeros, 2 * stored - on_diagonal);
    check_symmetric(&m);
    release(&m);
}

static void check_general_data(struct plb_csr m, int64_t rows, int64_t stored)
{
    assert_int_equal(m.rows, rows);
    assert_int_equal(m.columns, rows);
    assert_int_equal(m.nonzeros, stored);
    release(&m);
}

static void test_bcsstk13(void **state)
{
    (void)state;
    check_symmetric_data(read_large("bcsstk13.mtx"), 2003, 42943, 2003);
}

static void test_karate(void **state)
{
    (void)state;
    check_symmetric_data(read_from("test/data", "karate.mtx"), 34, 78, 0);
}

static void test_pushpull(void **state)
{
    (void)state;
    check_symmetric_data(read_large("pushpull.mtx"), 4000, 99208, 2111);
}

static void test_cryg2500(void **state)
{
    (void)state;
    check_general_data(read_large("cryg2500.mtx"), 2500, 12349);
}

static void test_west0067(void **state)
{
    (void)state;
    check_general_data(read_from("test/data", "west0067.mtx"), 67, 294);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bcsstk13), cmocka_unit_test(test_karate),   cmocka_unit_test(test_pushpull),
        cmocka_unit_test(test_cryg2500), cmocka_unit_test(test_west0067),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
