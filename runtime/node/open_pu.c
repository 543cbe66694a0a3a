/* What a PU's thread does before its first task. */
#include "node/open_pu.h"

#include "base/topology.h"
#include "device/empty_task.h"
#include "job/phase.h"

/* Whether the replicated data fits the PU; where not, the master refuses the PU and tells the numbers. */
static bool fits(const struct plb_node_pu *pu, const struct plb_dataset *set)
{
    double bytes = 0.0;
    for (int i = 0; i < set->n; i++)
        bytes += set->at[i].mode == PLB_REPLICATE ? (double)set->at[i].bytes : 0.0;
    return bytes <= pu->info.memory;
}

/* Runs a few units before the first pass. Only where the inputs are here, and where there is one phase: the
 * inputs of a later phase may not be ready yet. */
static void warm_up(struct plb_executor *e, const struct plb_pu_info *info,
                    const struct plb_node_config *config, struct plb_error *err)
{
    const struct plb_kernel *kernel = config->kernel;
    struct plb_phase phase = plb_phase_at(kernel, 0);
    struct plb_range range = {0, config->data->units};
    if (!config->warm_up || !config->data->owner || plb_phase_count(kernel) > 1)
        return;
    if (plb_executor_warm_up(e, &phase, &range) == 0)
        return;
    plb_fail(err, PLB_EFAILED,
             "kernel %s failed (%s) on PU '%s' (rank %d on %s) for %s %lld to %lld; no output is written",
             kernel->name, plb_executor_failure(e), info->name, info->node, info->host, kernel->unit,
             (long long)range.first, (long long)(range.first + range.count - 1));
}

bool plb_pu_open(struct plb_executor *e, struct plb_node_pu *pu, const struct plb_node_config *config,
                 struct plb_error *err)
{
    struct plb_pu_info *info = &pu->info;
    const struct plb_device_pu *device = &pu->device;
    if (device->pci[0] != '\0')
        plb_topology_bind_near(device->pci, info->cores, sizeof info->cores);
    else if (device->bind_parts > 1)
        plb_topology_bind(device->bind_index, device->bind_parts, info->cores, sizeof info->cores);
    if (plb_executor_open(e, pu->driver, &device->config, config->data, err) != PLB_OK)
        return false;
    double memory = pu->driver->ops.memory(e->device);
    info->memory = memory < info->memory ? memory : info->memory;
    if (plb_device_empty_task(e->ops, e->device, &info->start_s) != 0) {
        plb_fail(err, PLB_EFAILED, "PU '%s' (rank %d on %s) failed at an empty task: %s", info->name,
                 info->node, info->host, plb_executor_failure(e));
        return true;
    }
    if (fits(pu, config->data) && plb_executor_update(e, -1, info->name, err) == PLB_OK)
        warm_up(e, info, config, err);
    return true;
}
