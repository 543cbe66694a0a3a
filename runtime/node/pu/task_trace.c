/* A task's events: the wait before it, its transfer, and its execution. */
#include "node/pu/task_trace.h"

static void add(struct plb_trace *trace, const struct plb_pu_info *pu, enum plb_trace_type type, double start,
                double end, const struct plb_slice *task)
{
    plb_trace_add(trace, (struct plb_trace_event){.type = (int32_t)type,
                                                  .node = pu->node,
                                                  .pu = pu->local,
                                                  .pass = task->pass,
                                                  .start = start,
                                                  .seconds = end - start,
                                                  .first = task->range.first,
                                                  .count = task->range.count,
                                                  .block = task->block});
}

void plb_task_trace(struct plb_trace *trace, const struct plb_pu_info *pu, const struct plb_slice *task,
                    const struct plb_device_times *times, double idle_since, double exposed, double now)
{
    const struct plb_slice nothing = {.pass = task->pass};
    double executed = now - times->execute_s, began = executed - times->transfer_s;
    if (began < idle_since)
        began = idle_since;
    if (executed < began)
        executed = began;
    double asked = exposed < began - idle_since ? began - exposed : idle_since;
    add(trace, pu, PLB_TRACE_WAIT, idle_since, asked, &nothing);
    add(trace, pu, PLB_TRACE_WAIT, asked, began, task);
    add(trace, pu, PLB_TRACE_TRANSFER, began, executed, task);
    add(trace, pu, PLB_TRACE_TASK, executed, now, task);
}
