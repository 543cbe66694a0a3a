/* The cluster driver: the same core as in a simulation, over MPI, real devices and the monotonic
 * clock. Collective: every rank calls it. */
#ifndef PLB_DRIVE_CLUSTER_H
#define PLB_DRIVE_CLUSTER_H

#include "drive/cluster_run.h"

/* Agrees on a status: rank 0's, or the worst of any rank. Waits for the last rank. */
int plb_cluster_agree(struct plb_mpi *mpi, int status);

/* Runs the job. `job` is rank 0's, NULL elsewhere; `report` and `trace` (on: record) are filled in on
 * rank 0. Returns the same status on every rank; the sentence is where the failure was noticed. */
int plb_cluster_run(struct plb_mpi *mpi, struct plb_job *job, const struct plb_cluster_options *options,
                    struct plb_report *report, struct plb_trace *trace, struct plb_error *err);

#endif
