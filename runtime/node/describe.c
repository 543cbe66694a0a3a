/* The CPU and GPUs of a rank, or the emulated PUs of its node. */
#include "node/describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/topology.h"
#include "device/cuda/cuda.h"
#include "job/phase.h"

#define GPU_TASK_BYTES 128e6    /* a few milliseconds of copying, long against what starting a task costs */
#define CORES_PER_MULTIPROCESSOR 4.0 /* a guess at power, of use until rates are measured */

/* What describing needs to know; of this rank. */
struct place {
    int rank, local_rank, local_size;
    int gpu_rank, gpu_ranks;    /* this one among those on the host that use the same GPUs, and how many they are */
    struct plb_topology topology;
    const struct plb_pus_config *config;
};

static void name_pu(struct plb_pu_info *info, const char *name, const char *model, const struct plb_topology *t)
{
    snprintf(info->name, sizeof info->name, "%.31s", name);
    snprintf(info->model, sizeof info->model, "%.43s", model);
    snprintf(info->host, sizeof info->host, "%s", t->host);
    snprintf(info->cores, sizeof info->cores, "%.23s", t->where);
}

/* Whether every phase has an entry for this kind of device. */
static bool can_run(const struct plb_kernel *kernel, bool cuda)
{
    for (int i = 0; i < plb_phase_count(kernel); i++) {
        struct plb_phase phase = plb_phase_at(kernel, i);
        if ((cuda ? phase.cuda : phase.cpu) == NULL)
            return false;
    }
    return true;
}

/* The cores of this rank that `kept` others leave as one PU; false where none is left and the number of
 * threads was not given. Ranks that share a host, unbound, share its cores. */
static bool describe_cpu(const struct place *at, int kept, struct plb_node_pu *pu)
{
    const struct plb_topology *t = &at->topology;
    int threads = at->config->threads;
    bool unbound = t->cores == t->host_cores;
    int fair = t->host_cores / at->local_size > 0 ? t->host_cores / at->local_size : 1;
    int own = (unbound ? fair : t->cores) - kept;
    int wanted = threads > 0 ? threads : fair;
    if (t->host_cores < wanted)
        plb_say("warning: cluster.threads is %d and %s has %d core%s; lower it", wanted, t->host, t->host_cores, t->host_cores == 1 ? "" : "s");
    else if (t->cores < wanted && (threads > 0 || fair > kept)) /* also where that leaves no CPU at all */
        plb_say("warning: rank %d on %s may use %d of %d cores but has %d threads' work; start mpirun with --bind-to none",
                at->rank, t->host, t->cores, t->host_cores, wanted);
    if (threads == 0 && own < 1)
        return false;
    *pu = (struct plb_node_pu){.ops = &plb_device_cpu, .bind_index = at->local_rank};
    pu->bind_parts = unbound && at->local_size <= t->host_cores && threads <= fair ? at->local_size : 1;
    pu->device.threads = threads > 0 ? threads : own;
    pu->info = (struct plb_pu_info){.kind = PLB_CPU, .power = pu->device.threads, .memory = INFINITY, .threads = pu->device.threads};
    name_pu(&pu->info, t->cpu, t->cpu, t);
    return true;
}

static void describe_gpu(const struct place *at, int gpu, int sharers, struct plb_node_pu *pu)
{
    struct plb_cuda_gpu g;
    plb_cuda_describe(gpu, &g);
    *pu = (struct plb_node_pu){.ops = &plb_device_cuda, .device = {.threads = 1, .gpu = gpu, .sharers = sharers}};
    double power = at->config->gpu_power > 0.0 ? at->config->gpu_power : CORES_PER_MULTIPROCESSOR * g.multiprocessors / sharers;
    pu->info = (struct plb_pu_info){.kind = PLB_GPU, .power = power, .memory = INFINITY, .task_bytes = GPU_TASK_BYTES, .threads = 1};
    name_pu(&pu->info, g.model, g.model, &at->topology);
    snprintf(pu->pci, sizeof pu->pci, "%s", g.pci);
    snprintf(pu->info.id, sizeof pu->info.id, "%s %s", g.pci, g.uuid);
}

/* Names the GPUs that this rank uses: the same number in the ranks that see the same ones, which a launcher may
 * have shared out already; 0 for none. */
static uint64_t name_gpus(int gpus)
{
    uint64_t name = 0;
    for (int i = 0; i < gpus; i++) {
        struct plb_cuda_gpu g;
        plb_cuda_describe(i, &g);
        for (const char *c = g.uuid; *c != '\0'; c++)
            name = plb_random_bits(name, (uint64_t)*c);
    }
    return gpus > 0 ? name | 1 : 0;
}

/* Finds those on this host that use the same GPUs. Collective. */
static void meet_sharers(struct place *at, const struct plb_place *place, bool uses_gpus)
{
    uint64_t own = name_gpus(uses_gpus ? plb_cuda_count(NULL) : 0);
    uint64_t *all = plb_alloc((size_t)at->local_size * sizeof *all);
    place->gather(place->context, &own, sizeof own, all);
    at->gpu_rank = at->gpu_ranks = 0;
    for (int r = 0; r < at->local_size; r++) {
        at->gpu_rank += r < at->local_rank && all[r] == own;
        at->gpu_ranks += all[r] == own;
    }
    free(all);
}

/* The GPUs of this rank: its share of those that it sees, or where they are fewer than ranks one with others. */
static int first_gpu(const struct place *at, int gpus, int rank)
{
    return (int)((int64_t)rank * gpus / at->gpu_ranks);
}

static int describe_gpus(const struct place *at, const struct plb_kernel *kernel, struct plb_node_pu *pus)
{
    const char *why;
    int gpus = plb_cuda_count(&why), n = 0, sharers = 0;
    bool useful = can_run(kernel, true);
    if (at->config->verbose)
        plb_say("rank %d on %s: %s%s", at->rank, at->topology.host, why, gpus > 0 && !useful ? ", and not used: the kernel has no cuda entry, or it was not found" : "");
    if (gpus == 0 || !useful)
        return 0;
    int first = first_gpu(at, gpus, at->gpu_rank), end = first_gpu(at, gpus, at->gpu_rank + 1);
    for (int r = 0; r < at->gpu_ranks; r++)
        sharers += first_gpu(at, gpus, r) == first;
    for (int g = first; g < (end > first ? end : first + 1); g++)
        describe_gpu(at, g, sharers, &pus[n++]);
    return n;
}

static void describe_emulated(const struct place *at, const struct plb_pu_spec *spec, struct plb_node_pu *pu)
{
    bool own_memory = spec->kind != PLB_CPU || isfinite(spec->copy_bandwidth);
    *pu = (struct plb_node_pu){.ops = &plb_device_emulated};
    pu->device = (struct plb_device_config){.threads = 1, .own_memory = own_memory, .slowdown = spec->slowdown,
                                            .copy_bandwidth = spec->copy_bandwidth, .copy_latency = spec->copy_latency};
    pu->info = (struct plb_pu_info){.kind = spec->kind, .power = spec->power, .memory = spec->memory, .threads = 1};
    name_pu(&pu->info, spec->name, at->topology.cpu, &at->topology);
}

/* The PUs of a rank that no .cluster file describes: GPUs, and what they leave of the CPU. */
static int describe_real(const struct place *at, const struct plb_kernel *kernel, struct plb_node_pu *pus)
{
    enum plb_pus_wanted wanted = at->config->wanted;
    int n = wanted != PLB_PUS_CPU ? describe_gpus(at, kernel, pus) : 0;
    if (wanted == PLB_PUS_GPU || !can_run(kernel, false))
        return n;
    if (describe_cpu(at, n > 0 ? n + 1 : 0, &pus[n]))
        return n + 1;
    if (at->config->verbose)
        plb_say("rank %d on %s: its CPU is no PU, since its cores drive the GPUs and communicate; cluster.threads=N makes it one", at->rank, at->topology.host);
    return n;
}

int plb_pus_describe(const struct plb_place *place, const struct plb_cluster_spec *cluster, const struct plb_kernel *kernel,
                     const struct plb_pus_config *config, struct plb_node_pu **pus)
{
    struct place at = {.rank = place->rank, .config = config, .local_rank = place->local_rank, .local_size = place->local_size};
    int n = 0;
    plb_topology_read(&at.topology);
    *pus = NULL;
    bool leads_only = config->master_only && at.rank == 0;
    if (cluster->n_nodes == 0 && config->wanted != PLB_PUS_CPU)
        meet_sharers(&at, place, !leads_only && can_run(kernel, true));
    if (leads_only)
        return 0;
    if (cluster->n_nodes == 0) {
        *pus = plb_alloc((size_t)(1 + (config->wanted != PLB_PUS_CPU ? plb_cuda_count(NULL) : 0)) * sizeof **pus);
        n = describe_real(&at, kernel, *pus);
    } else if (can_run(kernel, false)) {
        const struct plb_node_spec *node = &cluster->nodes[at.rank];
        *pus = plb_alloc((size_t)node->n_pus * sizeof **pus);
        for (; n < node->n_pus; n++)
            describe_emulated(&at, &cluster->pus[node->first_pu + n], &(*pus)[n]);
    }
    for (int i = 0; i < n; i++) {
        (*pus)[i].info.node = at.rank;
        (*pus)[i].info.local = i;
    }
    return n;
}
