/* How much memory this process can have at most: the machine's, or less where its container has a limit. */
#ifndef PLB_BASE_MEMORY_LIMIT_H
#define PLB_BASE_MEMORY_LIMIT_H

#include <stdint.h>

/* Bytes of memory and swap, or the limit of the process's control group (version 1 or 2) or of one above it,
 * with the swap. INT64_MAX where nothing is known. `root` is "", or in tests a folder with files of its own
 * in proc/ and sys/. Reads about ten small files: 0.1 ms. Thread-safe. */
int64_t plb_memory_limit(const char *root);

/* Bytes that can still be had: those that the machine has available, or what the limit leaves beside this
 * process, where that is less. `root`: as above. Thread-safe. */
int64_t plb_memory_available(const char *root);

/* Bytes that this process has in memory now; 0 where that is not known. Thread-safe. */
int64_t plb_memory_used(void);

#endif
