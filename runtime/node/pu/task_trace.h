/* The events in a trace of a task that a PU has executed. Not thread-safe. */
#ifndef PLB_NODE_PU_TASK_TRACE_H
#define PLB_NODE_PU_TASK_TRACE_H

#include "core/worker/queue.h"
#include "device/device.h"
#include "report/trace.h"

/* Adds a task that has ended at `now`, on the run's clock, and the PU's wait since `idle_since`. The last
 * `exposed` seconds of it were for the task's inputs. */
void plb_task_trace(struct plb_trace *trace, const struct plb_pu_info *pu, const struct plb_slice *task,
                    const struct plb_device_times *times, double idle_since, double exposed, double now);

#endif
