/* One sentence about what went wrong, carried from where it was noticed to where it is printed. */
#ifndef PLB_BASE_ERROR_H
#define PLB_BASE_ERROR_H

#include "plb/status.h"

/* Begins as {.status = PLB_OK}. */
struct plb_error {
    int status;      /* PLB_OK until something has failed */
    char text[1000]; /* one sentence without a newline; a longer one is cut */
};

/* Records status and sentence, unless the error holds one already: the first to notice tells. Returns the
 * status that the error holds then. `err` may not be NULL. */
__attribute__((format(printf, 3, 4))) int plb_fail(struct plb_error *err, int status, const char *format,
                                                   ...);

/* Adds two texts to a sentence that the error holds; what does not fit is cut. */
void plb_append(struct plb_error *err, const char *text, const char *more);

#endif
