/* A runner: one PU of a node, with the thread that drives its device.
 *
 * The thread opens the device and runs tasks until the node stops. Where all data is on this node, it takes
 * tasks from the worker itself; else it takes slots that the communication thread has made ready. It starts
 * tasks while a lane of the device is free and there are tasks; else it waits for the oldest one and reports
 * it to the worker. A task that nobody wants any more is not waited for: see plb_node_stop. */
#ifndef PLB_NODE_RUNNER_H
#define PLB_NODE_RUNNER_H

#include "node/executor.h"
#include "node/shared.h"
#include "node/slot.h"
#include "report/trace.h"

/* A task that a device may be executing. */
struct plb_running {
    bool runs;
    bool in_place; /* it writes outputs to where rank 0 gathers them */
    bool told;     /* that nobody wants its results: from then on they may be anything */
    struct plb_slice task;
};

struct plb_runner {
    struct plb_node_shared *shared;
    struct plb_node_pu pu;
    int number; /* on this node */
    pthread_t thread;
    bool started; /* the thread runs */
    bool left;    /* the node has stopped, and the thread hangs in a task */
    struct plb_executor executor;

    /* Under the node's lock. */
    struct plb_trace trace;
    pthread_cond_t work; /* there may be something for this PU */
    bool opened;         /* the device is open, or `err` says why not */
    struct plb_error err;
    struct plb_slot slots[PLB_SLOTS];
    int line[PLB_SLOTS], n_line; /* slots fetching or ready, in the order in which they were taken */
    int64_t stale;               /* bit i: the replicated buffer i is to be copied before the next task */
    struct plb_running running[PLB_MAX_LANES]; /* by lane */
    double unit_s;                             /* seconds per unit of the latest task; 0: not known */
};

/* For number `number` of the node; starts nothing. The runner stays where it is. */
void plb_runner_init(struct plb_runner *runner, struct plb_node_shared *shared, const struct plb_node_pu *pu,
                     int number);
void plb_runner_fini(struct plb_runner *runner); /* its thread has ended */

/* Starts the thread; false where the system has none left. */
bool plb_runner_start(struct plb_runner *runner);

/* Waits for the thread to end, which it does once the node is stopping and no task runs. */
void plb_runner_join(struct plb_runner *runner);

/* Whether a task runs that writes outputs of some of these units in place, and its range. Under the lock. */
bool plb_runner_writes(const struct plb_runner *runner, struct plb_range range, struct plb_range *task);

/* Whether a task of a pass from `from` to `until` - 1 runs. Under the lock. */
bool plb_runner_works(const struct plb_runner *runner, int from, int until);

/* Forgets an obsolete task that waits in a slot. Under the lock. */
void plb_runner_drop(struct plb_runner *runner, struct plb_slot *slot);

/* Forgets the obsolete tasks that wait in slots. One whose inputs are on their way is forgotten when they are
 * there. One that runs is told, and forgotten when it ends. Under the lock. */
void plb_runner_forget(struct plb_runner *runner);

/* Tells all tasks that run that nobody wants their results. Under the lock. */
void plb_runner_cancel(struct plb_runner *runner);

/* A pass begins: the worker knows, so that tasks of earlier passes are obsolete. The replicated buffers of
 * the mask are copied again. Under the lock. */
void plb_runner_begin_pass(struct plb_runner *runner, int64_t replaced);

#endif
