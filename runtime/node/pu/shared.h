/* Data shared by the threads of a node: the communication thread and one thread per PU. */
#ifndef PLB_NODE_PU_SHARED_H
#define PLB_NODE_PU_SHARED_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/worker/worker.h"
#include "node/memory/device_results.h"
#include "node/memory/staying.h"
#include "node/memory/mirror.h"
#include "node/memory/node_config.h"
#include "node/memory/own_set.h"
#include "node/memory/page_locks.h"
#include "node/memory/sends.h"
#include "node/memory/unasked.h"

struct plb_node_shared {
    struct plb_node_config config;          /* constant */
    struct plb_page_locks locks;            /* needs no lock of the node */
    struct plb_mirror *mirror;              /* of the communication thread alone; NULL: none is there */
    struct plb_staying *staying;            /* the same; NULL: no results stay */
    struct plb_node_device_results results; /* in the memory of devices; needs no lock of the node */
    struct plb_sends sends;                 /* of the communication thread alone */
    struct plb_unasked unasked;             /* the same */
    struct plb_own_set *set;                /* the same; NULL: there are no reduced arrays */
    bool uses_slots;                        /* constant: some data travels, so tasks have slots */
    bool combines;                          /* constant: results of consecutive tasks become one */
    bool has_slots; /* constant: each task has a slot: for this, its arrays or its records */
    bool guarded;   /* constant: tasks write outputs in place, unless others may execute their units too */
    pthread_mutex_t lock;      /* guards all that follows; no MPI, device or page-locking under it */
    pthread_cond_t wake;       /* wakes the communication thread */
    struct plb_worker *worker; /* NULL until all PUs are open */
    struct plb_phase phase;    /* of the pass that runs */
    bool doubled;              /* several PUs of the run may execute the same units of this pass; on rank 0 */
    bool returned;             /* units are in a queue again: PUs without a task look again */
    double stands_until; /* plb_now() until which all should end their shares of this pass; 0: unknown */
    bool resting;        /* no new task starts before the next pass */
    bool stopping;       /* no new task starts */
    bool wakes;          /* the communication thread is to be woken when the lock is given up. False while
                            nobody has the lock */
    int64_t received;    /* messages that may have changed what PUs have to do */
    atomic_bool news; /* for the communication thread, since its last look: a report that must not wait, a PU
                         without a task, a message. Set under the lock, read without. */
};

/* Makes the communication thread look, when the lock is given up. Under the lock. */
static inline void plb_node_wake(struct plb_node_shared *shared)
{
    if (!atomic_exchange(&shared->news, true))
        shared->wakes = true;
}

/* A PU's thread gives up the lock, and only then wakes the communication thread. That one often takes the
 * core at once, and would give it back to wait for the lock. */
static inline void plb_node_unlock(struct plb_node_shared *shared)
{
    bool wakes = shared->wakes;
    shared->wakes = false;
    pthread_mutex_unlock(&shared->lock);
    if (wakes)
        pthread_cond_signal(&shared->wake);
}

#endif
