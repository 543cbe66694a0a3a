/* From the cluster to workers. */
#include "drive/virtual_worker.h"

#include <stdio.h>

void plb_virtual_pu_describe(const struct plb_world *w, int n, int local, struct plb_pu_info *info)
{
    const struct plb_node_spec *node = &w->in->cluster->nodes[n];
    const struct plb_pu_spec *spec = &w->in->cluster->pus[node->first_pu + local];
    *info = (struct plb_pu_info){.node = n,
                                 .local = local,
                                 .kind = spec->kind,
                                 .power = spec->power,
                                 .memory = spec->memory,
                                 .start_s = spec->overhead};
    snprintf(info->name, sizeof info->name, "%s", spec->name);
    snprintf(info->host, sizeof info->host, "%s", node->name);
}

struct plb_worker *plb_virtual_worker_new(const struct plb_world *w, int n, int n_pus)
{
    const struct plb_simulation *in = w->in;
    struct plb_worker_pu pus[n_pus + 1];
    for (int i = 0; i < n_pus; i++) {
        struct plb_pu_info info;
        plb_virtual_pu_describe(w, n, i, &info);
        pus[i] = (struct plb_worker_pu){
            info.power, plb_task_limit(in->master.sizes, &info, in->master.grain, in->master.pulled_bytes),
            false};
    }
    struct plb_worker_config config = {.node = n,
                                       .n_nodes = in->cluster->n_nodes,
                                       .n_pus = n_pus,
                                       .pus = pus,
                                       .sizes = in->master.sizes,
                                       .maps = in->maps,
                                       .n_phases = in->master.phases,
                                       .migration = in->migration};
    return plb_worker_new(&config);
}
