/* The cluster driver: the core over MPI, real devices and the monotonic clock. A simulation drives the same
 * core. */
#ifndef PLB_RUN_CLUSTER_H
#define PLB_RUN_CLUSTER_H

#include "every_rank/rank.h"
#include "job/job.h"
#include "membership/early_loss.h"
#include "report/report.h"
#include "report/trace.h"
#include "run/start.h"

/* The end of a run, on this rank. */
struct plb_cluster_end {
    bool left;  /* a PU hangs in a task that nobody wants any more, and its thread may still use the job: the
                   process must end by _exit and free nothing */
    bool alone; /* so must it where the other ranks do not answer; and then it does not leave MPI */
    struct plb_early_loss *watch; /* set before the run; NULL once it has served */
    struct plb_life *life;        /* of this rank, which has served; else NULL */
    bool begun;                   /* rank 0: a pass had begun, so that there is something to report */
    bool interrupted;             /* rank 0: the run has ended since somebody wanted it to */
    int pass;                     /* the last one */
    struct plb_rangeset done;     /* rank 0, where keep_partial is on: units accepted in it; to be released */
};

/* Leaves MPI, after the run and all that rank 0 writes. Collective over the ranks that live. Where MPI cannot
 * be left in order, end->left is set. status: of this process, should MPI hang. */
void plb_cluster_leave(struct plb_mpi *mpi, struct plb_cluster_end *end, int status);

/* Runs the job. `job` is rank 0's, NULL elsewhere; `report` and `trace` (on: record) are filled in on rank 0,
 * for a failed run too, as far as it came. Collective over all ranks. Returns the same status on every rank;
 * the sentence is where the failure was noticed. SIGINT and SIGTERM end the run: rank 0 stops all ranks, and
 * goes on without those that are gone. A rank other than 0 that dies or stops is lost, and others execute its
 * units. */
int plb_cluster_run(struct plb_mpi *mpi, struct plb_job *job, const struct plb_cluster_options *options,
                    struct plb_report *report, struct plb_trace *trace, struct plb_cluster_end *end,
                    struct plb_error *err);

#endif
