/* Results on their way to rank 0, and what becomes of them.
 *
 * A DONE announces data under its slot. All of it is received into memory of its own. When it is there, the
 * ledger accepts the units that are new, and their outputs are copied into their place. A reduced array is
 * folded only if all units were new: a partial sum cannot be divided.
 *
 * So nothing that MPI may write to ever counts. A rank may be given up in the middle of a message. A receive
 * that has been matched cannot be cancelled: it writes the rest when that rank goes on, and MPI does not say
 * whether it ever will. Cost: rank 0 copies each output once, 0.1 ns a byte, where a network of
 * 10 Gbit/s needs 0.8.
 *
 * Memory: at most plb_incoming_calls.most_bytes, or one result of each rank if these are more. Further
 * results wait at their senders, whose slots stay in use meanwhile, so that fast nodes slow down.
 * Results of one rank are received in the order of their DONEs, since a slot may be used twice.
 *
 * A result that cannot be right (an older pass, a lost node, no such PU) is received and dropped, so that the
 * slot's next data is not mistaken for it. One waits while a PU of rank 0 writes some of its units in place.
 * Outputs that a rank has stored in rank 0's buffers itself (inputs/share_memory.h, share_files.h) do not
 * count then.
 *
 * Records are received behind the rest, and those of the new units go to the store (app/record_store.h).
 *
 * The result of an audit is compared (rank0/audit_results.h). Where checksums are wanted, data that arrived
 * damaged is dropped.
 *
 * MPI is not known here, and the master through functions of the owner. Communication thread only. */
#ifndef PLB_RANK0_INCOMING_H
#define PLB_RANK0_INCOMING_H

#include "app/dataset.h"
#include "rank0/audit_results.h"

struct plb_incoming;

struct plb_incoming_calls {
    void *context;
    size_t most_bytes; /* of results of other ranks that are received and not yet accepted; 0: no limit */
    bool checks;       /* the DONEs of other ranks tell checksums */
    /* Starts to receive data of a rank. Raises the counter, and lowers it when the data is there. */
    void (*get)(void *context, int from, int tag, void *data, size_t bytes, int *pending);
    /* plb_master_judge. */
    enum plb_verdict (*judge)(void *context, const struct plb_message *done);
    /* plb_master_receive: returns how many units are accepted for the first time. */
    int64_t (*accept)(void *context, const struct plb_message *done);
    /* plb_node_writes: whether a task of rank 0 writes outputs of these units in place. */
    bool (*writes)(void *context, struct plb_range range, bool done);
    /* A result of rank 0's own node is not needed any more. */
    void (*release)(void *context, const struct plb_message *done);
    /* A result has arrived damaged, and is dropped. NULL: nothing is checked. */
    void (*damaged)(void *context, const struct plb_message *done);
    /* Outputs that their rank has stored in rank 0's buffers may be those of a task that was told to end: the
     * result is dropped. */
    void (*overwritten)(void *context, const struct plb_message *done);
    /* Units of a result are accepted, and their outputs are in their place. NULL: nobody wants to know. */
    void (*heard)(void *context, struct plb_range range);
};

/* For the dataset of rank 0, which is borrowed, and into which results go. audits: taken over; NULL: there
 * are none. */
struct plb_incoming *plb_incoming_new(const struct plb_dataset *set, const struct plb_incoming_calls *calls,
                                      struct plb_audit_results *audits);
void plb_incoming_free(struct plb_incoming *incoming); /* nothing is on its way */

/* A DONE with a slot has arrived from another rank. */
void plb_incoming_add(struct plb_incoming *incoming, const struct plb_message *done);

/* A DONE with a slot of rank 0's own node: arrays[i] are its outputs and reduced arrays of buffer i, and NULL
 * where outputs are in their place. records: what its tasks have appended, or NULL. Both are borrowed until
 * `release`. */
void plb_incoming_own(struct plb_incoming *incoming, const struct plb_message *done, void *const *arrays,
                      void *records);

/* Accepts the results whose data is there. True where there were any. */
bool plb_incoming_collect(struct plb_incoming *incoming);

/* A rank is lost, and the counters of its transfers are 0: nothing of what is on its way from it counts. */
void plb_incoming_lose(struct plb_incoming *incoming, int rank);

/* Whether something is on its way. */
bool plb_incoming_any(const struct plb_incoming *incoming);

/* Whether reduced arrays of accepted units wait for their audits: then rank 0's arrays lack them. */
bool plb_incoming_keeps(const struct plb_incoming *incoming);

/* A pass makes results again that were lost: their reduced arrays are dropped from now on. */
void plb_incoming_repairs(struct plb_incoming *incoming, bool repairs);

/* The run ends: what waits for an audit counts as it is, and nothing waits from now on. */
void plb_incoming_end_audits(struct plb_incoming *incoming);

#endif
