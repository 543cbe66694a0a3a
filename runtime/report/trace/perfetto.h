/* The trace for Perfetto: Chrome trace events as JSON, with a process per node and a thread per PU. */
#ifndef PLB_REPORT_TRACE_PERFETTO_H
#define PLB_REPORT_TRACE_PERFETTO_H

#include <stdio.h>

#include "report/report.h"
#include "report/trace.h"

/* Writes complete events, times in µs, ordered by start. An event whose names are not UTF-8 is left out. */
void plb_perfetto_print(const struct plb_trace *trace, const struct plb_report *report, FILE *out);

#endif
