/* The trace as a Gantt chart: one HTML file with its picture inside, for any browser, with no network. */
#ifndef PLB_REPORT_GANTT_H
#define PLB_REPORT_GANTT_H

#include "report/report.h"
#include "report/trace.h"

/* A lane for each PU with tasks, transfers and waits, and an arrow from the PU that work was granted to
 * where another executed it. Written under a temporary name, then renamed. PLB_EFAILED where that fails. */
int plb_gantt_write(const struct plb_trace *trace, const struct plb_trace_pu *pus,
                    const struct plb_report *report, const char *file, struct plb_error *err);

#endif
