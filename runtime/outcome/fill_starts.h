/* The costs of starts of tasks, for the report. */
#ifndef PLB_OUTCOME_FILL_STARTS_H
#define PLB_OUTCOME_FILL_STARTS_H

#include "core/measure/history.h"
#include "model/tally.h"
#include "report/report.h"

/* Sets the rate and the start cost of a PU: a line through its samples. A curve's own slope, far from what
 * was measured, may be anything. */
void plb_starts_add_line(const struct plb_history *history, const struct plb_tally *tally,
                         struct plb_report_pu *pu);

/* Seconds that the tasks of a phase took beyond their work: those of empty tasks, or the excess of small
 * tasks over the best rate, less noise; or by medians, where some times are spoilt. Where units differ, sizes
 * do not tell it. At most the seconds that the tasks took. */
double plb_starts_of(const struct plb_history *history, const struct plb_tally *tally);

#endif
