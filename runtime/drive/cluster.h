/* The cluster driver: the core over MPI, real devices and the monotonic clock. A simulation drives the same
 * core. */
#ifndef PLB_DRIVE_CLUSTER_H
#define PLB_DRIVE_CLUSTER_H

#include "drive/rank.h"
#include "drive/start.h"
#include "job/job.h"
#include "report/report.h"
#include "report/trace.h"

/* Runs the job. `job` is rank 0's, NULL elsewhere; `report` and `trace` (on: record) are filled in on rank 0.
 * Collective over all ranks. Returns the same status on every rank; the sentence is where the failure was
 * noticed. *left: a PU of this rank hangs in a task that nobody wants any more. Its thread may still use the
 * job, so that the process must end by _exit and free nothing. */
int plb_cluster_run(struct plb_mpi *mpi, struct plb_job *job, const struct plb_cluster_options *options,
                    struct plb_report *report, struct plb_trace *trace, bool *left, struct plb_error *err);

#endif
