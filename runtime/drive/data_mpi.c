/* Broadcasts of buffers, and those that are sent again. */
#include "drive/data_mpi.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "job/fold_tree.h"
#include "job/reduce.h"

/* The tag of buffer 0 where it is replaced; slots have the tags below. */
#define REPLACED_TAG PLB_TAGS

static_assert(REPLACED_TAG + PLB_MAX_DATA <= PLB_DATA_TAGS, "each buffer has a tag");

/* Sends the neutral elements of the kernel's own fold. Rank 0's pointer means nothing elsewhere. */
static void share_neutral(struct plb_dataset *set, int i, struct plb_mpi *mpi)
{
    struct plb_data *d = &set->at[i];
    bool given = d->mode == PLB_REDUCE && d->op == PLB_OWN_FOLD && d->neutral != NULL;
    set->neutral[i] = given && !set->owner ? plb_alloc(d->bytes) : NULL;
    if (!set->owner)
        d->neutral = set->neutral[i];
    if (given)
        plb_mpi_broadcast(mpi, set->owner ? (void *)d->neutral : set->neutral[i], d->bytes);
}

void plb_dataset_share(struct plb_dataset *set, const struct plb_app *app, const struct plb_kernel *kernel,
                       struct plb_mpi *mpi)
{
    if (app != NULL)
        plb_dataset_describe(set, app);
    plb_mpi_broadcast(mpi, set, sizeof *set);
    set->owner = app != NULL;
    set->kernel = kernel;
    set->whole = 0; /* to a rank that joins, rank 0 has told its own; so the next ones */
    set->stored = 0;
    set->tree = NULL;
    set->store = app != NULL ? set->store : NULL;
    for (int i = 0; i < set->n; i++) {
        struct plb_data *d = &set->at[i];
        set->host[i] = app != NULL ? d->data : NULL;
        if (app == NULL)
            d->name = ""; /* as the pointer of neutral elements */
        share_neutral(set, i, mpi);
        if (d->mode == PLB_REDUCE && app != NULL)
            plb_reduce_clear(d, d->data);
    }
}

void plb_dataset_share_data(struct plb_dataset *set, struct plb_mpi *mpi)
{
    for (int i = 0; i < set->n; i++) {
        const struct plb_data *d = &set->at[i];
        if (d->mode != PLB_REPLICATE || (set->whole & PLB_BUFFER(i)) != 0)
            continue;
        if (!set->owner)
            set->host[i] = plb_alloc(d->bytes);
        plb_mpi_broadcast(mpi, set->host[i], d->bytes);
    }
    if (set->owner)
        plb_dataset_make_tree(set);
}

void plb_dataset_tell(struct plb_dataset *set, struct plb_mpi *mpi)
{
    plb_mpi_broadcast(mpi, set, sizeof *set);
    for (int i = 0; i < set->n; i++)
        share_neutral(set, i, mpi);
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_REPLICATE)
            plb_mpi_broadcast(mpi, set->host[i], set->at[i].bytes);
}

void plb_dataset_share_first(struct plb_dataset *set, struct plb_mpi *mpi)
{
    for (int i = 0; i < set->n; i++) {
        const struct plb_data *d = &set->at[i];
        size_t offset, bytes;
        plb_dataset_bytes(set, i, (struct plb_range){0, 1}, &offset, &bytes);
        bool made = plb_data_is_input(d) || d->mode == PLB_REDUCE;
        if (!set->owner && made)
            set->first[i] = plb_alloc(bytes);
        if (plb_data_is_input(d))
            plb_mpi_broadcast(mpi, set->owner ? (char *)set->host[i] + offset : set->first[i], bytes);
        else if (set->first[i] != NULL)
            plb_reduce_clear(d, set->first[i]);
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

static bool is_replaced(const struct plb_dataset *set, int i, int64_t mask)
{
    return set->at[i].mode == PLB_REPLICATE && (mask & ((int64_t)1 << i)) != 0;
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

void plb_dataset_send(const struct plb_dataset *set, int64_t mask, struct plb_mpi *mpi, int *pending)
{
    for (int to = 1; to < plb_mpi_size(mpi); to++)
        plb_dataset_send_to(set, mask, mpi, to, pending);
}

void plb_dataset_send_to(const struct plb_dataset *set, int64_t mask, struct plb_mpi *mpi, int to,
                         int *pending)
{
    for (int i = 0; i < set->n; i++)
        if (is_replaced(set, i, mask))
            plb_mpi_put(mpi, to, REPLACED_TAG + i, set->host[i], set->at[i].bytes, pending);
}

void plb_dataset_receive(struct plb_dataset *set, int64_t mask, int pass, bool busy,
                         struct plb_old_buffers *old, struct plb_mpi *mpi, int *pending)
{
    for (int i = 0; i < set->n; i++) {
        if (!is_replaced(set, i, mask))
            continue;
        if (busy && !is_offsets(set, i))
            renew(set, i, pass, old);
        plb_mpi_get(mpi, 0, REPLACED_TAG + i, set->host[i], set->at[i].bytes, pending);
    }
}

void plb_dataset_clear(const struct plb_dataset *set)
{
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_REDUCE)
            plb_reduce_clear(&set->at[i], set->host[i]);
    if (set->tree != NULL)
        plb_fold_tree_clear(set->tree);
}

void plb_old_buffers_free(struct plb_old_buffers *old, const struct plb_buffer_reader *reader)
{
    for (struct plb_old_buffer **at = &old->first; *at != NULL;) {
        struct plb_old_buffer *o = *at;
        if (reader != NULL && reader->works(reader->context, o->from, o->until)) {
            at = &o->next;
            continue;
        }
        if (reader != NULL)
            reader->forget(reader->context, o->data);
        *at = o->next;
        free(o->data);
        free(o);
    }
}
