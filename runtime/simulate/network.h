/* The virtual network: when messages and data arrive, and which bytes wait for which.
 *
 * Each node has one link with two directions. Data crosses the sender's link and the receiver's, and waits in
 * each for what goes the same way. A message occupies both too, but waits for nothing: packets interleave.
 * Not thread-safe. */
#ifndef PLB_SIMULATE_NETWORK_H
#define PLB_SIMULATE_NETWORK_H

#include "simulate/faults.h"

struct plb_network;

struct plb_network *plb_network_new(struct plb_world *world, struct plb_faults *faults);
void plb_network_free(struct plb_network *net);

/* A copy of the message leaves at this time, followed by its data, in bytes: PLB_EVENT_ARRIVE comes when all
 * of it is there. */
void plb_network_send(struct plb_network *net, const struct plb_message *message, double leaves,
                      double bytes);

/* The time at which data that leaves at `leaves` is there. */
double plb_network_transfer(struct plb_network *net, int from, int to, double leaves, double bytes);

/* The message that an event of PLB_EVENT_ARRIVE names, or NULL where it was lost. It lasts until it is
 * released. */
const struct plb_message *plb_network_message(struct plb_network *net, int number);
void plb_network_release(struct plb_network *net, int number);

#endif
