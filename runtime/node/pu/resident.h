/* Replicated buffers in the memory of an executor's device. Nothing is copied where the device works in host
 * memory. Called by the thread that opened the executor. */
#ifndef PLB_NODE_PU_RESIDENT_H
#define PLB_NODE_PU_RESIDENT_H

#include "node/pu/executor.h"

/* Takes over where the dataset has its buffers now. Replicated ones are elsewhere after they were replaced
 * while a task was in flight. The caller sees to it that the dataset does not change meanwhile. Takes
 * the parts, of which the next update copies nothing but them. */
void plb_resident_follow(struct plb_executor *executor, struct plb_parts *parts);

/* Copies the replicated buffers of this mask (bit i: buffer i) to the device. Nothing is in flight. PLB_OK,
 * or PLB_EFAILED and a sentence. */
int plb_resident_update(struct plb_executor *executor, int64_t mask, struct plb_error *err);

/* Waits for a lane's task. Where inputs are guarded, looks whether an entry has changed a replicated buffer
 * in the device's own memory, which all later tasks would read. That costs a copy of all of them, in the time
 * of the task. A task that nobody wants may see new ones on the host. 0; 1 and executor->why; or the status
 * of plb_executor_wait. */
int plb_resident_wait(struct plb_executor *executor, int lane, struct plb_device_times *times);

#endif
