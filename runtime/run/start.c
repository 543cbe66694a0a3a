/* The start of a run: what rank 0 knows becomes known to all. */
#include "run/start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "inputs/data_mpi.h"
#include "inputs/share_memory.h"
#include "job/kernel_file.h"
#include "node/describe.h"
#include "node/memory/page_locks.h"
#include "node/pu/slot.h"
#include "rank0/rank0_announcement.h"
#include "rank0/rank0.h"
#include "run/metering.h"

/* Of the memory that a host has available at the start: what its ranks take for inputs that they keep.
 * Larger: other programs, and results, find no room. Smaller: large inputs travel in every pass. A guess. */
#define MIRROR 0.5

/* The same for results that stay until the last pass has ended. They take the memory that slots would. */
#define STAYING 0.25

/* The sentence of a rank that comes too late. */
#define ENDED_BEFORE "the run ended before this rank had joined"

int plb_cluster_agree(struct plb_mpi *mpi, int status)
{
    plb_mpi_meet(mpi);
    return plb_mpi_max(mpi, status);
}

/* --------------------------------------------------------------- rank 0 knows */

/* The file may be a simulation's, too. */
static void warn_of_deaths(const struct plb_job *job)
{
    for (int p = 0; p < job->cluster.n_pus; p++)
        for (int i = 0; i < job->cluster.pus[p].n_slow; i++)
            if (job->cluster.pus[p].slow_by[i] == 0.0)
                plb_log(PLB_LOG_WARNING, "%s: slow = %g:0 of PU %s has an effect only in simulations",
                        job->machines.file, job->cluster.pus[p].slow_at[i], job->cluster.pus[p].name);
}

static int check_ranks(const struct plb_rank *r)
{
    const struct plb_job *job = r->rank0->job;
    int nodes = job->cluster.n_nodes, ranks = plb_mpi_started(r->mpi);
    if (r->err->status != PLB_OK)
        return r->err->status;
    if (nodes > 0 && job->run.join != NULL)
        return plb_fail(
            r->err, PLB_EINPUT,
            "%s: ranks cannot join a run whose PUs %s describes; leave out run.join or cluster.file",
            plb_settings_get(&job->settings, "run", "join")->origin, job->machines.file);
    if (nodes > 0 && nodes != ranks)
        return plb_fail(r->err, PLB_EINPUT,
                        "%s describes %d node%s and there %s %d rank%s; start mpirun with -np %d",
                        job->machines.file, nodes, nodes == 1 ? "" : "s", ranks == 1 ? "is" : "are", ranks,
                        ranks == 1 ? "" : "s", nodes);
    if (job->machines.pus.master_only && ranks == 1)
        return plb_fail(
            r->err, PLB_EINPUT,
            "%s: with master_only and one rank, no PU is left to compute; start mpirun with -np 2 or more",
            plb_settings_get(&job->settings, "cluster", "master_only")->origin);
    warn_of_deaths(job);
    return PLB_OK;
}

/* A rank, for rank 0. */
struct member {
    char host[64];
    int pus;
};

/* Rank 0: how many PUs there are on all ranks, and where; none is an error, and so are too
 * many on one. Collective. */
static int count_pus(struct plb_rank *r, int n)
{
    size_t bytes;
    struct member self = {.pus = n};
    memcpy(self.host, r->host, sizeof self.host);
    struct member *all = plb_mpi_gather(r->mpi, &self, sizeof self, &bytes);
    char title[PLB_PHASE_TITLE];
    int status = PLB_OK;
    if (n > PLB_MOST_PUS)
        status = plb_fail(r->err, PLB_EINPUT,
                          "rank %d on %s has %d PUs, and a rank can have %d; start more ranks", r->rank,
                          r->host, n, PLB_MOST_PUS);
    if (r->rank0 == NULL)
        return status;
    size_t each = sizeof self.host, names = (size_t)r->size * sizeof *r->hosts;
    r->hosts = plb_alloc(names + (size_t)r->size * each);
    for (int i = 0; i < r->size; i++) /* the name of one that may join is not known */
        r->hosts[i] = "";
    for (int i = 0; i < plb_mpi_started(r->mpi); i++) {
        r->rank0->expected += all[i].pus;
        r->hosts[i] = memcpy((char *)r->hosts + names + (size_t)i * each, all[i].host, each);
    }
    free(all);
    if (r->rank0->expected > 0)
        return status;
    for (int i = 0; i < plb_phase_count(r->kernel); i++)
        if (plb_phase_at(r->kernel, i).cpu == NULL)
            return plb_fail(r->err, PLB_EINPUT,
                            "%s has no cpu entry, and there is no other kind of PU here; --verbose says why "
                            "no GPU is used",
                            plb_phase_title(r->kernel, i, title));
    if (r->rank0->job->app.programs > 0)
        return plb_fail(r->err, PLB_EINPUT,
                        "no GPU was found for programs, and CPUs are to run none; add --run, or leave out "
                        "pus = gpu; --verbose says where plbrun looked");
    return plb_fail(r->err, PLB_EINPUT,
                    "%s: pus = gpu, but there is no GPU that kernel %s can use; --verbose says why",
                    plb_settings_get(&r->rank0->job->settings, "cluster", "pus")->origin, r->kernel->name);
}

/* -------------------------------------------------------------- all ranks know */

static void share_cluster(struct plb_rank *r, const struct plb_announcement *start,
                          struct plb_cluster_spec *cluster)
{
    cluster->n_nodes = start->cluster_nodes;
    cluster->n_pus = start->cluster_pus;
    size_t nodes = (size_t)cluster->n_nodes * sizeof *cluster->nodes;
    size_t pus = (size_t)cluster->n_pus * sizeof *cluster->pus;
    cluster->nodes = plb_alloc(nodes);
    cluster->pus = plb_alloc(pus);
    if (r->rank0 != NULL && nodes > 0) {
        memcpy(cluster->nodes, r->rank0->job->cluster.nodes, nodes);
        memcpy(cluster->pus, r->rank0->job->cluster.pus, pus);
    }
    plb_mpi_broadcast(r->mpi, cluster->nodes, nodes);
    plb_mpi_broadcast(r->mpi, cluster->pus, pus);
}

/* The cost maps, so that every node counts work as the master does. */
static void share_costs(struct plb_rank *r)
{
    r->n_maps = plb_phase_count(r->kernel);
    r->maps = plb_alloc((size_t)r->n_maps * sizeof *r->maps);
    for (int i = 0; i < r->n_maps; i++) {
        struct plb_cost_map *map = &r->maps[i];
        if (r->rank0 != NULL)
            *map = r->rank0->job->maps[i];
        plb_mpi_broadcast(r->mpi, map, sizeof *map);
        bool table = map->prefix != NULL;
        if (table && r->rank0 == NULL)
            map->prefix = plb_alloc((size_t)(map->n + 1) * sizeof *map->prefix);
        if (table)
            plb_mpi_broadcast(r->mpi, map->prefix, (size_t)(map->n + 1) * sizeof *map->prefix);
    }
}

/* Loads the kernel, and says what this rank runs. Collective. */
static int load_kernel(struct plb_rank *r, const struct plb_announcement *start)
{
    char origin[100];
    const struct plb_pu_settings *real = start->cluster_nodes == 0 ? &start->pus : NULL;
    int status = PLB_OK;
    snprintf(origin, sizeof origin, "rank %d on %s", r->rank, r->host);
    if (r->rank0 == NULL)
        status = plb_kernel_load(start->kernel, origin, real, &r->kernel, r->err);
    else
        r->kernel = r->rank0->job->kernel;
    if (status == PLB_OK)
        status = plb_kernel_identity(r->kernel, &r->hello.build, r->err);
    if (status == PLB_OK)
        plb_kernel_path(r->kernel, r->hello.kernel_file, sizeof r->hello.kernel_file);
    return plb_cluster_agree(r->mpi, status);
}

/* ----------------------------------------------------------------------- node */

static void get(void *mpi, int from, int tag, void *data, size_t bytes, int *pending)
{
    if (!plb_mpi_is_lost(mpi, from))
        plb_mpi_get(mpi, from, tag, data, bytes, pending);
}

static void put(void *mpi, int to, int tag, const void *data, size_t bytes, int *pending)
{
    plb_mpi_put(mpi, to, tag, data, bytes, pending);
}

static bool lost(void *mpi, int rank)
{
    return plb_mpi_is_lost(mpi, rank);
}

static void gather_host(void *mpi, const void *data, size_t bytes, void *all)
{
    plb_mpi_local_gather(mpi, data, bytes, all);
}

/* Entries are called once before the first pass, so that libraries are loaded by then, where a device has
 * several lanes: a GPU. Every rank gets the inputs for that. A dry run computes nothing, and the inputs of a
 * later phase may not be ready yet. Collective. */
static bool prepare_first_calls(struct plb_rank *r, const struct plb_node_pu *pus, int n_pus)
{
    int wanted = 0;
    for (int p = 0; p < n_pus; p++)
        wanted |= pus[p].driver->ops.lanes > 1;
    if (r->options->dry_run || plb_mpi_has_joined(r->mpi) || plb_phase_count(r->kernel) > 1
        || plb_mpi_max(r->mpi, wanted) == 0)
        return false;
    plb_dataset_share_first(&r->data, r->mpi);
    return true;
}

/* Bytes that a rank may page-lock, one of so many of its host. */
static double lockable(int ranks)
{
    double swappable = (double)plb_memory_limit("");
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return PLB_LOCKABLE * fmin(swappable, memory) / ranks;
}

/* Bytes that a rank may keep, one of so many of its host. They come as a run goes on. */
static double part_of_memory(double part, int ranks)
{
    return part * (double)plb_memory_available("") / ranks;
}

/* Opens this rank's PUs, and has each say HELLO. Collective. */
static int open_pus(struct plb_rank *r, const struct plb_announcement *start)
{
    struct plb_cluster_spec cluster;
    struct plb_node_pu *pus;
    struct plb_rank_site site = {.rank = r->rank, .context = r->mpi, .gather = gather_host};
    share_cluster(r, start, &cluster);
    plb_mpi_local(r->mpi, &site.local_rank, &site.local_size);
    int n_pus = plb_pus_describe(&site, &cluster, r->kernel, &start->pus, &pus);
    int status = plb_cluster_agree(r->mpi, count_pus(r, n_pus));
    if (n_pus == 0 && plb_mpi_has_joined(r->mpi))
        status = plb_fail(r->err, PLB_EINPUT, "%s has no PU that kernel %s can use; --verbose says why",
                          r->host, r->kernel->name);
    struct plb_node_config config = {
        .rank = r->rank,
        .n_nodes = r->size,
        .kernel = r->kernel,
        .data = &r->data,
        .parts = &r->replaced.parts,
        .wire = {r->mpi, get, put, lost},
        .migration = start->migration,
        .until = plb_now() + start->left_s,
        .hung_after = start->hung_after,
        .grain = start->grain,
        .lockable = lockable(site.local_size),
        .mirror_bytes = start->keeps_inputs ? part_of_memory(MIRROR, site.local_size) : 0.0,
        .stay_bytes = part_of_memory(STAYING, site.local_size),
        .pulled_bytes = start->pulled_bytes,
        .maps = r->maps,
        .trace = start->trace,
        .audits = start->audits,
        .keeps_results = start->keeps_results,
        .checksums = start->checksums,
        .isolate = start->isolate,
        .prepares = start->fed != 0 && r->data.chunk < 2 && !start->pus.master_only && !start->keeps_results,
        .clock = r->clock};
    if (status == PLB_OK)
        config.warm_up = prepare_first_calls(r, pus, n_pus);
    if (status == PLB_OK)
        status = plb_node_start(&config, pus, n_pus, &r->node, r->err);
    if (status == PLB_OK && start->meters)
        plb_metering_start(r, pus, n_pus, start->learns_watts, start->trace);
    for (int i = 0; i < n_pus; i++) {
        r->hello.pu = pus[i].info;
        r->hello.pu.meter = (int16_t)plb_metering_of(r, i);
        r->hello.pus = n_pus;
        plb_outbox_add(&r->out, PLB_HELLO, r->rank, 0, 0)->hello = r->hello;
    }
    free(pus);
    plb_cluster_fini(&cluster);
    return plb_cluster_agree(r->mpi, status);
}

/* A rank that joins runs what rank 0 runs. */
static int check_joined(struct plb_rank *r, const struct plb_announcement *start)
{
    char difference[PLB_DIFFERENCE_TEXT] = "";
    if (!plb_mpi_has_joined(r->mpi))
        return PLB_OK;
    struct plb_hello own = r->hello;
    own.pu.node = r->rank;
    memcpy(own.pu.host, r->host, sizeof own.pu.host);
    plb_difference_describe(&own, &start->hello, start->host, difference);
    return difference[0] != '\0' ? plb_fail(r->err, PLB_EINPUT, "%s", difference) : PLB_OK;
}

/* Buffers that this rank has without a message: in files, or in rank 0's memory. */
static void share_in_place(struct plb_rank *r, const struct plb_app *app)
{
    plb_files_share(&r->near, &r->data, app, r->host, r->mpi);
    plb_memory_share(&r->data, app, app != NULL && r->rank0->job->run.audit == 0.0, r->mpi);
}

int plb_cluster_start(struct plb_rank *r)
{
    struct plb_announcement start = {.kernel = ""};
    gethostname(r->host, sizeof r->host - 1);
    int status = plb_cluster_agree(r->mpi, r->rank0 != NULL ? check_ranks(r) : PLB_OK);
    if (status != PLB_OK)
        return status;
    if (r->rank0 != NULL)
        plb_announcement_fill(&start, r);
    plb_mpi_broadcast(r->mpi, &start, sizeof start);
    if (plb_mpi_has_joined(r->mpi) && plb_mpi_gone(r->mpi, -1) == 0) /* `start` is zeros */
        return plb_fail(r->err, PLB_EFAILED, "%s", ENDED_BEFORE);
    if (r->rank0 == NULL && !plb_mpi_has_joined(r->mpi))
        plb_mpi_reserve(r->mpi, start.joiners);
    r->size = plb_mpi_size(r->mpi);
    if ((status = load_kernel(r, &start)) != PLB_OK || (status = check_joined(r, &start)) != PLB_OK)
        return status;
    r->clock = (start.trace && !plb_mpi_has_joined(r->mpi) ? plb_mpi_clock_offset(r->mpi) : 0.0)
             - start.origin;
    if (plb_mpi_has_joined(r->mpi))
        r->clock = start.told - plb_now() - start.origin;
    else if (r->rank0 == NULL && !start.trace)
        r->clock = -plb_now();
    const struct plb_app *app = r->rank0 != NULL ? &r->rank0->job->app : NULL;
    plb_dataset_share(&r->data, app, r->kernel, r->mpi);
    r->data.fed = start.fed;
    r->data.named = start.named;
    for (int i = 0; i < r->data.n; i++)
        r->data.at[i].stays = (start.stays & PLB_BUFFER(i)) != 0;
    if (!plb_mpi_has_joined(r->mpi)) /* one that joins gets files through rank 0 */
        share_in_place(r, app);
    plb_dataset_share_data(&r->data, r->mpi);
    share_costs(r);
    if (plb_mpi_has_joined(r->mpi) && plb_mpi_gone(r->mpi, -1) == 0)
        return plb_fail(r->err, PLB_EFAILED, "%s", ENDED_BEFORE);
    return open_pus(r, &start);
}
