/* Broadcasts of buffers, and those that are sent again. */
#include "inputs/data_mpi.h"

#include <stdlib.h>
#include <string.h>

#include "app/fold_tree.h"
#include "app/reduce.h"
#include "base/lease.h"
#include "base/mapped.h"
#include "base/memory.h"
#include "inputs/host_copy.h"

/* Bytes from which on ranks of a host share a buffer. Larger: more memory for copies. Smaller: more calls at
 * the start, for memory that nobody misses. A page may be 2 MB. */
#define SHARED ((size_t)1 << 20)

/* Sends the neutral elements of the kernel's own fold. Rank 0's pointer means nothing elsewhere. */
static void share_neutral(struct plb_dataset *set, int i, struct plb_mpi *mpi)
{
    struct plb_data *d = &set->at[i];
    bool given = d->mode == PLB_REDUCE && d->op == PLB_OWN_FOLD && d->neutral != NULL;
    set->neutral[i] = given && !set->on_rank0 ? plb_alloc(d->bytes) : NULL;
    if (!set->on_rank0)
        d->neutral = set->neutral[i];
    if (given)
        plb_mpi_broadcast(mpi, set->on_rank0 ? (void *)d->neutral : set->neutral[i], d->bytes);
}

void plb_dataset_share(struct plb_dataset *set, const struct plb_app *app, const struct plb_kernel *kernel,
                       struct plb_mpi *mpi)
{
    if (app != NULL)
        plb_dataset_describe(set, app);
    plb_mpi_broadcast(mpi, set, sizeof *set);
    set->on_rank0 = app != NULL;
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

static bool is_offsets(const struct plb_dataset *set, int buffer)
{
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_PARTITION_INDEXED && set->at[i].offsets == buffer)
            return true;
    return false;
}

/* Sends a buffer to all ranks; to the first of each host, where its ranks can share it. */
static void share_buffer(struct plb_dataset *set, int i, struct plb_mpi *mpi)
{
    size_t bytes = set->at[i].bytes;
    void *copy = NULL;
    bool shared = bytes >= SHARED && !is_offsets(set, i) && !plb_mpi_has_joined(mpi);
    if (shared)
        copy = plb_host_copy_new(bytes, mpi, &shared);
    if (!set->on_rank0)
        set->host[i] = shared ? copy : plb_alloc_unset(bytes);
    if (!shared) {
        plb_mpi_broadcast(mpi, set->host[i], bytes);
        return;
    }
    plb_mpi_broadcast_hosts(mpi, set->host[i], bytes);
    set->mapped[i] = set->on_rank0 ? 0 : bytes;
    if (!set->on_rank0)
        plb_host_copy_seal(copy, bytes);
}

void plb_dataset_share_data(struct plb_dataset *set, struct plb_mpi *mpi)
{
    for (int i = 0; i < set->n; i++) {
        const struct plb_data *d = &set->at[i];
        if (d->mode != PLB_REPLICATE || (set->whole & PLB_BUFFER(i)) != 0)
            continue;
        share_buffer(set, i, mpi);
    }
    if (set->on_rank0)
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
        plb_dataset_bytes(set, i, plb_dataset_around(set, i, (struct plb_range){0, 1}), &offset, &bytes);
        bool made = plb_data_is_partitioned(d) || d->mode == PLB_REDUCE;
        if (!set->on_rank0 && made)
            set->first[i] = plb_alloc(bytes);
        if (plb_data_is_partitioned(d))
            plb_mpi_broadcast(mpi, set->on_rank0 ? (char *)set->host[i] + offset : set->first[i], bytes);
        else if (set->first[i] != NULL)
            plb_reduce_clear(d, set->first[i]);
    }
}

/* Memory that was a buffer of the dataset for the tasks of passes `from` to `until` - 1. */
struct plb_old_buffer {
    void *data;
    size_t mapped; /* bytes that ranks of the host share; 0: it is this rank's own */
    int from, until;
    struct plb_old_buffer *next;
};

bool plb_dataset_is_replaced(const struct plb_dataset *set, int i, int64_t mask)
{
    return set->at[i].mode == PLB_REPLICATE && (mask & ((int64_t)1 << i)) != 0;
}

/* Gives a buffer new memory, and keeps the old one for earlier passes. */
static void replace(struct plb_dataset *set, int i, int pass, struct plb_old_buffers *old)
{
    struct plb_old_buffer *o = plb_alloc(sizeof *o);
    *o = (struct plb_old_buffer){set->host[i], set->mapped[i], old->since[i], pass, old->first};
    old->first = o;
    set->mapped[i] = 0;
    old->since[i] = pass;
    set->host[i] = plb_alloc_unset(set->at[i].bytes);
}

void plb_dataset_send_to(const struct plb_dataset *set, int64_t mask, struct plb_mpi *mpi, int to,
                         int *pending)
{
    for (int i = 0; i < set->n; i++)
        if (plb_dataset_is_replaced(set, i, mask))
            plb_stream_put(mpi, to, set->host[i], set->at[i].bytes, pending);
}

void plb_dataset_renew(struct plb_dataset *set, const struct plb_pass *begin, int pass, bool busy,
                       int64_t abandoned, struct plb_old_buffers *old)
{
    for (int i = 0; i < set->n; i++) {
        void *before = set->host[i];
        bool moves = plb_dataset_is_replaced(set, i, begin->replaced);
        if (moves && (abandoned & PLB_BUFFER(i)) != 0) {
            plb_lease_for_ever(before);
            old->since[i] = pass;
            set->host[i] = plb_alloc_unset(set->at[i].bytes);
        } else if (moves && (busy || set->mapped[i] > 0)) { /* another rank may read it still */
            replace(set, i, pass, old);
        }
        if (set->host[i] != before && (begin->parts & PLB_BUFFER(i)) != 0)
            memcpy(set->host[i], before, set->at[i].bytes);
    }
}

void plb_dataset_stream(const struct plb_dataset *set, int64_t mask, struct plb_stream *stream)
{
    for (int i = 0; i < set->n; i++)
        if (plb_dataset_is_replaced(set, i, mask))
            plb_stream_add(stream, set->host[i], set->at[i].bytes);
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
        if (o->mapped > 0)
            plb_unmap(o->data, o->mapped);
        else
            free(o->data);
        free(o);
    }
}
