/* The errands of the communication thread: inputs to ask for, and inputs that are here to be checked. They
 * are noted under the node's lock, and run without it. */
#ifndef PLB_NODE_ERRANDS_H
#define PLB_NODE_ERRANDS_H

#include "node/pu/runner.h"

/* Something to do for a slot. */
struct plb_errand {
    struct plb_runner *runner;
    struct plb_slot *slot;
    bool arrived; /* its inputs are here, and their checksum is to be compared; else they are to be fetched */
};

struct plb_errands {
    struct plb_errand *at; /* room for every slot of the node */
    int n;
};

/* Moves the slots of a PU whose transfers have ended. True where a task became ready. Under the lock. */
bool plb_errands_settle(struct plb_errands *errands, struct plb_runner *runner);

/* Takes tasks for a PU into free slots, to be fetched. A PU that may hang gets none: others can take what
 * stays queued. Under the lock. */
void plb_errands_take_ahead(struct plb_errands *errands, struct plb_runner *runner);

/* Runs all of them. A task whose inputs are here goes to its PU; else FETCH goes to `out`. */
void plb_errands_run(const struct plb_errands *errands, struct plb_outbox *out);

/* PASS has come: results that stayed are forgotten, unless it makes units of the last pass again. Where room
 * is short, inputs are dropped that no task needs. Under the lock. */
void plb_errands_begin_pass(struct plb_node_shared *shared, struct plb_runner *runners, int n,
                            const struct plb_message *pass);

/* Frees what is kept here; nothing is on its way. */
void plb_errands_free_data(struct plb_node_shared *shared);

/* A message about data that is here or comes: FETCH, FROM, COUNTED, TAKEN, HAND, ARRAYS, DROP. False: it was
 * dropped. */
bool plb_errands_data(struct plb_node_shared *shared, struct plb_runner *runners, int n,
                      const struct plb_message *message, struct plb_outbox *out);

/* Whether rank 0 is to say FROM to some task. */
bool plb_errands_await(const struct plb_runner *runners, int n);

/* Sends the results of a task, and has its report tell which, and their checksum where that is wanted. */
void plb_errands_send(struct plb_slot *slot, const struct plb_node_shared *shared, struct plb_done *done);

#endif
