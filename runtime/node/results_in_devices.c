/* The daemon's calls for results that are in the memory of devices alone (node/memory/device_results.h). */
#include "node/daemon.h"
#include "node/daemon_state.h"

void plb_node_hear(struct plb_node *node, const struct plb_message *m)
{
    struct plb_node_device_results *results = &node->shared.results;
    if (m->type == PLB_PASS)
        plb_device_results_begin(results, m);
    else if (m->type == PLB_COUNTED)
        plb_device_results_counted(results, m);
}

int64_t plb_node_copied_out(const struct plb_node *node, int pu)
{
    if (pu >= node->n_pus)
        return 0;
    return node->runners[pu].executor.places.out + atomic_load(&node->shared.results.of[pu].out);
}

bool plb_node_bring_input(struct plb_node *node, int input, struct plb_range units)
{
    return plb_device_results_bring_input(&node->shared.results, input, units, NULL);
}

bool plb_node_bring_results(struct plb_node *node, int pu, int64_t outputs, struct plb_range units)
{
    bool here = true;
    for (int i = 0; i < node->shared.config.data->n; i++)
        if ((outputs & PLB_BUFFER(i)) != 0)
            here &= plb_device_results_bring(&node->shared.results, pu, i, units);
    return here;
}
