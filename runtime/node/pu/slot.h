/* A slot: a task with host buffers of its own, for the data that is not whole on this node, and for its
 * reduced arrays.
 *
 *   FREE ─► FETCHING ─► READY ─► RUNNING ─► FINISHED ─► SENDING ─► FREE
 *
 *   FETCHING  its inputs are on their way           communication thread
 *   FORGOTTEN the same, and nobody wants the task any more; then FREE
 *   READY     it waits for its PU
 *   RUNNING   the device works on it, or its arrays
 *             are held back (node/pu/combine.h)         PU's thread
 *   FINISHED  its report waits for collection
 *   SENDING   its results are on their way, or its
 *             arrays wait for TAKEN                 communication thread
 *
 * The state changes under the node's lock alone. The thread named beside a state owns the slot's buffers in
 * that state, and touches them without the lock. The transfers that wait are counted by the communication
 * thread alone. */
#ifndef PLB_NODE_PU_SLOT_H
#define PLB_NODE_PU_SLOT_H

#include "core/worker/queue.h"
#include "node/pu/executor.h"
#include "node/memory/staying.h"
#include "node/memory/mirror.h"
#include "app/records.h"
#include "node/memory/node_config.h"

/* Tasks that wait in the slots of a PU while it executes others. Fewer: the PU waits for inputs. More: tasks
 * are bound to this PU early, so that thieves find less, and take more memory. One is fetched while the other
 * waits. */
#define PLB_TASKS_AHEAD 2

/* Slots of a PU: one per lane of its device, those ahead, one with a result that is held back
 * (node/pu/combine.h), and two whose results are sent. More only take memory. */
#define PLB_SLOTS (PLB_MAX_LANES + PLB_TASKS_AHEAD + 3)

/* PUs of a rank: each of their slots has a tag of its own, below those of other data. */
#define PLB_MOST_PUS (PLB_FETCH_SLOT / PLB_SLOTS)

enum plb_slot_state {
    PLB_SLOT_FREE,
    PLB_SLOT_FETCHING,
    PLB_SLOT_FORGOTTEN,
    PLB_SLOT_READY,
    PLB_SLOT_RUNNING,
    PLB_SLOT_FINISHED,
    PLB_SLOT_SENDING
};

struct plb_slot {
    enum plb_slot_state state;
    int tag; /* of its transfers; also its number on the node */
    struct plb_slice task;
    char *memory;                /* for its buffers (node/memory/arena.h), and kept; or NULL */
    size_t bytes;                /* of the memory */
    bool locked;                 /* the memory's pages are */
    void *buffer[PLB_MAX_DATA];  /* in the memory; NULL: the whole buffer is on this node */
    struct plb_records *records; /* that the task appends; NULL: the job has none */
    bool scratch;             /* on rank 0: outputs go to buffers of the slot too, and not to their place */
    int pending;              /* transfers */
    int64_t pulls;            /* mask of the task's inputs that are pulled */
    struct plb_range pulled;  /* for these units */
    bool anew;                /* its task is new: nothing was asked for yet */
    struct plb_mirror *gives; /* its results that feed inputs go there; NULL: to `memory` */
    bool mirrored;            /* they are in the mirror, and stay there; else with the halo of each buffer */
    struct plb_staying
        *staying;     /* its results of buffers that have a place there go there; NULL: to `memory` */
    int64_t stored;   /* mask of its results that are in their files already, or stay here */
    bool waits;       /* its arrays are to be folded here, or dropped; `pending` counts that */
    bool inputs_lost; /* with a device of this rank; or they do not come, as their pass is over */
    bool awaits;      /* rank 0 is to say FROM, about fed inputs or checksums; `pending` counts that */
    struct plb_rangeset sources; /* ranks other than 0 and this one from which they come */
    uint32_t sum;                /* that FROM has told */
    double asked, arrived;       /* plb_now() when the inputs were asked for, and when they were there */
};

/* A task in a lane. */
struct plb_flight {
    struct plb_slice task;
    struct plb_slot *slot; /* or NULL */
    double exposed;        /* seconds that the device waited for its inputs */
    bool folded;           /* its arrays are part of what the PU holds back */
};

/* The tasks in the lanes of a device, in the order in which they were started: at[(oldest + i) % lanes]. They
 * belong to the PU's thread. */
struct plb_flights {
    struct plb_flight at[PLB_MAX_LANES];
    int lanes, oldest, n;
    double idle_since; /* the run's clock */
};

/* On a rank other than 0: gives the task the buffers that are not in place. They are in the mirror, where
 * there is one (else NULL) and it has room, and what is there is not pulled. Else they are in memory that the
 * executor's device copies best. Ends the program where there is no memory. */
void plb_slot_bind(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_executor *executor,
                   struct plb_mirror *mirror);

/* Then: starts the transfers of the inputs that the task lacks, with their halo. Returns whether there are
 * any: rank 0 is to be asked for them. checks: it tells their checksum. */
bool plb_slot_pull(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_wire *wire,
                   bool checks);

/* FROM has come: gets fed inputs from the ranks that have them; of this one, out of the mirror. False: it is
 * not what the slot waits for. */
bool plb_slot_from(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_wire *wire,
                   const struct plb_mirror *mirror, struct plb_node_device_results *results,
                   const struct plb_message *from);

/* Whether a rank is lost from which inputs come: the task cannot run, and its pass is given up. */
bool plb_slot_has_lost_inputs(const struct plb_slot *slot, const struct plb_wire *wire);

/* Nobody wants the task any more. Nothing else gets the memory of inputs that come from a lost rank. */
void plb_slot_abandon(struct plb_slot *slot, const struct plb_wire *wire, struct plb_mirror *mirror);

/* The checksum of the inputs that were pulled. */
uint32_t plb_slot_sum(const struct plb_slot *slot, const struct plb_dataset *set);

/* Gives a task whose inputs are at hand buffers for its reduced arrays; where `scratch` is set, on rank 0,
 * for its outputs too. By the PU's thread. */
void plb_slot_make_room(struct plb_slot *slot, const struct plb_dataset *set,
                        const struct plb_executor *executor);

/* Where a buffer is from unit `first` on, of the task or its halo; NULL: in its place in the whole buffer. */
void *plb_slot_buffer(const struct plb_slot *slot, const struct plb_dataset *set, int i, int64_t first);

/* The task has ended: its results become what others can be compared with, folded into, or sent. */
void plb_slot_complete(struct plb_slot *slot, const struct plb_dataset *set, struct plb_range range);

/* The records that the task has appended, sealed, and their length. NULL: the job has none. */
void *plb_slot_records(const struct plb_slot *slot, size_t *bytes);

/* The results that are sent: those that are nowhere else. A mask of buffers. */
int64_t plb_slot_sent(const struct plb_slot *slot, const struct plb_dataset *set);

/* Starts the transfers of these results. On rank 0 they stay here: the slot waits for plb_slot_release
 * instead. */
void plb_slot_send(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_wire *wire);
void plb_slot_release(struct plb_slot *slot);

/* Frees its buffers; nothing is on its way. */
void plb_slot_fini(struct plb_slot *slot, const struct plb_executor *executor);

#endif
