/* Which PUs a rank has. */
#ifndef PLB_NODE_DESCRIBE_H
#define PLB_NODE_DESCRIBE_H

#include "model/cluster_spec.h"
#include "node/memory/node_config.h"

/* Where a rank is, and how the ranks of its host exchange what they see. */
struct plb_rank_site {
    int rank;                   /* in the run */
    int local_rank, local_size; /* among the ranks of this host */
    void *context;
    /* Puts the bytes that each rank of this host gives into `all`, in their order. Collective over the
     * host. */
    void (*gather)(void *context, const void *data, size_t bytes, void *all);
};

/* Describes the PUs of this rank that can run every phase of the kernel; without one (NULL), all PUs. A
 * cluster with nodes lists them; else they are the devices that the drivers find and that the settings want.
 * Ranks of one host that see the same devices share them out, and share the host's cores. One core is kept
 * for each thread that drives another device, and one for communication; the CPU is no PU where that leaves
 * none. Tells the log what was found, and why a device is no PU. Warns where the launcher's binding leaves
 * the CPU fewer cores. Collective over all ranks. Returns the number of PUs, and in *pus an array that the
 * caller frees, or NULL. */
int plb_pus_describe(const struct plb_rank_site *site, const struct plb_cluster_spec *cluster,
                     const struct plb_kernel *kernel, const struct plb_pu_settings *settings,
                     struct plb_node_pu **pus);

#endif
