/* A PU is a line: what starting a task takes, and what its work takes. Waits for data are kept apart, since
 * the simulator makes its own. */
#include "foresee/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/dataset.h"
#include "base/memory.h"
#include "model/fit.h"

/* The part of a PU's time that its work takes at least, beside starts. Smaller: noise makes rates that no PU
 * has. As in outcome/fill_report.c. */
#define LEAST_WORKING 0.01

/* The part of a PU's time that starts may take, so that its rate tells of larger tasks. Larger: times of
 * tasks that are all start are taken for those of work. Smaller: fewer changes. */
#define MOST_STARTING 0.5

/* A line with starts is believed where its squared errors are so many times smaller than those of a line
 * without. Larger: real starts are taken for work. Smaller: noise is taken for starts. */
#define SURELY_STARTS 2.0

/* Samples that a line with starts needs. Fewer: two tasks of unlike sizes tell what noise likes. */
#define SAMPLES_OF_STARTS 4

/* The lines through samples from the origin, and from a start on: the start, or 0 where it may be noise. Sets
 * what it would be if it were none. */
static double start_of(const double *work, const double *seconds, int n, double *perhaps)
{
    double start, slope, per_work = 0.0, with = 0.0, without = 0.0;
    plb_fit_line(work, seconds, n, &start, &slope);
    *perhaps = start;
    if (n < SAMPLES_OF_STARTS)
        return 0.0;
    for (int i = 0; i < n; i++)
        per_work += seconds[i] / work[i] / n;
    for (int i = 0; i < n; i++) {
        double a = (start + slope * work[i]) / seconds[i] - 1.0, b = per_work * work[i] / seconds[i] - 1.0;
        with += a * a;
        without += b * b;
    }
    return without > SURELY_STARTS * with ? start : 0.0;
}

/* The samples of a PU: its line, and sums over their tasks. */
struct sums {
    double start_s, perhaps_s, work, tasks, execute_s, copied_s;
    int n;
};

static struct sums sums_of(const struct plb_history *h)
{
    double work[PLB_MAX_SAMPLES] = {0}, seconds[PLB_MAX_SAMPLES] = {0};
    struct sums s = {.n = 0};
    for (int i = h->from_profile; i < h->n; i++) {
        const struct plb_sample *x = &h->at[i];
        double tasks = (double)x->tasks;
        if (!(x->work > 0.0 && x->execute_s > 0.0 && isfinite(x->execute_s + x->transfer_s)))
            continue;
        work[s.n] = x->work;
        seconds[s.n++] = x->execute_s;
        s.tasks += tasks;
        s.work += tasks * x->work;
        s.execute_s += tasks * x->execute_s;
        s.copied_s += tasks * fmax(x->transfer_s, 0.0);
    }
    s.start_s = fmax(start_of(work, seconds, s.n, &s.perhaps_s), h->start_s);
    return s;
}

/* Where costs are told, all of the PU's work counts. Else its samples alone, since they are counted by the
 * costs that the run has learned. */
static struct plb_measured_rate rate_of(const struct plb_history *h, const struct plb_tally *tally, bool told)
{
    struct sums s = sums_of(h);
    double seconds = s.execute_s + s.copied_s, part = told && seconds > 0.0 ? tally->seconds / seconds : 1.0;
    double tasks = told ? tally->tasks : s.tasks;
    struct plb_measured_rate r = {.execute_s = part * s.execute_s,
                                  .copied_s = part * s.copied_s,
                                  .work = told ? tally->work : s.work,
                                  .all_work = fmax(s.work, tally->work),
                                  .start_s = s.start_s,
                                  .samples = s.n};
    r.unsure = s.tasks * fmax(s.start_s, s.perhaps_s) > MOST_STARTING * s.execute_s;
    if (!(r.work > 0.0 && r.execute_s > 0.0))
        return (struct plb_measured_rate){0};
    if (!(r.execute_s - tasks * r.start_s > LEAST_WORKING * r.execute_s))
        r.start_s = 0.0;
    r.rate = r.work / (r.execute_s - tasks * r.start_s);
    return r;
}

/* Where costs were learned, samples are some of the tasks, and perhaps the expensive ones. All PUs together
 * have done all the work: so many times the work that their rates say. */
static void scale(struct plb_measured *m, struct plb_work_count *count, int phase, double all)
{
    double told = 0.0, by_rates = 0.0;
    for (int p = 0; p < m->n_pus; p++) {
        const struct plb_tally *tally = plb_work_count_tally(count, phase, p);
        const struct plb_measured_rate *r = &m->rates[p * m->n_phases + phase];
        double busy = r->rate > 0.0 ? tally->seconds * r->execute_s / (r->execute_s + r->copied_s) : 0.0;
        told += tally->work;
        by_rates += r->rate * fmax(busy - tally->tasks * r->start_s, 0.0);
    }
    if (by_rates > 0.0)
        for (int p = 0; p < m->n_pus; p++)
            m->rates[p * m->n_phases + phase].rate *= told * all / by_rates;
}

void plb_measured_read(struct plb_measured *m, const struct plb_job *job, struct plb_master *master)
{
    int n = plb_master_pus(master), phases = plb_phase_count(job->kernel);
    *m = (struct plb_measured){.n_pus = n, .n_phases = phases};
    m->pus = plb_alloc((size_t)n * sizeof *m->pus);
    m->rates = plb_alloc((size_t)n * (size_t)phases * sizeof *m->rates);
    const struct plb_cost_map *map = plb_work_count_end(plb_master_work(master));
    double all = map != NULL && phases == 1 ? plb_cost_total(map) / (double)map->units : 1.0;
    for (int p = 0; p < n; p++) {
        m->pus[p] = *plb_master_pu(master, p);
        m->n_nodes = m->pus[p].node >= m->n_nodes ? m->pus[p].node + 1 : m->n_nodes;
        for (int i = 0; i < phases; i++)
            m->rates[p * phases + i] = rate_of(plb_master_history(master, i, p),
                                               plb_work_count_tally(plb_master_work(master), i, p),
                                               plb_phase_at(job->kernel, i).cost != NULL);
    }
    for (int i = 0; i < phases; i++)
        if (plb_phase_at(job->kernel, i).cost == NULL)
            scale(m, plb_master_work(master), i, all);
}

void plb_measured_fini(struct plb_measured *m)
{
    free(m->pus);
    free(m->rates);
    *m = (struct plb_measured){0};
}

/* ------------------------------------------------------------------------------- a cluster */

struct making {
    const struct plb_measured *measured;
    const struct plb_job *job;
    const struct plb_other_machine *other;
    struct plb_cluster_spec *cluster;
    int phase;
    bool real;
    int *of;
    double bytes; /* of data, for a unit of work */
};

static const struct plb_measured_rate *rate(const struct making *m, int p)
{
    return &m->measured->rates[p * m->measured->n_phases + m->phase];
}

/* The PU in the .cluster file; NULL: there is none. */
static const struct plb_pu_spec *described(const struct making *m, const struct plb_pu_info *info)
{
    const struct plb_cluster_spec *c = &m->job->cluster;
    bool is = info->node < c->n_nodes && info->local < c->nodes[info->node].n_pus;
    return is ? &c->pus[c->nodes[info->node].first_pu + info->local] : NULL;
}

static void add_pu(struct making *m, int p)
{
    const struct plb_pu_info *info = &m->measured->pus[p];
    const struct plb_measured_rate *r = rate(m, p);
    const struct plb_pu_spec *as = described(m, info);
    double per_work = m->job->maps[m->phase].per_work, own = fmin(info->start_s, r->start_s);
    m->of[m->cluster->n_pus] = p;
    struct plb_pu_spec *pu = &m->cluster->pus[m->cluster->n_pus++];
    *pu = (struct plb_pu_spec){.kind = info->kind,
                               .power = info->power,
                               .rate = r->rate * per_work,
                               .overhead = own,
                               .half = (r->start_s - own) * r->rate * per_work,
                               .memory = info->memory,
                               .copy_bandwidth = INFINITY,
                               .slowdown = 1.0,
                               .static_watts = info->static_watts,
                               .dynamic_watts = info->dynamic_watts};
    snprintf(pu->name, sizeof pu->name, "%s", info->name);
    if (as != NULL) {
        pu->copy_bandwidth = as->copy_bandwidth;
        pu->copy_latency = as->copy_latency;
    } else if (info->kind != PLB_CPU && r->copied_s > 0.0 && m->bytes > 0.0) {
        pu->copy_bandwidth = m->bytes * r->work / r->copied_s;
    }
}

/* A link that carries what its CPUs got in the time for which they waited. Where they did not wait, it is too
 * fast to matter. */
static double bandwidth_of(const struct making *m, int node)
{
    double bytes = 0.0, waited = 0.0;
    for (int p = 0; p < m->measured->n_pus; p++) {
        if (m->measured->pus[p].node != node || m->measured->pus[p].kind != PLB_CPU)
            continue;
        bytes += m->bytes * rate(m, p)->work;
        waited += rate(m, p)->copied_s;
    }
    return waited > 0.0 && bytes > 0.0 ? fmax(bytes / waited, 1.0) : PLB_LINK_BANDWIDTH;
}

static void add_node(struct making *m, int node)
{
    struct plb_node_spec *n = &m->cluster->nodes[m->cluster->n_nodes];
    const struct plb_cluster_spec *told = &m->job->cluster;
    *n = (struct plb_node_spec){
        .bandwidth = PLB_LINK_BANDWIDTH, .latency = PLB_LINK_LATENCY, .first_pu = m->cluster->n_pus};
    if (!m->real && node < told->n_nodes) {
        n->bandwidth = told->nodes[node].bandwidth;
        n->latency = told->nodes[node].latency;
    } else if (m->real) {
        n->bandwidth = node == 0 ? INFINITY : bandwidth_of(m, node);
    }
    for (int p = 0; p < m->measured->n_pus; p++)
        if (m->measured->pus[p].node == node && rate(m, p)->rate > 0.0 && p != m->other->without) {
            snprintf(n->name, sizeof n->name, "%s", m->measured->pus[p].host);
            add_pu(m, p);
        }
    n->n_pus = m->cluster->n_pus - n->first_pu;
    m->cluster->n_nodes += n->n_pus > 0 || m->cluster->n_nodes == 0;
}

void plb_measured_cluster(const struct plb_measured *measured, const struct plb_job *job, int phase,
                          bool real, const struct plb_other_machine *other, struct plb_cluster_spec *cluster,
                          int *of)
{
    struct plb_dataset set;
    plb_dataset_describe(&set, &job->app);
    struct plb_sizes inputs = plb_dataset_link_sizes(&set, false),
                     results = plb_dataset_link_sizes(&set, true);
    int64_t units = job->maps[phase].units;
    struct making m = {.measured = measured,
                       .job = job,
                       .other = other,
                       .cluster = cluster,
                       .phase = phase,
                       .real = real,
                       .bytes = plb_sizes_mean(&inputs, units) + plb_sizes_mean(&results, units)};
    m.of = of;
    *cluster = (struct plb_cluster_spec){.simulation = job->cluster.simulation};
    cluster->nodes = plb_alloc((size_t)(measured->n_nodes + 1) * sizeof *cluster->nodes);
    cluster->pus = plb_alloc((size_t)measured->n_pus * 2 * sizeof *cluster->pus);
    for (int node = 0; node < measured->n_nodes; node++)
        add_node(&m, node);
    if (other->more_like >= 0)
        add_node(&m, other->more_like);
}

void plb_measured_cluster_fini(struct plb_cluster_spec *cluster)
{
    free(cluster->nodes);
    free(cluster->pus);
    *cluster = (struct plb_cluster_spec){0};
}

int plb_measured_best_node(const struct plb_measured *measured, int phase)
{
    int best = -1;
    double most = 0.0;
    for (int node = 0; node < measured->n_nodes; node++) {
        double sum = 0.0;
        for (int p = 0; p < measured->n_pus; p++)
            sum += measured->pus[p].node == node ? measured->rates[p * measured->n_phases + phase].rate : 0.0;
        best = sum > most ? node : best;
        most = fmax(sum, most);
    }
    return best;
}
