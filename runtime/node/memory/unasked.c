/* A list of what FROMs have named. */
#include "node/memory/unasked.h"

#include <stdlib.h>

#include "base/lease.h"
#include "base/memory.h"

/* The parts that one FROM has named. */
struct plb_halo_parts {
    int pass, left; /* left: parts that have not ended */
    struct plb_sources from;
    int pending[PLB_SOURCES];           /* transfers of each part */
    bool comes[PLB_SOURCES];            /* it had any, and has not ended */
    struct plb_range here[PLB_SOURCES]; /* the parts that go to the mirror; count = 0: beside it */
    void *beside[PLB_SOURCES];          /* where the others are received; else NULL */
    struct plb_halo_parts *next;
};

static void free_parts(struct plb_halo_parts *h)
{
    for (int k = 0; k < PLB_SOURCES; k++)
        free(h->beside[k]);
    free(h);
}

void plb_unasked_fini(struct plb_unasked *u)
{
    for (struct plb_halo_parts *h = u->first, *next; h != NULL; h = next) {
        next = h->next;
        free_parts(h);
    }
    u->first = NULL;
}

/* Whether a FROM names what others may have. */
static bool makes_sense(const struct plb_node_config *config, const struct plb_sources *from)
{
    bool right = from->n > 0;
    for (int k = 0; k < from->n && right; k++)
        right = plb_range_end(from->at[k].range) <= config->data->units && from->at[k].node != config->rank
             && (from->at[k].buffers & ~config->data->fed) == 0;
    return right;
}

/* Whether a part goes to the mirror. */
static bool has_place(struct plb_mirror *mirror, int pass, const struct plb_source *part)
{
    return mirror != NULL && plb_mirror_buffers(mirror) == part->buffers
        && plb_mirror_expect(mirror, pass, part->range);
}

static void receive(struct plb_halo_parts *h, int k, const struct plb_node_config *config,
                    struct plb_mirror *mirror)
{
    const struct plb_dataset *set = config->data;
    const struct plb_source *part = &h->from.at[k];
    size_t bytes[PLB_MAX_DATA] = {0}, offset, all = 0;
    bool mirrored = has_place(mirror, h->pass, part);
    for (int i = 0; i < set->n; i++)
        if ((part->buffers & PLB_BUFFER(i)) != 0) {
            plb_dataset_bytes(set, i, part->range, &offset, &bytes[i]);
            all += bytes[i];
        }
    h->here[k] = mirrored ? part->range : (struct plb_range){part->range.first, 0};
    h->beside[k] = mirrored ? NULL : plb_alloc_unset(all);
    char *beside = h->beside[k];
    for (int i = 0; i < set->n; i++) {
        if ((part->buffers & PLB_BUFFER(i)) == 0)
            continue;
        void *to = mirrored ? plb_mirror_place(mirror, i, part->range.first) : beside;
        config->wire.get(config->wire.context, part->node, PLB_HALO_SLOT, to, bytes[i], &h->pending[k]);
        beside = mirrored ? NULL : beside + bytes[i];
    }
    h->comes[k] = h->pending[k] > 0; /* else its sender is lost, and tasks wait until the pass is given up */
    h->left += h->comes[k];
}

bool plb_unasked_hear(struct plb_unasked *u, const struct plb_node_config *config, struct plb_mirror *mirror,
                      const struct plb_message *m)
{
    if (!makes_sense(config, &m->sources))
        return false;
    struct plb_halo_parts *h = plb_alloc(sizeof *h), **last = &u->first;
    *h = (struct plb_halo_parts){.pass = m->pass, .from = m->sources};
    for (int k = 0; k < h->from.n; k++)
        receive(h, k, config, mirror);
    while (*last != NULL)
        last = &(*last)->next;
    *last = h;
    return true;
}

/* Nothing of a part is on its way any more. Returns whether it is here now. */
static bool end(struct plb_halo_parts *h, int k, const struct plb_wire *wire, struct plb_mirror *mirror)
{
    bool lost = h->from.at[k].node != 0 && wire->is_lost(wire->context, h->from.at[k].node);
    h->comes[k] = false;
    h->left--;
    if (lost)
        plb_lease_all(&h->beside[k], 1);
    if (h->here[k].count == 0)
        return false;
    if (lost)
        plb_mirror_leave(mirror, h->here[k]);
    else if (h->pass >= plb_mirror_since(mirror))
        plb_mirror_arrived(mirror, h->here[k], true);
    return !lost;
}

bool plb_unasked_settle(struct plb_unasked *u, const struct plb_wire *wire, struct plb_mirror *mirror)
{
    bool any = false;
    for (struct plb_halo_parts **at = &u->first; *at != NULL;) {
        struct plb_halo_parts *h = *at;
        for (int k = 0; k < h->from.n; k++)
            if (h->comes[k] && h->pending[k] == 0)
                any |= end(h, k, wire, mirror);
        if (h->left > 0) {
            at = &h->next;
            continue;
        }
        *at = h->next;
        free_parts(h);
    }
    return any;
}

void plb_unasked_under_way(const struct plb_unasked *u, struct plb_rangeset *units)
{
    for (const struct plb_halo_parts *h = u->first; h != NULL; h = h->next)
        for (int k = 0; k < h->from.n; k++)
            if (h->comes[k] && h->here[k].count > 0)
                plb_rangeset_add(units, h->here[k]);
}
