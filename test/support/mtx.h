/* Matrix Market headers, and matrices that were read. Include cmocka's headers first. */
#ifndef PLB_TEST_MTX_H
#define PLB_TEST_MTX_H

#include "folder.h"
#include "format/mtx/mtx.h"

#define GENERAL "%%MatrixMarket matrix coordinate real general\n"
#define SYMMETRIC "%%MatrixMarket matrix coordinate real symmetric\n"
#define SKEW "%%MatrixMarket matrix coordinate real skew-symmetric\n"
#define PATTERN "%%MatrixMarket matrix coordinate pattern general\n"
#define DENSE "%%MatrixMarket matrix array real general\n"
#define INTEGER "%%MatrixMarket matrix coordinate integer general\n"

/* Reads a file that is right, and checks what every matrix must be. */
static inline struct plb_csr read_ok(const char *path)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_csr m = {.rows = -1};
    if (plb_mtx_read(path, false, &m, &err) != PLB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(err.status, PLB_OK);
    assert_int_equal(m.offsets[0], 0);
    assert_int_equal(m.offsets[m.rows], m.nonzeros);
    assert_int_equal((uintptr_t)m.offsets % 64 + (uintptr_t)m.indices % 64 + (uintptr_t)m.values % 64, 0);
    for (int64_t row = 0; row < m.rows; row++) {
        assert_true(m.offsets[row] <= m.offsets[row + 1]);
        for (int64_t i = m.offsets[row]; i < m.offsets[row + 1]; i++) {
            assert_true(m.indices[i] >= 0 && m.indices[i] < m.columns);
            assert_true(i == m.offsets[row] || m.indices[i - 1] < m.indices[i]);
        }
    }
    return m;
}

static inline void release(struct plb_csr *m)
{
    free(m->offsets);
    free(m->indices);
    free(m->values);
}

/* Whether (row, column), from 0, is stored, and its value. */
static inline bool find(const struct plb_csr *m, int64_t row, int64_t column, double *value)
{
    for (int64_t i = m->offsets[row]; i < m->offsets[row + 1]; i++)
        if (m->indices[i] == column) {
            *value = m->values[i];
            return true;
        }
    return false;
}

static inline bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

#endif
