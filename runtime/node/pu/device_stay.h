/* Results that stay in the memory of a PU's device (node/memory/device_results.h). */
#ifndef PLB_NODE_PU_DEVICE_STAY_H
#define PLB_NODE_PU_DEVICE_STAY_H

#include "node/pu/runner_state.h"

/* The device is open: results of its tasks may stay there, where the job lets them. PU's thread. */
void plb_device_stay_open(struct plb_runner *runner);

/* The task's results that feed the next pass may stay, or not: before it is submitted. Then: what stays is
 * nowhere on the host, and rank 0 takes it out of no slot. */
void plb_device_stay_let(struct plb_executor *executor, const struct plb_slice *task,
                         const struct plb_slot *slot);
void plb_device_stay_note(const struct plb_executor *executor, struct plb_slot *slot);

/* Drops the results of the task that nobody wants: before another one is reported. Without the lock. */
void plb_device_stay_drop(struct plb_runner *runner);

/* The task in a lane has inputs that are lost, so that its pass is given up: waits until nobody wants it. */
void plb_device_stay_await(struct plb_runner *runner, int lane);

#endif
