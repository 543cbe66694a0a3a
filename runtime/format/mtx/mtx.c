/* Reads Matrix Market files (Boisvert, Pozo, Remington: NISTIR 5935, 1996).
 *
 * The rule: one pass over the text checks every line and keeps the entries as triplets. format/mtx/triplets.c
 * turns them into compressed sparse rows. Cost: O(bytes + nonzeros), and memory for the text, for 24 bytes an
 * entry and for the result. Weak at: files on pipes, files larger than memory, and rows whose columns do not
 * ascend. */
#include "format/mtx/mtx.h"

#include <stdlib.h>

#include "base/log.h"
#include "format/mtx/dense.h"
#include "format/mtx/entries.h"

int plb_mtx_read(const char *path, bool nonfinite, struct plb_csr *matrix, struct plb_error *err)
{
    struct plb_text text = {.path = path, .comment = '%', .err = err};
    struct plb_triplets t = {.at = NULL};
    struct plb_mtx_values values = {.nonfinite = nonfinite};
    int status = plb_text_load(&text, "a Matrix Market file was expected; name an .mtx file");
    if (status == PLB_OK)
        status = plb_mtx_read_header(&text, &values.header, &t);
    if (status == PLB_OK)
        status = values.header.dense ? plb_mtx_read_dense(&text, &values, &t)
                                     : plb_mtx_read_entries(&text, &values, &t);
    plb_text_free(&text);
    if (status == PLB_OK)
        plb_triplets_compress(&t, matrix);
    free(t.at);
    if (status == PLB_OK && values.surplus)
        plb_log(PLB_LOG_WARNING,
                "%s:1: says pattern, but its entries have values; they are ignored, and each entry "
                "is 1; "
                "write real in line 1 to use them",
                path);
    return status;
}
