/* Copies of replicated buffers, or of what has changed of them. */
#include "node/pu/resident.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Bytes between two parts up to which one copy brings both to the device. Larger: bytes are copied that have
 * not changed. Smaller: more copies. One takes about 5 us to start, as long as so many bytes over PCIe 4. */
#define NEAR ((int64_t)64 << 10)

void plb_resident_follow(struct plb_executor *e, struct plb_parts *parts)
{
    memcpy(e->host, e->set->host, sizeof e->host);
    plb_parts_take(&e->parts, parts);
}

/* Copies a replicated buffer to the device, or those parts of it that have changed. */
static int copy_resident(struct plb_executor *e, int i)
{
    const struct plb_rangeset *parts = &e->parts.at[i];
    int status = 0;
    plb_copies_lock(&e->copies, e->host[i], e->set->at[i].bytes);
    if ((e->parts.buffers & PLB_BUFFER(i)) == 0)
        return plb_copy_in(&e->copies, 0, e->resident[i], e->host[i], e->set->at[i].bytes);
    for (int k = 0; k < parts->n && status == 0;) {
        struct plb_range part = plb_parts_next(parts, NEAR, &k);
        status = plb_copy_in(&e->copies, 0, (char *)e->resident[i] + part.first,
                             (const char *)e->host[i] + part.first, (size_t)part.count);
    }
    return status;
}

int plb_resident_update(struct plb_executor *e, int64_t mask, struct plb_error *err)
{
    plb_uploaded_forget(&e->uploaded, mask);
    for (int i = 0; i < e->set->n && !e->on_host; i++) {
        size_t bytes = e->set->at[i].bytes;
        if (e->set->at[i].mode != PLB_REPLICATE || !(mask & ((int64_t)1 << i)))
            continue;
        if (e->resident[i] == NULL)
            e->resident[i] = e->ops->alloc(e->device, bytes);
        if (e->resident[i] == NULL)
            return plb_fail(err, PLB_EFAILED, "no device memory for the %zu bytes of a replicated buffer",
                            bytes);
        if (copy_resident(e, i) != 0)
            return plb_fail(err, PLB_EFAILED, "copying %zu bytes to the device failed: %s", bytes,
                            plb_executor_failure(e));
    }
    if (e->ops->wait(e->device, 0, NULL) != 0)
        return plb_fail(err, PLB_EFAILED, "copying to the device failed: %s", plb_executor_failure(e));
    return PLB_OK;
}

static int sync(const struct plb_executor *e, int lane)
{
    return e->ops->sync != NULL ? e->ops->sync(e->device, lane) : 0;
}

/* Bytes that are compared at a time. Larger: more host memory. Smaller: more copies that wait. */
#define PIECE ((size_t)4 << 20)

/* Compares an input on the device with what the host has. piece: memory for a part of it. */
static int compare(struct plb_executor *e, int lane, int i, const char *device, const char *host,
                   size_t bytes, char *piece)
{
    int status = 0;
    for (size_t at = 0; at < bytes && status == 0; at += PIECE) {
        size_t n = bytes - at < PIECE ? bytes - at : PIECE;
        status = e->ops->copy_out(e->device, lane, piece, device + at, n);
        status = status == 0 ? sync(e, lane) : status;
        if (status != 0 || memcmp(piece, host + at, n) == 0)
            continue;
        snprintf(e->why, sizeof e->why, "it changed its buffer %d, which is an input and read-only%s", i,
                 e->set->at[i].mode == PLB_REPLICATE ? "" : ", or `next` did: try plbrun --check");
        status = 1;
    }
    return status;
}

/* Looks at the inputs of a lane's task that later tasks read, too. */
static int check(struct plb_executor *e, int lane)
{
    const int32_t *cancelled = e->isolated.child != NULL ? plb_isolated_cancelled(&e->isolated, lane)
                                                         : &e->cancelled[lane];
    int status = e->guards_inputs && !e->on_host ? sync(e, lane) : 0;
    if (!e->guards_inputs || e->on_host || __atomic_load_n(cancelled, __ATOMIC_RELAXED) != 0)
        return status;
    char *piece = plb_alloc_unset(PIECE);
    for (int i = 0; i < e->set->n && status == 0; i++) {
        const struct plb_uploaded_input *in = &e->uploaded.at[i];
        size_t offset, bytes;
        plb_dataset_bytes(e->set, i, in->read[lane], &offset, &bytes);
        if (e->set->at[i].mode == PLB_REPLICATE)
            status = compare(e, lane, i, e->resident[i], e->host[i], bytes, piece);
        else if (in->read[lane].count > 0)
            status = compare(e, lane, i, plb_uploaded_place(&e->uploaded, e->set, i, in->read[lane].first),
                             in->host[lane], bytes, piece);
    }
    sync(e, lane); /* nothing is copied to the piece any more, not even where a copy has failed */
    free(piece);
    return status;
}

int plb_resident_wait(struct plb_executor *e, int lane, struct plb_device_times *times)
{
    int checked = check(e, lane), status = plb_executor_wait(e, lane, times);
    return status != 0 ? status : checked;
}
