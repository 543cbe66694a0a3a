/* The next task of a PU. Its thread takes it from the worker where no data travels, else from the slots that
 * the communication thread has made ready. */
#ifndef PLB_NODE_PU_NEXT_TASK_H
#define PLB_NODE_PU_NEXT_TASK_H

#include "node/pu/slot.h"
#include "node/pu/runner_state.h"

/* The next task of this PU: from the worker where no data travels, else the first slot in line if it is
 * ready. False: there is none now. Under the lock. */
bool plb_next_task_find(struct plb_runner *runner, struct plb_flight *flight);

/* A slot that is free; NULL: there is none now. Under the lock. */
struct plb_slot *plb_next_task_slot(struct plb_runner *runner);

/* Waits for a task, and gives up the lock meanwhile; false: the node stops. Under the lock. */
bool plb_next_task_await(struct plb_runner *runner, struct plb_flight *flight);

#endif
