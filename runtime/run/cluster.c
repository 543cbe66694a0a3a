/* The cluster driver.
 *
 * Start: rank 0 tells the others what the job is, everyone loads the kernel, gets the replicated
 * data, opens its devices and says HELLO. Then every rank serves: its node is stepped, messages are
 * handled, and where nothing moves it sleeps a little longer each time. Rank 0 also leads. The end is
 * STOP from the master, BYE from each node once nothing of its own is on its way; until the last BYE
 * the master goes on answering, so that a failed run ends as cleanly as a good one. */
#include "run/cluster.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/topology.h"
#include "report/progress.h"
#include "run/node.h"
#include "run/registry.h"
#include "run/results.h"

#define SPINS 64            /* looks without sleeping after something moved */
#define SHORTEST_SLEEP 20e-6
#define LONGEST_SLEEP 900e-6     /* so that whoever asks this rank waits less than a millisecond */
#define LONGEST_SLEEP_ALONE 50e-3 /* one rank: only its own PUs can have news, and they wake it */
#define LONGEST_SLEEP_BUSY 50e-6 /* while data is on its way, which moves only when we look */

/* What every rank has to know to begin; plain data. */
struct start {
    char kernel[PATH_MAX];
    int cluster_nodes, cluster_pus, threads;
    bool master_only, trace;
    double origin;              /* rank 0's clock when the run's clock is 0 */
};

/* Results on their way to rank 0, under one DONE. */
struct incoming {
    struct plb_message done;
    void *partial[PLB_MAX_DATA]; /* reduce arrays, folded on acceptance */
    int pending;
    struct incoming *next;
};

/* What rank 0 has on top of its node. */
struct leader {
    struct plb_job *job;
    struct plb_master *master;
    struct incoming *incoming;
    struct plb_progress progress;
    struct plb_pu_info *pus;    /* from HELLO */
    int n_pus, hellos, byes;    /* hellos, byes: ranks that have said all of it */
    int pass;
    bool in_pass, stopping;
    double pass_began, makespan, solve;
    struct plb_trace *trace;
};

struct run {
    struct plb_mpi *mpi;
    int rank, size;
    double clock;               /* plb_now() + clock is the run's time */
    struct plb_dataset data;
    struct plb_node *node;
    struct plb_outbox out;
    struct leader *lead;        /* rank 0's, else NULL */
    struct plb_error *err;
    const struct plb_cluster_options *options;
    bool stopped;
    int status;
    int pulls;                  /* inputs on their way to other nodes */
};

static double run_time(const struct run *r)
{
    return plb_now() + r->clock;
}

int plb_cluster_agree(struct plb_mpi *mpi, int status)
{
    plb_mpi_meet(mpi);
    return plb_mpi_max(mpi, status);
}

/* ------------------------------------------------------------------- start */

static void name_pu(struct plb_pu_info *info, const char *name, const struct plb_topology *t)
{
    snprintf(info->name, sizeof info->name, "%s", name);
    snprintf(info->host, sizeof info->host, "%s", t->host);
    snprintf(info->cores, sizeof info->cores, "%.23s", t->where);
}

/* The CPU of this rank as one PU. Ranks that share a host, unbound, share its cores. */
static void describe_cpu(const struct run *r, const struct plb_topology *t, int threads, struct plb_node_pu *pu)
{
    int local_rank, local_size;
    plb_mpi_local(r->mpi, &local_rank, &local_size);
    bool unbound = t->cores == t->host_cores;
    int fair = t->host_cores / local_size > 0 ? t->host_cores / local_size : 1;
    int own = unbound ? fair : t->cores;
    *pu = (struct plb_node_pu){.ops = &plb_device_cpu, .bind_index = local_rank};
    pu->bind_parts = unbound && local_size <= t->host_cores && threads <= fair ? local_size : 1;
    pu->device.threads = threads > 0 ? threads : own;
    pu->info = (struct plb_pu_info){.node = r->rank, .kind = PLB_CPU, .last = 1, .power = pu->device.threads,
                                    .memory = INFINITY, .threads = pu->device.threads};
    name_pu(&pu->info, t->cpu, t);
    int wanted = threads > 0 ? threads : fair;
    if (t->cores < wanted)
        plb_say("warning: rank %d on %s may use %d of %d cores but has %d threads' work; start mpirun with --bind-to none",
                r->rank, t->host, t->cores, t->host_cores, wanted);
}

static void describe_emulated(const struct run *r, const struct plb_topology *t, const struct plb_pu_spec *spec,
                              int local, struct plb_node_pu *pu)
{
    bool own_memory = spec->kind != PLB_CPU || isfinite(spec->copy_bandwidth);
    *pu = (struct plb_node_pu){.ops = &plb_device_emulated};
    pu->device = (struct plb_device_config){1, own_memory, spec->slowdown, spec->copy_bandwidth, spec->copy_latency};
    pu->info = (struct plb_pu_info){.node = r->rank, .local = local, .kind = spec->kind, .power = spec->power,
                                    .memory = spec->memory, .threads = 1};
    name_pu(&pu->info, spec->name, t);
}

/* The PUs of this rank: those of its node in the .cluster file, or its CPU. */
static int describe_pus(const struct run *r, const struct start *start, const struct plb_cluster_spec *cluster,
                        struct plb_node_pu **pus)
{
    struct plb_topology topology;
    plb_topology_read(&topology);
    *pus = NULL;
    if (start->master_only && r->rank == 0)
        return 0;
    if (cluster->n_nodes == 0) {
        *pus = plb_alloc(sizeof **pus);
        describe_cpu(r, &topology, start->threads, *pus);
        return 1;
    }
    const struct plb_node_spec *node = &cluster->nodes[r->rank];
    *pus = plb_alloc((size_t)node->n_pus * sizeof **pus);
    for (int i = 0; i < node->n_pus; i++)
        describe_emulated(r, &topology, &cluster->pus[node->first_pu + i], i, &(*pus)[i]);
    (*pus)[node->n_pus - 1].info.last = 1;
    return node->n_pus;
}

static void share_cluster(struct run *r, const struct start *start, struct plb_cluster_spec *cluster)
{
    cluster->n_nodes = start->cluster_nodes;
    cluster->n_pus = start->cluster_pus;
    size_t nodes = (size_t)cluster->n_nodes * sizeof *cluster->nodes, pus = (size_t)cluster->n_pus * sizeof *cluster->pus;
    cluster->nodes = plb_alloc(nodes);
    cluster->pus = plb_alloc(pus);
    if (r->lead != NULL && nodes > 0) {
        memcpy(cluster->nodes, r->lead->job->cluster.nodes, nodes);
        memcpy(cluster->pus, r->lead->job->cluster.pus, pus);
    }
    plb_mpi_broadcast(r->mpi, cluster->nodes, nodes);
    plb_mpi_broadcast(r->mpi, cluster->pus, pus);
}

static int check_ranks(const struct run *r)
{
    const struct plb_job *job = r->lead->job;
    if (job->cluster.n_nodes > 0 && job->cluster.n_nodes != r->size)
        return plb_fail(r->err, PLB_EINPUT, "%s describes %d node%s and there %s %d rank%s; start mpirun with -np %d",
                        plb_settings_get(&job->settings, "cluster", "file")->text, job->cluster.n_nodes,
                        job->cluster.n_nodes == 1 ? "" : "s", r->size == 1 ? "is" : "are", r->size, r->size == 1 ? "" : "s",
                        job->cluster.n_nodes);
    if (job->master_only && r->size == 1)
        return plb_fail(r->err, PLB_EINPUT, "%s: master_only leaves nobody to compute with one rank; start mpirun with -np 2 or more",
                        plb_settings_get(&job->settings, "cluster", "master_only")->origin);
    if (job->kernel->cpu == NULL)
        return plb_fail(r->err, PLB_EINPUT, "kernel %s has no cpu entry and there is no other kind of PU here", job->kernel->name);
    return PLB_OK;
}

static void fill_start(const struct run *r, struct start *start)
{
    const struct plb_job *job = r->lead->job;
    const char *kernel = plb_settings_get(&job->settings, "app", "kernel")->text;
    char *full = plb_kernel_is_path(kernel) ? realpath(kernel, NULL) : NULL;
    snprintf(start->kernel, sizeof start->kernel, "%s", full != NULL ? full : kernel);
    free(full);
    start->cluster_nodes = job->cluster.n_nodes;
    start->cluster_pus = job->cluster.n_pus;
    start->threads = job->threads;
    start->master_only = job->master_only;
    start->trace = r->lead->trace->on;
    start->origin = plb_now();
}

/* Brings every rank to the point where its devices are open and its HELLO is queued. */
static int begin(struct run *r)
{
    struct start start = {.kernel = ""};
    struct plb_cluster_spec cluster;
    struct plb_node_pu *pus;
    const struct plb_kernel *kernel = NULL;
    char host[64] = "", origin[100];
    int status = r->lead != NULL ? check_ranks(r) : PLB_OK;
    if ((status = plb_cluster_agree(r->mpi, status)) != PLB_OK)
        return status;
    if (r->lead != NULL)
        fill_start(r, &start);
    plb_mpi_broadcast(r->mpi, &start, sizeof start);
    gethostname(host, sizeof host - 1);
    snprintf(origin, sizeof origin, "rank %d on %s", r->rank, host);
    if (r->lead == NULL)
        status = plb_kernel_load(start.kernel, origin, &kernel, r->err);
    else
        kernel = r->lead->job->kernel;
    if ((status = plb_cluster_agree(r->mpi, status)) != PLB_OK)
        return status;
    r->clock = (start.trace ? plb_mpi_clock_offset(r->mpi) : 0.0) - start.origin;
    if (r->lead == NULL && !start.trace)
        r->clock = -plb_now();
    plb_dataset_share(&r->data, r->lead != NULL ? &r->lead->job->app : NULL, r->mpi);
    share_cluster(r, &start, &cluster);
    int n_pus = describe_pus(r, &start, &cluster, &pus);
    struct plb_node_config config = {r->rank, kernel, &r->data, r->mpi, start.trace, r->clock};
    status = plb_node_start(&config, pus, n_pus, &r->node, r->err);
    for (int i = 0; i < n_pus; i++)
        plb_outbox_add(&r->out, PLB_HELLO, 0)->hello = pus[i].info;
    for (int i = 0; i < n_pus; i++)
        r->out.at[i].from = r->rank;
    if (r->lead != NULL)
        r->lead->hellos += start.master_only;
    free(pus);
    plb_cluster_fini(&cluster);
    return plb_cluster_agree(r->mpi, status);
}

/* -------------------------------------------------------------------- lead */

/* Tells every node, our own included, that the run is over. */
static void stop_all(struct run *r, int status)
{
    if (r->lead->stopping)
        return;
    r->lead->stopping = true;
    for (int n = 0; n < r->size; n++)
        plb_outbox_add(&r->out, PLB_STOP, n)->status = status;
}

static void begin_pass(struct run *r)
{
    struct leader *lead = r->lead;
    int64_t replaced = 0;
    for (int i = 0; i < r->data.n; i++) {
        replaced |= lead->job->app.replaced[i] ? (int64_t)1 << i : 0;
        lead->job->app.replaced[i] = false;
    }
    lead->pass++;
    for (int n = 1; n < r->size; n++) {
        struct plb_message m = {.type = PLB_PASS, .to = n, .pass = lead->pass, .slot = PLB_NO_SLOT};
        m.status = replaced;
        plb_mpi_send(r->mpi, &m);
    }
    plb_mpi_flush(r->mpi);
    plb_dataset_replace(&r->data, replaced, r->mpi);
    plb_node_pass(r->node, lead->pass, replaced);
    lead->pass_began = run_time(r);
    lead->in_pass = true;
    plb_master_begin(lead->master, lead->pass, &lead->job->map, lead->pass_began, &r->out);
}

static void report_refused(const struct leader *lead)
{
    for (int p = 0; p < lead->n_pus; p++) {
        const struct plb_pu_info *pu = &lead->pus[p];
        if (plb_master_refused(lead->master, p))
            plb_say("warning: PU %d (%s, rank %d) is not used: its memory of %.4g bytes cannot hold %.4g bytes of replicated data and three units of %.4g bytes",
                    p, pu->name, pu->node, pu->memory, plb_app_replicated_bytes(&lead->job->app), plb_app_unit_bytes(&lead->job->app, true, true));
    }
}

static void show_pus(const struct leader *lead)
{
    static const char *const kinds[] = {"cpu", "gpu", "accelerator"};
    for (int p = 0; p < lead->n_pus; p++) {
        const struct plb_pu_info *pu = &lead->pus[p];
        plb_say("PU %d: rank %d on %s, %s '%s', %d thread%s on cores %s, power %g", p, pu->node, pu->host, kinds[pu->kind],
                pu->name, pu->threads, pu->threads == 1 ? "" : "s", pu->cores, pu->power);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct plb_pu_info *x = a, *y = b;
    return x->node != y->node ? x->node - y->node : x->local - y->local;
}

static void on_hello(struct run *r, const struct plb_pu_info *info)
{
    struct leader *lead = r->lead;
    lead->pus = plb_grow(lead->pus, (size_t)(lead->n_pus + 1) * sizeof *lead->pus);
    lead->pus[lead->n_pus++] = *info;
    lead->hellos += info->last;
    if (lead->hellos < r->size)
        return;
    qsort(lead->pus, (size_t)lead->n_pus, sizeof *lead->pus, by_place);
    struct plb_master_config config = plb_job_master(lead->job);
    lead->master = plb_master_new(&config, lead->pus, lead->n_pus);
    if (r->options->show_pus || r->options->verbose)
        show_pus(lead);
    report_refused(lead);
    if (r->options->dry_run)
        stop_all(r, PLB_OK);
    else
        begin_pass(r);
}

/* The pass is over: does the kernel want another? */
static void end_pass(struct run *r)
{
    struct leader *lead = r->lead;
    bool again = false;
    lead->in_pass = false;
    lead->makespan += run_time(r) - lead->pass_began;
    if (lead->job->kernel->next != NULL && lead->job->kernel->next(&lead->job->app, lead->pass - 1, &again) != PLB_OK)
        plb_fail(r->err, PLB_EFAILED, "%s", lead->job->app.err.text);
    if (again && r->err->status == PLB_OK)
        begin_pass(r);
    else
        stop_all(r, r->err->status);
}

/* All results of a DONE are here. */
static void accept(struct run *r, const struct plb_message *done)
{
    struct leader *lead = r->lead;
    double before = run_time(r);
    int64_t solves = plb_master_stats(lead->master)->solves;
    plb_master_done(lead->master, done, before, &r->out);
    double after = run_time(r);
    if (plb_master_stats(lead->master)->solves > solves) {
        lead->solve += after - before;
        plb_trace_add(lead->trace, (struct plb_trace_event){PLB_TRACE_SOLVE, 0, PLB_TRACE_MASTER, lead->pass, before, after - before, 0, 0});
    }
    const char *failure = plb_master_failure(lead->master);
    if (failure != NULL)
        stop_all(r, plb_fail(r->err, PLB_EFAILED, "%s", failure));
    else if (lead->in_pass && plb_master_over(lead->master))
        end_pass(r);
}

static void fold(struct run *r, int i, const void *partial)
{
    plb_reduce_fold(&r->data.at[i], r->data.host[i], partial);
}

/* A DONE from another rank: its results are received straight into their place. */
static void receive_results(struct run *r, const struct plb_message *done)
{
    struct incoming *in = plb_alloc(sizeof *in);
    in->done = *done;
    for (int i = 0; i < r->data.n; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(&r->data, i, done->range, &offset, &bytes);
        if (!plb_data_is_result(&r->data.at[i]))
            continue;
        bool reduced = r->data.at[i].mode == PLB_REDUCE;
        if (reduced)
            in->partial[i] = plb_alloc(bytes);
        plb_mpi_get(r->mpi, done->from, done->slot, reduced ? in->partial[i] : (char *)r->data.host[i] + offset, bytes, &in->pending);
    }
    in->next = r->lead->incoming;
    r->lead->incoming = in;
}

static void on_done(struct run *r, const struct plb_message *done)
{
    if (done->slot != PLB_NO_SLOT && done->from != 0) {
        receive_results(r, done);
        return;
    }
    for (int i = 0; i < r->data.n && done->slot != PLB_NO_SLOT; i++)
        if (r->data.at[i].mode == PLB_REDUCE)
            fold(r, i, plb_node_result(r->node, done->slot, i));
    if (done->slot != PLB_NO_SLOT)
        plb_node_release(r->node, done->slot);
    accept(r, done);
}

/* Accepts the DONEs whose results have arrived. */
static bool collect_incoming(struct run *r)
{
    bool moved = false;
    for (struct incoming **at = &r->lead->incoming; *at != NULL;) {
        struct incoming *in = *at;
        if (in->pending > 0) {
            at = &in->next;
            continue;
        }
        *at = in->next;
        for (int i = 0; i < r->data.n; i++)
            if (in->partial[i] != NULL) {
                fold(r, i, in->partial[i]);
                free(in->partial[i]);
            }
        accept(r, &in->done);
        free(in);
        moved = true;
    }
    return moved;
}

static void on_fail(struct run *r, const struct plb_message *m)
{
    const struct leader *lead = r->lead;
    const char *name = "?", *host = "?";
    for (int p = 0; p < lead->n_pus; p++)
        if (lead->pus[p].node == m->from && lead->pus[p].local == m->pu) {
            name = lead->pus[p].name;
            host = lead->pus[p].host;
        }
    plb_fail(r->err, PLB_EFAILED, "kernel %s returned %lld on PU '%s' (rank %d on %s) for %s %lld to %lld; no output is written",
             lead->job->kernel->name, (long long)m->status, name, m->from, host, lead->job->kernel->unit,
             (long long)m->range.first, (long long)(m->range.first + m->range.count - 1));
    stop_all(r, PLB_EFAILED);
}

/* Sends the inputs of a range to the node that is about to work on it. */
static void on_pull(struct run *r, const struct plb_message *m)
{
    for (int i = 0; i < r->data.n; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(&r->data, i, m->range, &offset, &bytes);
        if (plb_data_is_input(&r->data.at[i]))
            plb_mpi_put(r->mpi, m->from, m->slot, (char *)r->data.host[i] + offset, bytes, &r->pulls);
    }
}

/* ------------------------------------------------------------------- serve */

static void on_stop(struct run *r, const struct plb_message *m)
{
    r->status = (int)m->status;
    r->stopped = true;
    plb_node_stop(r->node);
    plb_node_step(r->node, &r->out); /* what the PUs finished last goes before BYE */
}

static void handle(struct run *r, const struct plb_message *m)
{
    switch ((enum plb_message_type)m->type) {
    case PLB_HELLO: on_hello(r, &m->hello); break;
    case PLB_BLOCK: plb_node_block(r->node, m); break;
    case PLB_DONE: on_done(r, m); break;
    case PLB_FAIL: on_fail(r, m); break;
    case PLB_PULL: on_pull(r, m); break;
    case PLB_PASS:
        plb_dataset_replace(&r->data, m->status, r->mpi);
        plb_node_pass(r->node, m->pass, m->status);
        break;
    case PLB_STOP: on_stop(r, m); break;
    case PLB_BYE: r->lead->byes++; break;
    }
}

/* Sends what is in the outbox; what is for this rank is handled at once, and may add more. */
static void dispatch(struct run *r)
{
    for (int i = 0; i < r->out.n; i++) {
        struct plb_message m = r->out.at[i];
        m.from = r->rank;
        if (m.to == r->rank)
            handle(r, &m);
        else
            plb_mpi_send(r->mpi, &m);
    }
    r->out.n = 0;
    plb_mpi_flush(r->mpi);
}

static bool look(struct run *r)
{
    struct plb_message m;
    bool moved = plb_mpi_progress(r->mpi);
    while (plb_mpi_receive(r->mpi, &m)) {
        handle(r, &m);
        moved = true;
    }
    moved |= plb_node_step(r->node, &r->out);
    if (r->lead != NULL)
        moved |= collect_incoming(r);
    moved |= r->out.n > 0;
    dispatch(r);
    return moved;
}

/* True while this rank still has a part to play; says BYE when its own is over. */
static bool goes_on(struct run *r, bool *said_bye)
{
    if (!r->stopped)
        return true;
    if (!*said_bye && !plb_mpi_busy(r->mpi)) {
        plb_outbox_add(&r->out, PLB_BYE, 0);
        dispatch(r);
        *said_bye = true;
    }
    return !*said_bye || (r->lead != NULL && (r->lead->byes < r->size || plb_mpi_busy(r->mpi) || r->lead->incoming != NULL));
}

static void serve(struct run *r)
{
    bool said_bye = false;
    int spins = 0;
    double sleep = SHORTEST_SLEEP;
    while (goes_on(r, &said_bye)) {
        if (look(r)) {
            spins = 0;
            sleep = SHORTEST_SLEEP;
        } else if (spins < SPINS) {
            spins++;
            sched_yield();
        } else {
            plb_node_wait(r->node, sleep);
            sleep = fmin(2.0 * sleep, r->size == 1 ? LONGEST_SLEEP_ALONE : plb_mpi_busy(r->mpi) ? LONGEST_SLEEP_BUSY : LONGEST_SLEEP);
        }
        if (r->lead != NULL && r->lead->in_pass)
            plb_progress_update(&r->lead->progress, plb_master_accepted(r->lead->master), r->data.units, run_time(r) - r->lead->pass_began);
    }
}

/* --------------------------------------------------------------------- end */

/* Joins the traces of all nodes on rank 0 and gives PUs their ids in the run. */
static void gather_trace(struct run *r, struct plb_trace *trace)
{
    struct plb_trace own = {0};
    size_t bytes;
    plb_node_collect_trace(r->node, &own);
    struct plb_trace_event *all = plb_mpi_gather(r->mpi, own.at, (size_t)own.n * sizeof *own.at, &bytes);
    for (size_t i = 0; r->lead != NULL && i < bytes / sizeof *all; i++)
        for (int p = 0; p < r->lead->n_pus; p++)
            if (r->lead->pus[p].node == all[i].node && r->lead->pus[p].local == all[i].pu) {
                all[i].pu = p;
                break;
            }
    if (r->lead != NULL && trace->on)
        plb_trace_append(trace, all, (int64_t)(bytes / sizeof *all));
    free(all);
    plb_trace_fini(&own);
}

static void gather_report(struct run *r, struct plb_report *report)
{
    int64_t counts[2], sums[2] = {0, 0};
    size_t bytes;
    plb_mpi_counts(r->mpi, &counts[0], &counts[1]);
    int64_t *all = plb_mpi_gather(r->mpi, counts, sizeof counts, &bytes);
    for (size_t i = 0; i < bytes / sizeof *all; i++)
        sums[i % 2] += all[i];
    free(all);
    if (r->lead == NULL || r->lead->master == NULL)
        return;
    plb_results_from_master(r->lead->master, &r->lead->job->app, r->lead->job->balancer->name, r->lead->pass, report);
    report->mode = "cluster";
    report->nodes = r->size;
    report->makespan_s = r->lead->makespan;
    report->solve_s = r->lead->solve;
    report->messages = sums[0];
    report->bytes_moved = sums[1];
    plb_report_derive(report);
}

static void release(struct run *r)
{
    plb_node_free(r->node);
    plb_dataset_fini(&r->data);
    plb_outbox_fini(&r->out);
    if (r->lead != NULL) {
        plb_master_free(r->lead->master);
        free(r->lead->pus);
    }
}

int plb_cluster_run(struct plb_mpi *mpi, struct plb_job *job, const struct plb_cluster_options *options,
                    struct plb_report *report, struct plb_trace *trace, struct plb_error *err)
{
    struct leader lead = {.job = job, .trace = trace};
    struct run r = {.mpi = mpi, .rank = plb_mpi_rank(mpi), .size = plb_mpi_size(mpi), .err = err, .options = options};
    r.lead = job != NULL ? &lead : NULL;
    if (r.lead != NULL)
        plb_progress_init(&lead.progress, job->kernel->unit, options->quiet);
    int status = begin(&r);
    if (status == PLB_OK) {
        dispatch(&r);
        serve(&r);
        plb_progress_end(&lead.progress);
        status = r.status;
        gather_report(&r, report);
        gather_trace(&r, trace);
    }
    release(&r);
    return status;
}
