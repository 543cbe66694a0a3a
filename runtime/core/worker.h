/* The worker: the node's side of the protocol as a state machine. No I/O, no threads, no clock.
 *
 * It owns a queue per PU. A PU takes its next piece itself and says when it has finished it; the
 * worker turns that into DONE messages, merging neighbours that were finished before the last
 * report was collected.
 *
 * Once the master has nothing more to grant (EMPTY), work migrates, virtually: descriptors move, data
 * does not. A PU whose queue is empty takes from the back of another PU's on its node; a node that has
 * none left at all asks others, one at a time (Li et al., section 4). The node's lock guards every call. */
#ifndef PLB_CORE_WORKER_H
#define PLB_CORE_WORKER_H

#include "core/message.h"
#include "core/migration.h"
#include "core/queue.h"

struct plb_worker;

/* For a node of this rank with n PUs. */
struct plb_worker *plb_worker_new(int node, int n_pus);
void plb_worker_free(struct plb_worker *worker);

/* Makes work migrate, among this many nodes. powers: of the PUs, as given; copied. */
void plb_worker_migrate(struct plb_worker *worker, const struct plb_migration *migration, int n_nodes,
                        const double *powers);

/* A pass begins: queues and reports of an older one are forgotten. The map is borrowed until the next. */
void plb_worker_pass(struct plb_worker *worker, int pass, const struct plb_cost_map *map);

/* A BLOCK has arrived; one of another pass is dropped. */
void plb_worker_block(struct plb_worker *worker, const struct plb_message *block);

/* Whether others may ask for work now: the master has nothing more to grant. */
bool plb_worker_shares(const struct plb_worker *worker);

/* The run is over: nobody is asked any more. */
void plb_worker_stop(struct plb_worker *worker);

/* EMPTY, STEAL and GIFT have arrived. STEAL is answered into the outbox, with a GIFT to the asker and, where
 * that is not empty, MOVED to the master. What a GIFT brings is in the queue of a PU that had none. */
void plb_worker_empty(struct plb_worker *worker, const struct plb_message *empty);
void plb_worker_steal(struct plb_worker *worker, const struct plb_message *steal, struct plb_outbox *out);
void plb_worker_gift(struct plb_worker *worker, const struct plb_message *gift);

/* The next piece for a PU, from its own queue or from another one of the node; false where there is none. */
bool plb_worker_take(struct plb_worker *worker, int pu, struct plb_slice *piece);

/* A PU has finished a piece in these seconds. slot: where its outputs wait, or PLB_NO_SLOT; a piece
 * with a slot is reported by a message of its own. True where the report should not wait: it has results, or
 * the PU's queue holds no more of the block. */
bool plb_worker_done(struct plb_worker *worker, int pu, const struct plb_slice *piece,
                     double execute_s, double transfer_s, int slot);

/* A kernel has failed on a piece. text: what the device said, or "". */
void plb_worker_fail(struct plb_worker *worker, int pu, const struct plb_slice *piece, int status, const char *text);

/* Moves all reports that wait into the outbox, and a STEAL where the node is idle and somebody can be asked.
 * now: seconds on any clock that does not go back; whoever has not answered after PLB_PATIENCE is given up,
 * and the next one asked. True while an answer is awaited, so that the driver comes back by then. */
bool plb_worker_collect(struct plb_worker *worker, double now, struct plb_outbox *out);

#endif
