/* Files that are complete or not there: written without a name where the file system can (Linux
 * O_TMPFILE, so that not even a killed process leaves anything), else under a temporary one, then
 * renamed. */
#ifndef PLB_BASE_FILE_H
#define PLB_BASE_FILE_H

#include <stdio.h>

#include "base/error.h"

struct plb_file {
    FILE *stream;
    char *path, *temporary;     /* temporary: NULL where `path` is a device or pipe, written in place */
    int named;                  /* the temporary file has its name already */
};

/* Opens a temporary file beside `path`; PLB_EFAILED and a sentence where that fails. */
int plb_file_create(struct plb_file *file, const char *path, struct plb_error *err);

/* Syncs and renames; or, where anything has failed since (also in `err`), removes the temporary file
 * and leaves an older file at `path` as it was. Releases the struct in any case. */
int plb_file_commit(struct plb_file *file, struct plb_error *err);

#endif
