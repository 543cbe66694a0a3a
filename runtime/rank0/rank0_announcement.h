/* The job as rank 0 announces it to every rank: before the first pass, and to one that joins. */
#ifndef PLB_RANK0_RANK0_ANNOUNCEMENT_H
#define PLB_RANK0_RANK0_ANNOUNCEMENT_H

#include <limits.h>

#include "every_rank/rank.h"

/* The start of every rank needs this; plain data. */
struct plb_announcement {
    char kernel[PATH_MAX];
    int cluster_nodes, cluster_pus;
    struct plb_pu_settings pus;
    bool trace, audits, checksums, isolate, keeps_inputs, keeps_results, meters, learns_watts;
    int64_t stays, fed, named; /* masks: of the outputs that stay, and as in struct plb_dataset */
    double hung_after, left_s; /* left_s: until no task goes on; infinite: nobody limits the time */
    struct plb_migration migration;
    double grain, pulled_bytes; /* as in struct plb_node_config */
    double origin;              /* rank 0's clock when the run's clock is 0 */
    int joiners;                /* ranks that may join later */
    double told;                /* to one that joins: rank 0's clock when that was told; */
    struct plb_hello hello;     /* and what rank 0 runs */
    char host[64];
};

/* Rank 0: fills in what all ranks hear. */
void plb_announcement_fill(struct plb_announcement *a, const struct plb_rank *r);

/* Rank 0: sends a rank that joins all that it needs to start (plb_mpi_tell).
 * *a is valid until that is sent. */
void plb_announce(struct plb_rank *r, struct plb_announcement *a);

#endif
