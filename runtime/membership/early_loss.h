/* The loss of a rank before the run serves: while the kernel is set up, loaded and told its inputs. All ranks
 * wait for each other then, in collectives of MPI, which do not return without the lost one. So the run ends,
 * with one sentence and status 1.
 *
 * A rank that ends is noticed by the others of its host. They tell rank 0, which ends all others; or all
 * others, if it was rank 0. A rank that is alone on its host is not missed. Communication thread only. */
#ifndef PLB_MEMBERSHIP_EARLY_LOSS_H
#define PLB_MEMBERSHIP_EARLY_LOSS_H

#include "membership/neighbours.h"

struct plb_early_loss;

/* From now on each collective that has to wait looks for lost ranks, and ends the process where there is one.
 * Collective. */
struct plb_early_loss *plb_early_loss_watch(struct plb_mpi *mpi);

/* From now on nobody looks. Returns the ranks of this host, which are the caller's. */
struct plb_neighbours *plb_early_loss_end(struct plb_early_loss *watch);

#endif
