/* Whether a run can have its objective. */
#ifndef PLB_JOB_REQUIRE_WATTS_H
#define PLB_JOB_REQUIRE_WATTS_H

#include "base/error.h"
#include "core/master.h"

/* PLB_OK. Or PLB_EINPUT and a sentence, where the objective or the cap needs watts that are not known, or no
 * PU may work under the cap. */
int plb_watts_require(const struct plb_goal *goal, const struct plb_master *master, struct plb_error *err);

#endif
