/* Which PUs a rank has. */
#ifndef PLB_RUN_PUS_H
#define PLB_RUN_PUS_H

#include "run/cluster_file.h"
#include "run/node.h"

/* The PUs of this rank: those of its node in the cluster, or where that has no nodes its CPU, with
 * `threads` threads (0: its fair share of the cores). Warns where the launcher's binding leaves it
 * fewer cores. Returns how many, in an array to be freed (or NULL); 0 for rank 0 with master_only. */
int plb_pus_describe(const struct plb_mpi *mpi, const struct plb_cluster_spec *cluster, int threads,
                     bool master_only, struct plb_node_pu **pus);

#endif
