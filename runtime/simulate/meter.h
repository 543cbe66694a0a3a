/* The meters of a simulation: as real ones, but exact, from the watts of the .cluster file, where nothing
 * else is asked for. A PU that is no CPU has one of its own; the CPUs of a host share one, which its first
 * node reads. Not thread-safe. */
#ifndef PLB_SIMULATE_METER_H
#define PLB_SIMULATE_METER_H

#include "simulate/simulation.h"

struct plb_virtual_meter;
struct plb_virtual_nodes;

/* NULL where the simulation has none. */
struct plb_virtual_meter *plb_virtual_meter_new(const struct plb_world *world);
void plb_virtual_meter_free(struct plb_virtual_meter *meter);

/* A PU, before it says HELLO: its watts are not told, and it is on a host of its own or of in->hosts. */
void plb_virtual_meter_hide(const struct plb_simulation *in, struct plb_pu_info *info);

/* Plans the next window of a node, which has heard PASS. */
void plb_virtual_meter_plan(struct plb_virtual_meter *meter, int node);

/* A window of a node ends: adds its WINDOW, and plans the next one. */
void plb_virtual_meter_read(struct plb_virtual_meter *meter, int node, const struct plb_virtual_nodes *nodes,
                            struct plb_outbox *out);

#endif
