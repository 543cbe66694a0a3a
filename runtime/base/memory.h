/* Memory that is always there: where the system has none, the program ends with a sentence and status 1.
 * Thread-safe; released with free(). */
#ifndef PLB_BASE_MEMORY_H
#define PLB_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory, aligned to 64 bytes, or to a page where it has a page or more. 0 bytes give a valid
 * pointer. */
void *plb_alloc(size_t bytes);

/* Bytes of an array of n elements of `size` bytes. Where no memory can have as many, or n is negative, the
 * program ends as said above. */
size_t plb_array_bytes(int64_t n, size_t size);

/* Like realloc. The new part is not zeroed, and nothing is aligned beyond what malloc does. */
void *plb_grow(void *old, size_t bytes);

#endif
