/* The start of a node takes this: its PUs, the job, and the way to rank 0. */
#ifndef PLB_NODE_MEMORY_NODE_CONFIG_H
#define PLB_NODE_MEMORY_NODE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "app/dataset.h"
#include "core/message/message.h"
#include "core/work/cost.h"
#include "core/work/migration.h"
#include "device/driver.h"
#include "host/topology.h"

/* One PU of a node. */
struct plb_node_pu {
    const struct plb_device_driver *driver;
    struct plb_device_pu device;
    bool bound; /* the PU's thread is bound to `cores` */
    struct plb_cores cores;
    struct plb_pu_info info; /* plb_node_start fills in `cores`, `start_s`, and `memory` where it is told */
};

/* How data travels between this node and another one, rank 0 as a rule. The calls start a transfer and raise
 * the counter. They lower it when the transfer has ended: buffer and counter stay valid until then. The tag
 * is the slot's number. Nothing comes from a lost rank: transfers from it and to it count as ended. The
 * communication thread makes the calls, without the node's lock but for is_lost. */
struct plb_wire {
    void *context;
    void (*get)(void *context, int from, int tag, void *data, size_t bytes, int *pending);
    void (*put)(void *context, int to, int tag, const void *data, size_t bytes, int *pending);
    bool (*is_lost)(void *context, int rank);
};

struct plb_node_config {
    int rank, n_nodes;
    const struct plb_kernel *kernel;
    const struct plb_dataset *data; /* borrowed */
    const struct plb_parts *parts;  /* of the buffers that a PASS says; borrowed. NULL: there are never any */
    struct plb_wire wire;
    struct plb_migration migration;
    double until;                    /* plb_now() after which no task goes on; infinite: nobody limits it */
    double hung_after;               /* seconds after which a task may be late; 0: none is */
    double grain;                    /* units per task at most, as the user wants it; 0: no wish */
    double lockable;                 /* bytes of host memory that the node may page-lock; 0: any */
    double mirror_bytes;             /* of inputs that the node keeps for later passes at most */
    double stay_bytes;               /* of results that stay until the last pass has ended at most */
    double pulled_bytes;             /* a task whose data is pulled moves about this much; 0: any */
    const struct plb_cost_map *maps; /* one per phase, as on rank 0; borrowed */
    bool trace;
    bool audits;        /* tasks may be executed again, to be compared */
    bool keeps_results; /* in the memory of a device, where they feed the next pass */
    bool checksums;     /* of inputs that are pulled, and of results that are sent */
    bool isolate;       /* tasks run in a child process, on PUs whose driver can do that */
    bool prepares;      /* memory for the units that it will probably execute (plb_homes_guess) */
    bool warm_up;       /* call the entry before the first pass: the inputs of unit 0 are here */
    double clock;       /* to add to plb_now() for the run's clock */
};

#endif
