/* Piece by piece. */
#include "node/pu/device_copies.h"

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
