/* Virtual rank 0: the master, and the one thread that serves it.
 *
 * The thread handles one frame at a time; others wait in a line, in the order in which they arrived. Its
 * messages leave at the end of its turn, when no frame waits, as in run/cluster.c: all messages for one
 * node in one frame. It needs `frame_s` for each frame that it receives or sends, `message_s` for each
 * message in one, `solve_s` for each active PU where the balancer solved, and `fit_s` for each curve. Not
 * thread-safe. */
#ifndef PLB_SIMULATE_RANK0_H
#define PLB_SIMULATE_RANK0_H

#include "simulate/life.h"
#include "simulate/node.h"

struct plb_virtual_rank0;

struct plb_virtual_rank0 *plb_virtual_rank0_new(struct plb_world *world, struct plb_faults *faults,
                                                struct plb_network *network, struct plb_virtual_nodes *nodes,
                                                struct plb_virtual_life *life);
void plb_virtual_rank0_free(struct plb_virtual_rank0 *rank0); /* not the master */

struct plb_master *plb_virtual_rank0_master(const struct plb_virtual_rank0 *rank0);

/* Begins a pass when rank 0 has time for it: these inputs, a mask, are results of the one before. Returns
 * that time. */
double plb_virtual_rank0_begin(struct plb_virtual_rank0 *rank0, int pass, int phase, int64_t fed);

/* The last pass is over: asks for results that stayed at nodes. And the pass that makes lost ones again.
 * They return the time at which that begins. */
double plb_virtual_rank0_gather(struct plb_virtual_rank0 *rank0);
double plb_virtual_rank0_repair(struct plb_virtual_rank0 *rank0, int pass, int phase, bool folds);

/* A pass is over whose reduced arrays stayed at nodes: they go along the tree. Returns the time at which that
 * begins. plb_virtual_rank0_repair with `folds` makes lost ones again. */
double plb_virtual_rank0_fold(struct plb_virtual_rank0 *rank0);

/* Sends STOP to all nodes. */
void plb_virtual_rank0_stop(struct plb_virtual_rank0 *rank0, int status);

/* Events PLB_EVENT_ARRIVE to rank 0, PLB_EVENT_RANK0, PLB_EVENT_TICK and PLB_EVENT_BEAT. */
void plb_virtual_rank0_event(struct plb_virtual_rank0 *rank0, const struct plb_event *event);

/* A node comes, now. */
void plb_virtual_rank0_join(struct plb_virtual_rank0 *rank0, int node);

/* A node is given up, now. */
void plb_virtual_rank0_lost(struct plb_virtual_rank0 *rank0, int node);

/* Until when rank 0 is busy, at least now. */
double plb_virtual_rank0_busy_until(const struct plb_virtual_rank0 *rank0);

#endif
