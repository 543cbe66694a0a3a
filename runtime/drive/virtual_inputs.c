/* A set of units for each node. */
#include "drive/virtual_inputs.h"

#include <stdlib.h>

#include "base/memory.h"

struct plb_virtual_inputs {
    const struct plb_simulation *in;
    struct plb_rangeset *kept;  /* by node */
    struct plb_rangeset *asked; /* the same, where there is a halo: also what comes; neighbours share it */
};

struct plb_virtual_inputs *plb_virtual_inputs_new(const struct plb_simulation *in)
{
    struct plb_virtual_inputs *v = plb_alloc(sizeof *v);
    v->in = in;
    v->kept = plb_alloc((size_t)in->cluster->n_nodes * sizeof *v->kept);
    v->asked = plb_alloc((size_t)in->cluster->n_nodes * sizeof *v->asked);
    return v;
}

void plb_virtual_inputs_free(struct plb_virtual_inputs *v)
{
    for (int n = 0; n < v->in->cluster->n_nodes; n++) {
        plb_rangeset_fini(&v->kept[n]);
        plb_rangeset_fini(&v->asked[n]);
    }
    free(v->kept);
    free(v->asked);
    free(v);
}

bool plb_virtual_inputs_pulls(struct plb_virtual_inputs *v, int node, struct plb_range task,
                              struct plb_range *pulled)
{
    const struct plb_sizes *sizes = &v->in->inputs;
    *pulled = task;
    if (node == 0)
        return false;
    if (v->in->master.resident) {
        struct plb_range units = plb_range_around(task, sizes->before, sizes->after, v->in->maps[0].units);
        bool halo = sizes->before + sizes->after > 0;
        *pulled = plb_rangeset_lacking(halo ? &v->asked[node] : &v->kept[node], units);
        if (halo)
            plb_rangeset_add(&v->asked[node], *pulled);
    }
    return pulled->count > 0 && plb_sizes_bytes(sizes, *pulled) > 0.0;
}

void plb_virtual_inputs_arrived(struct plb_virtual_inputs *v, int node, struct plb_range range)
{
    if (v->in->master.resident)
        plb_rangeset_add(&v->kept[node], range);
}
