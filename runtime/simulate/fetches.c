/* The last part to come decides. */
#include "simulate/fetches.h"

#include <math.h>

/* Bytes of some inputs of units: each has the same part of all. */
static double bytes_of(const struct plb_simulation *in, int64_t inputs, struct plb_range range, bool halo)
{
    int n = 0;
    for (int i = 0; i < in->feeds; i++)
        n += (inputs & PLB_BUFFER(i)) != 0;
    double all = plb_sizes_bytes(&in->inputs, range) - (halo ? 0.0 : in->inputs.halo_bytes);
    return n < in->feeds ? all * n / in->feeds : all;
}

static void tell(const struct plb_simulation *in, int from, int to, int64_t inputs, struct plb_range range)
{
    if (in->watch.lent != NULL)
        in->watch.lent(in->watch.context, from, to, inputs, range);
}

double plb_virtual_fetch(struct plb_world *world, struct plb_network *network, struct plb_faults *faults,
                         const struct plb_master *master, const struct plb_message *fetch, double message_s,
                         double *busy)
{
    const struct plb_simulation *in = world->in;
    double there = 0.0;
    for (int64_t inputs = fetch->fetch.buffers, some; inputs != 0; inputs &= ~some) {
        struct plb_range rest = fetch->fetch.range, part;
        some = plb_master_together(master, inputs);
        for (; rest.count > 0; rest.first += part.count, rest.count -= part.count) {
            int owner = plb_master_owner(master, some, rest, &part);
            bool lends = owner != 0 && owner != fetch->from;
            if (lends && !plb_faults_node_works(faults, owner))
                return INFINITY;
            world->out->stress.lent += lends;
            *busy += lends ? 2.0 * message_s : 0.0; /* FETCH and FROM */
            double leaves = world->now + *busy + (lends ? in->cluster->nodes[owner].latency : 0.0),
                   bytes = bytes_of(in, some, part, fetch->fetch.halo != 0);
            there = fmax(there, plb_network_transfer(network, owner, fetch->from, leaves, bytes));
            tell(in, owner, fetch->from, some, part);
        }
    }
    return there;
}

void plb_virtual_halo_send(struct plb_world *world, struct plb_network *network, struct plb_faults *faults,
                           const struct plb_message *from, double leaves)
{
    const struct plb_simulation *in = world->in;
    double there = leaves;
    for (int k = 0; k < from->sources.n; k++) {
        const struct plb_source *part = &from->sources.at[k];
        double bytes = bytes_of(in, part->buffers, part->range, false),
               sends = leaves + (part->node > 0 ? in->cluster->nodes[part->node].latency : 0.0); /* FETCH */
        if (part->node > 0 && !plb_faults_node_works(faults, part->node))
            return;
        world->out->stress.halos++;
        there = fmax(there, plb_network_transfer(network, part->node, from->to, sends, bytes));
        tell(in, part->node, from->to, part->buffers, part->range);
    }
    plb_events_add(world->clock, (struct plb_event){there, PLB_EVENT_HALO, from->to, -1, from->pass});
}
