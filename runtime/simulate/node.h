/* The virtual nodes: their workers, as in a real run, and PUs that take the time that their curves say.
 *
 * A PU executes one task at a time. Where data travels, it takes up to PLB_VIRTUAL_TASKS_AHEAD tasks more and
 * pulls their inputs, as the daemon does. Not thread-safe. */
#ifndef PLB_SIMULATE_NODE_H
#define PLB_SIMULATE_NODE_H

#include "simulate/network.h"

struct plb_virtual_nodes;

/* true_maps: what tasks cost, one per phase; borrowed. */
struct plb_virtual_nodes *plb_virtual_nodes_new(struct plb_world *world, const struct plb_cost_map *true_maps,
                                                struct plb_faults *faults, struct plb_network *network);
void plb_virtual_nodes_free(struct plb_virtual_nodes *virtual_nodes);

/* Describes the PUs of a node as the master is told of them. Returns how many there are. infos: room for
 * them. */
int plb_virtual_nodes_describe(const struct plb_virtual_nodes *virtual_nodes, int node,
                               struct plb_pu_info *infos);

/* A node reads a message of a frame. When it has read all of them, its PUs go on, and what it has to say
 * leaves. A node that is dead does nothing. */
void plb_virtual_nodes_receive(struct plb_virtual_nodes *virtual_nodes, const struct plb_message *message);
void plb_virtual_nodes_step(struct plb_virtual_nodes *virtual_nodes, int node);

/* A node has got the inputs of a task, or the time to look; or a PU has executed its task. */
void plb_virtual_nodes_event(struct plb_virtual_nodes *virtual_nodes, const struct plb_event *event);

/* Whether a node has heard STOP. */
bool plb_virtual_nodes_stopped(const struct plb_virtual_nodes *virtual_nodes, int node);

#endif
