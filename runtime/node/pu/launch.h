/* Starting what a PU has taken: one task, or a burst of short ones. */
#ifndef PLB_NODE_PU_LAUNCH_H
#define PLB_NODE_PU_LAUNCH_H

#include "node/pu/slot.h"

/* Starts a task in a lane, or the tasks of a burst one after the other. slot: of the task, or NULL; it gets
 * buffers where it has pulled no inputs. The arrays of a burst are folded into those of its first task;
 * `later` has memory for those of the others. Returns 0, or the status that a task failed with: then *task
 * has its range. The PU's thread. */
int plb_launch(struct plb_executor *executor, int lane, const struct plb_phase *phase, struct plb_slice *task,
               struct plb_slot *slot, struct plb_slot *later);

#endif
