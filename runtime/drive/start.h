/* The start of a run over MPI: brings every rank to the point where its devices are open and its HELLO is
 * queued. */
#ifndef PLB_DRIVE_START_H
#define PLB_DRIVE_START_H

#include <limits.h>

#include "drive/rank.h"

/* The start of every rank needs this; plain data. */
struct plb_start {
    char kernel[PATH_MAX];
    int cluster_nodes, cluster_pus;
    struct plb_pu_settings pus;
    bool trace, audits, checksums, isolate, keeps_inputs, meters, learns_watts;
    int64_t stays, fed; /* masks: of the outputs that stay, and as in struct plb_dataset */
    double hung_after;
    struct plb_migration migration;
    double grain, pulled_bytes; /* as in struct plb_node_config */
    double origin;              /* rank 0's clock when the run's clock is 0 */
    int joiners;                /* ranks that may join later */
    double told;                /* to one that joins: rank 0's clock when that was told; */
    struct plb_hello hello;     /* and what rank 0 runs */
    char host[64];
};

/* Rank 0 tells the others what the job is. Every rank loads the kernel, gets the replicated data, and opens
 * its devices. Collective over all ranks. Returns the same status on every rank; the sentence is where the
 * failure was noticed. */
int plb_cluster_start(struct plb_rank *r);

/* Agrees on a status: rank 0's, or the worst of any rank. Waits for the last rank. Collective. */
int plb_cluster_agree(struct plb_mpi *mpi, int status);

/* Rank 0: tells a rank that joins all that it needs to start (plb_mpi_tell). *start is valid until that is
 * sent. */
void plb_cluster_tell(struct plb_rank *r, struct plb_start *start);

#endif
