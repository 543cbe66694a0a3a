/* Bisection on the finish time T. In T seconds a PU executes so much, the link of its node carries data for
 * so much, and rank 0's link for so much of all other nodes together. These limits are nested, so the least
 * of them counts on each level.
 *
 * Cost: O(n) for each step of the bisection. */
#include "model/optimum.h"

#include <math.h>

#include "model/rounding.h"

/* Most blocks of an ideal share. Larger: messages without a use. Smaller: more of the first input and the
 * last result is not hidden; with 100 it is one percent. */
#define MOST_BLOCKS 100.0

/* Seconds of a link for one unit of work, by direction. */
struct load {
    double in, out;
};

/* The costs of a PU, and of its way to the master. */
struct way {
    double fixed, per_work; /* seconds per task, and per unit of work */
    double messages;        /* seconds that pass before the first input and after the last result */
    double grain;           /* most work in a task; below one unit the PU cannot be used */
    struct load data;       /* where the way to the node is slowest; 0 on node 0 */
};

/* A link: its load, and what passes at least while it is idle. */
struct link {
    struct load load;
    double messages, least; /* seconds: of messages; of the shortest task with one unit */
};

struct problem {
    const struct plb_cluster_spec *cluster;
    const struct plb_unit_size *unit;
    double work;
    int first; /* node that works */
};

static struct load load_of(const struct plb_unit_size *unit, double bandwidth)
{
    return (struct load){unit->input_bytes / bandwidth, unit->output_bytes / bandwidth};
}

static struct way way_of(const struct problem *q, int node, const struct plb_pu_spec *pu)
{
    const struct plb_unit_size *unit = q->unit;
    const struct plb_node_spec *nodes = q->cluster->nodes;
    double bytes = unit->input_bytes + unit->output_bytes;
    double room = pu->memory - unit->replicated_bytes;
    double grain = room < 0.0 ? 0.0 : bytes > 0.0 ? room / (PLB_TASKS_IN_MEMORY * bytes) : INFINITY;
    struct way w = {.fixed = pu->half / pu->rate + pu->overhead + 2.0 * pu->copy_latency,
                    .per_work = unit->cost / pu->rate + bytes / pu->copy_bandwidth,
                    .grain = grain};
    if (node == 0)
        return w;
    w.data = load_of(unit, fmin(nodes[0].bandwidth, nodes[node].bandwidth));
    /* Block and result; before inputs also the question for them and its answer. */
    w.messages = (unit->input_bytes > 0.0 ? 4.0 : 2.0) * nodes[node].latency;
    if (bytes > 0.0 && unit->task_bytes > 0.0)
        w.grain = fmin(w.grain, fmax(unit->task_bytes / bytes, 1.0));
    return w;
}

/* A task moves all its data before and after its work. Of two tasks and more the first input and the last
 * result have one unit at least. */
static double seconds(const struct way *w, double work)
{
    double data = w->data.in + w->data.out, tasks = ceil(work / w->grain);
    double more = fmax(tasks, 2.0) * w->fixed + work * w->per_work + data;
    double one = w->fixed + work * (w->per_work + data);
    return w->messages + (tasks > 1.0 ? more : fmin(one, more));
}

/* The work that a PU executes in t seconds. */
static double work_in(const struct way *w, double t, double limit)
{
    double low = 0.0, high = limit;
    if (w->grain < 1.0)
        return 0.0;
    if (seconds(w, limit) <= t)
        return limit;
    for (int i = 0; i < PLB_HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (seconds(w, middle) <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A way of the link's: it is idle no longer than the shortest of them lasts. */
static void join(struct link *link, const struct way *w)
{
    link->messages = fmin(link->messages, w->messages);
    link->least = fmin(link->least, w->fixed + w->per_work);
}

/* The work whose data a link carries in t seconds. Inputs wait for the first messages; after the last one a
 * unit is executed and its result travels. Results wait for the first unit's input and its execution. */
static double carried(const struct link *link, double t)
{
    double rest = t - link->messages - link->least;
    double inputs = fmax(rest - link->load.out, 0.0) / link->load.in;
    double results = fmax(rest - link->load.in, 0.0) / link->load.out;
    if (link->load.in <= 0.0)
        inputs = INFINITY;
    return fmin(inputs, link->load.out > 0.0 ? results : INFINITY);
}

static void scale(const struct problem *q, int first, int end, double factor, struct plb_ideal *ideals)
{
    const struct plb_node_spec *nodes = q->cluster->nodes;
    if (first < end)
        for (int p = nodes[first].first_pu; p < nodes[end - 1].first_pu + nodes[end - 1].n_pus; p++)
            ideals[p].work *= factor;
}

/* The work of a node in t seconds, and of its PUs. */
static double share_of_node(const struct problem *q, int n, double t, struct link *rank0,
                            struct plb_ideal *ideals)
{
    const struct plb_node_spec *node = &q->cluster->nodes[n];
    struct link link = {load_of(q->unit, node->bandwidth), INFINITY, INFINITY};
    double sum = 0.0, most = INFINITY;
    for (int p = node->first_pu; p < node->first_pu + node->n_pus; p++) {
        struct way w = way_of(q, n, &q->cluster->pus[p]);
        ideals[p].work = work_in(&w, t, q->work);
        sum += ideals[p].work;
        if (n > 0 && w.grain >= 1.0) {
            join(&link, &w);
            join(rank0, &w);
        }
    }
    if (n > 0)
        most = carried(&link, t);
    if (sum > most)
        scale(q, n, n + 1, most / sum, ideals);
    return fmin(sum, most);
}

/* The work of all PUs in t seconds; returns the sum. */
static double share(const struct problem *q, double t, struct plb_ideal *ideals)
{
    struct link rank0 = {load_of(q->unit, q->cluster->nodes[0].bandwidth), INFINITY, INFINITY};
    double here = q->first == 0 ? share_of_node(q, 0, t, &rank0, ideals) : 0.0, others = 0.0;
    for (int n = 1; n < q->cluster->n_nodes; n++)
        others += share_of_node(q, n, t, &rank0, ideals);
    double most = carried(&rank0, t);
    if (others > most)
        scale(q, 1, q->cluster->n_nodes, most / others, ideals);
    return here + fmin(others, most);
}

/* A time in which all can be done, near the least one; infinite where nobody can do anything. */
static double enough(const struct problem *q, struct plb_ideal *ideals)
{
    const struct plb_node_spec *nodes = q->cluster->nodes;
    double t = INFINITY;
    for (int n = q->first; n < q->cluster->n_nodes; n++)
        for (int p = nodes[n].first_pu; p < nodes[n].first_pu + nodes[n].n_pus; p++) {
            struct way w = way_of(q, n, &q->cluster->pus[p]);
            if (w.grain >= 1.0)
                t = fmin(t, seconds(&w, q->work)); /* one PU does it all, unless a link is the limit */
        }
    while (isfinite(t) && share(q, t, ideals) < q->work)
        t *= 2.0;
    return t;
}

/* Blocks that hide most of the data behind work: they make the sum of starts, and of the first input and the
 * last result, least. `line` is the part of the first input that waits in rank 0's link for other inputs. */
static double blocks(const struct way *w, double work, double line)
{
    double least = fmax(ceil(work / w->grain), 1.0), shown = work * (w->data.in + w->data.out) + line;
    if (shown <= 0.0)
        return least;
    double best = w->fixed > 0.0 ? round(sqrt(shown / w->fixed)) : MOST_BLOCKS;
    return fmax(least, fmin(fmin(best, MOST_BLOCKS), fmax(floor(work), 1.0)));
}

static void cut(const struct problem *q, struct plb_ideal *ideals)
{
    const struct plb_node_spec *nodes = q->cluster->nodes;
    struct load rank0 = load_of(q->unit, nodes[0].bandwidth);
    double others = 0.0;
    for (int p = nodes[0].n_pus; p < q->cluster->n_pus; p++)
        others += ideals[p].work;
    for (int n = 0; n < q->cluster->n_nodes; n++)
        for (int p = nodes[n].first_pu; p < nodes[n].first_pu + nodes[n].n_pus; p++) {
            struct way w = way_of(q, n, &q->cluster->pus[p]);
            double line = n > 0 ? (others - ideals[p].work) * rank0.in : 0.0;
            ideals[p].blocks = ideals[p].work > 0.0 ? (int)blocks(&w, ideals[p].work, line) : 1;
        }
}

double plb_optimum(const struct plb_cluster_spec *cluster, const struct plb_unit_size *unit, double work,
                   bool skip_first, struct plb_ideal *ideals)
{
    struct problem q = {cluster, unit, work, skip_first ? 1 : 0};
    for (int p = 0; p < cluster->n_pus; p++)
        ideals[p] = (struct plb_ideal){0.0, 1};
    double low = 0.0, high = enough(&q, ideals);
    if (!isfinite(high))
        return 0.0;
    for (int i = 0; i < PLB_HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (share(&q, middle, ideals) < work)
            low = middle;
        else
            high = middle;
    }
    double total = share(&q, high, ideals);
    scale(&q, 0, cluster->n_nodes, work / total, ideals); /* the last digits */
    cut(&q, ideals);
    return high;
}
