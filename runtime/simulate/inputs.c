/* A set of units for each node. */
#include "simulate/inputs.h"

#include <stdlib.h>

#include "base/memory.h"
#include "node/memory/mirror.h"

/* FROMs of one pass that a node has heard, less those whose data has come; and those of a later pass. */
struct parcels {
    int n, early, early_pass;
};

struct plb_virtual_inputs {
    const struct plb_simulation *in;
    struct plb_rangeset *kept;  /* by node */
    struct plb_rangeset *asked; /* the same, where there is a halo: also what comes; neighbours share it */
    struct plb_rangeset *halo;  /* by node: of these, what comes unasked */
    struct parcels *parcels;    /* by node */
    struct plb_rangeset *made;  /* by node: units whose results stay there, in this pass */
    int64_t *stays;             /* by node: mask of the outputs that may stay in this pass */
};

struct plb_virtual_inputs *plb_virtual_inputs_new(const struct plb_simulation *simulation)
{
    struct plb_virtual_inputs *v = plb_alloc(sizeof *v);
    v->in = simulation;
    v->kept = plb_alloc((size_t)simulation->cluster->n_nodes * sizeof *v->kept);
    v->made = plb_alloc((size_t)simulation->cluster->n_nodes * sizeof *v->made);
    v->stays = plb_alloc((size_t)simulation->cluster->n_nodes * sizeof *v->stays);
    v->asked = plb_alloc((size_t)simulation->cluster->n_nodes * sizeof *v->asked);
    v->halo = plb_alloc((size_t)simulation->cluster->n_nodes * sizeof *v->halo);
    v->parcels = plb_alloc((size_t)simulation->cluster->n_nodes * sizeof *v->parcels);
    plb_rangeset_add(&v->kept[0],
                     (struct plb_range){0, simulation->maps[0].units}); /* until something feeds them */
    plb_rangeset_add(&v->asked[0], (struct plb_range){0, simulation->maps[0].units});
    return v;
}

void plb_virtual_inputs_free(struct plb_virtual_inputs *inputs)
{
    for (int n = 0; n < inputs->in->cluster->n_nodes; n++) {
        plb_rangeset_fini(&inputs->kept[n]);
        plb_rangeset_fini(&inputs->made[n]);
        plb_rangeset_fini(&inputs->asked[n]);
        plb_rangeset_fini(&inputs->halo[n]);
    }
    free(inputs->halo);
    free(inputs->parcels);
    free(inputs->kept);
    free(inputs->asked);
    free(inputs->made);
    free(inputs->stays);
    free(inputs);
}

/* The units that a task reads. */
static struct plb_range read_by(const struct plb_virtual_inputs *v, struct plb_range task)
{
    return plb_range_around(task, v->in->inputs.before, v->in->inputs.after, v->in->maps[0].units);
}

bool plb_virtual_inputs_pulls(struct plb_virtual_inputs *v, int node, struct plb_range task,
                              struct plb_range *pulled)
{
    const struct plb_sizes *sizes = &v->in->inputs;
    *pulled = task;
    if (node == 0 && !(v->in->feeds && v->in->master.feeds_stay))
        return false;
    if (v->in->master.resident) {
        struct plb_range units = read_by(v, task);
        bool halo = sizes->before + sizes->after > 0;
        *pulled = plb_rangeset_lacking(halo ? &v->asked[node] : &v->kept[node], units);
        if (halo)
            plb_rangeset_add(&v->asked[node], *pulled);
    }
    return pulled->count > 0 && plb_sizes_bytes(sizes, *pulled) > 0.0;
}

void plb_virtual_inputs_arrived(struct plb_virtual_inputs *inputs, int node, struct plb_range range)
{
    if (inputs->in->master.resident)
        plb_rangeset_add(&inputs->kept[node], range);
}

/* Halos come unasked: those that a node takes count as asked for. */
static void expect(struct plb_virtual_inputs *v, const struct plb_message *from, int pass)
{
    struct plb_rangeset *asked = &v->asked[from->to];
    for (int k = 0; k < from->sources.n; k++) {
        struct plb_range part = from->sources.at[k].range;
        if (!plb_mirror_wants(pass, from->pass, asked, asked, part))
            continue;
        plb_rangeset_add(asked, part);
        plb_rangeset_add(&v->halo[from->to], part);
    }
    struct parcels *p = &v->parcels[from->to];
    p->n += from->pass == pass;
    if (from->pass > pass) {
        p->early = 1 + (from->pass == p->early_pass ? p->early : 0);
        p->early_pass = from->pass;
    }
}

bool plb_virtual_inputs_halo(struct plb_virtual_inputs *v, int node)
{
    if (v->parcels[node].n == 0)
        return false;
    if (--v->parcels[node].n > 0)
        return true;
    for (int i = 0; i < v->halo[node].n; i++)
        plb_rangeset_add(&v->kept[node], v->halo[node].at[i]);
    plb_rangeset_clear(&v->halo[node]);
    return true;
}

bool plb_virtual_inputs_waits(const struct plb_virtual_inputs *v, int node, struct plb_range task)
{
    return plb_rangeset_overlaps(&v->halo[node], read_by(v, task));
}

void plb_virtual_inputs_begin(struct plb_virtual_inputs *inputs, int node, int pass,
                              const struct plb_pass *begin)
{
    struct parcels *p = &inputs->parcels[node];
    if (!begin->again)
        plb_rangeset_clear(&inputs->made[node]);
    if (begin->n_feeds > 0 && begin->feeds[0].now) {
        plb_rangeset_clear(&inputs->kept[node]);
        plb_rangeset_clear(&inputs->asked[node]);
    }
    plb_rangeset_clear(&inputs->halo[node]);
    p->n = p->early_pass == pass ? p->early : 0;
    inputs->stays[node] = begin->stays;
}

/* Whether the results of a DONE stay: some find no room, and those of units that the node has executed before
 * are sent, as node/memory/staying.h does. */
static bool stay(const struct plb_virtual_inputs *v, const struct plb_message *m)
{
    uint64_t stream = v->in->seed + 2000 + (uint64_t)m->from;
    return v->stays[m->from] != 0 && !plb_rangeset_overlaps(&v->made[m->from], m->done.range)
        && plb_random_real(stream, (uint64_t)m->done.range.first) >= v->in->no_room;
}

double plb_virtual_inputs_results(struct plb_virtual_inputs *inputs, struct plb_message *m)
{
    if (m->type == PLB_FROM && m->sources.n > 0)
        return plb_sizes_bytes(&inputs->in->staying, m->sources.at[0].range);
    if (m->type != PLB_DONE || m->from == 0)
        return 0.0;
    double bytes = plb_sizes_bytes(&inputs->in->results, m->done.range);
    m->done.buffers = inputs->in->master.stays;
    if (!stay(inputs, m))
        return bytes;
    plb_rangeset_add(&inputs->made[m->from], m->done.range);
    m->done.buffers = 0;
    return bytes - plb_sizes_bytes(&inputs->in->staying, m->done.range);
}

static void answer(struct plb_virtual_inputs *v, const struct plb_message *m, struct plb_outbox *out)
{
    const struct plb_fetch *f = &m->fetch;
    plb_outbox_add(out, PLB_FROM, m->to, 0, m->pass)->sources = (struct plb_sources){
        .slot = f->slot,
        .last = 1,
        .n = plb_rangeset_has(&v->made[m->to], f->range),
        .at = {{f->range, f->buffers, m->to}}};
}

bool plb_virtual_inputs_hear(struct plb_virtual_inputs *v, const struct plb_message *m, int pass,
                             struct plb_outbox *out)
{
    if (m->type == PLB_FROM)
        expect(v, m, pass);
    if (m->type == PLB_FETCH && m->fetch.slot != PLB_HALO_SLOT) /* else it only sends data */
        answer(v, m, out);
    for (int i = 0; m->type == PLB_COUNTED && m->pass == pass && i < m->counted.n; i++) {
        plb_rangeset_add(&v->kept[m->to], m->counted.at[i]);
        plb_rangeset_add(&v->asked[m->to], m->counted.at[i]);
    }
    return m->type == PLB_FETCH || m->type == PLB_FROM || m->type == PLB_COUNTED;
}
