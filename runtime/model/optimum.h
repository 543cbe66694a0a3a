/* The optimum of a described cluster: the time that the best fixed distribution of the work needs, by the
 * true curves that only a simulation knows. Reports and benches divide makespans by it. It plays the part of
 * the optimum of PLB-HAC's Figure 4, and is solved for where the paper searches.
 *
 * The model is that of simulate/simulation.h, with the work taken for a fluid:
 *
 * - A PU executes its work in at least one task. Each task costs its start and its copies. Memory and
 *   `task_bytes` limit the size of a task, and so the number of tasks.
 * - A PU of another node waits for messages and for its first input, and its last result has to travel. One
 *   task moves all its data before and after the work. With more tasks, one unit each is enough.
 * - The link of a node, and that of rank 0, carry inputs and results at the same time. Neither direction
 *   carries more than its bandwidth. Rank 0's link carries the data of all other nodes.
 *
 * No simulated run with units of equal cost and size is shorter, unless noise or a `slow` line makes a PU
 * faster than described. test/simulation/test_optimum.c holds that. Unequal units count by their mean, so a
 * run that sends away the units with little data may be shorter.
 *
 * Weak in two ways: it leaves out what rank 0 needs for messages, fits and solves, and that tasks are whole
 * units. So no run comes near it where there are many small tasks or few units. Pure functions; thread-safe.
 */
#ifndef PLB_MODEL_OPTIMUM_H
#define PLB_MODEL_OPTIMUM_H

#include "model/cluster_spec.h"

/* A PU holds the bytes of this many tasks at a time: one is fetched, one executed, one sent back. */
#define PLB_TASKS_IN_MEMORY 3.0

/* One unit of average cost. */
struct plb_unit_size {
    double cost;                      /* in the kernel's measure: rate and half of the PUs count it */
    double input_bytes, output_bytes; /* moved for it, where the PU is not on node 0 */
    double task_bytes;                /* a task of another node moves at most about this much; 0 = any */
    double replicated_bytes;          /* held by every PU; one whose memory cannot is not used */
};

/* Shares `work` among all PUs of the cluster so that the last one ends as early as can be; with `skip_first`
 * the PUs of node 0 get nothing. ideals: one per PU of the cluster, filled in. Returns the seconds that it
 * lasts; 0 where no PU can hold a unit. */
double plb_optimum(const struct plb_cluster_spec *cluster, const struct plb_unit_size *unit, double work,
                   bool skip_first, struct plb_ideal *ideals);

#endif
