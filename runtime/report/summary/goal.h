/* The objective of a run as people read it. */
#ifndef PLB_REPORT_SUMMARY_GOAL_H
#define PLB_REPORT_SUMMARY_GOAL_H

#include <stdio.h>

#include "report/report.h"

/* One line: the objective, who was left out and what that saved, deadline and cap. Nothing where time is the
 * objective, without a cap. */
void plb_goal_say(const struct plb_report *report, FILE *out);

#endif
