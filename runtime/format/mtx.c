/* Reads Matrix Market coordinate files (Boisvert, Pozo, Remington: NISTIR 5935, 1996).
 *
 * The rule: one pass over the text checks every line and keeps the entries as triplets. format/triplets.c
 * turns them into compressed sparse rows. Cost: O(bytes + nonzeros), and memory for the text, for 24 bytes an
 * entry and for the result. Weak at: files on pipes, files larger than memory, and rows whose columns do not
 * ascend. */
#include "format/mtx.h"

#include <stdlib.h>

#include "format/mtx_entries.h"

int plb_mtx_read(const char *path, struct plb_csr *matrix, struct plb_error *err)
{
    struct plb_text text = {.path = path, .comment = '%', .err = err};
    struct plb_triplets t = {.at = NULL};
    enum plb_mtx_field field = PLB_MTX_REAL;
    int status = plb_text_load(&text, "a Matrix Market file was expected; name an .mtx file");
    if (status == PLB_OK)
        status = plb_mtx_read_header(&text, &field, &t);
    if (status == PLB_OK)
        status = plb_mtx_read_entries(&text, field, &t);
    plb_text_free(&text);
    if (status == PLB_OK)
        plb_triplets_compress(&t, matrix);
    free(t.at);
    return status;
}
