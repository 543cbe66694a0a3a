/* Triplets to compressed sparse rows: a counting sort over rows. Entries keep the file's order in a
 * row, which is ascending in files sorted by column, as nearly all are; only rows that are not are
 * sorted, with a qsort each. */
#include "format/triplets.h"

#include <stdlib.h>
#include <string.h>

static void place(struct plb_csr *m, int64_t row, int32_t column, double value)
{
    int64_t at = m->offsets[row]++;
    m->indices[at] = column;
    m->values[at] = value;
}

/* Fills in the arrays, in each row in the order of the file. */
static void scatter(const struct triplets *t, struct plb_csr *m)
{
    int64_t rows = t->rows;
    bool mirror = t->symmetry != GENERAL;
    for (int64_t i = 0; i < t->count; i++) {
        const struct entry *e = &t->entries[i];
        m->offsets[e->row + 1]++;
        if (mirror && e->row != e->column)
            m->offsets[e->column + 1]++;
    }
    for (int64_t row = 0; row < rows; row++)
        m->offsets[row + 1] += m->offsets[row];
    m->nonzeros = m->offsets[rows];
    m->indices = plb_alloc((size_t)m->nonzeros * sizeof *m->indices);
    m->values = plb_alloc((size_t)m->nonzeros * sizeof *m->values);
    for (int64_t i = 0; i < t->count; i++) {
        const struct entry *e = &t->entries[i];
        place(m, e->row, e->column, e->value);
        if (mirror && e->row != e->column)
            place(m, e->column, (int32_t)e->row, t->symmetry == SKEW ? -e->value : e->value);
    }
    /* each offset has moved on to where the next row starts */
    memmove(m->offsets + 1, m->offsets, (size_t)rows * sizeof *m->offsets);
    m->offsets[0] = 0;
}

struct cell {
    int64_t place;  /* in the row, so that duplicates are summed in the order of the file */
    double value;
    int32_t column;
};

static int by_column(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void sort_rows(struct plb_csr *m)
{
    struct cell *cells = NULL;
    int64_t room = 0;
    for (int64_t row = 0; row < m->rows; row++) {
        int32_t *indices = m->indices + m->offsets[row];
        double *values = m->values + m->offsets[row];
        int64_t count = m->offsets[row + 1] - m->offsets[row], sorted = 1;
        while (sorted < count && indices[sorted - 1] <= indices[sorted])
            sorted++;
        if (sorted >= count)
            continue;
        if (count > room) {
            room = count;
            cells = plb_grow(cells, (size_t)room * sizeof *cells);
        }
        for (int64_t i = 0; i < count; i++)
            cells[i] = (struct cell){.place = i, .value = values[i], .column = indices[i]};
        qsort(cells, (size_t)count, sizeof *cells, by_column);
        for (int64_t i = 0; i < count; i++) {
            indices[i] = cells[i].column;
            values[i] = cells[i].value;
        }
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

void plb_triplets_compress(const struct triplets *t, struct plb_csr *matrix)
{
    struct plb_csr m = {.rows = t->rows, .columns = t->columns};
    m.offsets = plb_alloc(((size_t)t->rows + 1) * sizeof *m.offsets);
    scatter(t, &m);
    sort_rows(&m);
    sum_duplicates(&m);
    *matrix = m;
}
