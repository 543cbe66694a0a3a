/* The cluster driver.
 *
 * Start: rank 0 tells the others what the job is, everyone loads the kernel, gets the replicated
 * data, opens its devices and says HELLO. Then every rank serves: its node is stepped, messages are
 * handled, and where nothing moves it sleeps a little longer each time. Rank 0 also leads. The end is
 * STOP from the master, BYE from each node once nothing of its own is on its way; until the last BYE
 * the master goes on answering, so that a failed run ends as cleanly as a good one. */
#include "drive/cluster.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "config/settings.h"
#include "drive/data_mpi.h"
#include "drive/fill_report.h"
#include "drive/rank0.h"
#include "job/kernel_file.h"
#include "job/kernel_search.h"
#include "node/describe.h"
#include "profile/profiles.h"

#define SPINS 64            /* looks without sleeping after something moved */
#define SHORTEST_SLEEP 20e-6
#define LONGEST_SLEEP 900e-6     /* so that whoever asks this rank waits less than a millisecond, */
#define LONGEST_SLEEP_SHARING 300e-6 /* and a thief much less, in the short time that there are any */
#define LONGEST_SLEEP_ALONE 50e-3 /* one rank: only its own PUs can have news, and they wake it */
#define LONGEST_SLEEP_BUSY 50e-6 /* while data is on its way, which moves only when we look, or an answer */

/* What every rank has to know to begin; plain data. */
struct start {
    char kernel[PATH_MAX];
    int cluster_nodes, cluster_pus;
    struct plb_pu_settings pus;
    bool trace;
    struct plb_migration migration;
    double origin;              /* rank 0's clock when the run's clock is 0 */
};

int plb_cluster_agree(struct plb_mpi *mpi, int status)
{
    plb_mpi_meet(mpi);
    return plb_mpi_max(mpi, status);
}

/* ------------------------------------------------------------------- start */

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

/* The cost maps, so that every node counts work as the master does. */
static void share_costs(struct run *r, const struct plb_kernel *kernel)
{
    int n = plb_phase_count(kernel);
    r->maps = plb_alloc((size_t)n * sizeof *r->maps);
    for (int i = 0; i < n; i++) {
        struct plb_cost_map *map = &r->maps[i];
        if (r->lead != NULL)
            *map = r->lead->job->maps[i];
        plb_mpi_broadcast(r->mpi, map, sizeof *map);
        bool table = map->prefix != NULL;
        if (table && r->lead == NULL)
            map->prefix = plb_alloc((size_t)(map->n + 1) * sizeof *map->prefix);
        if (table)
            plb_mpi_broadcast(r->mpi, map->prefix, (size_t)(map->n + 1) * sizeof *map->prefix);
    }
    r->n_maps = n;
}

static int check_ranks(const struct run *r)
{
    const struct plb_job *job = r->lead->job;
    if (job->cluster.n_nodes > 0 && job->cluster.n_nodes != r->size)
        return plb_fail(r->err, PLB_EINPUT, "%s describes %d node%s and there %s %d rank%s; start mpirun with -np %d",
                        job->machines.file, job->cluster.n_nodes,
                        job->cluster.n_nodes == 1 ? "" : "s", r->size == 1 ? "is" : "are", r->size, r->size == 1 ? "" : "s",
                        job->cluster.n_nodes);
    if (job->machines.pus.master_only && r->size == 1)
        return plb_fail(r->err, PLB_EINPUT, "%s: master_only leaves nobody to compute with one rank; start mpirun with -np 2 or more",
                        plb_settings_get(&job->settings, "cluster", "master_only")->origin);
    return PLB_OK;
}

/* Rank 0: how many PUs there are on all ranks; none is an error. Collective. */
static int count_pus(struct run *r, int n)
{
    size_t bytes;
    int *counts = plb_mpi_gather(r->mpi, &n, sizeof n, &bytes);
    if (r->lead == NULL)
        return PLB_OK;
    const struct plb_kernel *kernel = r->lead->job->kernel;
    char title[PLB_PHASE_TITLE];
    for (size_t i = 0; i < bytes / sizeof *counts; i++)
        r->lead->expected += counts[i];
    free(counts);
    if (r->lead->expected > 0)
        return PLB_OK;
    for (int i = 0; i < plb_phase_count(kernel); i++)
        if (plb_phase_at(kernel, i).cpu == NULL)
            return plb_fail(r->err, PLB_EINPUT, "%s has no cpu entry and there is no other kind of PU here; --verbose says why no GPU is one", plb_phase_title(kernel, i, title));
    return plb_fail(r->err, PLB_EINPUT, "%s: pus = gpu, and there is no GPU that kernel %s can use (--verbose says why)",
                    plb_settings_get(&r->lead->job->settings, "cluster", "pus")->origin, kernel->name);
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
    start->pus = job->machines.pus;
    start->trace = r->lead->trace->on;
    start->migration = job->balance.migration;
    start->origin = plb_now();
}

static void get_from_rank0(void *mpi, int tag, void *data, size_t bytes, int *pending)
{
    plb_mpi_get(mpi, 0, tag, data, bytes, pending);
}

static void put_to_rank0(void *mpi, int tag, const void *data, size_t bytes, int *pending)
{
    plb_mpi_put(mpi, 0, tag, data, bytes, pending);
}

static void gather_host(void *mpi, const void *data, size_t bytes, void *all)
{
    plb_mpi_local_gather(mpi, data, bytes, all);
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
    const struct plb_pu_settings *real = start.cluster_nodes == 0 ? &start.pus : NULL;
    if (r->lead == NULL)
        status = plb_kernel_load(start.kernel, origin, real, &kernel, r->err);
    else
        kernel = r->lead->job->kernel;
    if ((status = plb_cluster_agree(r->mpi, status)) != PLB_OK)
        return status;
    r->clock = (start.trace ? plb_mpi_clock_offset(r->mpi) : 0.0) - start.origin;
    if (r->lead == NULL && !start.trace)
        r->clock = -plb_now();
    plb_dataset_share(&r->data, r->lead != NULL ? &r->lead->job->app : NULL, r->mpi);
    share_cluster(r, &start, &cluster);
    struct plb_place place = {.rank = r->rank, .verbose = r->options->verbose, .context = r->mpi, .gather = gather_host};
    plb_mpi_local(r->mpi, &place.local_rank, &place.local_size);
    int n_pus = plb_pus_describe(&place, &cluster, kernel, &start.pus, &pus);
    share_costs(r, kernel);
    status = plb_cluster_agree(r->mpi, count_pus(r, n_pus));
    struct plb_node_config config = {.rank = r->rank, .n_nodes = r->size, .kernel = kernel, .data = &r->data,
                                     .wire = {r->mpi, get_from_rank0, put_to_rank0}, .migration = start.migration,
                                     .maps = r->maps, .trace = start.trace, .warm_up = !r->options->dry_run,
                                     .clock = r->clock};
    if (status == PLB_OK)
        status = plb_node_start(&config, pus, n_pus, &r->node, r->err);
    for (int i = 0; i < n_pus; i++)
        plb_outbox_add(&r->out, PLB_HELLO, 0)->hello = pus[i].info;
    for (int i = 0; i < n_pus; i++)
        r->out.at[i].from = r->rank;
    free(pus);
    plb_cluster_fini(&cluster);
    return plb_cluster_agree(r->mpi, status);
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
    if (m->type == PLB_GIFT && !r->stopped) /* in the end everybody is busy with ending */
        r->slowest_answer = fmax(r->slowest_answer, plb_now() - r->asked_at);
    switch ((enum plb_message_type)m->type) {
    case PLB_HELLO: plb_lead_hello(r, &m->hello); break;
    case PLB_BLOCK: case PLB_EMPTY: case PLB_STEAL: case PLB_GIFT: plb_node_receive(r->node, m, &r->out); break;
    case PLB_MOVED: plb_lead_moved(r, m); break;
    case PLB_DONE: plb_lead_done(r, m); break;
    case PLB_FAIL: plb_lead_fail(r, m); break;
    case PLB_PULL: plb_lead_pull(r, m); break;
    case PLB_PASS:
        plb_dataset_replace(&r->data, m->status, r->mpi);
        plb_node_pass(r->node, m->pass, (int)m->phase, m->status);
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
        if (m.type == PLB_STEAL)
            r->asked_at = plb_now();
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
        moved |= plb_lead_collect(r);
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

static double longest_sleep(const struct run *r)
{
    if (r->size == 1)
        return LONGEST_SLEEP_ALONE;
    enum plb_node_attention attention = plb_node_attention(r->node);
    if (plb_mpi_busy(r->mpi) || attention == PLB_AWAITING)
        return LONGEST_SLEEP_BUSY;
    return attention == PLB_ASKED_FOR ? LONGEST_SLEEP_SHARING : LONGEST_SLEEP;
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
            sleep = fmin(2.0 * sleep, longest_sleep(r));
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
    int slowest_us = plb_mpi_max(r->mpi, (int)fmin(r->slowest_answer * 1e6, 1e9));
    if (r->lead == NULL || r->lead->master == NULL)
        return;
    plb_results_from_master(r->lead->master, &r->lead->job->app, r->lead->job->balancer->name, report);
    plb_profiles_collect(r->lead->job->profiles, r->lead->master, report);
    report->mode = PLB_REAL_RUN;
    report->migration = r->lead->job->balance.migration.on;
    report->slowest_answer_s = slowest_us * 1e-6;
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
    for (int i = 0; r->lead == NULL && i < r->n_maps; i++)
        plb_cost_map_fini(&r->maps[i]);
    free(r->maps);
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
