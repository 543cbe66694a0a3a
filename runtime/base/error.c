/* Errors as sentences, allocation that does not return NULL, and nearest names. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int plb_fail(struct plb_error *err, int status, const char *format, ...)
{
    if (err->status != PLB_OK)
        return err->status;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->status = status;
    return status;
}

static void out_of_memory(size_t bytes)
{
    fprintf(stderr, "plbrun: out of memory: %zu bytes were asked for and there are none; use a "
                    "smaller input or more nodes\n", bytes);
    exit(PLB_EFAILED);
}

void *plb_alloc(size_t bytes)
{
    const size_t page = 4096, align = bytes >= page ? page : 64;
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

/* Levenshtein distance over one row of the table; names longer than the row count as far. */
static size_t distance(const char *a, const char *b)
{
    size_t row[64];
    size_t n = strlen(b);
    if (n >= sizeof row / sizeof *row)
        return n;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t best = diagonal + (a[i] != b[j]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            diagonal = row[j + 1];
            if (diagonal + 1 < best)
                best = diagonal + 1;
            row[j + 1] = best;
        }
    }
    return row[n];
}

const char *plb_nearest(const char *wrong, const char *const *names)
{
    const char *best = NULL;
    size_t best_distance = strlen(wrong) / 2 + 1;
    for (; *names != NULL; names++) {
        size_t d = distance(wrong, *names);
        if (d < best_distance) {
            best_distance = d;
            best = *names;
        }
    }
    return best;
}
