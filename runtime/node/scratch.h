/* Which tasks of rank 0 do not write their outputs in place. A pure function. */
#ifndef PLB_NODE_SCRATCH_H
#define PLB_NODE_SCRATCH_H

#include "base/rangeset.h"
#include "job/dataset.h"

/* Whether the outputs of a task go to memory of its own first: where several PUs of the run execute some of
 * its units (`doubled`), or where the copy costs next to nothing. unit_s: seconds per unit of the PU's latest
 * task; 0: not known. */
bool plb_scratch_wanted(const struct plb_dataset *set, struct plb_range range, double unit_s,
                        const struct plb_rangeset *doubled);

#endif
