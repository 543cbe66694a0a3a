/* All that a daemon has (node/daemon.h), for its own files. */
#ifndef PLB_NODE_DAEMON_STATE_H
#define PLB_NODE_DAEMON_STATE_H

#include "node/transfers.h"
#include "node/pinned.h"
#include "node/pu/hung.h"

struct plb_node {
    struct plb_node_shared shared;
    struct plb_runner *runners;
    int n_pus;
    struct plb_sizes sizes; /* of the job's data */
    bool awaiting;          /* another node's answer */
    bool stops, stopped;    /* no task runs any more; no thread does */
    bool left;              /* a PU was left in its task when the node stopped */
    struct plb_transfers transfers;
    struct plb_outbox reports;
    bool sends;       /* results are on their way to another rank */
    double collected; /* plb_now() when reports were last collected */
    struct plb_hung_watch watch;
};

/* Whether a task of a pass from `from` to `until` - 1 runs; hangs: also of a PU that was given up. Under the
 * lock. */
bool plb_node_has_task(const struct plb_node *node, int from, int until, bool hangs);

#endif
