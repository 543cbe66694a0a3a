/* How two PUs of a node share what one of them has queued. A pure function. */
#ifndef PLB_CORE_WORKER_SHARE_H
#define PLB_CORE_WORKER_SHARE_H

#include "core/worker/pu_rate.h"

struct plb_sharer {
    const struct plb_pu_rate *rate;
    double power; /* as given */
};

/* How much an idle PU takes of the work that a neighbour has queued; 0: nothing. by_power: shares follow the
 * powers, though rates are measured. */
double plb_neighbours_share(const struct plb_sharer *own, const struct plb_sharer *other, double queued,
                            bool by_power);

#endif
