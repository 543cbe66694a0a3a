/* The worker's description of each PU. */
#include "node/own_worker.h"

#include <stdlib.h>

#include "base/memory.h"

struct plb_worker *plb_own_worker_new(const struct plb_node_shared *shared, const struct plb_runner *runners,
                                      int n, const struct plb_sizes *sizes)
{
    const struct plb_node_config *config = &shared->config;
    struct plb_worker_pu *pus = plb_alloc((size_t)n * sizeof *pus);
    for (int p = 0; p < n; p++) {
        const struct plb_pu_info *info = &runners[p].pu.info;
        bool one_by_one = runners[p].pu.driver->ops.lanes == 1;
        bool on_host = runners[p].executor.on_host; /* reduced arrays are there after the call */
        bool at_once = !shared->combines || (on_host && !config->audits && config->data->chunk == 0);
        bool bursts = one_by_one && at_once && !shared->uses_slots && !config->trace;
        pus[p] = (struct plb_worker_pu){
            info->power, plb_task_limit(sizes, info, config->grain, config->pulled_bytes), bursts};
        if (!on_host && config->data->chunk > 0) /* a chunk's arrays come when the task ends */
            pus[p].limit.units = 1;
    }
    struct plb_worker *worker = plb_worker_new(
        &(struct plb_worker_config){.node = config->rank,
                                    .n_nodes = config->n_nodes,
                                    .n_pus = n,
                                    .pus = pus,
                                    .sizes = sizes,
                                    .maps = config->maps,
                                    .n_phases = plb_phase_count(config->kernel),
                                    .migration = config->migration});
    free(pus);
    for (int p = 0; p < n; p++)
        if (runners[p].err.status != PLB_OK)
            plb_worker_leave_out(worker, p);
    return worker;
}
