/* Page-locked memory of a node: how much it may have, how much it has, and one line for people where a lock
 * fails. Any thread may call these functions. */
#ifndef PLB_NODE_PAGE_LOCKS_H
#define PLB_NODE_PAGE_LOCKS_H

#include <stdatomic.h>

#include "device/device.h"

/* Of the host's memory: what its nodes together may lock. Locked pages stay in memory, whatever others need.
 * Larger: the host may have none left for them. Smaller: GPUs copy to and from large buffers at half the
 * speed. A guess. The limit on locked memory (ulimit -l, RLIMIT_MEMLOCK) does not count: it binds mlock, and
 * NVIDIA's kernel module pins pages without it (kernel-open/nvidia/os-mlock.c, os_lock_user_pages). */
#define PLB_LOCKABLE 0.5

/* A zeroed struct has no limit. */
struct plb_page_locks {
    double most; /* bytes; 0: no limit */
    atomic_size_t bytes;
    atomic_bool said; /* that a lock has failed */
};

/* Locks whole pages for a device whose driver can do so. False: they are not locked, and copies take longer.
 * The first time, a line of level info says why. */
bool plb_page_lock(struct plb_page_locks *locks, const struct plb_device_ops *ops,
                   const struct plb_device *device, void *memory, size_t bytes);

/* Undoes a lock, before the memory is freed. */
void plb_page_unlock(struct plb_page_locks *locks, const struct plb_device_ops *ops, void *memory,
                     size_t bytes);

#endif
