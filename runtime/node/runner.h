/* A runner: one PU of a node, with the thread that drives its device.
 *
 * The thread opens the device and runs tasks until the node stops. Where all data is on this node, it takes
 * tasks from the worker itself; else it takes slots that the communication thread has made ready. It starts
 * tasks while a lane of the device is free and there are tasks; else it waits for the oldest one and reports
 * it to the worker. A task that nobody wants any more is not waited for: see plb_node_stop.
 *
 * A device that fails drops out: its tasks go back to the master, its lanes are waited for, and the thread
 * ends. A task that crashes in a child process goes back alone. The device is closed with the others. So does
 * one that hangs (node/hung.h), but for the wait. */
#ifndef PLB_NODE_RUNNER_H
#define PLB_NODE_RUNNER_H

#include "base/crash.h"
#include "core/overdue.h"
#include "node/executor.h"
#include "node/gather.h"
#include "node/running.h"
#include "node/scratch.h"
#include "node/shared.h"
#include "node/slot.h"
#include "report/trace.h"

struct plb_runner {
    struct plb_node_shared *shared;
    struct plb_node_pu pu;
    int number; /* on this node */
    pthread_t thread;
    bool started; /* the thread runs */
    bool left;    /* the node has stopped, and the thread hangs in a task */
    struct plb_executor executor;
    struct plb_crash_place place; /* for the sentence about a crash */
    struct plb_slot later;        /* the reduced arrays of later tasks of a burst */

    /* Under the node's lock. */
    struct plb_trace trace;
    pthread_cond_t work; /* there may be something for this PU */
    bool is_open;        /* the device; read after the thread has ended */
    bool opened;         /* the device is ready, or `err` says why not */
    struct plb_error err;
    struct plb_slot slots[PLB_SLOTS];
    struct plb_held held;        /* a result that waits for more tasks */
    int line[PLB_SLOTS], n_line; /* slots fetching or ready, in the order in which they were taken */
    int64_t stale;               /* bit i: the replicated buffer i is to be copied before the next task */
    bool gone;                   /* the device has failed, or hangs: it is given nothing more, and the thread
                                    ends */
    int64_t steps;               /* tasks that have begun or ended */
    struct plb_overdue overdue;  /* the oldest task that runs */
    struct plb_running running[PLB_MAX_LANES]; /* by lane */
    struct plb_busy busy;
    struct plb_latest latest; /* task that was wanted */
};

/* For number `number` of the node; starts nothing. The runner stays where it is. */
void plb_runner_init(struct plb_runner *runner, struct plb_node_shared *shared, const struct plb_node_pu *pu,
                     int number);
void plb_runner_fini(struct plb_runner *runner); /* its thread has ended */

/* Starts the thread; false where the system has none left. */
bool plb_runner_start(struct plb_runner *runner);

/* Waits for the thread to end, which it does once the node is stopping and no task runs. Then closes the
 * device: what a kernel keeps for the thread, such as a library's handle of a stream, has gone before. */
void plb_runner_join(struct plb_runner *runner);

/* The device has failed in a task, or hangs in it. It drops out, and so do the tasks that wait in slots.
 * Under the lock. */
void plb_runner_leave(struct plb_runner *runner, const struct plb_slice *task,
                      const struct plb_device_failure *failure);

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
