/* A set of units for each node. */
#include "simulate/inputs.h"

#include <stdlib.h>

#include "base/memory.h"
#include "node/memory/mirror.h"

/* FROMs of one pass that a node has heard, less those whose data has come; and those of a later pass. */
struct parcels {
    int n, early, early_pass;
};

/* Units that a node has reported in this pass, and twice in this one and in the last one: of results that go
 * to rank 0, too, the other one may count. */
struct own_results {
    struct plb_rangeset any, twice, last_twice;
};

/* Units that a node pulls, for one task. */
struct pull {
    int64_t number;
    struct plb_range range;
};

struct pulls {
    struct pull *at;
    int n, capacity;
};

struct plb_virtual_inputs {
    const struct plb_simulation *in;
    struct plb_rangeset *kept;  /* by node */
    struct plb_rangeset *asked; /* the same, where there is a halo: also what comes; neighbours share it */
    struct plb_rangeset *halo;  /* by node: of these, what comes unasked */
    struct parcels *parcels;    /* by node */
    struct plb_rangeset *made;  /* by node: units whose results stay there, in this pass */
    struct own_results *own;    /* by node */
    struct pulls *pulls;        /* by node, where there is a halo: those that others may wait for */
    int64_t *stays;             /* by node: mask of the outputs that may stay in this pass */
};

struct plb_virtual_inputs *plb_virtual_inputs_new(const struct plb_simulation *simulation)
{
    struct plb_virtual_inputs *v = plb_alloc(sizeof *v);
    v->in = simulation;
    v->kept = plb_alloc((size_t)simulation->cluster->n_nodes * sizeof *v->kept);
    v->made = plb_alloc((size_t)simulation->cluster->n_nodes * sizeof *v->made);
    v->pulls = plb_alloc((size_t)simulation->cluster->n_nodes * sizeof *v->pulls);
    v->own = plb_alloc((size_t)simulation->cluster->n_nodes * sizeof *v->own);
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
        free(inputs->pulls[n].at);
        plb_rangeset_fini(&inputs->own[n].any);
        plb_rangeset_fini(&inputs->own[n].twice);
        plb_rangeset_fini(&inputs->own[n].last_twice);
        plb_rangeset_fini(&inputs->asked[n]);
        plb_rangeset_fini(&inputs->halo[n]);
    }
    free(inputs->halo);
    free(inputs->parcels);
    free(inputs->kept);
    free(inputs->asked);
    free(inputs->made);
    free(inputs->own);
    free(inputs->pulls);
    free(inputs->stays);
    free(inputs);
}

/* The units that a task reads. */
static struct plb_range read_by(const struct plb_virtual_inputs *v, struct plb_range task)
{
    return plb_range_around(task, v->in->inputs.before, v->in->inputs.after, v->in->maps[0].units);
}

static bool keeps_halo(const struct plb_virtual_inputs *v)
{
    return v->in->master.resident && v->in->inputs.before + v->in->inputs.after > 0;
}

static void note_pull(struct pulls *p, int64_t number, struct plb_range range)
{
    p->at = plb_room(p->at, p->n, &p->capacity, sizeof *p->at);
    p->at[p->n++] = (struct pull){number, range};
}

bool plb_virtual_inputs_pulls(struct plb_virtual_inputs *v, int node, struct plb_range task, int64_t pull,
                              struct plb_range *pulled)
{
    const struct plb_sizes *sizes = &v->in->inputs;
    *pulled = task;
    if (node == 0 && !(v->in->feeds && v->in->master.feeds_stay))
        return false;
    if (v->in->master.resident) {
        struct plb_range units = read_by(v, task);
        *pulled = plb_rangeset_lacking(keeps_halo(v) ? &v->asked[node] : &v->kept[node], units);
    }
    if (pulled->count == 0 || plb_sizes_bytes(sizes, *pulled) <= 0.0)
        return false;
    if (v->in->master.resident)
        note_pull(&v->pulls[node], pull, *pulled);
    if (keeps_halo(v))
        plb_rangeset_add(&v->asked[node], *pulled);
    return true;
}

void plb_virtual_inputs_arrived(struct plb_virtual_inputs *inputs, int node, int64_t pull)
{
    struct pulls *p = &inputs->pulls[node];
    for (int i = 0; i < p->n; i++) {
        if (p->at[i].number != pull)
            continue;
        plb_rangeset_add(&inputs->kept[node], p->at[i].range);
        p->at[i] = p->at[--p->n];
        return;
    }
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

/* Whether units are asked for, and not here yet. */
static bool node_waits(const struct plb_virtual_inputs *v, int node, struct plb_range units)
{
    struct plb_rangeset missing = {0};
    bool waits = false;
    plb_rangeset_missing(&v->kept[node], units, &missing);
    for (int i = 0; i < missing.n; i++)
        waits |= plb_rangeset_overlaps(&v->asked[node], missing.at[i]);
    plb_rangeset_fini(&missing);
    return waits;
}

bool plb_virtual_inputs_waits(const struct plb_virtual_inputs *v, int node, struct plb_range task)
{
    return keeps_halo(v) && node_waits(v, node, read_by(v, task));
}

void plb_virtual_inputs_begin(struct plb_virtual_inputs *inputs, int node, int pass,
                              const struct plb_pass *begin)
{
    struct parcels *p = &inputs->parcels[node];
    struct own_results *own = &inputs->own[node];
    bool fed = false;
    if (!begin->again)
        plb_rangeset_clear(&inputs->made[node]);
    plb_rangeset_clear(&own->last_twice);
    plb_rangeset_add_all(&own->last_twice, &own->twice);
    plb_rangeset_clear(&own->any);
    plb_rangeset_clear(&own->twice);
    for (int i = 0; i < begin->n_feeds; i++)
        fed |= begin->feeds[i].now;
    if (fed) {
        plb_rangeset_clear(&inputs->kept[node]);
        plb_rangeset_clear(&inputs->asked[node]);
        inputs->pulls[node].n = 0;
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

static void note_own(struct own_results *own, struct plb_range range)
{
    plb_rangeset_add_common(&own->twice, range, &own->any);
    plb_rangeset_add(&own->any, range);
}

double plb_virtual_inputs_results(struct plb_virtual_inputs *inputs, struct plb_message *m)
{
    if (m->type == PLB_FROM && m->sources.n > 0)
        return plb_sizes_bytes(&inputs->in->staying, m->sources.at[0].range);
    if (m->type == PLB_DONE && !inputs->in->master.feeds_stay)
        note_own(&inputs->own[m->from], m->done.range);
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

/* Results of a node became inputs. */
static void count(struct plb_virtual_inputs *v, int node, struct plb_range range)
{
    struct plb_rangeset mine = {0};
    plb_rangeset_add(&mine, range);
    plb_rangeset_remove_all(&mine, &v->own[node].last_twice);
    plb_rangeset_add_all(&v->kept[node], &mine);
    plb_rangeset_add_all(&v->asked[node], &mine);
    plb_rangeset_fini(&mine);
}

bool plb_virtual_inputs_hear(struct plb_virtual_inputs *v, const struct plb_message *m, int pass,
                             struct plb_outbox *out)
{
    if (m->type == PLB_FROM)
        expect(v, m, pass);
    if (m->type == PLB_FETCH && m->fetch.slot != PLB_HALO_SLOT) /* else it only sends data */
        answer(v, m, out);
    for (int i = 0; m->type == PLB_COUNTED && m->pass == pass && i < m->counted.n; i++)
        count(v, m->to, m->counted.at[i]);
    return m->type == PLB_FETCH || m->type == PLB_FROM || m->type == PLB_COUNTED;
}
