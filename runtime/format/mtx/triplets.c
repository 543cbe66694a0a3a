/* A counting sort by rows keeps the order of the file within a row. Nearly all files have ascending columns
 * there; the other rows are sorted, one at a time. */
#include "format/mtx/triplets.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void put(struct plb_csr *m, int64_t row, int32_t column, double value)
{
    int64_t at = m->offsets[row]++;
    m->indices[at] = column;
    m->values[at] = value;
}

/* Makes offsets[row] the index where the row begins, and offsets[rows] the number of values. */
static void count(const struct plb_triplets *t, bool mirror, struct plb_csr *m)
{
    for (int64_t i = 0; i < t->n; i++) {
        m->offsets[t->at[i].row + 1]++;
        if (mirror && t->at[i].row != t->at[i].column)
            m->offsets[t->at[i].column + 1]++;
    }
    for (int64_t row = 0; row < t->rows; row++)
        m->offsets[row + 1] += m->offsets[row];
}

/* Fills in the arrays, in each row in the order of the file. */
static void scatter(const struct plb_triplets *t, struct plb_csr *m)
{
    bool mirror = t->symmetry != PLB_GENERAL;
    count(t, mirror, m);
    m->nonzeros = m->offsets[t->rows];
    m->indices = plb_alloc_unset((size_t)m->nonzeros * sizeof *m->indices);
    m->values = plb_alloc_unset((size_t)m->nonzeros * sizeof *m->values);
    for (int64_t i = 0; i < t->n; i++) {
        const struct plb_triplet *e = &t->at[i];
        put(m, e->row, e->column, e->value);
        if (mirror && e->row != e->column)
            put(m, e->column, (int32_t)e->row, t->symmetry == PLB_SKEW_SYMMETRIC ? -e->value : e->value);
    }
    /* each offset has moved to where the next row begins */
    memmove(m->offsets + 1, m->offsets, (size_t)t->rows * sizeof *m->offsets);
    m->offsets[0] = 0;
}

struct cell {
    int64_t index; /* in the row before sorting, so that duplicates keep the order of the file */
    double value;
    int32_t column;
};

static int by_column(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Sorts the n cells of one row by their columns. `cells` has room for as many. */
static void sort_row(int32_t *indices, double *values, int64_t n, struct cell *cells)
{
    for (int64_t i = 0; i < n; i++)
        cells[i] = (struct cell){.index = i, .value = values[i], .column = indices[i]};
    qsort(cells, (size_t)n, sizeof *cells, by_column);
    for (int64_t i = 0; i < n; i++) {
        indices[i] = cells[i].column;
        values[i] = cells[i].value;
    }
}

static void sort_rows(struct plb_csr *m)
{
    struct cell *cells = NULL;
    int64_t room = 0;
    for (int64_t row = 0; row < m->rows; row++) {
        int32_t *indices = m->indices + m->offsets[row];
        int64_t n = m->offsets[row + 1] - m->offsets[row], sorted = 1;
        while (sorted < n && indices[sorted - 1] <= indices[sorted])
            sorted++;
        if (sorted >= n)
            continue;
        if (n > room) {
            room = n;
            cells = plb_grow(cells, (size_t)room * sizeof *cells);
        }
        sort_row(indices, m->values + m->offsets[row], n, cells);
    }
    free(cells);
}

static void sum_duplicates(struct plb_csr *m)
{
    int64_t to = 0, from = 0;
    for (int64_t row = 0; row < m->rows; row++) {
        int64_t start = to, end = m->offsets[row + 1];
        for (; from < end; from++) {
            if (to > start && m->indices[to - 1] == m->indices[from]) {
                m->values[to - 1] += m->values[from];
                continue;
            }
            m->indices[to] = m->indices[from];
            m->values[to++] = m->values[from];
        }
        m->offsets[row + 1] = to;
    }
    m->nonzeros = to;
}

void plb_triplets_compress(const struct plb_triplets *t, struct plb_csr *matrix)
{
    struct plb_csr m = {.rows = t->rows, .columns = t->columns};
    m.offsets = plb_alloc(((size_t)t->rows + 1) * sizeof *m.offsets);
    scatter(t, &m);
    sort_rows(&m);
    sum_duplicates(&m);
    *matrix = m;
}
