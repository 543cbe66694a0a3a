/* A set of units for each node. */
#include "drive/virtual_inputs.h"

#include <stdlib.h>

#include "base/memory.h"

struct plb_virtual_inputs {
    const struct plb_simulation *in;
    struct plb_rangeset *kept; /* by node */
};

struct plb_virtual_inputs *plb_virtual_inputs_new(const struct plb_simulation *in)
{
    struct plb_virtual_inputs *v = plb_alloc(sizeof *v);
    v->in = in;
    v->kept = plb_alloc((size_t)in->cluster->n_nodes * sizeof *v->kept);
    return v;
}

void plb_virtual_inputs_free(struct plb_virtual_inputs *v)
{
    for (int n = 0; n < v->in->cluster->n_nodes; n++)
        plb_rangeset_fini(&v->kept[n]);
    free(v->kept);
    free(v);
}

bool plb_virtual_inputs_pulls(const struct plb_virtual_inputs *v, int node, struct plb_range task,
                              struct plb_range *pulled)
{
    *pulled = task;
    if (node == 0)
        return false;
    if (v->in->master.resident)
        *pulled = plb_rangeset_lacking(&v->kept[node], task);
    return pulled->count > 0 && plb_sizes_bytes(&v->in->inputs, *pulled) > 0.0;
}

void plb_virtual_inputs_arrived(struct plb_virtual_inputs *v, int node, struct plb_range range)
{
    if (v->in->master.resident)
        plb_rangeset_add(&v->kept[node], range);
}
