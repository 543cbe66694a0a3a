/* Simulated nodes: made by the .cluster file, freed, described. */
#include <stdlib.h>

#include "base/memory.h"
#include "simulate/meter.h"
#include "simulate/node.h"
#include "simulate/node_inside.h"
#include "simulate/worker.h"

struct plb_virtual_nodes *plb_virtual_nodes_new(struct plb_world *world, const struct plb_cost_map *true_maps,
                                                struct plb_faults *faults, struct plb_network *network)
{
    const struct plb_simulation *in = world->in;
    const struct plb_cluster_spec *c = in->cluster;
    bool outputs = plb_virtual_has_bytes(&in->results);
    bool travels = outputs || plb_virtual_has_bytes(&in->inputs);
    bool reduced = in->master.whole_results || in->results.task_bytes > 0.0;
    struct plb_virtual_nodes *v = plb_alloc(sizeof *v);
    *v = (struct plb_virtual_nodes){.world = world, .true_maps = true_maps, .faults = faults};
    v->network = network;
    v->inputs = plb_virtual_inputs_new(in);
    v->meter = plb_virtual_meter_new(world);
    v->at = plb_alloc((size_t)c->n_nodes * sizeof *v->at);
    v->pus = plb_alloc((size_t)c->n_pus * sizeof *v->pus);
    for (int n = 0; n < c->n_nodes; n++) {
        struct virtual_node *node = &v->at[n];
        node->n_pus = in->master_only && n == 0 ? 0 : c->nodes[n].n_pus;
        node->first_pu = c->nodes[n].first_pu;
        node->worker = plb_virtual_worker_new(world, n, node->n_pus);
        node->combines = reduced && in->master.audit <= 0.0 && (n == 0 || !outputs);
        node->slots = (reduced && in->master.audit > 0.0) || (n != 0 && travels && !node->combines);
        node->ahead = n != 0 && travels ? PLB_VIRTUAL_TASKS_AHEAD : 0;
        node->look_at = -1.0;
    }
    for (int p = 0; p < c->n_pus; p++)
        v->pus[p].spec = &c->pus[p];
    return v;
}

void plb_virtual_nodes_free(struct plb_virtual_nodes *v)
{
    for (int n = 0; n < v->world->in->cluster->n_nodes; n++)
        plb_worker_free(v->at[n].worker);
    plb_outbox_fini(&v->out);
    plb_virtual_inputs_free(v->inputs);
    plb_virtual_meter_free(v->meter);
    free(v->at);
    free(v->pus);
    free(v);
}

int plb_virtual_nodes_describe(const struct plb_virtual_nodes *v, int n, struct plb_pu_info *infos)
{
    for (int i = 0; i < v->at[n].n_pus; i++)
        plb_virtual_pu_describe(v->world, n, i, &infos[i]);
    return v->at[n].n_pus;
}

bool plb_virtual_nodes_stopped(const struct plb_virtual_nodes *v, int n)
{
    return v->at[n].stopped;
}
