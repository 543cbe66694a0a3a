/* The steps of a PU's thread before its first task. */
#include "node/pu/open_pu.h"

#include "app/phase.h"
#include "base/log.h"
#include "device/empty_task.h"
#include "node/pu/executor.h"

/* Of a pass's work: what one PU executes of it in vain, before the first pass. Larger: the run starts later.
 * Smaller: the first task loads libraries instead, in the pass. A guess: at most the noise of a makespan. */
#define WARMING 0.02

/* Of the memory that replicated data and the largest tasks leave: what inputs that stay may have. Larger:
 * entries that take memory find none, and then no inputs stay. Smaller: fewer inputs stay. A guess. */
#define STAYING 0.75

/* Whether the replicated data fits the PU; where not, the master refuses the PU and tells the numbers. */
static bool fits(const struct plb_node_pu *pu, const struct plb_dataset *set)
{
    double bytes = 0.0;
    for (int i = 0; i < set->n; i++)
        bytes += set->at[i].mode == PLB_REPLICATE ? (double)set->at[i].bytes : 0.0;
    return bytes <= pu->info.memory;
}

/* Partitioned inputs stay on a device with memory of its own. */
static void keep_inputs(struct plb_executor *e, const struct plb_dataset *set)
{
    size_t task = plb_arena_most(set, plb_arena_buffers(set, PLB_MODES_OF_TASKS), &e->limit);
    if (!e->on_host && !e->shares)
        plb_device_places_open(&e->places, STAYING * (e->room - e->ops->lanes * (double)task));
}

/* Runs unit 0 in every lane before the first pass, and drops the result: first calls load libraries and
 * create handles. In fewer lanes, or in none, where the unit is much work. */
static void warm_up(struct plb_executor *e, const struct plb_node_config *config, struct plb_error *err)
{
    const struct plb_kernel *kernel = config->kernel;
    struct plb_phase phase = plb_phase_at(kernel, 0);
    if (!config->warm_up)
        return;
    double unit = plb_cost_work(&config->maps[0], 0, 1), most = WARMING * plb_cost_total(&config->maps[0]);
    int lanes = unit * e->ops->lanes <= most ? e->ops->lanes : unit > 0.0 ? (int)(most / unit) : 0;
    if (plb_executor_warm_up(e, &phase, lanes) != 0)
        plb_fail(err, PLB_EFAILED, "kernel %s failed (%s) before the first pass", kernel->name,
                 plb_executor_failure(e));
}

bool plb_pu_open(struct plb_executor *e, struct plb_node_pu *pu, const struct plb_node_config *config,
                 struct plb_error *err)
{
    struct plb_pu_info *info = &pu->info;
    if (pu->bound)
        plb_cores_bind(&pu->cores, info->cores, sizeof info->cores);
    pu->device.config.isolated = config->isolate && pu->driver->isolates;
    if (config->isolate && !pu->driver->isolates)
        plb_log_here(PLB_LOG_WARNING,
                     "PU '%s' is not isolated: a crash of the kernel there ends its rank (run.isolate)",
                     info->name);
    if (plb_executor_open(e, pu->driver, &pu->device.config, config->data, err) != PLB_OK)
        return false;
    e->guards_inputs = config->audits;
    e->until = config->until;
    double memory = plb_device_memory(&pu->driver->ops, e->device);
    struct plb_sizes sizes = plb_dataset_sizes(config->data);
    info->memory = memory < info->memory ? memory : info->memory;
    e->limit = plb_task_limit(&sizes, info, config->grain, config->pulled_bytes);
    if (plb_device_empty_task(e->ops, e->device, &info->start_s) != 0) {
        plb_fail(err, PLB_EFAILED, "it failed at an empty task: %s", plb_executor_failure(e));
        return true;
    }
    plb_log(PLB_LOG_DEBUG, "PU '%s' is open: an empty task takes %.3g us", info->name, 1e6 * info->start_s);
    if (!fits(pu, config->data) || plb_executor_renew(e, err) != PLB_OK)
        return true;
    warm_up(e, config, err); /* libraries take their memory first */
    if (config->mirror_bytes > 0.0)
        keep_inputs(e, config->data);
    return true;
}
