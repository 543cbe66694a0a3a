/* Units that killed their executors and were set aside: what the report, the warnings and the end of the run
 * say of them. Rank 0 only. */
#ifndef PLB_OUTCOME_SET_ASIDE_H
#define PLB_OUTCOME_SET_ASIDE_H

#include "app/dataset.h"
#include "base/error.h"
#include "core/master.h"
#include "job/job_settings.h"
#include "plb/kernel.h"
#include "report/report.h"

/* Adds to a report all that the master has set aside, in the order of passes and units. */
void plb_set_aside_report(const struct plb_master *master, const struct plb_kernel *kernel,
                          struct plb_report *report);

/* Warns of each range, but of no more than a few. Nothing where there is none. */
void plb_set_aside_warn(const struct plb_report *report);

/* Fails where units were set aside, unless the user skips them. */
void plb_set_aside_fail(const struct plb_report *report, bool skip, struct plb_error *err);

/* Whether units were set aside that the user does not skip. Then the journal ends with their pass, so that a
 * run that goes on tries them again. */
bool plb_set_aside_any(const struct plb_master *master, const struct plb_run_settings *settings);

/* Whether some units of a range were set aside, in any pass: a late result of them is not known to be in its
 * place. */
bool plb_set_aside_has(const struct plb_master *master, struct plb_range range);

/* A pass is over: outputs of units that were set aside are zero, whatever of them has arrived. */
void plb_set_aside_clear(const struct plb_master *master, const struct plb_dataset *set);

#endif
