/* A look at each buffer. */
#include "node/pinned.h"

#include <stdint.h>

#define PAGE 4096 /* bytes; pages are what a device can lock */

/* Whether devices copy from this buffer, or to it, more than once, and the whole buffer is on this rank. */
static bool is_copied(const struct plb_dataset *set, int i, const struct plb_kernel *kernel)
{
    const struct plb_data *d = &set->at[i];
    if (d->mode == PLB_REPLICATE)
        return kernel->next != NULL && set->file[i] == 0 && set->mapped[i] == 0; /* it is read once */
    /* Locked pages of a file take memory for it, and read-only ones of rank 0 cannot be locked. */
    return plb_dataset_in_place(set, i) && set->file[i] == 0 && set->mapped[i] == 0;
}

void plb_pinned_offer(const struct plb_runner *r)
{
    const struct plb_dataset *set = r->shared->config.data;
    /* A driver may keep pages that are locked from children: isolated tasks would find no inputs. */
    bool pins = r->opened && r->err.status == PLB_OK && r->pu.driver->ops.pin != NULL
             && !r->shared->config.isolate;
    size_t offset, bytes;
    if (!pins)
        return;
    for (int i = 0; i < set->n; i++) {
        if (!is_copied(set, i, r->shared->config.kernel))
            continue;
        plb_dataset_bytes(set, i, (struct plb_range){0, set->units}, &offset, &bytes);
        if ((uintptr_t)set->host[i] % PAGE == 0 && bytes > 0)
            plb_page_offer(&r->shared->locks, set->host[i], bytes);
    }
}
