/* Files in memory: the system reads a page when it is touched, and may drop it again. Data that is mapped may
 * be larger than the memory.
 *
 * A file that becomes shorter takes its pages away: then a read is a SIGBUS. The list of what is mapped is
 * the process's, so that the sentence about such a crash can name the file (host/crash.h). */
#ifndef PLB_BASE_MAPPED_H
#define PLB_BASE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maps `bytes` bytes from byte `at` of an open file, 1 or more. writes: what is written there goes to the
 * file. The path is copied. Returns the place of byte `at`; or NULL, and errno says why. Thread-safe. */
void *plb_map(const char *path, int fd, int64_t at, size_t bytes, bool writes);

/* Undoes it. NULL: nothing. */
void plb_unmap(void *data, size_t bytes);

/* The file that is mapped at this address, or NULL. A handler of a signal may call it. */
const char *plb_mapped_path(const void *address);

#endif
