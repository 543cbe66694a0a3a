#include "simulate/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plb/kernel.h"

/* The times until which the two directions of a node's link are taken. */
struct link {
    double out, in;
};

#define FIRST_CHUNK 64 /* messages; each further chunk doubles the pool */

struct plb_network {
    struct plb_world *world;
    struct plb_faults *faults;
    struct link *links;
    struct plb_message **pool; /* messages on their way; they stay where they are while the pool grows */
    int *unused, n_unused, capacity;
    uint64_t draws;
};

struct plb_network *plb_network_new(struct plb_world *world, struct plb_faults *faults)
{
    struct plb_network *net = plb_alloc(sizeof *net);
    net->world = world;
    net->faults = faults;
    net->links = plb_alloc((size_t)world->in->cluster->n_nodes * sizeof *net->links);
    return net;
}

void plb_network_free(struct plb_network *net)
{
    if (net->capacity > 0)
        free(net->pool[0]);
    for (int i = FIRST_CHUNK; i < net->capacity; i *= 2) /* where `enlarge` began a chunk */
        free(net->pool[i]);
    free(net->links);
    free(net->pool);
    free(net->unused);
    free(net);
}

/* Seconds that a bit needs between two nodes. A node's latency is that of its way to rank 0. */
static double latency(const struct plb_network *net, int from, int to)
{
    const struct plb_node_spec *nodes = net->world->in->cluster->nodes;
    if (from == to)
        return 0.0;
    return (from != 0 ? nodes[from].latency : 0.0) + (to != 0 ? nodes[to].latency : 0.0);
}

/* Occupies a direction of a link with these bytes. Returns when it has carried them. */
static double occupy(double *until, double from, double seconds)
{
    *until = fmax(*until, from) + seconds;
    return *until;
}

double plb_network_transfer(struct plb_network *net, int from, int to, double leaves, double bytes)
{
    const struct plb_node_spec *nodes = net->world->in->cluster->nodes;
    if (from == to || bytes <= 0.0)
        return leaves + latency(net, from, to);
    double begins = fmax(leaves, net->links[from].out);
    double left = occupy(&net->links[from].out, leaves, bytes / nodes[from].bandwidth);
    double taken = occupy(&net->links[to].in, begins, bytes / nodes[to].bandwidth);
    net->world->out->bytes += (int64_t)bytes;
    if (net->world->in->traffic != NULL) {
        net->world->in->traffic[from].bytes += (int64_t)bytes;
        net->world->in->traffic[to].received += (int64_t)bytes;
    }
    return fmax(left, taken) + latency(net, from, to);
}

/* A message goes between the packets of data: it delays what is on the link or waits for it, and waits for
 * nothing. */
static void squeeze_in(double *until, double from, double seconds)
{
    if (*until > from)
        *until += seconds;
}

/* The time at which a message without data is there. */
static double pass_by(struct plb_network *net, const struct plb_message *m, double leaves)
{
    const struct plb_node_spec *nodes = net->world->in->cluster->nodes;
    if (m->from == m->to)
        return leaves;
    double out = m->size / nodes[m->from].bandwidth, in = m->size / nodes[m->to].bandwidth;
    squeeze_in(&net->links[m->from].out, leaves, out);
    squeeze_in(&net->links[m->to].in, leaves, in);
    return leaves + fmax(out, in) + latency(net, m->from, m->to);
}

static void enlarge(struct plb_network *net)
{
    int capacity = net->capacity > 0 ? 2 * net->capacity : FIRST_CHUNK;
    net->pool = plb_grow(net->pool, (size_t)capacity * sizeof *net->pool);
    net->unused = plb_grow(net->unused, (size_t)capacity * sizeof *net->unused);
    struct plb_message *chunk = plb_alloc((size_t)(capacity - net->capacity) * sizeof *chunk);
    for (int i = capacity - 1; i >= net->capacity; i--) {
        net->pool[i] = &chunk[i - net->capacity];
        net->unused[net->n_unused++] = i;
    }
    net->capacity = capacity;
}

void plb_network_send(struct plb_network *net, const struct plb_message *m, double leaves, double bytes)
{
    const struct plb_simulation *in = net->world->in;
    if (net->n_unused == 0)
        enlarge(net);
    int number = net->unused[--net->n_unused];
    memcpy(net->pool[number], m, m->size);
    net->world->out->messages += m->from != m->to;
    if (in->traffic != NULL)
        in->traffic[m->from].messages += m->from != m->to;
    double there = bytes > 0.0 ? plb_network_transfer(net, m->from, m->to, leaves, bytes)
                               : pass_by(net, m, leaves);
    if (m->to == 0)
        there = fmax(there, plb_faults_unheard(net->faults, m->from));
    if (in->delay > 0.0)
        there += in->delay * plb_random_real(in->seed + 1, net->draws++);
    plb_events_add(net->world->clock, (struct plb_event){there, PLB_EVENT_ARRIVE, m->to, m->pu, number});
    plb_faults_sent(net->faults, m);
    if (in->watch.sent != NULL)
        in->watch.sent(in->watch.context, m);
}

const struct plb_message *plb_network_message(struct plb_network *net, int number)
{
    return plb_faults_swallow(net->faults, net->pool[number]) ? NULL : net->pool[number];
}

void plb_network_release(struct plb_network *net, int number)
{
    net->unused[net->n_unused++] = number;
}
