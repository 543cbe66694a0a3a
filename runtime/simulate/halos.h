/* Halos that nobody has asked for (core/place/halos.h), over virtual links. */
#ifndef PLB_SIMULATE_HALOS_H
#define PLB_SIMULATE_HALOS_H

#include "simulate/network.h"

/* Rank 0 sends this FROM at `leaves`: PLB_EVENT_HALO comes when all data that it names is at its node, each
 * part from the node that has it. It never comes where one of these does not work. */
void plb_virtual_halo_send(struct plb_world *world, struct plb_network *network, struct plb_faults *faults,
                           const struct plb_message *from, double leaves);

#endif
