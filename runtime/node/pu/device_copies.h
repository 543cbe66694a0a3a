/* Copies between the host and a device with memory of its own. The thread that opened the device makes
 * them. */
#ifndef PLB_NODE_PU_DEVICE_COPIES_H
#define PLB_NODE_PU_DEVICE_COPIES_H

#include "app/dataset.h"
#include "device/device.h"
#include "node/memory/page_locks.h"

struct plb_device_copies {
    const struct plb_device_ops *ops; /* of the device */
    struct plb_device *device;
    struct plb_page_locks *locks; /* of the node, borrowed; NULL: no pages are locked */
    int64_t in, out;              /* bytes until now */
    double locking_s;             /* seconds of plb_copies_lock until now */
};

/* Locks pages of a whole buffer before they are copied, or some of them. */
void plb_copies_lock(struct plb_device_copies *copies, const void *memory, size_t bytes);

/* The same for the parts of a task that are in whole buffers: host[i], where buffers, or buffers[i], is NULL.
 */
void plb_copies_lock_task(struct plb_device_copies *copies, const struct plb_dataset *set, void *const *host,
                          struct plb_range task, void *const *buffers);

/* Copies in the order of the lane, in the pieces that page-locked memory asks for. Returns the device's
 * status. */
int plb_copy_in(struct plb_device_copies *copies, int lane, void *to, const void *from_host, size_t bytes);
int plb_copy_out(struct plb_device_copies *copies, int lane, void *to_host, const void *from, size_t bytes);

#endif
