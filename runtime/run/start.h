/* The start of a run over MPI: brings every rank to the point where its devices are open and its HELLO is
 * queued. */
#ifndef PLB_RUN_START_H
#define PLB_RUN_START_H

#include "every_rank/rank.h"

/* Rank 0 tells the others what the job is. Every rank loads the kernel, gets the replicated data, and opens
 * its devices. Collective over all ranks. Returns the same status on every rank; the sentence is where the
 * failure was noticed. */
int plb_cluster_start(struct plb_rank *r);

/* Agrees on a status: rank 0's, or the worst of any rank. Waits for the last rank. Collective. */
int plb_cluster_agree(struct plb_mpi *mpi, int status);

#endif
