/* Broadcasts of buffers. */
#include "drive/data_mpi.h"

#include <stdlib.h>

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

/* Memory that was a buffer of the dataset for the tasks of passes `from` to `until` - 1. */
struct plb_old_buffer {
    void *data;
    int from, until;
    struct plb_old_buffer *next;
};

static bool is_offsets(const struct plb_dataset *set, int buffer)
{
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_PARTITION_INDEXED && set->at[i].offsets == buffer)
            return true;
    return false;
}

/* Gives a buffer new memory, and keeps the old one. */
static void renew(struct plb_dataset *set, int i, int pass, struct plb_old_buffers *old)
{
    struct plb_old_buffer *o = plb_alloc(sizeof *o);
    *o = (struct plb_old_buffer){set->host[i], old->since[i], pass, old->first};
    old->first = o;
    old->since[i] = pass;
    set->host[i] = plb_alloc(set->at[i].bytes);
}

void plb_dataset_replace(struct plb_dataset *set, int64_t mask, int pass, bool busy,
                         struct plb_old_buffers *old, struct plb_mpi *mpi)
{
    for (int i = 0; i < set->n; i++) {
        bool replaced = set->at[i].mode == PLB_REPLICATE && (mask & ((int64_t)1 << i)) != 0;
        if (replaced && busy && !set->owner && !is_offsets(set, i))
            renew(set, i, pass, old);
        if (replaced)
            plb_mpi_broadcast(mpi, set->host[i], set->at[i].bytes);
        if (set->owner && set->at[i].mode == PLB_REDUCE)
            plb_reduce_clear(&set->at[i], set->host[i]);
    }
}

void plb_old_buffers_free(struct plb_old_buffers *old, bool (*works)(void *context, int from, int until),
                          void *context)
{
    for (struct plb_old_buffer **at = &old->first; *at != NULL;) {
        struct plb_old_buffer *o = *at;
        if (works != NULL && works(context, o->from, o->until)) {
            at = &o->next;
            continue;
        }
        *at = o->next;
        free(o->data);
        free(o);
    }
}
