/* What the master knows, as a report: the same for a real and for a simulated run. */
#ifndef PLB_DRIVE_FILL_REPORT_H
#define PLB_DRIVE_FILL_REPORT_H

#include "core/master.h"
#include "report/report.h"
#include "job/application.h"

/* Fills in what the master knows, for the passes that the app counts, and allocates the arrays of PUs and of
 * curves. The driver adds makespan, solve_s, messages, bytes and mode, and then calls plb_report_derive. */
void plb_report_from_master(struct plb_master *master, const struct plb_app *app, const char *balancer,
                            struct plb_report *report);

/* Warns of every PU that is not used because its memory is too small, with the numbers. Returns how many PUs
 * that are. */
int plb_warn_of_refused(const struct plb_master *master, const struct plb_app *app);

#endif
