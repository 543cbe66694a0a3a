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

void plb_trace_join(struct plb_trace *trace, const struct plb_trace_event *events, int64_t n)
{
    int64_t first = 0, windows = 0;
    for (int64_t i = 0; i < n; i++)
        windows += events[i].type == PLB_TRACE_JOULES;
    if (windows > 0)
        trace->windows = plb_grow(trace->windows,
                                  (size_t)(trace->n_windows + windows) * sizeof *trace->windows);
    for (int64_t i = 0; i < n; i++) {
        if (events[i].type != PLB_TRACE_JOULES)
            continue;
        plb_trace_append(trace, events + first, i - first);
        trace->windows[trace->n_windows++] = events[i];
        first = i + 1;
    }
    plb_trace_append(trace, events + first, n - first);
}

void plb_trace_fini(struct plb_trace *trace)
{
    free(trace->at);
    free(trace->windows);
    *trace = (struct plb_trace){0};
}

const char *plb_trace_name(int type)
{
    static const char *const names[] = {[PLB_TRACE_TASK] = "task",
                                        [PLB_TRACE_TRANSFER] = "transfer",
                                        [PLB_TRACE_WAIT] = "wait",
                                        [PLB_TRACE_SOLVE] = "solve",
                                        [PLB_TRACE_JOULES] = "joules"};
    return names[type];
}

int plb_trace_granted_to(const struct plb_trace_event *e, int n_pus)
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
