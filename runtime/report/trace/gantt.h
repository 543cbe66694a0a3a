/* The trace as a Gantt chart: one HTML page with its picture inside, for any browser, without a network. */
#ifndef PLB_REPORT_TRACE_GANTT_H
#define PLB_REPORT_TRACE_GANTT_H

#include <stdio.h>

#include "report/report.h"
#include "report/trace.h"

/* Draws a lane for each PU with its tasks, transfers and waits. Where a PU executed what another one was
 * granted, an arrow leads there from the other one's lane. */
void plb_gantt_print(const struct plb_trace *trace, const struct plb_report *report, FILE *out);

#endif
