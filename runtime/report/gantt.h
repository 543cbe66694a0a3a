/* The trace as a Gantt chart: one HTML file with its picture inside, for any browser, without a network. */
#ifndef PLB_REPORT_GANTT_H
#define PLB_REPORT_GANTT_H

#include "report/report.h"
#include "report/trace.h"

/* Draws a lane for each PU with its tasks, transfers and waits. Where a PU executed what another one was
 * granted, an arrow leads there from the other one's lane. `pus` has report->n_pus records. The file gets its
 * name when it is complete. PLB_OK; or PLB_EFAILED and a sentence, and no file. */
int plb_gantt_write(const struct plb_trace *trace, const struct plb_trace_pu *pus,
                    const struct plb_report *report, const char *file, struct plb_error *err);

#endif
