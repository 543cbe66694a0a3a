/* The worker: the node's side of the protocol as a state machine. No I/O, no threads, no clock.
 *
 * It owns a queue per PU. A PU takes its next piece itself and says when it has finished it; the
 * worker turns that into DONE messages, merging neighbours that were finished before the last
 * report was collected. The node's lock guards every call. */
#ifndef PLB_CORE_WORKER_H
#define PLB_CORE_WORKER_H

#include "core/message.h"
#include "core/queue.h"

struct plb_worker;

/* For a node of this rank with n PUs. */
struct plb_worker *plb_worker_new(int node, int n_pus);
void plb_worker_free(struct plb_worker *worker);

/* A pass begins: queues and reports of an older one are forgotten. */
void plb_worker_pass(struct plb_worker *worker, int pass);

/* A BLOCK has arrived; one of another pass is dropped. */
void plb_worker_block(struct plb_worker *worker, const struct plb_message *block);

/* The next piece for a PU, or false where its queue is empty. */
bool plb_worker_take(struct plb_worker *worker, int pu, struct plb_piece *piece);

/* A PU has finished a piece in these seconds. slot: where its outputs wait, or PLB_NO_SLOT; a piece
 * with a slot is reported by a message of its own. */
void plb_worker_done(struct plb_worker *worker, int pu, const struct plb_piece *piece,
                     double execute_s, double transfer_s, int slot);

/* A kernel has failed on a piece. */
void plb_worker_fail(struct plb_worker *worker, int pu, const struct plb_piece *piece, int status);

/* Moves all reports that wait into the outbox. */
void plb_worker_collect(struct plb_worker *worker, struct plb_outbox *out);

#endif
