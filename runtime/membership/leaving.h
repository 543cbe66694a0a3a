/* How a process leaves MPI. All outputs are written by then, and the status is told: so nothing may keep it.
 * MPI waits for ever for a rank that dies or stops after all have met. */
#ifndef PLB_MEMBERSHIP_LEAVING_H
#define PLB_MEMBERSHIP_LEAVING_H

#include "membership/life.h"

/* Leaves MPI together with the others. life: of this rank, freed where MPI is left; NULL: it has not served.
 * Ranks of this host that do not end then are ended (plb_life_see_off). False where another rank has not come
 * in time: the process must end by _exit. Where MPI itself waits for too long, it ends here, with `status`.
 * Collective over the ranks that live. */
bool plb_leave_mpi(struct plb_mpi *mpi, struct plb_life *life, int status);

#endif
