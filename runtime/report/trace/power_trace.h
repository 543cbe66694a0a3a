/* Watts and joules over time as counters of a trace for Perfetto. */
#ifndef PLB_REPORT_TRACE_POWER_TRACE_H
#define PLB_REPORT_TRACE_POWER_TRACE_H

#include <stdio.h>

#include "report/report.h"
#include "report/trace.h"

/* Writes a counter of watts and one of joules for each thing whose watts are known, named by its meter,
 * domain and resolution; each event begins with a comma. Nothing for what is not measured. */
void plb_power_trace_print(const struct plb_report *report, const struct plb_trace *trace, FILE *out);

#endif
