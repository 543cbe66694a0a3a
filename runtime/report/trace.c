/* Events in one array that doubles when it is full. */
#include "report/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void plb_trace_append(struct plb_trace *trace, const struct plb_trace_event *events, int64_t n)
{
    if (n == 0)
        return;
    if (trace->n + n > trace->capacity) {
        trace->capacity = 2 * (trace->n + n) + 256;
        trace->at = plb_grow(trace->at, (size_t)trace->capacity * sizeof *trace->at);
    }
    memcpy(trace->at + trace->n, events, (size_t)n * sizeof *events);
    trace->n += n;
}

void plb_trace_add(struct plb_trace *trace, struct plb_trace_event event)
{
    if (trace->on && event.seconds > 0.0)
        plb_trace_append(trace, &event, 1);
}

void plb_trace_fini(struct plb_trace *trace)
{
    free(trace->at);
    *trace = (struct plb_trace){0};
}

const char *plb_trace_name(int type)
{
    static const char *const names[] = {[PLB_TRACE_TASK] = "task",
                                        [PLB_TRACE_TRANSFER] = "transfer",
                                        [PLB_TRACE_WAIT] = "wait",
                                        [PLB_TRACE_SOLVE] = "solve"};
    return names[type];
}

int plb_trace_owner(const struct plb_trace_event *e, int n_pus)
{
    return e->count > 0 && e->pu != PLB_TRACE_MASTER ? (int)(e->block % n_pus) : e->pu;
}

struct plb_trace_event *plb_trace_sorted(const struct plb_trace *trace,
                                         int (*compare)(const void *, const void *))
{
    struct plb_trace_event *events = plb_alloc((size_t)trace->n * sizeof *events);
    if (trace->n > 0)
        memcpy(events, trace->at, (size_t)trace->n * sizeof *events);
    qsort(events, (size_t)trace->n, sizeof *events, compare);
    return events;
}
