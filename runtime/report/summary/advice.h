/* Which setting would make a loss smaller. Each advice has a run in test/simulation/test_advice.sh that
 * becomes faster by it. */
#ifndef PLB_REPORT_SUMMARY_ADVICE_H
#define PLB_REPORT_SUMMARY_ADVICE_H

#include "report/report.h"

/* Writes the advice to each loss that is worth it, and sets `advice` to that of the largest of them. By the
 * losses and the settings of the report. Thread-safe. */
void plb_advice_find(struct plb_report *report);

/* Whether a simulated job is over so soon that its .cluster file probably has the rates of another kernel.
 * Then there is no advice about balancing. Thread-safe. */
bool plb_advice_doubts_rates(const struct plb_report *report);

#endif
