/* What the cluster driver keeps of a run, on every rank. Communication thread only. */
#ifndef PLB_DRIVE_CLUSTER_RUN_H
#define PLB_DRIVE_CLUSTER_RUN_H

#include "base/clock.h"
#include "core/master.h"
#include "drive/mpi.h"
#include "job/job.h"
#include "node/daemon.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/trace.h"

struct plb_cluster_options {
    bool verbose, show_pus, quiet, dry_run;
};

/* Results on their way to rank 0, under one DONE. */
struct incoming {
    struct plb_message done;
    void *partial[PLB_MAX_DATA]; /* reduce arrays, folded on acceptance */
    int pending;
    struct incoming *next;
};

/* What rank 0 has on top of its node. */
struct leader {
    struct plb_job *job;
    struct plb_master *master;
    struct incoming *incoming;
    struct plb_progress progress;
    struct plb_pu_info *pus;    /* from HELLO */
    int n_pus, expected;        /* so far, and when all have said HELLO */
    int byes;                   /* ranks that have said it */
    int pass;
    bool in_pass, stopping;
    double pass_began, makespan, solve;
    struct plb_trace *trace;
};

struct run {
    struct plb_mpi *mpi;
    int rank, size;
    double clock;               /* plb_now() + clock is the run's time */
    struct plb_dataset data;
    struct plb_cost_map *maps;  /* one per phase; rank 0's tables are the job's */
    int n_maps;
    struct plb_node *node;
    struct plb_outbox out;
    struct leader *lead;        /* rank 0's, else NULL */
    struct plb_error *err;
    const struct plb_cluster_options *options;
    double asked_at, slowest_answer; /* when this rank last asked another for work, and the longest it waited */
    bool stopped;
    int status;
    int pulls;                  /* inputs on their way to other nodes */
};

static inline double run_time(const struct run *r)
{
    return plb_now() + r->clock;
}

#endif
