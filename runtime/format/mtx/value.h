/* The value of an entry in a Matrix Market file. */
#ifndef PLB_FORMAT_MTX_VALUE_H
#define PLB_FORMAT_MTX_VALUE_H

#include "format/mtx/header.h"

/* How values are read. */
struct plb_mtx_values {
    struct plb_mtx_header header;
    bool nonfinite; /* nan and infinite ones are taken */
    bool surplus;   /* set: a pattern file has values, which say nothing */
};

/* Refuses the entry whose line begins at `start`. PLB_EINPUT. */
int plb_mtx_refuse_entry(const struct plb_text *text, const char *start, const struct plb_mtx_values *values);

/* Reads the value of the entry that begins at `start`, up to the end of its line; 1 in a pattern file.
 * PLB_OK; or PLB_EINPUT and a sentence. */
int plb_mtx_read_value(struct plb_text *text, const char *start, struct plb_mtx_values *values,
                       double *value);

#endif
