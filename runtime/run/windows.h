/* The windows of this rank's meters, where watts are learned: WINDOWs to rank 0. Communication thread
 * only. */
#ifndef PLB_RUN_WINDOWS_H
#define PLB_RUN_WINDOWS_H

#include "every_rank/rank.h"
#include "meter/sampler.h"

struct plb_windows;

/* For these PUs. NULL: there are no PUs, and no meters. The sampler is borrowed. */
struct plb_windows *plb_windows_new(struct plb_sampler *sampler, const struct plb_node_pu *pus, int n_pus);
void plb_windows_free(struct plb_windows *windows);

/* The meters of a PU of this rank: bits of enum plb_pu_meter. windows may be NULL. */
int plb_windows_meter(const struct plb_windows *windows, int pu);

/* Ends a window where it is time to, once the first pass has begun; now: on the run's clock. */
void plb_windows_step(struct plb_windows *windows, struct plb_rank *r, double now);

/* Seconds until then. */
double plb_windows_due(const struct plb_windows *windows, double now);

#endif
