/* Files and lines that a run leaves on rank 0: results, profiles, report, trace and summary. */
#ifndef PLB_OUTCOME_OUTPUTS_H
#define PLB_OUTCOME_OUTPUTS_H

#include "base/rangeset.h"
#include "config/arguments.h"
#include "job/job.h"
#include "report/report.h"
#include "report/trace.h"

/* Before a run: whether it can end with what the arguments ask for. The kernel must be loaded. Finds out
 * whether report and trace can be written, and leaves no file. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_outputs_check(const struct plb_arguments *arguments, const struct plb_job *job,
                      struct plb_error *err);

/* Whether a trace is needed: it was asked for, or the report is a page, which shows it. */
bool plb_outputs_traced(const struct plb_arguments *arguments);

/* After the last pass: verifies the result if asked to, writes the files, prints the summary. A wrong result
 * gets a report and a trace too, its files are NAME.wrong, and there is no profile. A run that has failed
 * (`err`) gets a report and a trace, and with keep_partial its files are NAME.partial; `done` has the units
 * that are complete in them (NULL: none are kept). PLB_OK; or PLB_EFAILED or PLB_EVERIFY, and a sentence. */
int plb_outputs_write(const struct plb_arguments *arguments, struct plb_job *job, struct plb_report *report,
                      const struct plb_trace *trace, const struct plb_rangeset *done, struct plb_error *err);

#endif
