/* Watts over the time of a simulation, from its trace. */
#ifndef TEST_WATTS_OVER_TIME_H
#define TEST_WATTS_OVER_TIME_H

#include <stdlib.h>

#include "power_cluster.h"
#include "report/trace.h"

/* Dynamic watts of all PUs at a time in seconds. */
struct watts_at {
    double time, dynamic;
};

static inline int by_start(const void *a, const void *b)
{
    double x = ((const struct plb_trace_event *)a)->start, y = ((const struct plb_trace_event *)b)->start;
    return (x > y) - (x < y);
}

/* At the start of each task: watts are highest where one has just begun. *n: the tasks. To be freed. */
static inline struct watts_at *watts_over_time(const struct machine *m, const struct plb_trace *trace,
                                               int64_t *n)
{
    struct plb_trace_event *at = plb_trace_sorted(trace, by_start);
    struct watts_at *watts = calloc((size_t)trace->n + 1, sizeof *watts);
    double ends[MOST_PUS] = {0};
    *n = 0;
    for (int64_t i = 0; i < trace->n; i++) {
        if (at[i].type != PLB_TRACE_TASK)
            continue;
        struct watts_at *w = &watts[(*n)++];
        w->time = at[i].start;
        ends[at[i].pu] = at[i].start + at[i].seconds;
        for (int p = 0; p < m->cluster.n_pus; p++)
            w->dynamic += ends[p] > w->time ? m->pus[p].dynamic_watts : 0.0;
    }
    free(at);
    return watts;
}
#endif
