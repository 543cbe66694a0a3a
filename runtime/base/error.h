/* One sentence about what went wrong, carried from where it was noticed to where it is printed. */
#ifndef PLB_BASE_ERROR_H
#define PLB_BASE_ERROR_H

#include <stddef.h>

#include "plb/status.h"

struct plb_error {
    int status;       /* PLB_OK until something failed */
    char text[1000];  /* one sentence, no newline */
};

/* Writes the sentence unless the error already holds one (the first to notice tells), and returns
 * the status that it then holds. `err` may not be NULL. */
__attribute__((format(printf, 3, 4)))
int plb_fail(struct plb_error *err, int status, const char *format, ...);

/* Zeroed memory aligned to 64 bytes, whole pages from a page on, released with free(); ends the program with a sentence and
 * status 1 where there is none. 0 bytes give a valid pointer. */
void *plb_alloc(size_t bytes);

/* Like realloc, with the same promise; the new part is not zeroed and nothing is aligned. */
void *plb_grow(void *old, size_t bytes);

/* The name in `names` (ended by NULL) nearest to `wrong` by edit distance, or NULL where none is
 * near enough to be what the user meant. */
const char *plb_nearest(const char *wrong, const char *const *names);

#endif
