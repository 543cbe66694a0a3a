/* The lines of a dense Matrix Market file ('array') after its header: one value each. */
#ifndef PLB_FORMAT_MTX_DENSE_H
#define PLB_FORMAT_MTX_DENSE_H

#include "format/mtx/value.h"

/* Reads t->n values, column by column; of a symmetric matrix from the diagonal down, of a skew-symmetric one
 * from below it. Those that are not zero become entries in t->at, which is to be freed in any case; t->n
 * becomes their number. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_mtx_read_dense(struct plb_text *text, struct plb_mtx_values *values, struct plb_triplets *t);

#endif
