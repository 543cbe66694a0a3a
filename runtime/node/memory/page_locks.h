/* Page-locked memory of a node: how much it may have, how much it has, and one line for people where a lock
 * fails. Any thread may call these functions.
 *
 * Inputs that are kept, and results that stay, lie in reserved memory as large as the whole buffer, of which
 * a node takes what its tasks need. So pages are locked as they are taken, part by part, each page once. Of
 * a whole buffer pages are locked when a task first needs them, so that no run waits for the lock of all. A
 * copy may not reach from one part into another, nor from locked pages into others: it is made in pieces. */
#ifndef PLB_NODE_MEMORY_PAGE_LOCKS_H
#define PLB_NODE_MEMORY_PAGE_LOCKS_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/device.h"

/* Of the host's memory: what its nodes together may lock. Locked pages stay in memory, whatever others need.
 * Larger: the host may have none left for them. Smaller: GPUs copy to and from large buffers at half the
 * speed. A guess. The limit on locked memory (ulimit -l, RLIMIT_MEMLOCK) does not count: it binds mlock, and
 * NVIDIA's kernel module pins pages without it (kernel-open/nvidia/os-mlock.c, os_lock_user_pages). */
#define PLB_LOCKABLE 0.5

/* A whole buffer, which begins with a page. */
struct plb_lockable {
    char *memory;
    size_t bytes;
};

/* Pages that were locked at once. */
struct plb_locked_part {
    char *memory;
    size_t bytes;
    const struct plb_device_ops *ops; /* that unlock it */
};

/* A zeroed struct has no limit. */
struct plb_page_locks {
    double most; /* bytes; 0: no limit */
    atomic_size_t bytes;
    atomic_bool said;           /* that a lock has failed */
    atomic_bool no_parts;       /* none are locked any more */
    pthread_mutex_t changing;   /* held by who changes the parts; guards the whole buffers */
    pthread_mutex_t lock;       /* guards the parts against who only reads them */
    struct plb_lockable *whole; /* buffers of which parts may be locked */
    int n_whole;
    struct plb_locked_part *part; /* by address */
    atomic_int n_parts;
};

/* Locks whole pages for a device whose driver can do so. False: they are not locked, and copies take longer.
 * The first time, a line of level info says why. */
bool plb_page_lock(struct plb_page_locks *locks, const struct plb_device_ops *ops,
                   const struct plb_device *device, void *memory, size_t bytes);

/* Undoes a lock, before the memory is freed. */
void plb_page_unlock(struct plb_page_locks *locks, const struct plb_device_ops *ops, void *memory,
                     size_t bytes);

/* Locks the pages of a part of reserved memory that are not locked yet. Where one cannot be locked, no more
 * are tried. */
void plb_page_lock_part(struct plb_page_locks *locks, const struct plb_device_ops *ops,
                        const struct plb_device *device, void *memory, size_t bytes);

/* Parts of this buffer may be locked from now on. Once is enough. */
void plb_page_offer(struct plb_page_locks *locks, void *memory, size_t bytes);

/* Locks pages that a copy needs, and some around them, where they are in such a buffer. Locks may be NULL. */
void plb_page_lock_offered(struct plb_page_locks *locks, const struct plb_device_ops *ops,
                           const struct plb_device *device, const void *memory, size_t bytes);

/* Unlocks the parts of such a buffer, which is freed next; of all of them, where memory is NULL. */
void plb_page_take_back(struct plb_page_locks *locks, const void *memory);

/* Bytes of a copy that begins at this memory which can be copied at once. Any thread; locks may be NULL. */
size_t plb_page_piece(struct plb_page_locks *locks, const void *memory, size_t bytes);

/* Gives pages of reserved memory back to the system, which nothing uses. Those that were locked together with
 * others outside of it stay. */
void plb_page_drop(struct plb_page_locks *locks, void *memory, size_t bytes, bool shared);

/* Unlocks all parts. */
void plb_page_unlock_parts(struct plb_page_locks *locks);

#endif
