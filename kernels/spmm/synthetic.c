/* Draws the entries of one row after the other, then sorts them and drops duplicates. */
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

/* Turns entries, which are in any order, into compressed rows without duplicates. */
static void compress(struct plb_app *app, struct entry *entries, int64_t n, uint64_t seed, struct plb_csr *m)
{
    qsort(entries, (size_t)n, sizeof *entries, by_place);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || by_place(&entries[i], &entries[kept - 1]) != 0)
            entries[kept++] = entries[i];
    m->nonzeros = kept;
    m->offsets = plb_app_alloc_array(app, m->rows + 1, sizeof *m->offsets);
    m->indices = plb_app_alloc_array(app, kept, sizeof *m->indices);
    m->values = plb_app_alloc_array(app, kept, sizeof *m->values);
    for (int64_t i = 0; i < kept; i++) {
        m->offsets[entries[i].row + 1]++;
        m->indices[i] = entries[i].column;
        m->values[i] = 2.0 * plb_random_real(seed + 1, (uint64_t)i) - 1.0;
    }
    for (int64_t r = 0; r < m->rows; r++)
        m->offsets[r + 1] += m->offsets[r];
}

/* One entry by R-MAT: a random quadrant halves both ranges, until one cell is left. */
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

/* Slope of li's density from the first row to the last. Of two shares 1 : 3 of the rows, the work per row
 * then differs by (1 + 0.75 t) / (1 - 0.25 t) = 1.73, Li's measurement. Larger: more difference. */
#define TILT 0.62

/* Draws the entries of row r; returns how many. `draws` counts the random numbers used so far. */
static int64_t draw_row(const struct spmm_spec *s, int64_t r, uint64_t *draws, struct entry *entries)
{
    int64_t n = 0;
    double down = ((double)r + 0.5) / (double)s->rows;
    double density = (1.0 - s->zeros) * (1.0 + TILT * (1.0 - 2.0 * down));
    if (s->kind == SPMM_LI) {
        for (int64_t c = 0; c < s->columns; c++)
            if (plb_random_real(s->seed, (*draws)++) < density)
                entries[n++] = (struct entry){r, (int32_t)c};
    } else if (s->kind == SPMM_ARROW) {
        for (int64_t c = 0; c < s->columns; c++)
            if (r == 0 || c == 0 || c == r)
                entries[n++] = (struct entry){r, (int32_t)c};
    } else if (s->kind == SPMM_POWERLAW) {
        for (; n < s->nnz_per_row; n++)
            entries[n] = rmat_place(s->rows, s->columns, s->seed, draws);
    } else {
        for (; n < s->nnz_per_row; n++) {
            uint64_t column = plb_random_bits(s->seed, (*draws)++) % (uint64_t)s->columns;
            entries[n] = (struct entry){r, (int32_t)column};
        }
    }
    return n;
}

/* Entries that are drawn at most. */
static int64_t most_entries(const struct spmm_spec *s)
{
    switch (s->kind) {
    case SPMM_LI: return s->rows * s->columns;
    case SPMM_ARROW: return 2 * s->rows + s->columns;
    default: return s->rows * s->nnz_per_row;
    }
}

void spmm_synthetic(struct plb_app *app, const struct spmm_spec *spec, struct plb_csr *m)
{
    int64_t capacity = most_entries(spec), n = 0;
    struct entry *entries = malloc((size_t)capacity * sizeof *entries);
    uint64_t draws = 0;
    *m = (struct plb_csr){.rows = spec->rows, .columns = spec->columns};
    if (entries == NULL) {
        plb_app_error(app, "no memory for %lld synthetic entries; choose a smaller matrix",
                      (long long)capacity);
        return;
    }
    for (int64_t r = 0; r < spec->rows; r++)
        n += draw_row(spec, r, &draws, entries + n);
    compress(app, entries, n, spec->seed, m);
    free(entries);
}
