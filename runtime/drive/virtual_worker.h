/* The workers of simulated nodes, made from the descriptions of a cluster. */
#ifndef PLB_DRIVE_VIRTUAL_WORKER_H
#define PLB_DRIVE_VIRTUAL_WORKER_H

#include "core/worker.h"
#include "drive/simulation.h"

/* What PU `local` of node n says of itself. */
void plb_virtual_pu_describe(const struct plb_world *world, int n, int local, struct plb_pu_info *info);

/* The worker of node n, with so many PUs; to be freed with plb_worker_free. */
struct plb_worker *plb_virtual_worker_new(const struct plb_world *world, int n, int n_pus);

#endif
