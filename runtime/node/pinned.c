/* Locking and unlocking pages through the devices. */
#include "node/pinned.h"

#include <stdlib.h>

#include "base/memory.h"

#define PAGE 4096 /* bytes; pages are what a device can lock */

/* Whether devices copy from this buffer, or to it, more than once, and the whole buffer is on this rank. */
static bool is_copied(const struct plb_dataset *set, int i, const struct plb_kernel *kernel)
{
    const struct plb_data *d = &set->at[i];
    if (d->mode == PLB_REPLICATE)
        return kernel->next != NULL && set->file[i] == 0 && set->mapped[i] == 0; /* it is read once */
    return plb_dataset_in_place(set, i) && set->file[i] == 0; /* locked pages of a file take memory for it */
}

/* Buffers may have changed places. */
static bool was_tried(const struct plb_pinned *pinned, const void *memory)
{
    for (int i = 0; i < PLB_MAX_DATA; i++)
        if (pinned->tried[i] == memory)
            return true;
    return false;
}

void plb_pinned_add(struct plb_pinned *pinned, const struct plb_runner *r)
{
    const struct plb_dataset *set = r->shared->config.data;
    const struct plb_executor *e = &r->executor;
    /* A driver may keep pages that are locked from children: isolated tasks would find no inputs. */
    bool pins = r->opened && r->err.status == PLB_OK && r->pu.driver->ops.pin != NULL
             && !r->shared->config.isolate;
    size_t offset, bytes;
    for (int i = 0; i < set->n && pins; i++) {
        void *memory = set->host[i];
        if (!is_copied(set, i, r->shared->config.kernel) || was_tried(pinned, memory))
            continue;
        pinned->tried[i] = memory;
        plb_dataset_bytes(set, i, (struct plb_range){0, set->units}, &offset, &bytes);
        if ((uintptr_t)memory % PAGE != 0 || bytes == 0
            || !plb_page_lock(e->copies.locks, e->ops, e->device, memory, bytes))
            continue;
        pinned->at = plb_grow(pinned->at, (size_t)(pinned->n + 1) * sizeof *pinned->at);
        pinned->at[pinned->n++] = (struct plb_pinned_buffer){memory, bytes, e->ops};
    }
}

void plb_pinned_forget(struct plb_pinned *pinned, struct plb_page_locks *locks, const void *memory)
{
    for (int i = 0; i < PLB_MAX_DATA; i++)
        if (pinned->tried[i] == memory)
            pinned->tried[i] = NULL;
    for (int i = 0; i < pinned->n; i++) {
        struct plb_pinned_buffer *b = &pinned->at[i];
        if (b->memory != memory)
            continue;
        plb_page_unlock(locks, b->ops, b->memory, b->bytes);
        *b = pinned->at[--pinned->n];
        return;
    }
}

void plb_pinned_remove(struct plb_pinned *pinned, struct plb_page_locks *locks)
{
    while (pinned->n > 0)
        plb_pinned_forget(pinned, locks, pinned->at[0].memory);
    free(pinned->at);
    pinned->at = NULL;
}
