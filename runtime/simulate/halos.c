/* The last part to come decides. */
#include "simulate/halos.h"

#include <math.h>

void plb_virtual_halo_send(struct plb_world *world, struct plb_network *network, struct plb_faults *faults,
                           const struct plb_message *from, double leaves)
{
    const struct plb_simulation *in = world->in;
    double there = leaves;
    for (int k = 0; k < from->sources.n; k++) {
        const struct plb_source *part = &from->sources.at[k];
        double bytes = plb_sizes_bytes(&in->inputs, part->range) - in->inputs.halo_bytes,
               sends = leaves + (part->node > 0 ? in->cluster->nodes[part->node].latency : 0.0); /* FETCH */
        if (part->node > 0 && !plb_faults_node_works(faults, part->node))
            return;
        world->out->stress.halos++;
        there = fmax(there, plb_network_transfer(network, part->node, from->to, sends, bytes));
    }
    plb_events_add(world->clock, (struct plb_event){there, PLB_EVENT_HALO, from->to, -1, from->pass});
}
