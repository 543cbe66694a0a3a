/* The CPU of a rank, or the emulated PUs of its node. */
#include "run/pus.h"

#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "base/topology.h"

static void name_pu(struct plb_pu_info *info, const char *name, const struct plb_topology *t)
{
    snprintf(info->name, sizeof info->name, "%.31s", name);
    snprintf(info->model, sizeof info->model, "%.43s", t->cpu);
    snprintf(info->host, sizeof info->host, "%s", t->host);
    snprintf(info->cores, sizeof info->cores, "%.23s", t->where);
}

/* The CPU of this rank as one PU. Ranks that share a host, unbound, share its cores. */
static void describe_cpu(const struct plb_mpi *mpi, const struct plb_topology *t, int threads, struct plb_node_pu *pu)
{
    int local_rank, local_size;
    plb_mpi_local(mpi, &local_rank, &local_size);
    bool unbound = t->cores == t->host_cores;
    int fair = t->host_cores / local_size > 0 ? t->host_cores / local_size : 1;
    int own = unbound ? fair : t->cores;
    *pu = (struct plb_node_pu){.ops = &plb_device_cpu, .bind_index = local_rank};
    pu->bind_parts = unbound && local_size <= t->host_cores && threads <= fair ? local_size : 1;
    pu->device.threads = threads > 0 ? threads : own;
    pu->info = (struct plb_pu_info){.node = plb_mpi_rank(mpi), .kind = PLB_CPU, .last = 1, .power = pu->device.threads,
                                    .memory = INFINITY, .threads = pu->device.threads};
    name_pu(&pu->info, t->cpu, t);
    int wanted = threads > 0 ? threads : fair;
    if (t->cores < wanted)
        plb_say("warning: rank %d on %s may use %d of %d cores but has %d threads' work; start mpirun with --bind-to none",
                plb_mpi_rank(mpi), t->host, t->cores, t->host_cores, wanted);
}

static void describe_emulated(const struct plb_mpi *mpi, const struct plb_topology *t, const struct plb_pu_spec *spec,
                              int local, struct plb_node_pu *pu)
{
    bool own_memory = spec->kind != PLB_CPU || isfinite(spec->copy_bandwidth);
    *pu = (struct plb_node_pu){.ops = &plb_device_emulated};
    pu->device = (struct plb_device_config){1, own_memory, spec->slowdown, spec->copy_bandwidth, spec->copy_latency};
    pu->info = (struct plb_pu_info){.node = plb_mpi_rank(mpi), .local = local, .kind = spec->kind, .power = spec->power,
                                    .memory = spec->memory, .threads = 1};
    name_pu(&pu->info, spec->name, t);
}

int plb_pus_describe(const struct plb_mpi *mpi, const struct plb_cluster_spec *cluster, int threads,
                     bool master_only, struct plb_node_pu **pus)
{
    struct plb_topology topology;
    plb_topology_read(&topology);
    *pus = NULL;
    if (master_only && plb_mpi_rank(mpi) == 0)
        return 0;
    if (cluster->n_nodes == 0) {
        *pus = plb_alloc(sizeof **pus);
        describe_cpu(mpi, &topology, threads, *pus);
        return 1;
    }
    const struct plb_node_spec *node = &cluster->nodes[plb_mpi_rank(mpi)];
    *pus = plb_alloc((size_t)node->n_pus * sizeof **pus);
    for (int i = 0; i < node->n_pus; i++)
        describe_emulated(mpi, &topology, &cluster->pus[node->first_pu + i], i, &(*pus)[i]);
    (*pus)[node->n_pus - 1].info.last = 1;
    return node->n_pus;
}
