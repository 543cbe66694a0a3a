/* Which PUs a rank has. */
#ifndef PLB_NODE_DESCRIBE_H
#define PLB_NODE_DESCRIBE_H

#include "config/settings.h"
#include "model/cluster_spec.h"
#include "node/daemon.h"

/* Where a rank is among the ranks of its host. */
struct plb_place {
    int rank;                   /* in the run */
    int local_rank, local_size; /* among the ranks of this host */
    void *context;
    /* What each rank of this host gives, in their order. Collective over the host. */
    void (*gather)(void *context, const void *data, size_t bytes, void *all);
};

/* The PUs of this rank that can run every phase of the kernel: those of its node in the cluster, or where
 * that has no nodes its CPU and its GPUs. Ranks of one host that see the same GPUs share them out, and all of
 * a host share its cores; a core is kept for each GPU's thread and one for communication, so where that leaves
 * none the CPU is no PU. Warns where the launcher's binding leaves the CPU fewer cores. Collective. Returns how
 * many, in an array to be freed (or NULL). */
int plb_pus_describe(const struct plb_place *place, const struct plb_cluster_spec *cluster, const struct plb_kernel *kernel,
                     const struct plb_pus_config *config, struct plb_node_pu **pus);

#endif
