/* The progress of a pass, and for whom it waits. */
#ifndef PLB_OUTCOME_SHOW_PROGRESS_H
#define PLB_OUTCOME_SHOW_PROGRESS_H

#include "core/master.h"
#include "report/progress/progress.h"

/* Shows how far pass number `pass` is, if it is time to. `units`: of the pass; `began`, `now`: when it began,
 * and the time. */
void plb_show_progress(struct plb_progress *progress, struct plb_master *master, int pass, int64_t units,
                       double began, double now);

#endif
