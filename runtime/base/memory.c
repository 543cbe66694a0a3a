/* aligned_alloc and realloc. */
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plb/status.h"

#define CACHE_LINE 64 /* bytes; the widest vector registers have as many */
#define PAGE 4096     /* bytes; a GPU's driver locks whole pages, and nothing else should lie in them */

static void out_of_memory(size_t bytes)
{
    fprintf(stderr,
            "plbrun: out of memory: %zu bytes were asked for and there are none; use a "
            "smaller input or more nodes\n",
            bytes);
    exit(PLB_EFAILED);
}

void *plb_alloc(size_t bytes)
{
    const size_t align = bytes >= PAGE ? PAGE : CACHE_LINE;
    size_t padded = bytes > 0 ? (bytes + align - 1) / align * align : align;
    void *memory = padded >= bytes ? aligned_alloc(align, padded) : NULL;
    if (memory == NULL)
        out_of_memory(bytes);
    return memset(memory, 0, padded);
}

void *plb_grow(void *old, size_t bytes)
{
    void *memory = realloc(old, bytes > 0 ? bytes : 1);
    if (memory == NULL)
        out_of_memory(bytes);
    return memory;
}
