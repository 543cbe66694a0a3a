/* A trace as JSON, for the charts of a page. PUs with few events have each of them. Others have columns of
 * equal time, with the part of each in which they computed, copied, or executed units of another PU's block.
 * So a million tasks of a thousand PUs take three megabytes. Waits for inputs are shown as copies. Other
 * waits are left out: nothing else is there then. */
#ifndef PLB_REPORT_PAGE_TRACE_H
#define PLB_REPORT_PAGE_TRACE_H

#include <stdio.h>

#include "report/trace.h"

/* Writes one object on one line. Cost: O(events + columns). */
void plb_page_trace_print(const struct plb_trace *trace, int n_pus, FILE *out);

#endif
