/* Page-locked buffers of the dataset that devices copy from and to in place. Communication thread only. */
#ifndef PLB_NODE_PINNED_H
#define PLB_NODE_PINNED_H

#include "node/pu/runner.h"

struct plb_pinned_buffer {
    void *memory;
    size_t bytes;
    const struct plb_device_ops *ops; /* that unlock it */
};

/* A zeroed struct has none. */
struct plb_pinned {
    struct plb_pinned_buffer *at;
    int n;
    const void *tried[PLB_MAX_DATA]; /* where each buffer was when it was to be locked */
};

/* Locks the pages of whole buffers, for the runner's device: those in place that are split by unit, and
 * replicated ones where the kernel may replace them after a pass. Only buffers of whole pages: another
 * one may share a page with other memory of the kernel. A buffer that is where it was is not tried again. */
void plb_pinned_add(struct plb_pinned *pinned, const struct plb_runner *runner);

/* Unlocks this memory, if it is locked; it is freed next, and nothing reads it. */
void plb_pinned_forget(struct plb_pinned *pinned, struct plb_page_locks *locks, const void *memory);

/* Unlocks all. */
void plb_pinned_remove(struct plb_pinned *pinned, struct plb_page_locks *locks);

#endif
