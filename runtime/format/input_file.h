/* A regular file, read at any place. Mistakes give the sentences that all formats share. */
#ifndef PLB_FORMAT_INPUT_FILE_H
#define PLB_FORMAT_INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "format/inflate.h"

struct plb_input_file {
    const char *path;           /* borrowed */
    int fd;                     /* -1: not open */
    int64_t begin;              /* of a part of a file: the byte where it begins; places count from there */
    int64_t bytes;              /* its length when it was opened; of a compressed part: what it becomes */
    struct plb_inflate *packed; /* of a compressed part; its owner's. NULL: the bytes are as they are */
};

/* Opens a regular file. `expected` ends the sentence about a folder, device or pipe, as in "an .npy file
 * was expected; name a file written with numpy.save". PLB_OK or PLB_EINPUT; plb_input_close is due in both
 * cases. */
int plb_input_open(struct plb_input_file *file, const char *path, const char *expected,
                   struct plb_error *err);
void plb_input_close(struct plb_input_file *file);

/* Reads `bytes` from `at` on; *got is smaller only where the file ends before. PLB_OK, or PLB_EINPUT where
 * the system cannot read it. */
int plb_input_read(const struct plb_input_file *file, void *into, size_t bytes, int64_t at, size_t *got,
                   struct plb_error *err);

/* The same, but a file that ends before is refused too. For bytes that the file had when it was opened. */
int plb_input_read_all(const struct plb_input_file *file, void *into, size_t bytes, int64_t at,
                       struct plb_error *err);

#endif
