/* How short a run of a random cluster can be at best: the least T in which the PUs can do all the work, if
 * each starts once and nobody errs.
 *
 * Each PU waits for its first block, and its data, and its last result travels to rank 0. In between it does
 * whole units, in as few tasks as its memory allows, at its speed of each moment. The bytes of a node are
 * limited by its link, those of all nodes by rank 0's; where units are unequal, the heaviest travel, since
 * all have the same bytes. A node works no longer than until its loss is noticed.
 *
 * A balancer that knew all times could come near it. The bound leaves out that unequal units must be packed,
 * that rank 0 needs time for messages, and that lost work is done again. Of noise it knows the mean, as many
 * tasks have it: few tasks may be lucky. Without noise no run is shorter. */
#ifndef TEST_RANDOM_BOUND_H
#define TEST_RANDOM_BOUND_H

#include "base/memory.h"
#include "core/liveness.h"
#include "model/speed.h"
#include "random_cluster.h"
#include "simulate/simulation.h"

/* Steps of a bisection. More: only time. Fewer: T is less exact. 40 give twelve digits. */
#define BOUND_HALVINGS 40

struct bound_job {
    const struct random_cluster *r;
    double all, unit;         /* cost of all units, and of one on average */
    double smallest, largest; /* cost of a unit; 0 where units are too many for a table of each */
    int64_t n, bucket;        /* entries of the table, and units in each */
    double *heaviest;         /* n + 1 sums of cost, the heaviest units first; NULL where all cost the same */
};

static inline int heavier(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* Release it with free_bound_job. */
static inline struct bound_job make_bound_job(const struct random_cluster *r,
                                              const struct plb_cost_map *costs)
{
    struct bound_job job = {.r = r, .unit = costs->per_work, .all = costs->per_work * (double)costs->units};
    job.smallest = job.largest = job.unit;
    if (costs->prefix == NULL)
        return job;
    job.n = costs->n;
    job.bucket = costs->bucket;
    job.heaviest = plb_alloc((size_t)(job.n + 1) * sizeof *job.heaviest);
    for (int64_t i = 0; i < job.n; i++)
        job.heaviest[i + 1] = (costs->prefix[i + 1] - costs->prefix[i]) * costs->per_work;
    qsort(job.heaviest + 1, (size_t)job.n, sizeof *job.heaviest, heavier);
    job.largest = job.bucket == 1 ? job.heaviest[1] : 0.0;
    job.smallest = job.bucket == 1 ? job.heaviest[job.n] : 0.0;
    for (int64_t i = 0; i < job.n; i++)
        job.heaviest[i + 1] += job.heaviest[i];
    return job;
}

static inline void free_bound_job(struct bound_job *job)
{
    free(job->heaviest);
}

/* The most cost that these many units can have. */
static inline double cost_of(const struct bound_job *job, double units)
{
    if (job->heaviest == NULL)
        return units * job->unit;
    double at = units / (double)job->bucket;
    int64_t i = at < (double)job->n ? (int64_t)at : job->n - 1;
    double part = fmin(at - (double)i, 1.0);
    return job->heaviest[i] + part * (job->heaviest[i + 1] - job->heaviest[i]);
}

/* The least units that have this cost. */
static inline double units_of(const struct bound_job *job, double cost)
{
    if (job->heaviest == NULL)
        return cost / job->unit;
    int64_t low = 0, high = job->n;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (job->heaviest[middle] <= cost)
            low = middle;
        else
            high = middle;
    }
    double step = job->heaviest[high] - job->heaviest[low];
    return (double)job->bucket
         * ((double)low + (step > 0.0 ? fmin((cost - job->heaviest[low]) / step, 1.0) : 0.0));
}

/* Seconds from T on at which a node's PUs do nothing more: their node is given up. */
static inline double node_end(const struct random_cluster *r, const struct plb_node_spec *node)
{
    double end = INFINITY;
    for (int p = node->first_pu; p < node->first_pu + node->n_pus; p++)
        end = fmin(end, plb_speed_death(&r->pus[p]) + PLB_LOST_AFTER);
    return end;
}

/* When a PU that begins with the run has work of this cost ready at rank 0. */
static inline double bound_seconds(const struct bound_job *job, int n, const struct plb_pu_spec *pu,
                                   double cost)
{
    const struct random_cluster *r = job->r;
    const struct plb_node_spec *node = &r->nodes[n];
    double in = r->inputs.unit_bytes, out = r->results.unit_bytes, room = pu->memory / PLB_TASKS_IN_MEMORY;
    double units = in + out > 0.0 ? units_of(job, cost) : 0.0;
    double tasks = isfinite(room) ? fmax(ceil(units * (in + out) / room - 1e-9), 1.0) : 1.0;
    double first = n > 0 ? node->latency + (in > 0.0 ? 2.0 * node->latency + in / node->bandwidth : 0.0)
                         : 0.0;
    double last = n > 0 ? node->latency + out / node->bandwidth : 0.0;
    double copies = 2.0 * tasks * pu->copy_latency + units * (in + out) / pu->copy_bandwidth;
    double noise = exp(0.5 * pu->noise * pu->noise);
    double work = noise * ((cost + tasks * pu->half) / pu->rate + tasks * pu->overhead);
    return plb_speed_end(pu, first + copies, work) + last;
}

/* The most cost that a PU does in T. */
static inline double bound_cost(const struct bound_job *job, int n, const struct plb_pu_spec *pu, double t)
{
    const struct random_cluster *r = job->r;
    double low = 0.0, high = job->all;
    if (PLB_TASKS_IN_MEMORY * r->sizes.unit_bytes > pu->memory
        || bound_seconds(job, n, pu, job->smallest) > t)
        return 0.0;
    if (bound_seconds(job, n, pu, high) <= t)
        return high;
    for (int i = 0; i < BOUND_HALVINGS && high - low > 1e-9 * high; i++) {
        double middle = 0.5 * (low + high);
        if (bound_seconds(job, n, pu, middle) <= t)
            low = middle;
        else
            high = middle;
    }
    return job->heaviest == NULL ? job->unit * floor(low / job->unit * (1.0 + 1e-8) + 1e-6) : low;
}

/* The most cost that a link carries in t seconds, each direction by itself. */
static inline double bound_link(const struct bound_job *job, double bandwidth, double t)
{
    double bytes = fmax(job->r->inputs.unit_bytes, job->r->results.unit_bytes);
    return bytes > 0.0 ? cost_of(job, bandwidth * t / bytes) : INFINITY;
}

static inline bool bound_enough(const struct bound_job *job, double t)
{
    const struct random_cluster *r = job->r;
    double own = 0.0, others = 0.0;
    bool largest = job->largest <= 0.0; /* somebody can do it */
    for (int n = 0; n < r->cluster.n_nodes; n++) {
        const struct plb_node_spec *node = &r->nodes[n];
        double end = fmin(t, node_end(r, node)), sum = 0.0;
        for (int p = node->first_pu; p < node->first_pu + node->n_pus; p++) {
            sum += bound_cost(job, n, &r->pus[p], end);
            largest = largest || bound_seconds(job, n, &r->pus[p], job->largest) <= end;
        }
        if (n == 0)
            own = sum;
        else
            others += fmin(sum, bound_link(job, node->bandwidth, t));
    }
    return largest
        && own + fmin(others, bound_link(job, r->nodes[0].bandwidth, t)) >= job->all * (1.0 - 1e-9);
}

/* Seconds, by the true costs. */
static inline double random_bound(const struct random_cluster *r, const struct plb_cost_map *costs)
{
    struct bound_job job = make_bound_job(r, costs);
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
    free_bound_job(&job);
    return high;
}

#endif
