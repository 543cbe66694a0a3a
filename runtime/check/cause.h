/* Why the same units give two results. */
#ifndef PLB_CHECK_CAUSE_H
#define PLB_CHECK_CAUSE_H

#include "check/state.h"

/* Tries a range of the second order again, each time with one thing as it was in the first order, to see what
 * makes the difference in buffer i. Returns what it was, in words that end a sentence. */
const char *plb_check_cause(struct plb_check *c, int i, struct plb_range range, int rank,
                            struct plb_error *err);

#endif
