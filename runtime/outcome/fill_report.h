/* The master's knowledge, as a report: the same for a real and for a simulated run. */
#ifndef PLB_OUTCOME_FILL_REPORT_H
#define PLB_OUTCOME_FILL_REPORT_H

#include "core/master.h"
#include "report/report.h"
#include "job/job.h"

/* Fills in what the master knows, for the passes that the app counts, less those of an earlier run that this
 * one goes on from, and allocates the arrays of PUs and of curves. `times` has the passes of each phase,
 * without names. The driver adds makespan, solve_s, messages, bytes and mode, and then calls
 * plb_report_derive. Before the journal is closed. */
void plb_report_from_master(struct plb_master *master, const struct plb_job *job,
                            const struct plb_report_phase *times, struct plb_report *report);

/* Fills in what the user asked for: settings, seed, command line, and when the run began. All are borrowed
 * from the job but the command line, which stays the caller's. */
void plb_report_add_job(const struct plb_job *job, const char *command, struct plb_report *report);

/* Fills in the joules of each PU of a real run whose PUs a .cluster file emulates: by the time that they were
 * busy. Where static watts end with a node's tasks, theirs stay unmeasured. Nothing where PUs are real. */
void plb_report_add_emulated_energy(const struct plb_master *master, const struct plb_cluster_spec *cluster,
                                    struct plb_report *report);

/* Warns of every PU that is not used because its memory is too small, with the numbers. Returns how many PUs
 * are not used, those that could not be opened included. */
int plb_warn_of_refused(const struct plb_master *master, const struct plb_app *app);

/* PUs that may execute something: they have the memory, and nothing has failed. */
int plb_usable_pus(struct plb_master *master);

/* The error of a run in which no PU can be used: returns its status. */
int plb_no_usable_pu(const struct plb_master *master, struct plb_error *err);

#endif
