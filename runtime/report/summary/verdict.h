/* Sentences on where the time of a run went, for summary and page. They use the names of report/losses.h. */
#ifndef PLB_REPORT_SUMMARY_VERDICT_H
#define PLB_REPORT_SUMMARY_VERDICT_H

#include <stdio.h>

#include "report/report.h"

/* "The run took 1.8 times the ideal ...", and the largest loss: the sentences at the head of a page. Nothing
 * where nobody knows what PUs computed. */
void plb_verdict_print(const struct plb_report *report, FILE *out);

/* The last line of the summary, with its newline; nothing where there is no advice. */
void plb_advice_print(const struct plb_report *report, FILE *out);

#endif
