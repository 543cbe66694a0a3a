/* The daemon of one rank: its worker, its PUs with a thread each, and the data in flight.
 *
 * One thread, the communication thread, makes every call below. A PU's thread takes its next task itself
 * where all data is on this node. Where inputs are pulled or results sent, the communication thread takes it,
 * a task or two ahead, into a slot (node/pu/slot.h). */
#ifndef PLB_NODE_DAEMON_H
#define PLB_NODE_DAEMON_H

#include "core/worker/queue.h"
#include "node/memory/node_config.h"
#include "report/trace.h"

struct plb_node;

/* Opens the devices and copies the replicated data to them. One that cannot be opened is left out, with a
 * warning. PLB_OK, or PLB_EFAILED and a sentence; *node is to be freed in both cases. The PUs are copied. */
int plb_node_start(const struct plb_node_config *config, struct plb_node_pu *pus, int n_pus,
                   struct plb_node **started, struct plb_error *err);

/* The one receiver of messages to this node: PASS, BLOCK, BACKUP, AUDIT, CANCEL, EMPTY, RECALL, STEAL, GIFT,
 * STOP, FETCH, FROM, COUNTED, TAKEN, HAND, ARRAYS and DROP. A STEAL is answered into `out` at once,
 * whatever the PUs do. With CANCEL, obsolete tasks are forgotten. With PASS, what belongs to
 * earlier passes is forgotten, and the PUs copy the replaced buffers again. False where it was dropped, as
 * plb_worker_receive does. */
bool plb_node_receive(struct plb_node *node, const struct plb_message *message, struct plb_outbox *out);

/* Does what can be done: asks for inputs, hands tasks to PUs, sends results. Messages for the master
 * go to `out`. True where anything happened. */
bool plb_node_step(struct plb_node *node, struct plb_outbox *out);

/* Wakes the PUs that have something to do by now. They often take the core at once, so what others wait for
 * is sent before. plb_node_wait does it, too, and plb_node_step where `out` is empty. */
void plb_node_wake_pus(struct plb_node *node);

/* How soon this node should look for messages: no one expects it to; other nodes may ask it for work; it
 * waits for another node's answer. */
enum plb_node_attention { PLB_CALM, PLB_ASKED_FOR, PLB_AWAITING };

struct plb_node_outlook {
    enum plb_node_attention attention;
    bool idle;     /* no PU has a task, or may take one: all wait for messages */
    bool computes; /* each PU has, and one of them computes on cores of the host */
    double until;  /* plb_now() until which nobody should want anything of the node, since all PUs of the run
                      execute their shares; 0: that is not known */
};
struct plb_node_outlook plb_node_outlook(struct plb_node *node);

/* The cores that the threads of its PUs are bound to, together. False: one of them is bound to none. */
bool plb_node_cores(const struct plb_node *node, struct plb_cores *cores);

/* Sleeps until a PU has finished something or the seconds are over. */
void plb_node_wait(struct plb_node *node, double seconds);

/* Results that are in the memory of devices alone (node/memory/device_results.h). PASS and COUNTED change
 * what is there. Rank 0 calls it for its own node as a pass begins, before it sends inputs to others. */
void plb_node_hear(struct plb_node *node, const struct plb_message *message);

/* Bytes that a PU's device has copied to the host until now. Its thread has ended. */
int64_t plb_node_copied_out(const struct plb_node *node, int pu);

/* Rank 0: inputs of these units, or results of one of its PUs, are in its memory from now on. False: some are
 * lost. */
bool plb_node_bring_input(struct plb_node *node, int input, struct plb_range units);
bool plb_node_bring_results(struct plb_node *node, int pu, int64_t outputs, struct plb_range units);

/* Rank 0: the results in a slot that a DONE of its own node named, and giving the slot back. NULL: the result
 * is in its place. */
void *plb_node_result(struct plb_node *node, int slot, int data);
void *plb_node_records(struct plb_node *node, int slot); /* as many bytes as its DONE says */
void plb_node_release(struct plb_node *node, int slot);

/* Rank 0: several PUs of the run may execute the same units of this pass from now on. So no task that is
 * still to start writes outputs in place. */
void plb_node_double(struct plb_node *node);

/* Rank 0: whether a task that began before still writes outputs of these units in place. done: another result
 * of them is complete and will be accepted, so that tasks of these units alone are obsolete. */
bool plb_node_writes(struct plb_node *node, struct plb_range range, bool done);

/* The task of a PU that has these units, or some more, after a crash in it. False: there is none, or the
 * node's lock was not to be had. */
bool plb_node_last_task(struct plb_node *node, int pu, struct plb_range range, struct plb_slice *task);

/* No task starts until the next PASS. cancels: those that still run are cancelled, since the pass is over and
 * all results of it were accepted. */
void plb_node_rest(struct plb_node *node, bool cancels);

/* Whether a task of a pass from `from` to `until` - 1 still runs, also one that hangs. */
bool plb_node_works(struct plb_node *node, int from, int until);

/* The seconds for which each PU has had a task, until now. */
void plb_node_busy(struct plb_node *node, double *seconds);

/* Whether rank 0 is to say from where inputs come that were asked for. */
bool plb_node_awaits(const struct plb_node *node);

/* Whether nothing is to be waited for: no task runs but on PUs that were given up, since they hang. */
bool plb_node_may_end(struct plb_node *node);

/* The run is over. No new task starts, and those that run are cancelled. Returns when they have ended, or a
 * moment later: then a PU that hangs in one is left behind. False where threads of PUs still tidy up, as
 * kernels may for longer: to be called again. plb_node_step may still be called, so that transfers end. */
bool plb_node_stop(struct plb_node *node);

void plb_node_collect_trace(struct plb_node *node, struct plb_trace *trace);

/* A replicated buffer that was replaced is freed next; no task reads it. */
void plb_node_forget_buffer(struct plb_node *node, const void *memory);

/* False where plb_node_stop has left a PU behind. Then nothing is freed: the PU's thread may still use all
 * that the node, the dataset and the kernel have, and the process must end by _exit. */
bool plb_node_free(struct plb_node *node);

#endif
