/* Buffer by buffer, and their checksum. */
#include "inputs/inputs.h"

bool plb_inputs_are_sensible(const struct plb_dataset *set, const struct plb_fetch *f)
{
    return plb_range_end(f->range) <= set->units && f->slot < PLB_FETCH_SLOT
        && (f->buffers & ~plb_dataset_inputs(set)) == 0;
}

uint32_t plb_inputs_send(struct plb_mpi *mpi, const struct plb_dataset *set, const struct plb_fetch *f,
                         int64_t buffers, bool checksum, int *pending)
{
    void *parts[PLB_MAX_DATA];
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        struct plb_range units = f->halo ? plb_dataset_around(set, i, f->range) : f->range;
        plb_dataset_bytes(set, i, units, &offset, &bytes);
        parts[i] = (char *)set->host[i] + offset;
        if (buffers & PLB_BUFFER(i))
            plb_mpi_put(mpi, f->to, (int)f->slot, parts[i], bytes, pending);
    }
    return checksum ? plb_dataset_sum(set, f->range, f->halo != 0, parts, buffers) : 0;
}
