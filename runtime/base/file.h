/* Files that are complete or not there. A file has no name while it is written, where the file system can do
 * that (O_TMPFILE), so that not even a killed process leaves a part of it. Elsewhere it has a temporary name.
 * When it is complete, it is renamed. */
#ifndef PLB_BASE_FILE_H
#define PLB_BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

struct plb_file {
    FILE *stream;           /* to write to; errors show at the commit */
    char *path, *temporary; /* temporary: NULL where `path` is a device or pipe, written in place */
    bool named;             /* the file has its temporary name already */
};

/* Begins a file in the folder of `path`. PLB_OK, and plb_file_commit is due; or PLB_EFAILED and a
 * sentence. */
int plb_file_create(struct plb_file *file, const char *path, struct plb_error *err);

/* Completes the file: syncs it and gives it its name. If anything has failed, in `err` too, removes it
 * instead and leaves an older file at `path` as it was. Releases the struct in any case. Returns the status
 * of `err`. */
int plb_file_commit(struct plb_file *file, struct plb_error *err);

#endif
