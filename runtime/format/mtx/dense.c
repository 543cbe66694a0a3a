/* Two loops over the places of a column. */
#include "format/mtx/dense.h"

#include <inttypes.h>

#include "base/memory.h"

#define LEAST_BYTES 2 /* of a value: "1\n" */

static int refuse_end(const struct plb_text *text, int64_t found, int64_t promised)
{
    return plb_text_refuse(text,
                           "is truncated: it ends after %" PRId64 " of %" PRId64
                           " values; expected as many as the "
                           "size line says; copy the file again or correct the size line",
                           found, promised);
}

/* Adds the value that comes next, unless it is zero. */
static int read_one(struct plb_text *text, struct plb_mtx_values *values, int64_t row, int64_t column,
                    struct plb_triplets *t, int64_t *kept)
{
    struct plb_triplet entry = {.row = row, .column = (int32_t)column};
    int status = plb_mtx_read_value(text, text->at, values, &entry.value);
    if (status == PLB_OK && entry.value != 0.0)
        t->at[(*kept)++] = entry;
    return status;
}

int plb_mtx_read_dense(struct plb_text *text, struct plb_mtx_values *values, struct plb_triplets *t)
{
    /* Whatever the size line says, no more values can come than there are bytes for. */
    int64_t most = (text->end - text->at) / LEAST_BYTES + 1, found = 0, kept = 0;
    t->at = plb_grow(NULL, plb_array_bytes(t->n < most ? t->n : most, sizeof *t->at));
    for (int64_t column = 0; column < t->columns; column++) {
        int64_t row = t->symmetry == PLB_GENERAL ? 0 : column + (t->symmetry == PLB_SKEW_SYMMETRIC);
        for (; row < t->rows; row++, found++) {
            if (!plb_text_next_line(text))
                return refuse_end(text, found, t->n);
            if (read_one(text, values, row, column, t, &kept) != PLB_OK)
                return text->err->status;
        }
    }
    if (plb_text_next_line(text))
        return plb_text_refuse(text,
                               "more values than the %" PRId64
                               " that the size line says; expected the end of the "
                               "file; correct the size line or remove the surplus",
                               t->n);
    t->n = kept;
    return PLB_OK;
}
