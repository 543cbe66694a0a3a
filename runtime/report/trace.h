/* What happened when, for Perfetto: Chrome trace events with a process per node and a thread per PU.
 * A trace belongs to one thread at a time; the drivers keep one per PU and join them at the end. */
#ifndef PLB_REPORT_TRACE_H
#define PLB_REPORT_TRACE_H

#include <stdint.h>

#include "base/error.h"

enum plb_trace_type { PLB_TRACE_TASK, PLB_TRACE_TRANSFER, PLB_TRACE_WAIT, PLB_TRACE_SOLVE };

#define PLB_TRACE_MASTER (-1) /* as `pu`: the master itself, on node 0 */

struct plb_trace_event {
    int32_t type, node, pu;     /* pu: id in the run */
    int32_t pass;
    double start, seconds;      /* since the run began */
    int64_t first, count;       /* units of a task or transfer */
    int64_t block;              /* that they were granted in; its number % the number of PUs is the PU that
                                   they were granted to, though another may execute them */
};

/* A zeroed struct is an empty trace that records nothing; set `on` to record. */
struct plb_trace {
    int on;
    struct plb_trace_event *at;
    int64_t n, capacity;
};

/* Who is who, for the metadata. */
struct plb_trace_pu {
    int node, pu;
    const char *host, *name;
};

void plb_trace_add(struct plb_trace *trace, struct plb_trace_event event);
void plb_trace_append(struct plb_trace *trace, const struct plb_trace_event *events, int64_t n);
void plb_trace_fini(struct plb_trace *trace);

/* The PU that a task or transfer was granted to: its own, unless the work was stolen. */
int plb_trace_owner(const struct plb_trace_event *event, int n_pus);

/* Writes the trace as Chrome trace-event JSON (complete events, times in µs, ordered by start) under
 * a temporary name, then renames it. PLB_EFAILED where that fails. */
int plb_trace_write(const struct plb_trace *trace, const struct plb_trace_pu *pus, int n_pus,
                    const char *unit, const char *file, struct plb_error *err);

#endif
