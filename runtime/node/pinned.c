/* Locking and unlocking pages through the devices. */
#include "node/pinned.h"

#define PAGE 4096 /* bytes; pages are what a device can lock */

void plb_pinned_add(struct plb_pinned *pinned, const struct plb_runner *r)
{
    const struct plb_dataset *set = r->shared->config.data;
    size_t offset, bytes;
    for (int i = 0; i < set->n && set->owner && r->pu.driver->ops.pin != NULL; i++) {
        bool split = plb_data_is_input(&set->at[i]) || set->at[i].mode == PLB_OUTPUT;
        bool whole_pages = (uintptr_t)set->host[i] % PAGE == 0;
        plb_dataset_bytes(set, i, (struct plb_range){0, set->units}, &offset, &bytes);
        if (!split || !whole_pages || bytes == 0 || pinned->at[i])
            continue;
        r->pu.driver->ops.pin(r->executor.device, set->host[i], bytes);
        pinned->at[i] = true;
    }
}

void plb_pinned_remove(struct plb_pinned *pinned, const struct plb_runner *r)
{
    for (int i = 0; i < PLB_MAX_DATA && r->pu.driver->ops.unpin != NULL; i++) {
        if (pinned->at[i])
            r->pu.driver->ops.unpin(r->shared->config.data->host[i]);
        pinned->at[i] = false;
    }
}
