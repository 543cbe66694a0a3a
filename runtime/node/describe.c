/* Asks every driver for the PUs of this rank.
 *
 * Ranks of one host that see the same devices share them out. With fewer devices than ranks, several ranks
 * use one device. CPUs come last, because they get the cores that the threads of the other PUs leave. */
#include "node/describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/phase.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "host/topology.h"
#include "job/kernel_file.h"
#include "node/core_kinds.h"
#include "node/sharing.h"

/* Facts about this rank, and the PUs found so far. */
struct finding {
    const struct plb_rank_site *site;
    const struct plb_kernel *kernel;
    const struct plb_pu_settings *settings;
    struct plb_topology topology;
    struct plb_node_pu *pus;
    int n;
};

/* Whether every phase has an entry for this driver; no kernel: all entries. */
static bool can_run(const struct plb_kernel *kernel, const struct plb_device_driver *driver)
{
    if (kernel != NULL)
        for (int i = 0; i < plb_phase_count(kernel); i++) {
            struct plb_phase phase = plb_phase_at(kernel, i);
            if (driver->entry(&phase) == NULL)
                return false;
        }
    return true;
}

/* Chooses the cores that the PU's thread is bound to, if any. */
static bool choose_cores(const struct plb_topology *t, const struct plb_device_pu *device,
                         struct plb_cores *cores)
{
    if (device->pci[0] != '\0')
        return plb_topology_near(t, "", device->pci, cores);
    return device->bind_parts > 1 && plb_topology_share(t, device->bind_index, device->bind_parts, cores);
}

static void append(struct finding *f, struct plb_node_pu *pu)
{
    const struct plb_topology *t = &f->topology;
    struct plb_pu_info *info = &pu->info;
    pu->bound = pu->bound || choose_cores(t, &pu->device, &pu->cores);
    if (pu->bound && pu->device.pci[0] != '\0')
        pu->device.config.memory_node = 1 + plb_topology_node(t, &pu->cores);
    *info = (struct plb_pu_info){.node = f->site->rank, .local = f->n, .kind = pu->device.kind};
    info->power = pu->device.power;
    info->memory = pu->device.memory;
    info->task_bytes = pu->device.task_bytes;
    info->static_watts = pu->device.static_watts;
    info->dynamic_watts = pu->device.dynamic_watts;
    info->threads = pu->device.config.threads;
    memcpy(info->name, pu->device.name, sizeof info->name);
    memcpy(info->model, pu->device.model, sizeof info->model);
    memcpy(info->id, pu->device.id, sizeof info->id);
    snprintf(info->host, sizeof info->host, "%s", t->host);
    snprintf(info->cores, sizeof info->cores, "%.23s", t->where);
    f->pus = plb_grow(f->pus, (size_t)(f->n + 1) * sizeof *f->pus);
    f->pus[f->n++] = *pu;
}

/* Adds a device as a PU, or as several: a kernel may want one for each thread of a CPU, and one for each
 * program on a GPU. */
static void append_parts(struct finding *f, struct plb_node_pu *pu)
{
    struct plb_device_pu *device = &pu->device;
    bool single = f->kernel != NULL && f->kernel->single && device->kind == PLB_CPU;
    int parts = single ? device->config.threads : pu->driver->programs ? f->settings->programs : 1;
    int cores = single && device->cores > 0 ? device->cores : device->config.threads;
    device->config.threads /= single ? parts : 1;
    device->config.cores = cores > parts ? cores / parts : 1;
    device->power /= single ? parts : 1;
    for (int i = 0; i < parts; i++)
        append(f, pu);
}

/* Adds one PU, or one for each kind of its cores, or says why the device is none. */
static void add(struct finding *f, const struct plb_device_driver *driver, struct plb_device_site *here,
                int device)
{
    struct plb_core_part kinds[PLB_CORE_KINDS];
    struct plb_node_pu pu = {.driver = driver};
    pu.device = (struct plb_device_pu){.kind = driver->kind,
                                       .power = 1.0,
                                       .memory = INFINITY,
                                       .static_watts = (double)NAN,
                                       .dynamic_watts = (double)NAN};
    pu.device.config = (struct plb_device_config){.threads = 1, .number = device, .sharers = here->sharers};
    here->topology = &f->topology;
    const char *why = driver->describe(here, device, &pu.device);
    if (why != NULL) {
        plb_log_here(PLB_LOG_INFO, "%s", why);
        return;
    }
    int n = pu.device.by_kind ? plb_core_kinds(&f->topology, &pu.device, kinds) : 0;
    for (int i = 0; i < n; i++) {
        struct plb_node_pu part = pu;
        plb_core_part_describe(&kinds[i], &part.device);
        part.bound = true;
        part.cores = kinds[i].cores;
        append_parts(f, &part);
    }
    if (n == 0)
        append_parts(f, &pu);
}

/* The devices of a driver that this rank sees. */
static struct plb_seen look(const struct plb_device_driver *driver, int devices)
{
    struct plb_seen seen = {{0}};
    if (driver->identify != NULL)
        for (int i = 0; i < devices && i < PLB_SEEN; i++) {
            char id[60] = "";
            driver->identify(i, id);
            seen.id[i] = plb_hash(PLB_HASH_BEGIN, id, strlen(id) + 1) | 1;
        }
    return seen;
}

/* This rank's share of them. Collective over the host, for every driver. Devices that cannot be told apart
 * are not shared. */
static struct plb_share share_out(const struct finding *f, const struct plb_device_driver *driver,
                                  int devices)
{
    const struct plb_rank_site *p = f->site;
    struct plb_seen own = look(driver, devices), *all = plb_alloc((size_t)p->local_size * sizeof *all);
    struct plb_share share = {.n = devices < PLB_SEEN ? devices : PLB_SEEN};
    p->gather(p->context, &own, sizeof own, all);
    for (int i = 0; i < share.n; i++) {
        share.device[i] = i;
        share.sharers[i] = 1;
    }
    if (driver->identify != NULL)
        plb_share_devices(all, p->local_size, p->local_rank, &share);
    free(all);
    return share;
}

/* Counts the devices of a driver that the kernel can run on. Says what was found to a user who wants to know,
 * and to every user where there is hardware that cannot be used. A driver for which the kernel has no entry
 * does not look: that would load the libraries of its devices. */
static int count(const struct finding *f, const struct plb_device_driver *driver)
{
    const char *why = NULL;
    bool runs = can_run(f->kernel, driver);
    char unused[100] = "";
    if (!runs && !plb_kernel_has_object(f->kernel, driver)) {
        plb_log_here(PLB_LOG_INFO, "%s devices are not used: kernel %s has no %s entry", driver->name,
                     f->kernel->name, driver->name);
        return 0;
    }
    int devices = driver->count(&why);
    if (devices > 0 && !runs)
        snprintf(unused, sizeof unused, ", and not used: the kernel has no %s entry, or it was not found",
                 driver->name);
    bool warns = driver->unusable != NULL && driver->unusable();
    if (why != NULL)
        plb_log_here(warns ? PLB_LOG_WARNING : PLB_LOG_INFO, "%s%s", why, unused);
    return runs ? devices : 0;
}

/* Adds this rank's share of a driver's devices. Collective over the host. A rank that does not join has no
 * PUs. */
static void add_real(struct finding *f, const struct plb_device_driver *driver, bool joins)
{
    const struct plb_rank_site *p = f->site;
    bool starts = f->settings->programs > 0;
    int devices = joins && (driver->kind == PLB_CPU || driver->programs == starts) ? count(f, driver) : 0;
    struct plb_share share = share_out(f, driver, devices);
    struct plb_device_site here = {.rank = p->rank,
                                   .local_rank = p->local_rank,
                                   .local_size = p->local_size,
                                   .options = f->settings->options + plb_driver_first_option(driver),
                                   .cores_kept = f->n == 0 ? 0
                                               : starts    ? f->n / f->settings->programs
                                                           : f->n + 1,
                                   .streams = f->kernel != NULL && f->kernel->streams};
    for (int i = 0; i < share.n; i++) {
        here.sharers = share.sharers[i];
        add(f, driver, &here, share.device[i]);
    }
}

/* Adds the PUs that a .cluster file gives this rank. */
static void add_emulated(struct finding *f, const struct plb_cluster_spec *cluster)
{
    const struct plb_device_driver *driver = plb_driver_emulated();
    const struct plb_node_spec *node = &cluster->nodes[f->site->rank];
    for (int i = 0; i < node->n_pus && driver != NULL && can_run(f->kernel, driver); i++) {
        struct plb_device_site here = {.rank = f->site->rank, .sharers = 1};
        here.spec = &cluster->pus[node->first_pu + i];
        add(f, driver, &here, i);
    }
}

/* Numbers the PUs of this host. Collective over it. */
static void number_slots(struct finding *f)
{
    const struct plb_rank_site *p = f->site;
    int first = 1, *all = plb_alloc((size_t)p->local_size * sizeof *all);
    p->gather(p->context, &f->n, sizeof f->n, all);
    for (int i = 0; i < p->local_rank; i++)
        first += all[i];
    for (int i = 0; i < f->n; i++)
        f->pus[i].device.config.slot = first + i;
    free(all);
}

int plb_pus_describe(const struct plb_rank_site *site, const struct plb_cluster_spec *cluster,
                     const struct plb_kernel *kernel, const struct plb_pu_settings *settings,
                     struct plb_node_pu **pus)
{
    struct finding f = {.site = site, .kernel = kernel, .settings = settings};
    bool joins = !(settings->master_only && site->rank == 0);
    plb_topology_read(&f.topology);
    if (cluster->n_nodes > 0 && joins)
        add_emulated(&f, cluster);
    if (cluster->n_nodes == 0)
        for (int cpus = 0; cpus < 2; cpus++)
            for (int d = 0; plb_device_drivers[d] != NULL; d++) {
                const struct plb_device_driver *driver = plb_device_drivers[d];
                if (plb_driver_wanted(driver, settings->wanted) && (driver->kind == PLB_CPU) == cpus)
                    add_real(&f, driver, joins);
            }
    number_slots(&f);
    *pus = f.pus;
    return f.n;
}
