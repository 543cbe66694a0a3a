/* A compressed part of a file (zlib's deflate), read from its begin on, such as a member of a zip archive.
 * Not thread-safe. */
#ifndef PLB_FORMAT_INFLATE_H
#define PLB_FORMAT_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct plb_inflate;

/* The part of `packed` bytes from `begin` on, which become `bytes` bytes with this CRC-32. Nothing is read
 * yet. The descriptor and the path are borrowed. */
struct plb_inflate *plb_inflate_new(const char *path, int fd, int64_t begin, int64_t packed, int64_t bytes,
                                    uint32_t crc);
void plb_inflate_free(struct plb_inflate *inflate); /* NULL: nothing */

/* Reads what the part has become from byte `at` on. *got is smaller only where it ends. Places that ascend
 * cost one pass over the part; a smaller one begins anew. PLB_OK; or PLB_EINPUT and a sentence: it is
 * damaged, or cannot be read. */
int plb_inflate_read(struct plb_inflate *inflate, void *into, size_t bytes, int64_t at, size_t *got,
                     struct plb_error *err);

#endif
