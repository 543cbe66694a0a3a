/* The first lines of a Matrix Market file: what it holds, and how much of it. */
#ifndef PLB_FORMAT_MTX_HEADER_H
#define PLB_FORMAT_MTX_HEADER_H

#include "format/mtx/triplets.h"
#include "format/text.h"

/* The values of a file, by its header. In a pattern file an entry has no value, and 1 is meant. */
enum plb_mtx_field { PLB_MTX_REAL, PLB_MTX_INTEGER, PLB_MTX_PATTERN };

struct plb_mtx_header {
    enum plb_mtx_field field;
    bool dense; /* 'array': all values, column by column, and no indices */
};

/* Reads line 1 and the size line, and checks that this machine could hold such a matrix. Fills in symmetry
 * and sizes; t->n is the number of entries that the file promises. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_mtx_read_header(struct plb_text *text, struct plb_mtx_header *header, struct plb_triplets *t);

#endif
