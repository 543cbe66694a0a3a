/* Buffer by buffer, and their checksum. */
#include "inputs/inputs.h"

bool plb_inputs_send(struct plb_mpi *mpi, const struct plb_dataset *set, const struct plb_message *pull,
                     bool checksums, int *pending, struct plb_outbox *out)
{
    const struct plb_pull *p = &pull->pull;
    void *parts[PLB_MAX_DATA];
    if (p->range.first + p->range.count > set->units || p->slot >= PLB_TAGS
        || (p->buffers & ~plb_dataset_inputs(set)) != 0)
        return false;
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        struct plb_range units = p->halo ? plb_dataset_around(set, i, p->range) : p->range;
        plb_dataset_bytes(set, i, units, &offset, &bytes);
        parts[i] = (char *)set->host[i] + offset;
        if (p->buffers & PLB_BUFFER(i))
            plb_mpi_put(mpi, pull->from, (int)p->slot, parts[i], bytes, pending);
    }
    if (checksums)
        plb_outbox_add(out, PLB_CHECKSUM, 0, pull->from, pull->pass)->sum = (struct plb_sum){
            p->range, p->slot, plb_dataset_sum(set, p->range, p->halo, parts, p->buffers)};
    return true;
}
