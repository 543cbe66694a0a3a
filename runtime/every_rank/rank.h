/* The cluster driver's state of a run, on every rank. Communication thread only. */
#ifndef PLB_EVERY_RANK_RANK_H
#define PLB_EVERY_RANK_RANK_H

#include "app/dataset.h"
#include "base/clock.h"
#include "every_rank/pace.h"
#include "inputs/data_mpi.h"
#include "inputs/share_files.h"
#include "membership/life.h"
#include "node/daemon.h"
#include "report/progress/progress.h"
#include "transport/mpi.h"
#include "transport/stream.h"

struct plb_rank0;
struct plb_metering;

struct plb_cluster_options {
    bool show_pus, dry_run, keep_partial, pareto;
    enum plb_progress_style progress;
};

/* Buffers that `next` has replaced, on their way (every_rank/replaced.h). A zeroed struct is right before the
 * first pass. */
struct plb_replaced {
    struct plb_stream stream; /* of the last pass that had any */
    int64_t buffers;          /* of the stream, as a mask */
    struct plb_parts parts;   /* that have changed of others; they are in a packet */
    char *packet;             /* the last buffer of the stream, where it has one */
    bool packet_abandoned;    /* the same of the packet */
    int64_t abandoned;        /* MPI may use the memory of these until the process ends: it is left there */
    int sends;                /* rank 0: transfers that no stream has */
    bool *awaits;             /* rank 0: by rank: it has not said HERE; NULL: no pass had large ones */
    struct plb_outbox held;   /* another rank: messages that have come while it waited */
    int next;                 /* of them */
};

struct plb_rank {
    struct plb_mpi *mpi;
    int rank, size;
    const struct plb_cluster_options *options;
    const struct plb_kernel *kernel;
    char host[64];
    const char **hosts;     /* rank 0: by rank; the names follow in the same memory */
    struct plb_hello hello; /* what each PU of this rank says, but for the PU itself */
    double clock;           /* plb_now() + clock is the run's time */
    struct plb_dataset data;
    struct plb_old_buffers old; /* of `data` */
    struct plb_replaced replaced;
    struct plb_near_files near; /* what this rank has of the application's files */
    struct plb_cost_map *maps;  /* one per phase; rank 0's tables are the job's */
    int n_maps;
    struct plb_node *node;
    struct plb_metering *metering; /* NULL: nothing is measured here */
    struct plb_pace pace;
    struct plb_own_cores cores; /* of the communication thread (every_rank/own_cores.h) */
    int pass;                   /* the last one that has begun here */
    struct plb_outbox out;
    struct plb_rank0 *rank0; /* rank 0's, else NULL */
    struct plb_error *err;
    double asked_at;       /* plb_now() when this rank asked another one for work; 0: it awaits no answer */
    double slowest_answer; /* seconds of the longest wait for a GIFT */
    bool resting, said_rested; /* REST has come; RESTED has been said */
    bool stopped, stopping;    /* the run is over; PUs have not ended yet */
    bool alone;                /* rank 0: it does not wait for the others any more */
    double asked_to;           /* plb_now() when a signal was seen that asks this process to end; 0: none */
    int status;                /* of the run, once stopped */
    struct plb_life *life;     /* NULL before it serves */
    int sends;                 /* parts of the trace on their way */
    struct plb_trace trace;    /* of this rank's PUs, once stopped */
};

/* Seconds on the run's clock. */
static inline double plb_rank_time(const struct plb_rank *r)
{
    return plb_now() + r->clock;
}

#endif
