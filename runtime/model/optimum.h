/* The optimum on a described cluster: the best fixed distribution of the work, by the true curves that
 * only a simulation knows. The yardstick of PLB-HAC's Figure 4, here by solving instead of searching.
 * Noise and `slow` lines are not part of it. Pure functions; thread-safe. */
#ifndef PLB_MODEL_OPTIMUM_H
#define PLB_MODEL_OPTIMUM_H

#include "model/cluster_spec.h"

/* What one unit of average cost means. */
struct plb_unit_size {
    double cost;                      /* in the kernel's measure: rate and half of the PUs count it */
    double input_bytes, output_bytes; /* moved for it, where the PU is not on node 0 */
    double task_bytes;                /* a task of another node moves at most about this much; 0 = any */
    double replicated_bytes;          /* held by every PU; one whose memory cannot is not used */
};

/* Shares `work` among all PUs of the cluster so that they end together, as early as can be; with
 * `skip_first` the PUs of node 0 get nothing. ideals: one per PU of the cluster, filled in. Returns
 * the seconds that it lasts. */
double plb_optimum(const struct plb_cluster_spec *cluster, const struct plb_unit_size *unit, double work,
                   bool skip_first, struct plb_ideal *ideals);

#endif
