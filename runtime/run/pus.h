/* Which PUs a rank has. */
#ifndef PLB_RUN_PUS_H
#define PLB_RUN_PUS_H

#include "run/cluster_file.h"
#include "run/node.h"

enum plb_pus_wanted { PLB_PUS_AUTO, PLB_PUS_CPU, PLB_PUS_GPU };

struct plb_pus_config {
    int threads;                /* of the CPU; 0: its fair share of the cores */
    bool master_only;           /* rank 0 has no PUs */
    double gpu_power;           /* where a CPU thread has 1; 0: a guess */
    enum plb_pus_wanted wanted;
    bool verbose;
};

/* The PUs of this rank that can run every phase of the kernel: those of its node in the cluster, or where
 * that has no nodes its CPU and its GPUs. Ranks of one host that see the same GPUs share them out, and all of
 * a host share its cores; a core is kept for each GPU's thread and one for communication, so where that leaves
 * none the CPU is no PU. Warns where the launcher's binding leaves the CPU fewer cores. Collective. Returns how
 * many, in an array to be freed (or NULL). */
int plb_pus_describe(const struct plb_mpi *mpi, const struct plb_cluster_spec *cluster, const struct plb_kernel *kernel,
                     const struct plb_pus_config *config, struct plb_node_pu **pus);

#endif
