/* Tables of text: comma-separated values (RFC 4180), or with semicolons or tabs. */
#ifndef PLB_FORMAT_CSV_H
#define PLB_FORMAT_CSV_H

#include "base/error.h"
#include "plb/kernel.h"

/* Reads a table as plb/csv.h says. Its memory is from plb_alloc, to be freed by the caller. PLB_OK; or
 * PLB_EINPUT, a sentence, and the array as it was. */
int plb_csv_read(const char *path, const struct plb_csv_column *columns, struct plb_array *array,
                 struct plb_error *err);

/* The same of plb_read_table: each array of the table is memory from plb_alloc. */
int plb_csv_read_named(const char *path, struct plb_table *table, struct plb_error *err);

#endif
