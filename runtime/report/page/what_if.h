/* The times that a run would have taken with changes, on its page. */
#ifndef PLB_REPORT_PAGE_WHAT_IF_H
#define PLB_REPORT_PAGE_WHAT_IF_H

#include <stdio.h>

#include "report/report.h"

/* Writes the section: a sentence, how far the simulator can be believed, a table, and a place for the chart.
 * Nothing where no change was thought of and no reason is known. */
void plb_what_if_put(const struct plb_report *report, FILE *out);

/* The change that shortens the run most, on no more machines than it had; NULL: none does by a hundredth. */
const struct plb_report_change *plb_what_if_best(const struct plb_report *report);

#endif
