/* Halos that come unasked (core/place/halos.h).
 *
 * A FROM says which parts come. Each goes to its place in the mirror, where tasks wait for it as for inputs
 * that another task pulls. A part that finds no place there is received beside it, and dropped: its task asks
 * for it. All that is named is received, so that nothing is left that a later FROM would get.
 *
 * A lost sender may write its part late. Nobody uses that place any more (base/lease.h); the pass is given
 * up. Communication thread only. */
#ifndef PLB_NODE_MEMORY_UNASKED_H
#define PLB_NODE_MEMORY_UNASKED_H

#include "node/memory/mirror.h"
#include "node/memory/node_config.h"

/* A zeroed struct is empty. */
struct plb_unasked {
    struct plb_halo_parts *first; /* on their way */
};

void plb_unasked_fini(struct plb_unasked *unasked); /* nothing is on its way */

/* FROM under PLB_HALO_SLOT: begins to receive all that it names. False: it names what cannot come. */
bool plb_unasked_hear(struct plb_unasked *unasked, const struct plb_node_config *config,
                      struct plb_mirror *mirror, const struct plb_message *from);

/* Looks which parts have come. True where a task may be ready by that. */
bool plb_unasked_settle(struct plb_unasked *unasked, const struct plb_wire *wire, struct plb_mirror *mirror);

/* Adds the units whose places are written still. */
void plb_unasked_under_way(const struct plb_unasked *unasked, struct plb_rangeset *units);

#endif
