/* The transfers of the communication thread: inputs to ask for, and inputs that are here to be checked. They
 * are noted under the node's lock, and run without it. */
#ifndef PLB_NODE_TRANSFERS_H
#define PLB_NODE_TRANSFERS_H

#include "node/pu/runner.h"

/* Something to do for a slot. */
struct plb_slot_transfer {
    struct plb_runner *runner;
    struct plb_slot *slot;
    bool arrived; /* its inputs are here, and their checksum is to be compared; else they are to be fetched */
};

struct plb_transfers {
    struct plb_slot_transfer *at; /* room for every slot of the node */
    int n;
};

/* Moves the slots of a PU whose transfers have ended. True where a task became ready. Under the lock. */
bool plb_transfers_settle(struct plb_transfers *transfers, struct plb_runner *runner);

/* Takes tasks for a PU into free slots, to be fetched. A PU that may hang gets none: others can take what
 * stays queued. Under the lock. */
void plb_transfers_prefetch(struct plb_transfers *transfers, struct plb_runner *runner);

/* Runs all of them. A task whose inputs are here goes to its PU; else FETCH goes to `out`. */
void plb_transfers_run(const struct plb_transfers *transfers, struct plb_outbox *out);

/* PASS has come: results that stayed are forgotten, unless it makes units of the last pass again. Where room
 * is short, inputs are dropped that no task needs. Under the lock. */
void plb_transfers_begin_pass(struct plb_node_shared *shared, struct plb_runner *runners, int n,
                              const struct plb_message *pass);

/* Frees what is kept here; nothing is on its way. */
void plb_transfers_free_data(struct plb_node_shared *shared);

/* A message about data that is here or comes: FETCH, FROM, COUNTED, TAKEN, HAND, ARRAYS, DROP. False: it was
 * dropped. */
bool plb_transfers_data(struct plb_node_shared *shared, struct plb_runner *runners, int n,
                        const struct plb_message *message, struct plb_outbox *out);

/* Whether rank 0 is to say FROM to some task. */
bool plb_transfers_await(const struct plb_runner *runners, int n);

/* Sends the results of a task, and has its report tell which, and their checksum where that is wanted. */
void plb_transfers_send(struct plb_slot *slot, const struct plb_node_shared *shared, struct plb_done *done);

#endif
