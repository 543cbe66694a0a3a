/* Bisection on the finish time T: each PU does what it can in T, and a node no more than its link carries.
 *
 * A PU that executes x units of work in k tasks of equal size needs
 *
 *     k · (half / rate + overhead + 2 · copy latency) + x · (cost / rate + bytes / copy bandwidth)
 *
 * and, on another node, x · bytes / (k · bandwidth) more: the first input and the last result cannot be
 * hidden behind a task. k makes this sum least, but no task moves more than task_bytes.
 *
 * Cost: O(n) per step of the bisection. Weak where a link is the limit: it leaves out what the last task
 * costs after its data has arrived. */
#include "model/optimum.h"

#include <math.h>

/* Steps of a bisection. More: only time. Fewer: T is less exact. 40 give twelve digits. */
#define HALVINGS 40

/* Tasks of a PU whose tasks cost nothing. More: messages without a use. Fewer: more of the first input and
 * the last result is not hidden; with 100 it is one percent. */
#define MANY_TASKS 100.0

/* Tasks whose inputs and results a PU's memory must hold at once, as in core/master. */
#define TASKS_IN_MEMORY 3.0

/* What a PU costs, and its way to the master. */
struct way {
    double fixed, per_work; /* seconds per task, and per unit of work */
    double link;            /* seconds of the node's link per unit of work; 0 on node 0 */
    double messages;        /* seconds that pass before the first input and after the last result */
    double grain;           /* most work in a task; below one unit the PU cannot be used */
};

static struct way way_of(const struct plb_cluster_spec *c, int node, const struct plb_pu_spec *pu,
                         const struct plb_unit_size *unit)
{
    double bytes = unit->input_bytes + unit->output_bytes;
    double room = pu->memory - unit->replicated_bytes;
    double grain = room < 0.0 ? 0.0 : bytes > 0.0 ? room / (TASKS_IN_MEMORY * bytes) : INFINITY;
    struct way w = {.fixed = pu->half / pu->rate + pu->overhead + 2.0 * pu->copy_latency,
                    .per_work = unit->cost / pu->rate + bytes / pu->copy_bandwidth,
                    .grain = grain};
    if (node == 0)
        return w;
    w.link = bytes / c->nodes[node].bandwidth;
    w.messages = (bytes > 0.0 ? 4.0 : 2.0) * c->nodes[node].latency; /* block, pull and its answer, result */
    if (bytes > 0.0 && unit->task_bytes > 0.0)
        w.grain = fmin(w.grain, fmax(unit->task_bytes / bytes, 1.0));
    return w;
}

static double least_tasks(const struct way *w, double work)
{
    return fmax(ceil(work / w->grain), 1.0);
}

static double tasks(const struct way *w, double work)
{
    double least = least_tasks(w, work);
    if (w->link == 0.0 || w->fixed == 0.0)
        return w->link == 0.0 ? least : fmax(least, fmin(ceil(work), MANY_TASKS));
    return fmax(least, fmin(round(sqrt(work * w->link / w->fixed)), fmax(floor(work), 1.0)));
}

static double seconds(const struct way *w, double work)
{
    double k = tasks(w, work);
    return w->messages + k * w->fixed + work * (w->per_work + w->link / k);
}

/* The work that takes T seconds. */
static double work_in(const struct way *w, double t, double limit)
{
    double low = 0.0, high = limit;
    if (seconds(w, limit) <= t)
        return limit;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (seconds(w, middle) <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* PUs that share a link work in no more tasks than the fastest: data of small tasks waits for that of large
 * ones. */
static void agree(const struct plb_cluster_spec *c, int n, const struct plb_unit_size *unit,
                  struct plb_ideal *ideals)
{
    const struct plb_node_spec *node = &c->nodes[n];
    const struct plb_ideal *most = &ideals[node->first_pu];
    for (int p = node->first_pu; p < node->first_pu + node->n_pus; p++)
        most = ideals[p].work > most->work ? &ideals[p] : most;
    int k = most->blocks;
    for (int p = node->first_pu; p < node->first_pu + node->n_pus && n > 0; p++) {
        struct way w = way_of(c, n, &c->pus[p], unit);
        if (ideals[p].work > 0.0)
            ideals[p].blocks = (int)fmax(least_tasks(&w, ideals[p].work), fmin(ideals[p].blocks, k));
    }
}

/* The work of every PU in T seconds; returns the sum. */
static double share(const struct plb_cluster_spec *c, const struct plb_unit_size *unit, double t,
                    double limit, bool skip_first, struct plb_ideal *ideals)
{
    double total = 0.0;
    for (int n = 0; n < c->n_nodes; n++) {
        const struct plb_node_spec *node = &c->nodes[n];
        double sum = 0.0, carried = INFINITY;
        for (int p = node->first_pu; p < node->first_pu + node->n_pus; p++) {
            struct way w = way_of(c, n, &c->pus[p], unit);
            double work = (n == 0 && skip_first) || w.grain < 1.0 ? 0.0 : work_in(&w, t, limit);
            ideals[p] = (struct plb_ideal){work, work > 0.0 ? (int)tasks(&w, work) : 1};
            sum += work;
            if (w.link > 0.0)
                carried = fmax(t - w.messages, 0.0) / w.link;
        }
        agree(c, n, unit, ideals);
        double part = sum > carried ? carried / sum : 1.0;
        for (int p = node->first_pu; p < node->first_pu + node->n_pus; p++)
            ideals[p].work *= part;
        total += sum * part;
    }
    return total;
}

double plb_optimum(const struct plb_cluster_spec *c, const struct plb_unit_size *unit, double work,
                   bool skip_first, struct plb_ideal *ideals)
{
    double low = 0.0, high = INFINITY;
    for (int n = skip_first ? 1 : 0; n < c->n_nodes; n++)
        for (int p = c->nodes[n].first_pu; p < c->nodes[n].first_pu + c->nodes[n].n_pus; p++) {
            struct way w = way_of(c, n, &c->pus[p], unit);
            if (w.grain >= 1.0)
                high = fmin(high, seconds(&w, work) + work * w.link); /* one PU does it all */
        }
    if (!isfinite(high)) { /* nobody can */
        for (int p = 0; p < c->n_pus; p++)
            ideals[p] = (struct plb_ideal){0.0, 1};
        return 0.0;
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (share(c, unit, middle, work, skip_first, ideals) < work)
            low = middle;
        else
            high = middle;
    }
    double total = share(c, unit, high, work, skip_first, ideals);
    for (int p = 0; p < c->n_pus; p++)
        ideals[p].work *= work / total; /* the last digits */
    return high;
}
