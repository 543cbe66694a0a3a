/* The workers of simulated nodes and their tasks, made from the description of a cluster. */
#ifndef PLB_SIMULATE_WORKER_H
#define PLB_SIMULATE_WORKER_H

#include "core/worker/worker.h"
#include "simulate/simulation.h"

/* What PU `local` of node n says of itself. */
void plb_virtual_pu_describe(const struct plb_world *world, int n, int local, struct plb_pu_info *info);

/* The worker of node n, with so many PUs; to be freed with plb_worker_free. */
struct plb_worker *plb_virtual_worker_new(const struct plb_world *world, int n, int n_pus);

/* Seconds of a task at speed 1, which is this one of its PU (a number in the cluster) since the run began. */
double plb_virtual_seconds(const struct plb_world *world, const struct plb_cost_map *map, int pu, int number,
                           struct plb_range range);

/* Whether a task of PU `local` of node n has a unit that kills it. Then its last words go to `out`: a CRASH
 * with the units of one call of the kernel. */
bool plb_virtual_crash(const struct plb_world *world, int n, int local, const struct plb_slice *task,
                       int phase, struct plb_outbox *out);

/* Adds an event of PU `id` of node n to the trace, where there is one. task: NULL: none, in `pass`. */
void plb_virtual_trace(const struct plb_world *world, int n, int id, int type, double start, double end,
                       const struct plb_slice *task, int pass);

/* Seconds after which a task that a PU of a node begins hangs; infinite: never. */
double plb_virtual_limit(const struct plb_world *world, struct plb_worker *worker, int local,
                         const struct plb_slice *task);

#endif
