/* Parts of replicated buffers that `next` has changed, where the rest of the buffer is as it was.
 *
 * They travel as one packet: how many parts there are, which ones, and then their bytes. So thousands of
 * small parts cost no more messages than one large part.
 *
 * Cost: rank 0 copies the parts into the packet, and each rank copies them out of it. A core does that 8
 * times as fast as a network of 10 Gbit/s brings them. A buffer of which more than half has changed travels
 * as a whole.
 * Weak at: hundreds of thousands of parts that are told in no order. */
#ifndef PLB_APP_PARTS_H
#define PLB_APP_PARTS_H

#include "base/rangeset.h"
#include "core/message/message.h"
#include "plb/kernel.h"

#define PLB_PARTS_BUFFERS 32 /* at most */

/* A zeroed struct has none. */
struct plb_parts {
    int64_t buffers;                           /* mask of those with parts */
    struct plb_rangeset at[PLB_PARTS_BUFFERS]; /* by buffer, in bytes */
};

void plb_parts_fini(struct plb_parts *parts);
void plb_parts_clear(struct plb_parts *parts); /* keeps the memory */
void plb_parts_add(struct plb_parts *parts, int buffer, struct plb_range bytes);

/* Forgets the parts of these buffers. */
void plb_parts_drop(struct plb_parts *parts, int64_t buffers);

/* Makes one part of parts that are near each other. */
void plb_parts_close(struct plb_parts *parts);

/* The range from the part *k of a buffer on, as one with those behind it that are at most `near` bytes apart.
 * Counts *k on to the first one that is not in it. */
struct plb_range plb_parts_next(const struct plb_rangeset *parts, int64_t near, int *k);

/* Takes over all parts, and leaves none. */
void plb_parts_take(struct plb_parts *parts, struct plb_parts *from);

/* For a PU that copies replicated buffers: those of the mask `stale` are still to be copied, and only `parts`
 * of some of these. A pass begins with the parts `changed`, of those buffers that its PASS says. Adds what
 * is to be copied now. Returns which buffers have changed. */
int64_t plb_parts_begin_pass(struct plb_parts *parts, int64_t stale, const struct plb_pass *begin,
                             const struct plb_parts *changed);

/* The bytes of their packet, and writing it. host[i] is buffer i. 0: there are no parts. */
size_t plb_parts_packet(const struct plb_parts *parts);
void plb_parts_pack(const struct plb_parts *parts, void *const *host, char *packet);

/* Writes the contents of a packet to the buffers, and says which parts these were. False where that cannot be
 * a packet with parts of the replicated buffers of the mask, which data[i] describe: then nothing was
 * written. */
bool plb_parts_unpack(struct plb_parts *parts, int64_t buffers, const struct plb_data *data,
                      void *const *host, const char *packet, size_t bytes);

#endif
