#include "drive/virtual_network.h"

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
    struct plb_network *w = plb_alloc(sizeof *w);
    w->world = world;
    w->faults = faults;
    w->links = plb_alloc((size_t)world->in->cluster->n_nodes * sizeof *w->links);
    return w;
}

void plb_network_free(struct plb_network *w)
{
    for (int i = 0; i<w->capacity; i = i> 0 ? 2 * i : FIRST_CHUNK)
        free(w->pool[i]);
    free(w->links);
    free(w->pool);
    free(w->unused);
    free(w);
}

/* Seconds that a bit needs between two nodes. A node's latency is that of its way to rank 0. */
static double latency(const struct plb_network *w, int from, int to)
{
    const struct plb_node_spec *nodes = w->world->in->cluster->nodes;
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

double plb_network_transfer(struct plb_network *w, int from, int to, double leaves, double bytes)
{
    const struct plb_node_spec *nodes = w->world->in->cluster->nodes;
    if (from == to || bytes <= 0.0)
        return leaves + latency(w, from, to);
    double begins = fmax(leaves, w->links[from].out);
    double left = occupy(&w->links[from].out, leaves, bytes / nodes[from].bandwidth);
    double taken = occupy(&w->links[to].in, begins, bytes / nodes[to].bandwidth);
    w->world->out->bytes += (int64_t)bytes;
    return fmax(left, taken) + latency(w, from, to);
}

/* A message goes between the packets of data: it delays what is on the link or waits for it, and waits for
 * nothing. */
static void squeeze_in(double *until, double from, double seconds)
{
    if (*until > from)
        *until += seconds;
}

/* The time at which a message without data is there. */
static double pass_by(struct plb_network *w, const struct plb_message *m, double leaves)
{
    const struct plb_node_spec *nodes = w->world->in->cluster->nodes;
    if (m->from == m->to)
        return leaves;
    double out = m->size / nodes[m->from].bandwidth, in = m->size / nodes[m->to].bandwidth;
    squeeze_in(&w->links[m->from].out, leaves, out);
    squeeze_in(&w->links[m->to].in, leaves, in);
    return leaves + fmax(out, in) + latency(w, m->from, m->to);
}

static void enlarge(struct plb_network *w)
{
    int capacity = w->capacity > 0 ? 2 * w->capacity : FIRST_CHUNK;
    w->pool = plb_grow(w->pool, (size_t)capacity * sizeof *w->pool);
    w->unused = plb_grow(w->unused, (size_t)capacity * sizeof *w->unused);
    struct plb_message *chunk = plb_alloc((size_t)(capacity - w->capacity) * sizeof *chunk);
    for (int i = capacity - 1; i >= w->capacity; i--) {
        w->pool[i] = &chunk[i - w->capacity];
        w->unused[w->n_unused++] = i;
    }
    w->capacity = capacity;
}

void plb_network_send(struct plb_network *w, const struct plb_message *m, double leaves, double bytes)
{
    const struct plb_simulation *in = w->world->in;
    if (w->n_unused == 0)
        enlarge(w);
    int number = w->unused[--w->n_unused];
    memcpy(w->pool[number], m, m->size);
    w->world->out->messages += m->from != m->to;
    double there = bytes > 0.0 ? plb_network_transfer(w, m->from, m->to, leaves, bytes)
                               : pass_by(w, m, leaves);
    if (in->delay > 0.0)
        there += in->delay * plb_random_real(in->seed + 1, w->draws++);
    plb_events_add(w->world->clock, (struct plb_event){there, PLB_EVENT_ARRIVE, m->to, m->pu, number});
    plb_faults_sent(w->faults, m);
    if (in->watch.sent != NULL)
        in->watch.sent(in->watch.context, m);
}

const struct plb_message *plb_network_message(struct plb_network *w, int number)
{
    return plb_faults_swallow(w->faults, w->pool[number]) ? NULL : w->pool[number];
}

void plb_network_release(struct plb_network *w, int number)
{
    w->unused[w->n_unused++] = number;
}
