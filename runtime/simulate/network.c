#include "simulate/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plb/kernel.h"
#include "transport/frame.h"

/* A node's link. */
struct link {
    double out, in;    /* until when its two directions are taken */
    double said, told; /* when its last frame to rank 0 is there; when rank 0's last frame to it is */
    double given;      /* when its last frame to another node is there, */
    int given_to;      /* and which node that is */
    double left;       /* when rank 0's last frame left */
    size_t bytes;      /* of the frame that is being filled for it; 0: there is none */
    int last;          /* its last message */
};

/* A message on its way. A frame is named by its first message. */
struct packet {
    struct plb_message message;
    int next; /* of the frame; -1: none */
    bool lost;
};

#define FIRST_CHUNK 64 /* messages; each further chunk doubles the pool */

struct plb_network {
    struct plb_world *world;
    struct plb_faults *faults;
    struct link *links;
    struct packet **pool; /* they stay where they are while the pool grows */
    int *unused, n_unused, capacity;
    int *filled, n_filled, room; /* frames that leave with the next flush, in their order */
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
    free(net->filled);
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

/* A frame goes between the packets of data: it delays what is on the link or waits for it, and does not wait
 * for it. */
static void squeeze_in(double *until, double from, double seconds)
{
    if (*until > from)
        *until += seconds;
}

/* The time at which a frame is there. */
static double pass_by(struct plb_network *net, int from, int to, size_t bytes, double leaves)
{
    const struct plb_node_spec *nodes = net->world->in->cluster->nodes;
    if (from == to)
        return leaves;
    double out = (double)bytes / nodes[from].bandwidth, in = (double)bytes / nodes[to].bandwidth;
    squeeze_in(&net->links[from].out, leaves, out);
    squeeze_in(&net->links[to].in, leaves, in);
    return leaves + fmax(out, in) + latency(net, from, to);
}

/* The same, and not before an earlier one to the same node. Of those between two nodes other than rank 0,
 * only the last one is remembered. */
static double pass_in_order(struct plb_network *net, int from, int to, size_t bytes, double leaves)
{
    double there = pass_by(net, from, to, bytes, leaves);
    struct link *of = from == 0 ? &net->links[to] : &net->links[from];
    double *earlier = from == 0 ? &of->told : to == 0 ? &of->said : &of->given;
    if (from == to)
        return there;
    if (from == 0 || to == 0 || of->given_to == to)
        there = fmax(*earlier, there);
    of->given_to = from != 0 && to != 0 ? to : of->given_to;
    *earlier = there;
    return there;
}

static void enlarge(struct plb_network *net)
{
    int capacity = net->capacity > 0 ? 2 * net->capacity : FIRST_CHUNK;
    net->pool = plb_grow(net->pool, (size_t)capacity * sizeof *net->pool);
    net->unused = plb_grow(net->unused, (size_t)capacity * sizeof *net->unused);
    struct packet *chunk = plb_alloc((size_t)(capacity - net->capacity) * sizeof *chunk);
    for (int i = capacity - 1; i >= net->capacity; i--) {
        net->pool[i] = &chunk[i - net->capacity];
        net->unused[net->n_unused++] = i;
    }
    net->capacity = capacity;
}

void plb_network_tell(const struct plb_network *net, const struct plb_message *m)
{
    const struct plb_watch *watch = &net->world->in->watch;
    if (watch->sent != NULL)
        watch->sent(watch->context, m);
}

/* A copy of a message that is sent. */
static int copy(struct plb_network *net, const struct plb_message *m)
{
    const struct plb_simulation *in = net->world->in;
    if (net->n_unused == 0)
        enlarge(net);
    int number = net->unused[--net->n_unused];
    struct packet *packet = net->pool[number];
    memcpy(&packet->message, m, m->size);
    packet->next = -1;
    packet->lost = false;
    net->world->out->messages += m->from != m->to;
    if (in->traffic != NULL)
        in->traffic[m->from].messages += m->from != m->to;
    plb_faults_sent(net->faults, m);
    return number;
}

/* A frame has left, and would be there at this time. */
static void leave(struct plb_network *net, int frame, double there)
{
    const struct plb_simulation *in = net->world->in;
    const struct plb_message *m = &net->pool[frame]->message;
    net->world->out->frames += m->from != m->to;
    if (m->to == 0)
        there = fmax(there, plb_faults_unheard(net->faults, m->from));
    if (in->delay > 0.0)
        there += in->delay * plb_random_real(in->seed + 1, net->draws++);
    plb_events_add(net->world->clock, (struct plb_event){there, PLB_EVENT_ARRIVE, m->to, -1, frame});
}

void plb_network_put(struct plb_network *net, const struct plb_message *m)
{
    struct link *to = &net->links[m->to];
    int number = copy(net, m);
    if (to->bytes > 0 && to->bytes + m->size <= PLB_FRAME_BYTES) {
        net->pool[to->last]->next = number;
        to->bytes += m->size;
    } else {
        net->filled = plb_room(net->filled, net->n_filled, &net->room, sizeof *net->filled);
        net->filled[net->n_filled++] = number;
        to->bytes = m->size;
    }
    to->last = number;
}

static size_t bytes_of(const struct plb_network *net, int frame)
{
    size_t bytes = 0;
    for (int i = frame; i >= 0; i = net->pool[i]->next)
        bytes += net->pool[i]->message.size;
    return bytes;
}

int plb_network_flush(struct plb_network *net, double leaves, double frame_s)
{
    int away = 0;
    for (int own = 0; own <= 1; own++)
        for (int i = 0; i < net->n_filled; i++) {
            const struct plb_message *m = &net->pool[net->filled[i]]->message;
            if ((m->from == m->to) != own)
                continue;
            away += !own;
            double left = leaves + away * frame_s;
            net->links[m->to].bytes = 0;
            net->links[m->to].left = m->from == 0 ? left : net->links[m->to].left;
            leave(net, net->filled[i],
                  pass_in_order(net, m->from, m->to, bytes_of(net, net->filled[i]), left));
        }
    net->n_filled = 0;
    return away;
}

double plb_network_left(const struct plb_network *net, int to)
{
    return net->links[to].left;
}

void plb_network_send(struct plb_network *net, const struct plb_message *m, double leaves, double bytes)
{
    int frame = copy(net, m);
    leave(net, frame,
          bytes > 0.0 ? plb_network_transfer(net, m->from, m->to, leaves, bytes)
                      : pass_by(net, m->from, m->to, m->size, leaves));
}

int plb_network_open(struct plb_network *net, int frame)
{
    int from = net->pool[frame]->message.from;
    bool lost = plb_faults_lose(net->faults, from);
    for (int i = frame; i >= 0 && lost; i = net->pool[i]->next)
        net->pool[i]->lost = plb_faults_swallow(net->faults, &net->pool[i]->message);
    return from;
}

const struct plb_message *plb_network_next(const struct plb_network *net, int *at)
{
    while (*at >= 0) {
        const struct packet *packet = net->pool[*at];
        *at = packet->next;
        if (!packet->lost)
            return &packet->message;
    }
    return NULL;
}

void plb_network_release(struct plb_network *net, int frame)
{
    for (int i = frame; i >= 0; i = net->pool[i]->next)
        net->unused[net->n_unused++] = i;
}
