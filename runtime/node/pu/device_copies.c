/* Piece by piece. */
#include "node/pu/device_copies.h"

#include "base/clock.h"

void plb_copies_lock(struct plb_device_copies *c, const void *memory, size_t bytes)
{
    const double began = plb_now();
    plb_page_lock_offered(c->locks, c->ops, c->device, memory, bytes);
    c->locking_s += plb_now() - began;
}

void plb_copies_lock_task(struct plb_device_copies *c, const struct plb_dataset *set, void *const *host,
                          struct plb_range task, void *const *buffers)
{
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(set, i, plb_dataset_around(set, i, task), &offset, &bytes);
        if (set->at[i].mode != PLB_REPLICATE && (buffers == NULL || buffers[i] == NULL))
            plb_copies_lock(c, (char *)host[i] + offset, bytes);
    }
}

int plb_copy_in(struct plb_device_copies *c, int lane, void *to, const void *from_host, size_t bytes)
{
    size_t at = 0, piece;
    int status;
    c->in += (int64_t)bytes;
    do {
        piece = plb_page_piece(c->locks, (const char *)from_host + at, bytes - at);
        status = c->ops->copy_in(c->device, lane, (char *)to + at, (const char *)from_host + at, piece);
        at += piece;
    } while (at < bytes && status == 0);
    return status;
}

int plb_copy_out(struct plb_device_copies *c, int lane, void *to_host, const void *from, size_t bytes)
{
    size_t at = 0, piece;
    int status;
    c->out += (int64_t)bytes;
    do {
        piece = plb_page_piece(c->locks, (char *)to_host + at, bytes - at);
        status = c->ops->copy_out(c->device, lane, (char *)to_host + at, (const char *)from + at, piece);
        at += piece;
    } while (at < bytes && status == 0);
    return status;
}
