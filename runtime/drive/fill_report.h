/* What the master knows, as a report: the same for a real and for a simulated run. */
#ifndef PLB_DRIVE_FILL_REPORT_H
#define PLB_DRIVE_FILL_REPORT_H

#include "core/master.h"
#include "report/report.h"
#include "job/application.h"

/* Fills in everything that the master knows, for the passes that the app counts; the driver adds
 * makespan, solve_s, messages, bytes and mode before it calls plb_report_derive. The arrays of PUs and
 * of curves are allocated. */
void plb_results_from_master(struct plb_master *master, const struct plb_app *app, const char *balancer,
                             struct plb_report *report);

/* Warns of every PU that is not used because its memory is too small, with the numbers. Returns how many. */
int plb_results_refused(const struct plb_master *master, const struct plb_app *app);

#endif
