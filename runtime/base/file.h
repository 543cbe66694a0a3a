/* Files that are complete or not there. A file has no name while it is written, where the file system can do
 * that (O_TMPFILE), so that not even a killed process leaves a part of it. Elsewhere it has a temporary name
 * that nobody can foresee, and an end by a signal or a crash removes it (base/stop.h). When it is complete,
 * it gets its name. A symbolic link stays, and its target is written. Pipes and devices are written in place.
 */
#ifndef PLB_BASE_FILE_H
#define PLB_BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct plb_file {
    FILE *stream;    /* to write to; errors show at the commit */
    char *path;      /* as the caller named it */
    char *target;    /* where the path leads; NULL: a device, pipe or descriptor, which is written in place */
    char *temporary; /* the name of the file so far; NULL: it has none */
};

/* Begins a file in the folder to which `path` leads. A pipe without a reader is waited for, a few seconds.
 * PLB_OK, and plb_file_commit is due; or PLB_EFAILED and a sentence. */
int plb_file_create(struct plb_file *file, const char *path, struct plb_error *err);

/* The same with a temporary name from the start, so that other processes can open the file too; for reading
 * and writing. A pipe or device is refused. */
int plb_file_create_shared(struct plb_file *file, const char *path, struct plb_error *err);

/* The complete file gets its name with `suffix` at the end instead. */
void plb_file_aim(struct plb_file *file, const char *suffix);

/* Takes room for so many bytes, where the file system can do that; else asks how much there is. A complete
 * file is as long as what was written to it. Returns 0, or the errno that says why there is no room. */
int plb_file_reserve(struct plb_file *file, int64_t bytes);

/* Completes the file: syncs it and gives it its name. It keeps the permissions of an older file at `path`. If
 * anything has failed, in `err` too, removes it instead and leaves the older file as it was. Releases the
 * struct in any case. Returns the status of `err`. */
int plb_file_commit(struct plb_file *file, struct plb_error *err);

/* Removes the file instead. Releases the struct. */
void plb_file_drop(struct plb_file *file);

/* Reads from `at` into memory, or writes from memory to there, all of the bytes. False, and errno: EIO where
 * the file ends before, ENOSPC where nothing can be written. */
bool plb_file_move(int fd, bool writes, void *memory, size_t bytes, int64_t at);

/* Opens a file to append to it, which begins anew with `head`. -1 and errno where that cannot be. */
int plb_file_grow(const char *path, const char *head);

/* Whether a file can be written there, as far as one can know before. Writes nothing, and opens no pipe or
 * device. PLB_OK; or PLB_EFAILED and a sentence. */
int plb_file_check(const char *path, struct plb_error *err);

/* The open descriptor of this process that a path names, as /dev/stdout or /dev/fd/3 do; else -1. */
int plb_file_descriptor(const char *path);

/* Whether a path leads to a pipe or device: a reader takes what is written there, and no file is left. */
bool plb_file_streams(const char *path);

/* A name for a file that cannot be written to `path`: in the working folder (try 0), then in $TMPDIR or /tmp.
 * It begins with random letters, since the folder may be everybody's, and ends in the name and `suffix`. A
 * long name loses its begin. To be freed; NULL: there is no other try. */
char *plb_file_elsewhere(const char *path, const char *suffix, int number);

/* Whether two paths lead to the same file, which need not be there. Pipes and devices are no files. */
bool plb_file_same(const char *a, const char *b);

/* Whether what is written to both would be lost. Two open descriptors that lead to one file are what their
 * user wants. */
bool plb_file_clash(const char *a, const char *b);

/* Opens standard input, output and error where they are closed: else a result gets their number, and the
 * lines that are printed. They are opened for reading, so that a report to a closed one stays a mistake. */
void plb_file_open_streams(void);

#endif
