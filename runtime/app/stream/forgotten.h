/* Units that failed, and are executed anew by a later run (--resume-failed): their earlier results do not
 * count. A journal notes each time at which units were forgotten, before anything of them is executed. */
#ifndef PLB_APP_FORGOTTEN_H
#define PLB_APP_FORGOTTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rangeset.h"

/* One such time. */
struct plb_forgotten {
    struct plb_rangeset units;
    int pass;        /* with which the run went on */
    int64_t records; /* where the file of the records ended then; INT64_MAX: not known yet */
    int64_t mark;    /* how far the stream of records was then (stream_mark.h); below 0: not known yet */
};

void plb_forgotten_free(struct plb_forgotten *list, int n); /* NULL: nothing */

/* Removes from `ranges` the units that were forgotten after a record at this byte of the file. */
void plb_forgotten_remove(const struct plb_forgotten *list, int n, int64_t at, struct plb_rangeset *ranges);

/* By unit: whether a stream in order has written it, before units were forgotten last. `order` as in
 * plb_stream_shape. To be freed. */
bool *plb_forgotten_written(const struct plb_forgotten *list, int n, const int64_t *order, int64_t units);

#endif
