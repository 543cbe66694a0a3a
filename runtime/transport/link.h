/* A connection between rank 0 and a rank that joins later: frames and data over one TCP socket.
 *
 * MPI can join two jobs on some systems only, and cannot be left in order after the loss of one of them
 * (docs/guide/clusters.md). A socket is there everywhere, and its end is noticed at once. Items of one tag
 * arrive in their order. Data that nobody awaits yet is kept. Nothing blocks. Communication thread only. */
#ifndef PLB_TRANSPORT_LINK_H
#define PLB_TRANSPORT_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "transport/coming.h"

struct plb_link;

/* Over a connected socket, which becomes the link's. */
struct plb_link *plb_link_new(int socket);
void plb_link_free(struct plb_link *link);

/* Sends data under a tag, 0 or more; or a frame, which the link frees. *pending (NULL: none) is raised, and
 * lowered when the data was sent; until then it stays valid. */
void plb_link_put(struct plb_link *link, int tag, const void *data, size_t bytes, int *pending);
void plb_link_put_frame(struct plb_link *link, void *frame, size_t bytes);

/* Receives data under a tag into memory of its size; counters as above. */
void plb_link_get(struct plb_link *link, int tag, void *data, size_t bytes, int *pending);

/* The next frame that has arrived, at most `room` bytes of it; 0: there is none. */
size_t plb_link_frame(struct plb_link *link, void *frame, size_t room);

/* Sends and receives what it can; true where something moved. */
bool plb_link_progress(struct plb_link *link);

/* The other side has ended, or has sent what is no data: nothing moves any more. */
bool plb_link_broken(const struct plb_link *link);

/* Whether data is being sent or awaited; and whether something is still to be sent, frames included. */
bool plb_link_busy(const struct plb_link *link);
bool plb_link_sends(const struct plb_link *link);

/* Data on its way to here. `arrived` begins anew. */
struct plb_coming plb_link_coming(struct plb_link *link);

/* Nothing is sent or awaited any more: counters are lowered, and the socket is closed. */
void plb_link_close(struct plb_link *link);

#endif
