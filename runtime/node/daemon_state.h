/* What the two halves of a node share: node.c, the communication thread's, and pu_thread.c. Private to them; include node/daemon.h first.
 *
 * A slot is a task with host buffers of its own. Its life: FREE → FETCHING (inputs are on their way) →
 * READY → RUNNING → FINISHED → SENDING (results are) → FREE. The communication thread moves it to
 * FETCHING, READY, SENDING and FREE, the PU's thread to RUNNING and FINISHED. Buffers grow to the
 * largest task and are reused, so a node holds its inputs once plus SLOTS tasks per PU at most. */
#ifndef PLB_NODE_DAEMON_STATE_H
#define PLB_NODE_DAEMON_STATE_H

#include <pthread.h>

#include "base/clock.h"
#include "core/worker.h"
#include "node/executor.h"

#define SLOTS 6             /* per PU: in the lanes, two ahead, one being sent */
#define AHEAD 2

enum slot_state { FREE, FETCHING, READY, RUNNING, FINISHED, SENDING };

struct slot {
    enum slot_state state;
    struct plb_slice piece;
    int pass;
    void *buffer[PLB_MAX_DATA]; /* NULL: the whole buffer is here */
    size_t capacity[PLB_MAX_DATA];
    int pending;                /* transfers; the communication thread's alone */
    double asked, arrived;      /* when inputs were asked for, and there */
};

struct pu {
    struct plb_node *node;
    struct plb_node_pu as;
    int number;                 /* on this node */
    pthread_t thread;
    pthread_cond_t work;        /* something for this PU */
    struct plb_executor executor;
    struct slot slots[SLOTS];
    int line[SLOTS], n_line;    /* slots fetching or ready, in order */
    int64_t stale;              /* replicated buffers to fetch before the next task */
    bool opened, started;
    struct plb_error err;
    struct plb_trace trace;
};

struct plb_node {
    struct plb_node_config config;
    struct plb_worker *worker;
    struct pu *pus;
    int n_pus, pass;
    struct plb_phase phase;     /* of this pass */
    bool uses_slots;            /* some data must travel or be folded */
    bool stopping;
    bool awaiting;              /* another node's answer; the communication thread's alone */
    bool finished;              /* a PU has finished something, or found nothing, since the last step */
    bool pinned[PLB_MAX_DATA];  /* whole buffers, for copies to devices */
    pthread_mutex_t lock;
    pthread_cond_t wake;        /* the communication thread */
    struct plb_outbox reports;
};

/* A PU's thread: opens the device, runs tasks until the node stops, closes it. */
void *plb_pu_thread(void *pu);

#endif
