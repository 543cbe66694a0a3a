/* Combining: consecutive tasks of one block, which one PU executes, become one result. Their reduced arrays
 * are folded into one set of arrays, which is reported and sent like that of a single task. So rank 0 has a
 * few results per second to judge and to fold, and not one for each task.
 *
 * A result counts whole or not at all (core/ledger/ledger.h). So the held units are adjacent ones of one
 * block. A result is held back only while the PU has more of the block before it, and not for long
 * (core/worker/held_reports.c). A PU that finds no task reports at once what it holds. Where
 * the device fails or hangs, the held units go back to the master: another PU executes them again.
 *
 * Outputs that travel cannot be folded: such tasks are reported one by one. So are all tasks of a run with
 * audits, because the second PU executes a result's units as one task. A PU's thread makes all calls but
 * plb_combine_give_back, under the node's lock where nothing else is said. */
#ifndef PLB_NODE_PU_COMBINE_H
#define PLB_NODE_PU_COMBINE_H

#include "node/pu/slot.h"
#include "node/pu/shared.h"

/* The result that a PU holds back. Under the node's lock; while the PU's thread folds, it owns the slot's
 * buffers. */
struct plb_held_result {
    struct plb_node_shared *shared; /* constant, as the next */
    int pu;                         /* number on the node */
    struct plb_slot *slot;          /* with the arrays; NULL: nothing is held */
    struct plb_held_report report;
};

/* Whether results of tasks are combined: the job reduces arrays, and tasks send nothing else but what may
 * stay. */
bool plb_combines(const struct plb_dataset *set, int64_t stays);

/* The tasks that the PU has taken after one: the next one, and the last one. NULL: there are none. */
struct plb_taken {
    const struct plb_slice *next, *last;
};

/* Whether the result of a task may become one with those of its neighbours. Needs no lock. */
bool plb_combine_takes(const struct plb_held_result *held, const struct plb_flight *flight);

/* Folds the arrays of a task that has ended into those that are held. False: they do not fit together, or
 * what was held has gone back meanwhile. Leaves the lock while it folds. */
bool plb_combine_fold(struct plb_held_result *held, const struct plb_flight *flight);

/* A task that is wanted has ended: its result is held, or reported. Returns whether the
 * communication thread should look at once. */
bool plb_combine_end(struct plb_held_result *held, const struct plb_flight *flight,
                     const struct plb_device_times *times, const struct plb_taken *taken);

/* Reports what is held, where the next task does not continue it; NULL: there is none. */
void plb_combine_report(struct plb_held_result *held, const struct plb_slice *next);

/* The device has failed or hangs: what is held goes back to the master. Any thread. */
void plb_combine_give_back(struct plb_held_result *held);

#endif
