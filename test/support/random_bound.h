/* How short a run of a random cluster can be at best: the least T in which the PUs can do all the work, if
 * each starts once and nobody errs.
 *
 * Each PU waits for its first block, and its data, and its last result travels to rank 0. In between it does
 * whole units, in as few tasks as its memory allows, at its speed of each moment. The work of a node is
 * limited by its link, that of all nodes by rank 0's. A node works no longer than until its loss is noticed.
 *
 * A balancer that knew all times could come near it. The bound leaves out that unequal units must be packed,
 * that rank 0 needs time for messages, and that lost work is done again. Of noise it knows the mean, as many
 * tasks have it: few tasks may be lucky. Without noise no run is shorter. */
#ifndef TEST_RANDOM_BOUND_H
#define TEST_RANDOM_BOUND_H

#include "drive/simulation.h"
#include "model/speed.h"
#include "random_cluster.h"

/* Steps of a bisection. More: only time. Fewer: T is less exact. 40 give twelve digits. */
#define BOUND_HALVINGS 40

struct bound_job {
    const struct random_cluster *r;
    double unit;              /* cost of a unit on average */
    double smallest, largest; /* cost of a unit; 0 where units are too many for a table of each */
    bool equal;
};

static inline struct bound_job bound_job(const struct random_cluster *r, const struct plb_cost_map *costs)
{
    struct bound_job job = {.r = r, .unit = costs->per_work, .equal = costs->prefix == NULL};
    if (job.equal)
        job.smallest = job.largest = job.unit;
    else if (costs->bucket == 1)
        job.smallest = INFINITY;
    for (int64_t u = 0; !job.equal && costs->bucket == 1 && u < costs->units; u++) {
        double cost = plb_cost_work(costs, u, 1) * costs->per_work;
        job.smallest = fmin(job.smallest, cost);
        job.largest = fmax(job.largest, cost);
    }
    return job;
}

/* Seconds from T on at which a node's PUs do nothing more: their node is given up. */
static inline double node_end(const struct random_cluster *r, const struct plb_node_spec *node)
{
    double end = INFINITY;
    for (int p = node->first_pu; p < node->first_pu + node->n_pus; p++)
        end = fmin(end, plb_speed_death(&r->pus[p]) + PLB_DETECTION_SECONDS);
    return end;
}

/* When a PU that begins with the run has these units, of this cost, ready at rank 0. */
static inline double bound_seconds(const struct bound_job *job, int n, const struct plb_pu_spec *pu,
                                   double units, double cost)
{
    const struct random_cluster *r = job->r;
    const struct plb_node_spec *node = &r->nodes[n];
    double in = r->inputs.unit_bytes, out = r->results.unit_bytes, room = pu->memory / PLB_TASKS_IN_MEMORY;
    double tasks = isfinite(room) ? fmax(ceil(units * (in + out) / room - 1e-9), 1.0) : 1.0;
    double first = n > 0 ? node->latency + (in > 0.0 ? 2.0 * node->latency + in / node->bandwidth : 0.0)
                         : 0.0;
    double last = n > 0 ? node->latency + out / node->bandwidth : 0.0;
    double copies = 2.0 * tasks * pu->copy_latency + units * (in + out) / pu->copy_bandwidth;
    double noise = exp(0.5 * pu->noise * pu->noise);
    double work = noise * ((cost + tasks * pu->half) / pu->rate + tasks * pu->overhead);
    return plb_speed_end(pu, first + copies, work) + last;
}

/* The most units that a PU does in T, out of `most`; a fraction where they are unequal. */
static inline double bound_units(const struct bound_job *job, int n, const struct plb_pu_spec *pu, double t,
                                 double most)
{
    const struct random_cluster *r = job->r;
    double low = 0.0, high = most;
    if (PLB_TASKS_IN_MEMORY * r->sizes.unit_bytes > pu->memory
        || bound_seconds(job, n, pu, 1.0, job->smallest) > t)
        return 0.0;
    if (bound_seconds(job, n, pu, most, most * job->unit) <= t)
        return most;
    for (int i = 0; i < BOUND_HALVINGS && high - low > 1e-9 * high; i++) {
        double middle = 0.5 * (low + high);
        if (bound_seconds(job, n, pu, middle, middle * job->unit) <= t)
            low = middle;
        else
            high = middle;
    }
    return job->equal ? floor(low * (1.0 + 1e-8) + 1e-6) : low;
}

/* The units that a link carries in t seconds, each direction by itself. */
static inline double bound_link(const struct random_cluster *r, double bandwidth, double t)
{
    double bytes = fmax(r->inputs.unit_bytes, r->results.unit_bytes);
    return bytes > 0.0 ? bandwidth * t / bytes : INFINITY;
}

static inline bool bound_enough(const struct bound_job *job, double t)
{
    const struct random_cluster *r = job->r;
    double all = (double)r->law.units, own = 0.0, others = 0.0;
    bool largest = job->largest <= 0.0; /* somebody can do it */
    for (int n = 0; n < r->cluster.n_nodes; n++) {
        const struct plb_node_spec *node = &r->nodes[n];
        double end = fmin(t, node_end(r, node)), sum = 0.0;
        for (int p = node->first_pu; p < node->first_pu + node->n_pus; p++) {
            sum += bound_units(job, n, &r->pus[p], end, all);
            largest = largest || bound_seconds(job, n, &r->pus[p], 1.0, job->largest) <= end;
        }
        if (n == 0)
            own = sum;
        else
            others += fmin(sum, bound_link(r, node->bandwidth, t));
    }
    return largest && own + fmin(others, bound_link(r, r->nodes[0].bandwidth, t)) >= all * (1.0 - 1e-9);
}

/* Seconds, by the true costs. */
static inline double random_bound(const struct random_cluster *r, const struct plb_cost_map *costs)
{
    struct bound_job job = bound_job(r, costs);
    double low = 0.0, high = 1e-3 * r->seconds;
    while (!bound_enough(&job, high) && high < 1e12)
        low = high, high *= 2.0;
    for (int i = 0; i < BOUND_HALVINGS && high - low > 1e-9 * high; i++) {
        double middle = 0.5 * (low + high);
        if (bound_enough(&job, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

#endif
