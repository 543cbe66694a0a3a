/* The whole buffers of the dataset that devices copy from and to in place: their pages may be locked
 * (memory/page_locks.h). Communication thread only. */
#ifndef PLB_NODE_PINNED_H
#define PLB_NODE_PINNED_H

#include "node/pu/runner.h"

/* Offers whole buffers for locks by the runner's device: those in place that are split by unit, and
 * replicated ones where the kernel may replace them after a pass. Only buffers that begin with a page:
 * another one may share a page with other memory of the kernel. */
void plb_pinned_offer(const struct plb_runner *runner);

#endif
