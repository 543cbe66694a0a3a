/* The sentence about ranks that run different builds. A pure function. */
#ifndef PLB_MEMBERSHIP_DIFFERENCE_H
#define PLB_MEMBERSHIP_DIFFERENCE_H

#include "core/message/message.h"

#define PLB_DIFFERENCE_TEXT 600 /* bytes with the end; a longer text is cut */

/* Says how a rank's plbrun or kernel differs from rank 0's, as both said HELLO; leaves the text as it is
 * where they are the same. host: rank 0's. */
void plb_difference_describe(const struct plb_hello *hello, const struct plb_hello *own, const char *host,
                             char text[PLB_DIFFERENCE_TEXT]);

#endif
