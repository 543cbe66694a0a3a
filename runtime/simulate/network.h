/* The virtual network: when frames and data arrive, and which bytes wait for which.
 *
 * Messages that leave one node for another one in the same turn travel in one frame, as over MPI
 * (transport/frame.h). Each node has one link with two directions. Data crosses the sender's link and the
 * receiver's, and waits in each for what goes the same way. A frame occupies both too, but waits for no data:
 * packets interleave. Frames of one node to another arrive in the order in which they left, unless the
 * simulation delays them. Not thread-safe. */
#ifndef PLB_SIMULATE_NETWORK_H
#define PLB_SIMULATE_NETWORK_H

#include "simulate/faults.h"

struct plb_network;

struct plb_network *plb_network_new(struct plb_world *world, struct plb_faults *faults);
void plb_network_free(struct plb_network *net);

/* Tells the watch of a message when it is said. It may leave later. */
void plb_network_tell(const struct plb_network *net, const struct plb_message *message);

/* Puts a copy of a message into the frame for its receiver. All that is put until the next flush has the
 * same sender. */
void plb_network_put(struct plb_network *net, const struct plb_message *message);

/* The frames leave from this time on, the sender's thread needing so many seconds for each; none for that to
 * itself, which is the last. PLB_EVENT_ARRIVE comes for each. Returns how many went to other nodes. */
int plb_network_flush(struct plb_network *net, double leaves, double frame_s);

/* A message leaves in a frame of its own, followed by its data, in bytes: PLB_EVENT_ARRIVE comes when all of
 * it is there. The frames being filled stay. */
void plb_network_send(struct plb_network *net, const struct plb_message *message, double leaves,
                      double bytes);

/* When the last frame from rank 0 to a node left. */
double plb_network_left(const struct plb_network *net, int to);

/* The time at which data that leaves at `leaves` is there. */
double plb_network_transfer(struct plb_network *net, int from, int to, double leaves, double bytes);

/* The frame that an event of PLB_EVENT_ARRIVE names has arrived, or is lost. Returns its sender. */
int plb_network_open(struct plb_network *net, int frame);

/* The next message of an open frame that was not lost, or NULL. *at: the frame's number at first. It lasts
 * until the frame is released. */
const struct plb_message *plb_network_next(const struct plb_network *net, int *at);
void plb_network_release(struct plb_network *net, int frame);

#endif
