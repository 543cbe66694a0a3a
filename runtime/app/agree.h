/* Whether two results of the same units agree, and a sentence about the first difference. Pure functions, but
 * for the kernel's. Rank 0's communication thread. */
#ifndef PLB_APP_AGREE_H
#define PLB_APP_AGREE_H

#include "app/dataset.h"

/* Where two results differ. */
struct plb_difference {
    int buffer;  /* of the dataset */
    size_t byte; /* from the begin of the range's part, or of the reduced array */
};

/* Whether two results of a range agree. one[i], other[i]: the part of buffer i that belongs to the range,
 * where it is a result. The kernel compares, else bytes are. *where: the first difference. */
bool plb_agree(struct plb_app *app, const struct plb_dataset *set, struct plb_range range, void *const *one,
               void *const *other, struct plb_difference *where);

#define PLB_RESULTS_TEXT 200 /* bytes of a description, with its end */

/* Describes a difference: "C of row 17, byte 8: 3ff0... and 4000...". */
void plb_agree_print_difference(const struct plb_app *app, const struct plb_dataset *set,
                                struct plb_range range, void *const *one, void *const *other,
                                const struct plb_difference *where, char text[PLB_RESULTS_TEXT]);

#endif
