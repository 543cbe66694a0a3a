/* The PUs and links of a run, as they were measured in it, and a cluster for the simulator made of them. Not
 * thread-safe. */
#ifndef PLB_FORESEE_MEASURED_H
#define PLB_FORESEE_MEASURED_H

#include "job/job.h"
#include "report/report.h"

/* A PU in one phase. */
struct plb_measured_rate {
    double rate;                /* work per second of executing, without starts; 0: not measured */
    double start_s;             /* of a task */
    double execute_s, copied_s; /* in all; copied_s: waits for data, and copies */
    double work;                /* that it did in that time */
    double all_work;            /* that it did in the run: samples are some of its tasks */
    bool unsure;                /* tasks were so small that the rate may be anything for larger ones */
    int samples;                /* tasks or reports that tell it */
};

/* A zeroed struct has no PUs. */
struct plb_measured {
    int n_pus, n_nodes, n_phases;
    struct plb_pu_info *pus;         /* by number in the run */
    struct plb_measured_rate *rates; /* n_phases of each PU, PU by PU */
};

/* Reads what the master knows of a run that is over. */
void plb_measured_read(struct plb_measured *measured, const struct plb_job *job, struct plb_master *master);
void plb_measured_fini(struct plb_measured *measured);

/* A machine that differs from that of the run. */
struct plb_other_machine {
    int without;   /* this PU; -1: all are there */
    int more_like; /* one more node, as this one; -1: no more */
};

/* The cluster of a phase. PUs that were not measured in it are left out, and nodes without PUs but node 0.
 * of: by number in the cluster, the PU's number in the run; with room for twice the PUs of the run.
 * real: links are as the waits of the run tell. Released with plb_measured_cluster_fini. */
void plb_measured_cluster(const struct plb_measured *measured, const struct plb_job *job, int phase,
                          bool real, const struct plb_other_machine *other, struct plb_cluster_spec *cluster,
                          int *of);
void plb_measured_cluster_fini(struct plb_cluster_spec *cluster);

/* The node whose PUs are the fastest together; -1: none was measured. */
int plb_measured_best_node(const struct plb_measured *measured, int phase);

#endif
