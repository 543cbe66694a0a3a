/* One pass over the lines. */
#include "format/mtx/entries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/number.h"

#define LEAST_BYTES 4 /* of an entry: "1 1\n" */

static int refuse_index(const struct plb_text *text, const char *what, int64_t found, int64_t most)
{
    return plb_text_refuse(text,
                           "%s %" PRId64 " is out of range; expected 1 to %" PRId64 " (indices start "
                           "at 1); correct the line or the size line",
                           what, found, most);
}

static bool scan_index(struct plb_text *text, int64_t *value)
{
    plb_text_skip_blanks(text);
    const char *end = plb_scan_whole(text->at, value);
    text->at = end != NULL ? end : text->at;
    return end != NULL;
}

static int read_entry(struct plb_text *text, struct plb_mtx_values *values, const struct plb_triplets *t,
                      struct plb_triplet *entry)
{
    const char *start = text->at;
    int64_t row, column;
    if (!scan_index(text, &row) || !scan_index(text, &column))
        return plb_mtx_refuse_entry(text, start, values);
    if (plb_mtx_read_value(text, start, values, &entry->value) != PLB_OK)
        return text->err->status;
    if (row < 1 || row > t->rows)
        return refuse_index(text, "row", row, t->rows);
    if (column < 1 || column > t->columns)
        return refuse_index(text, "column", column, t->columns);
    if (t->symmetry == PLB_SKEW_SYMMETRIC && row == column && entry->value != 0.0)
        return plb_text_refuse(text,
                               "a skew-symmetric matrix has the value %g on its diagonal at (%" PRId64
                               ", %" PRId64 "); expected zero; remove the entry or write 'general' in "
                               "line 1",
                               entry->value, row, column);
    entry->row = row - 1;
    entry->column = (int32_t)(column - 1);
    return PLB_OK;
}

static int read_all(struct plb_text *text, struct plb_mtx_values *values, struct plb_triplets *t)
{
    /* Whatever the size line says, no more entries can come than there are bytes for. */
    int64_t most = (text->end - text->at) / LEAST_BYTES + 1;
    t->at = plb_grow(NULL, (size_t)(t->n < most ? t->n : most) * sizeof *t->at);
    for (int64_t found = 0; found < t->n; found++) {
        if (!plb_text_next_line(text))
            return plb_text_refuse(text,
                                   "is truncated: it ends after %" PRId64 " of %" PRId64 " entries; "
                                   "expected as many as the size line says; copy the file again or correct "
                                   "the size line",
                                   found, t->n);
        if (read_entry(text, values, t, &t->at[found]) != PLB_OK)
            return text->err->status;
    }
    if (plb_text_next_line(text))
        return plb_text_refuse(text,
                               "more entries than the %" PRId64 " that the size line says; expected "
                               "the end of the file; correct the size line or remove the surplus",
                               t->n);
    return PLB_OK;
}

/* By the two indices regardless of their order; of two that are mirrored, the one below the diagonal
 * first. */
static int by_pair(const void *a, const void *b)
{
    const struct plb_triplet *x = a, *y = b;
    int64_t x_low = x->row < x->column ? x->row : x->column;
    int64_t y_low = y->row < y->column ? y->row : y->column;
    int64_t x_high = x->row + x->column - x_low, y_high = y->row + y->column - y_low;
    if (x_low != y_low)
        return x_low < y_low ? -1 : 1;
    if (x_high != y_high)
        return x_high < y_high ? -1 : 1;
    return (x->row < x->column) - (y->row < y->column);
}

/* Whether entries lie on both sides of the diagonal, so that some may be there twice. */
static bool uses_both_triangles(const struct plb_triplets *t)
{
    bool lower = false, upper = false;
    for (int64_t i = 0; i < t->n && !(lower && upper); i++) {
        lower = lower || t->at[i].row > t->at[i].column;
        upper = upper || t->at[i].row < t->at[i].column;
    }
    return lower && upper;
}

/* Refuses a pair that is stored in both triangles: it would come out doubled. */
static int check_triangles(const struct plb_text *text, const struct plb_triplets *t)
{
    int status = PLB_OK;
    if (t->symmetry == PLB_GENERAL || !uses_both_triangles(t))
        return PLB_OK;
    size_t bytes = (size_t)t->n * sizeof *t->at;
    struct plb_triplet *sorted = memcpy(plb_grow(NULL, bytes), t->at, bytes);
    qsort(sorted, (size_t)t->n, sizeof *sorted, by_pair);
    for (int64_t i = 1; i < t->n && status == PLB_OK; i++) {
        const struct plb_triplet *one = &sorted[i - 1], *two = &sorted[i];
        if (one->row == two->column && one->column == two->row && one->row != one->column)
            status = plb_fail(text->err, PLB_EINPUT,
                              "%s: is symmetric but stores both (%" PRId64 ", %d) and "
                              "(%d, %" PRId64 "); expected one of the two; keep the lower triangle or write "
                              "'general' in line 1",
                              text->path, one->row + 1, one->column + 1, one->column + 1, one->row + 1);
    }
    free(sorted);
    return status;
}

int plb_mtx_read_entries(struct plb_text *text, struct plb_mtx_values *values, struct plb_triplets *t)
{
    int status = read_all(text, values, t);
    return status == PLB_OK ? check_triangles(text, t) : status;
}
