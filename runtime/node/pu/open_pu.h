/* Opening a PU: its thread is bound, its device opened, and the replicated data copied to it. */
#ifndef PLB_NODE_PU_OPEN_PU_H
#define PLB_NODE_PU_OPEN_PU_H

#include "node/memory/node_config.h"
#include "node/pu/executor.h"

/* Called by the PU's thread. Fills in the PU's cores, memory and start_s. False where the device could not be
 * opened. *err says what failed, also where the device is open and is to be closed. */
bool plb_pu_open(struct plb_executor *executor, struct plb_node_pu *pu, const struct plb_node_config *config,
                 struct plb_error *err);

#endif
