/* Inputs that go to a node over virtual links: those that it asks for, and halos that come unasked
 * (core/place/halos.h). Each part comes from the node that has it. */
#ifndef PLB_SIMULATE_FETCHES_H
#define PLB_SIMULATE_FETCHES_H

#include "simulate/network.h"

/* The time at which all inputs that a FETCH names are at its node. Infinite: one that has some does not work.
 * message_s: seconds of rank 0 for a message in a frame of its own; *busy: those in which it is busy from
 * now on. */
double plb_virtual_fetch(struct plb_world *world, struct plb_network *network, struct plb_faults *faults,
                         const struct plb_master *master, const struct plb_message *fetch, double message_s,
                         double *busy);

/* Rank 0 sends this FROM at `leaves`: PLB_EVENT_HALO comes when all data that it names is at its node. It
 * never comes where one that has some does not work. */
void plb_virtual_halo_send(struct plb_world *world, struct plb_network *network, struct plb_faults *faults,
                           const struct plb_message *from, double leaves);

#endif
