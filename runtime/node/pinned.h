/* Page-locked buffers of rank 0: devices copy from and to them in place. Communication thread only. */
#ifndef PLB_NODE_PINNED_H
#define PLB_NODE_PINNED_H

#include "node/runner.h"

struct plb_pinned {
    bool at[PLB_MAX_DATA]; /* of the dataset's whole buffers */
};

/* Locks the pages of the buffers that are split by unit, for the runner's device. Only buffers of whole
 * pages: another one may share a page with other memory of the kernel. */
void plb_pinned_add(struct plb_pinned *pinned, const struct plb_runner *runner);

/* Unlocks what a device of this driver can unlock. */
void plb_pinned_remove(struct plb_pinned *pinned, const struct plb_runner *runner);

#endif
