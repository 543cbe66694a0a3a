/* Results that this rank writes to their files itself, before its DONE says that they are there. */
#ifndef PLB_NODE_PU_STORE_H
#define PLB_NODE_PU_STORE_H

#include "node/pu/slot.h"
#include "node/pu/running.h"
#include "node/pu/shared.h"

/* Writes the outputs of a task that has ended well, and notes it in its slot. Outputs that cannot be
 * written are sent as others are. Where nobody wants them they may be anything, and stay here. threads: those
 * of the PU's thread that may copy. Returns the seconds that it took. By the PU's thread, without the node's
 * lock. */
double plb_store(struct plb_node_shared *shared, const struct plb_running *running,
                 const struct plb_flight *flight, int threads);

#endif
