/* Standing shares: how a pass is shared out before it begins, where nothing that is heard during the pass
 * could change much. Pure functions; thread-safe.
 *
 * All PUs end together after T seconds, by their estimates: T = (X + sum of rate * start) / sum of rate. A PU
 * may be late by its spread of that. A report may wait for as long as the shortest task of a large block:
 * where no PU is late by more, the pass is over before anybody could be told to help. Then the shares stand.
 * The shares of the last pass stay as they are while they end about as early: data would move for nothing.
 *
 * Cost: O(n). Weak where units cost other amounts than is told. */
#ifndef PLB_MODEL_STANDING_H
#define PLB_MODEL_STANDING_H

#include <stdbool.h>

#include "model/estimate.h"

struct plb_standing {
    double longest_s; /* of a task: a pass that lasts longer is shared out while it goes on */
    double late_s;    /* by which a PU may be late, at most */
};

/* Shares `work` among n PUs. estimates[p] is NULL for a PU that takes no part, and becomes it for one that
 * would not end a unit of average cost. x has the shares of the last pass, or zeros, and becomes the new
 * ones; *due becomes when all should have ended, with all that they may be late, in seconds since the pass
 * begins. Returns false, with both as they were, where the shares do not stand. */
bool plb_standing_shares(const struct plb_standing *limits, const struct plb_estimate **estimates, int n,
                         double work, double *x, double *due);

#endif
