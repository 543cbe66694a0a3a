/* The worker's parts, for its own files alone. */
#ifndef PLB_CORE_WORKER_WORKER_INSIDE_H
#define PLB_CORE_WORKER_WORKER_INSIDE_H

#include "core/worker/copies.h"
#include "core/worker/own_pus.h"
#include "core/worker/reports.h"
#include "core/worker/thief.h"

struct plb_worker {
    int node, n_nodes, n_phases, pass, phase;
    struct plb_own_pus pus;
    const struct plb_cost_map *maps;
    struct plb_reports reports;
    struct plb_copies copies;
    struct plb_outbox early; /* messages of passes that have not begun here */
    struct plb_migration migration;
    struct plb_thief *thief;
    double arrays_s; /* what one result costs: seconds of rank 0's link for the reduced arrays of one of each
                        node, or of this node where they stay here */
    double sent_s, fold_s; /* one and the other */
    bool empty;            /* the master has nothing more to grant */
    bool rests;            /* no task follows in this pass */
};

/* Units that a PU has queued go back to the master, since its device has failed. */
void plb_worker_return(struct plb_worker *worker, int pu, struct plb_range range, int64_t block);

/* Takes out of the queues what may not be executed from there: it may have come after the CANCEL. */
void plb_worker_sweep(struct plb_worker *worker);

#endif
