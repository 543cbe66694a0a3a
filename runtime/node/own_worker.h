/* The worker of a node, made when its PUs are open: only then it is known what memory they have, and which
 * ones failed. */
#ifndef PLB_NODE_OWN_WORKER_H
#define PLB_NODE_OWN_WORKER_H

#include "core/worker/worker.h"
#include "node/pu/runner.h"

/* The sizes are those of the node's dataset; borrowed by the worker. To be freed with plb_worker_free. */
struct plb_worker *plb_own_worker_new(const struct plb_node_shared *shared, const struct plb_runner *runners,
                                      int n, const struct plb_sizes *sizes);

#endif
