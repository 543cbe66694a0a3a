/* A runner: one PU of a node, with the thread that drives its device.
 *
 * The thread opens the device and runs tasks until the node stops. Where all data is on this node, it takes
 * tasks from the worker itself; else it takes slots that the communication thread has made ready. It starts
 * tasks while a lane of the device is free and there are tasks; else it waits for the oldest one and reports
 * it to the worker. */
#ifndef PLB_NODE_RUNNER_H
#define PLB_NODE_RUNNER_H

#include "node/executor.h"
#include "node/shared.h"
#include "node/slot.h"
#include "report/trace.h"

struct plb_runner {
    struct plb_node_shared *shared;
    struct plb_node_pu pu;
    int number; /* on this node */
    pthread_t thread;
    bool started; /* the thread runs */
    struct plb_executor executor;
    struct plb_trace trace; /* the thread's, until it has ended */

    /* Under the node's lock. */
    pthread_cond_t work; /* there may be something for this PU */
    bool opened;         /* the device is open, or `err` says why not */
    struct plb_error err;
    struct plb_slot slots[PLB_SLOTS];
    int line[PLB_SLOTS], n_line; /* slots fetching or ready, in the order in which they were taken */
    int64_t stale;               /* bit i: the replicated buffer i is to be copied before the next task */
};

/* For number `number` of the node; starts nothing. The runner stays where it is. */
void plb_runner_init(struct plb_runner *runner, struct plb_node_shared *shared, const struct plb_node_pu *pu,
                     int number);
void plb_runner_fini(struct plb_runner *runner); /* its thread has ended */

/* Starts the thread; false where the system has none left. */
bool plb_runner_start(struct plb_runner *runner);

/* Waits for the thread to end, which it does once the node is stopping. */
void plb_runner_join(struct plb_runner *runner);

/* A pass begins. Tasks of earlier passes that wait in slots are forgotten; those that run are forgotten when
 * they end. The replicated buffers of the mask are copied again. Under the lock. */
void plb_runner_begin_pass(struct plb_runner *runner, int64_t replaced);

#endif
