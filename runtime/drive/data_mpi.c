/* Broadcasts of buffers. */
#include "drive/data_mpi.h"

#include "base/memory.h"

void plb_dataset_share(struct plb_dataset *set, const struct plb_app *app, struct plb_mpi *mpi)
{
    if (app != NULL)
        plb_dataset_describe(set, app);
    plb_mpi_broadcast(mpi, set, sizeof *set);
    set->owner = app != NULL;
    for (int i = 0; i < set->n; i++) {
        struct plb_data *d = &set->at[i];
        set->host[i] = app != NULL ? d->data : d->mode == PLB_REPLICATE ? plb_alloc(d->bytes) : NULL;
        if (app == NULL)
            d->name = ""; /* rank 0's pointers mean nothing here */
        if (d->mode == PLB_REDUCE && app != NULL)
            plb_reduce_clear(d, d->data);
        if (d->mode == PLB_REPLICATE)
            plb_mpi_broadcast(mpi, set->host[i], d->bytes);
    }
}

void plb_dataset_replace(struct plb_dataset *set, int64_t mask, struct plb_mpi *mpi)
{
    for (int i = 0; i < set->n; i++) {
        if (set->at[i].mode == PLB_REPLICATE && (mask & ((int64_t)1 << i)) != 0)
            plb_mpi_broadcast(mpi, set->host[i], set->at[i].bytes);
        if (set->owner && set->at[i].mode == PLB_REDUCE)
            plb_reduce_clear(&set->at[i], set->host[i]);
    }
}
