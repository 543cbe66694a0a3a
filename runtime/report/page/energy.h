/* The part of a page that tells of energy: where joules come from, watts over time, and the front of time and
 * energy. Nothing where neither joules nor watts are known. */
#ifndef PLB_REPORT_PAGE_ENERGY_H
#define PLB_REPORT_PAGE_ENERGY_H

#include <stdio.h>

#include "report/report.h"
#include "report/trace.h"

/* Writes sections with tables, and the data of their charts as JSON, for runtime/report/page/energy.js. */
void plb_page_energy_print(const struct plb_report *report, const struct plb_trace *trace, FILE *out);

#endif
