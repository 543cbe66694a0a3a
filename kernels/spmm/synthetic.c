/* Synthetic sparse matrices: each kind says where entries are; one pass sorts them into rows. */
#include "synthetic.h"

#include <stdlib.h>

struct entry {
    int64_t row;
    int32_t column;
};

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* Entries drawn in any order into compressed rows, duplicates dropped. */
static void compress(struct plb_app *app, struct entry *entries, int64_t n, uint64_t seed, struct plb_csr *m)
{
    qsort(entries, (size_t)n, sizeof *entries, by_place);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || by_place(&entries[i], &entries[kept - 1]) != 0)
            entries[kept++] = entries[i];
    m->nonzeros = kept;
    m->offsets = plb_app_alloc(app, (size_t)(m->rows + 1) * sizeof *m->offsets);
    m->indices = plb_app_alloc(app, (size_t)kept * sizeof *m->indices);
    m->values = plb_app_alloc(app, (size_t)kept * sizeof *m->values);
    for (int64_t i = 0; i < kept; i++) {
        m->offsets[entries[i].row + 1]++;
        m->indices[i] = entries[i].column;
        m->values[i] = 2.0 * plb_random_real(seed + 1, (uint64_t)i) - 1.0;
    }
    for (int64_t r = 0; r < m->rows; r++)
        m->offsets[r + 1] += m->offsets[r];
}

/* One place by R-MAT: halve both ranges by a random quadrant until one cell is left. */
static struct entry rmat_place(int64_t rows, int64_t columns, uint64_t seed, uint64_t *draws)
{
    int64_t row = 0, column = 0, height = rows, width = columns;
    while (height > 1 || width > 1) {
        double u = plb_random_real(seed, (*draws)++);
        bool lower = u >= 0.57 + 0.19, right = lower ? u >= 0.57 + 0.19 + 0.19 : u >= 0.57;
        int64_t top = (height + 1) / 2, left = (width + 1) / 2;
        if (height > 1) {
            row += lower ? top : 0;
            height = lower ? height - top : top;
        }
        if (width > 1) {
            column += right ? left : 0;
            width = right ? width - left : left;
        }
    }
    return (struct entry){row, (int32_t)column};
}

#define TILT 0.62 /* of li's density from the first row to the last: (1 + 0.75 t) / (1 - 0.25 t) = 1.73 */

/* The entries of one row; returns how many. */
static int64_t draw_row(enum spmm_kind kind, int64_t r, const struct plb_csr *m, int64_t nnz_per_row, double zeros,
                        uint64_t seed, uint64_t *draws, struct entry *entries)
{
    int64_t n = 0;
    double down = ((double)r + 0.5) / (double)m->rows, density = (1.0 - zeros) * (1.0 + TILT * (1.0 - 2.0 * down));
    if (kind == SPMM_LI) {
        for (int64_t c = 0; c < m->columns; c++)
            if (plb_random_real(seed, (*draws)++) < density)
                entries[n++] = (struct entry){r, (int32_t)c};
    } else if (kind == SPMM_ARROW) {
        for (int64_t c = 0; c < m->columns; c++)
            if (r == 0 || c == 0 || c == r)
                entries[n++] = (struct entry){r, (int32_t)c};
    } else {
        for (; n < nnz_per_row; n++)
            entries[n] = kind == SPMM_POWERLAW ? rmat_place(m->rows, m->columns, seed, draws)
                : (struct entry){r, (int32_t)(plb_random_bits(seed, (*draws)++) % (uint64_t)m->columns)};
    }
    return n;
}

void spmm_synthetic(struct plb_app *app, enum spmm_kind kind, int64_t rows, int64_t columns,
                    int64_t nnz_per_row, double zeros, uint64_t seed, struct plb_csr *m)
{
    bool li = kind == SPMM_LI, arrow = kind == SPMM_ARROW;
    int64_t capacity = li ? rows * columns : arrow ? 2 * rows + columns : rows * nnz_per_row, n = 0;
    struct entry *entries = malloc((size_t)capacity * sizeof *entries);
    uint64_t draws = 0;
    *m = (struct plb_csr){.rows = rows, .columns = columns};
    if (entries == NULL) {
        plb_app_error(app, "no memory for %lld synthetic entries; choose a smaller matrix", (long long)capacity);
        return;
    }
    for (int64_t r = 0; r < rows; r++)
        n += draw_row(kind, r, m, nnz_per_row, zeros, seed, &draws, entries + n);
    compress(app, entries, n, seed, m);
    free(entries);
}
