/* The daemon of one rank: a worker, its devices with a thread each, and the data in flight.
 *
 * One thread, the communication thread, makes every call below. A PU's thread
 * takes its next task itself where the data is at hand, under the node's lock; where inputs are
 * pulled or results sent, the communication thread takes it, a task or two ahead, into a slot. */
#ifndef PLB_NODE_DAEMON_H
#define PLB_NODE_DAEMON_H

#include "core/cost.h"
#include "core/message.h"
#include "core/migration.h"
#include "device/driver.h"
#include "report/trace.h"
#include "job/dataset.h"

struct plb_node;

struct plb_node_pu {
    const struct plb_device_driver *driver;
    struct plb_device_pu device;
    struct plb_pu_info info;    /* plb_node_start fills in `cores`, and `memory` where the device tells it */
};

/* How data travels between this node and rank 0. Both calls start a transfer, raise the counter, and lower it once
 * the transfer has ended: buffer and counter must stay valid until then. The tag is the slot's number. */
struct plb_wire {
    void *context;
    void (*get)(void *context, int tag, void *data, size_t bytes, int *pending);       /* from rank 0 */
    void (*put)(void *context, int tag, const void *data, size_t bytes, int *pending); /* to rank 0 */
};

struct plb_node_config {
    int rank;
    const struct plb_kernel *kernel;
    const struct plb_dataset *data;
    struct plb_wire wire;
    struct plb_migration migration;
    int n_nodes;
    const struct plb_cost_map *maps; /* one per phase, as on rank 0; borrowed */
    bool trace;
    bool warm_up;               /* the PUs, before the run; where nothing is computed they need not be */
    double clock;               /* to add to plb_now() for the run's clock */
};

/* Opens the devices and makes replicated data resident on them. PLB_OK, or PLB_EFAILED and a
 * sentence. The PUs are copied. */
int plb_node_start(const struct plb_node_config *config, struct plb_node_pu *pus, int n_pus,
                   struct plb_node **node, struct plb_error *err);

/* A pass of a phase begins; the PUs fetch the replicated buffers of the mask again. A task of an
 * earlier pass that a PU still runs or holds is forgotten. */
void plb_node_pass(struct plb_node *node, int pass, int phase, int64_t replaced);

/* A BLOCK, EMPTY, STEAL or GIFT has arrived. A STEAL is answered into `out` at once, whatever the PUs do. */
void plb_node_receive(struct plb_node *node, const struct plb_message *message, struct plb_outbox *out);

/* Does what can be done: asks for inputs, hands tasks to PUs, sends results. Messages for the master
 * go to `out`. True where anything happened. */
bool plb_node_step(struct plb_node *node, struct plb_outbox *out);

/* How soon this node should look for messages: it waits for an answer, others may ask it, or neither. */
enum plb_node_attention { PLB_CALM, PLB_ASKED_FOR, PLB_AWAITING };
enum plb_node_attention plb_node_attention(struct plb_node *node);

/* Sleeps until a PU has finished something or the seconds are over. */
void plb_node_wait(struct plb_node *node, double seconds);

/* Rank 0: the results in a slot that its own DONE named, and giving the slot back. */
void *plb_node_result(struct plb_node *node, int slot, int data);
void plb_node_release(struct plb_node *node, int slot);

/* No new task starts; returns when the running ones have ended. plb_node_step may still be called to
 * let transfers end. */
void plb_node_stop(struct plb_node *node);
void plb_node_collect_trace(const struct plb_node *node, struct plb_trace *trace);
void plb_node_free(struct plb_node *node);

#endif
