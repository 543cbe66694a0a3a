/* How long a task may be where the costs of units are unknown. They are taken to be equal, but the next ones
 * may be a thousand times more expensive than those before, and a task that has been started can move no
 * more. Pure function; thread-safe. */
#ifndef PLB_CORE_WORKER_UNKNOWN_COST_H
#define PLB_CORE_WORKER_UNKNOWN_COST_H

#include "core/worker/pu_rate.h"

/* Changes how tasks are cut off a PU's queue. A task lasts sqrt(c · T) seconds, as starts and surprises then
 * cost alike (Kruskal and Weiss, 1985): c is what a start costs at most, T the time that the PU's share of
 * the pass will take. It may last longer where the PU has been watched for long, or where its tasks so far
 * were starts and little else. It has at most 16 times the work of the largest task before, which may have
 * been of units a thousand times as cheap. master_s: seconds of a start that the master needs, on behalf of
 * this node. */
void plb_unknown_cost_cut(const struct plb_pu_rate *pu, double master_s, struct plb_cut *cut);

#endif
