/* Units that killed their executors and were set aside: what the report, the warnings and the end of the run
 * say of them. Rank 0 only. */
#ifndef PLB_DRIVE_SET_ASIDE_H
#define PLB_DRIVE_SET_ASIDE_H

#include "base/error.h"
#include "core/master.h"
#include "plb/kernel.h"
#include "report/report.h"

/* Adds to a report all that the master has set aside, in the order of passes and units. */
void plb_set_aside_report(const struct plb_master *master, const struct plb_kernel *kernel,
                          struct plb_report *report);

/* Warns of each range, but of no more than a few. Nothing where there is none. */
void plb_set_aside_warn(const struct plb_report *report);

/* Fails where units were set aside, unless the user skips them. */
void plb_set_aside_fail(const struct plb_report *report, bool skip, struct plb_error *err);

#endif
