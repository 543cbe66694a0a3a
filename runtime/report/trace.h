/* The events of a run and their times. One thread at a time may use a trace; a driver keeps one per PU and
 * joins them at the end. report/trace/trace_file.h writes it. */
#ifndef PLB_REPORT_TRACE_H
#define PLB_REPORT_TRACE_H

#include <stdint.h>

enum plb_trace_type {
    PLB_TRACE_TASK,
    PLB_TRACE_TRANSFER,
    PLB_TRACE_WAIT,
    PLB_TRACE_SOLVE,
    PLB_TRACE_JOULES /* a window of a meter: `first` is its number on the node, `count` its microjoules. It
                        is in `windows` alone */
};

#define PLB_TRACE_MASTER (-1) /* as `pu`: the master itself, on node 0 */

struct plb_trace_event {
    int32_t type, node, pu; /* enum plb_trace_type; pu: its id in the run */
    int32_t pass;
    double start, seconds; /* start: since the run began */
    int64_t first, count;  /* units of a task or transfer; count 0: the event has no units.
                              A wait with units is for their inputs. first of a solve: nanoseconds that
                              it expects the rest of the pass to take; 0: not known */
    int64_t block;         /* in which they were granted. block % the number of PUs is the PU that got
                              the block; another one may execute the units */
};

/* A zeroed struct is an empty trace that records nothing; set `on` to record. */
struct plb_trace {
    int on;
    struct plb_trace_event *at;
    int64_t n, capacity;
    struct plb_trace_event *windows; /* of meters, in the order of time for each */
    int64_t n_windows;
};

/* Adds an event that took any time, if the trace is on. */
void plb_trace_add(struct plb_trace *trace, struct plb_trace_event event);

/* Adds events, whether the trace is on or off. They are copied. */
void plb_trace_append(struct plb_trace *trace, const struct plb_trace_event *events, int64_t n);

/* Adds events of a node that has ended: windows go to their place. */
void plb_trace_join(struct plb_trace *trace, const struct plb_trace_event *events, int64_t n);
void plb_trace_fini(struct plb_trace *trace);

/* "task", "transfer", "wait", "solve" or "joules". */
const char *plb_trace_name(int type);

/* The PU that the units of an event were granted to; without units, the event's own. */
int plb_trace_granted_to(const struct plb_trace_event *event, int n_pus);

/* A sorted copy of the events, to be freed. The comparison is one for qsort. */
struct plb_trace_event *plb_trace_sorted(const struct plb_trace *trace,
                                         int (*compare)(const void *, const void *));

#endif
