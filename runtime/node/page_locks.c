/* A sum, and calls of the device. */
#include "node/page_locks.h"

#include "base/log.h"

/* Says once what could not be locked. */
static void say(struct plb_page_locks *l, size_t bytes, const char *why)
{
    if (!atomic_exchange(&l->said, true))
        plb_log_here(PLB_LOG_INFO, "%zu bytes are not page-locked: %s; copies to and from GPUs take longer",
                     bytes, why);
}

bool plb_page_lock(struct plb_page_locks *l, const struct plb_device_ops *ops,
                   const struct plb_device *device, void *memory, size_t bytes)
{
    const char *why = NULL;
    size_t before = atomic_fetch_add(&l->bytes, bytes);
    if (l->most > 0.0 && (double)before + (double)bytes > l->most)
        why = "the limit is half of the host's memory";
    else
        why = ops->pin(device, memory, bytes);
    if (why == NULL)
        return true;
    atomic_fetch_sub(&l->bytes, bytes);
    say(l, bytes, why);
    return false;
}

void plb_page_unlock(struct plb_page_locks *l, const struct plb_device_ops *ops, void *memory, size_t bytes)
{
    ops->unpin(memory);
    atomic_fetch_sub(&l->bytes, bytes);
}
