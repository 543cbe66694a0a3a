/* All that a runner has (node/pu/runner.h). Its thread and the communication thread use it. */
#ifndef PLB_NODE_PU_RUNNER_STATE_H
#define PLB_NODE_PU_RUNNER_STATE_H

#include "core/overdue.h"
#include "host/crash.h"
#include "node/memory/scratch.h"
#include "node/pu/executor.h"
#include "node/pu/combine.h"
#include "node/pu/running.h"
#include "node/pu/shared.h"
#include "node/pu/slot.h"
#include "report/trace.h"

/* The task that runs, as far as its entry has reported it (node/pu/reported.h). */
struct plb_reported_task {
    struct plb_slot *slot; /* of the task */
    double seconds;        /* of the units that were reported */
    double until;          /* the task's begin and `seconds`, on the run's clock */
    bool narrowed;         /* it has fewer units than when it began */
    double idle_since;     /* for the trace, on the same clock */
};

struct plb_runner {
    struct plb_node_shared *shared;
    struct plb_node_pu pu;
    int number; /* on this node */
    pthread_t thread;
    bool started; /* the thread runs */
    bool left;    /* the node has stopped, and the thread hangs in a task */
    bool wakes;   /* of the communication thread: it is to be woken (plb_node_wake_pus) */
    struct plb_executor executor;
    struct plb_crash_call call; /* for the sentence about a crash */
    struct plb_slot later;      /* the reduced arrays of later tasks of a burst */

    /* Under the node's lock. */
    struct plb_trace trace;
    pthread_cond_t work; /* there may be something for this PU */
    bool is_open;        /* the device; read after the thread has ended */
    bool opened;         /* the device is ready, or `err` says why not */
    struct plb_error err;
    struct plb_slot slots[PLB_SLOTS];
    struct plb_held_result held; /* a result that waits for more tasks */
    int line[PLB_SLOTS], n_line; /* slots fetching or ready, in the order in which they were taken */
    struct plb_renewal renewal;  /* for the executor, before the next task */
    int64_t steps;               /* tasks that have begun or ended */
    struct plb_overdue overdue;  /* the oldest task that runs */
    struct plb_running running[PLB_MAX_LANES]; /* by lane */
    struct plb_busy busy;
    struct plb_latest latest; /* task that was wanted */
    struct plb_reported_task reported;
    struct plb_slice unmade; /* a task whose results have stayed, and nobody wants; count = 0: none */
};

/* The communication thread wakes the PU where that is due. Without the lock: the PU may take the core. */
static inline void plb_runner_wake(struct plb_runner *runner)
{
    if (runner->wakes)
        pthread_cond_signal(&runner->work);
    runner->wakes = false;
}

#endif
