/* The lines of a Matrix Market file after its header: one entry each. */
#ifndef PLB_FORMAT_MTX_ENTRIES_H
#define PLB_FORMAT_MTX_ENTRIES_H

#include "format/mtx/value.h"

/* Reads t->n entries into t->at, which is to be freed in any case, and checks each against the header. A
 * symmetric file may store either triangle, but no pair in both. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_mtx_read_entries(struct plb_text *text, struct plb_mtx_values *values, struct plb_triplets *t);

#endif
