/* For each node, from its blocks to what it lacks. */
#include "core/place/halos.h"

/* Part of a share that a node may lack. Larger: a node that has nothing of its share gets all at once,
 * perhaps beside its room. Smaller: a share that has moved is asked for. */
#define MOST 0.5

/* The last FROM to a node, or a new one where that is full. */
static struct plb_source *next_source(struct plb_outbox *out, int *at, int node, int pass)
{
    struct plb_sources *from = *at >= 0 ? &out->at[*at].sources : NULL;
    if (from == NULL || from->n == PLB_SOURCES) {
        *at = out->n;
        from = &plb_outbox_add(out, PLB_FROM, 0, node, pass)->sources;
        *from = (struct plb_sources){.slot = PLB_HALO_SLOT, .last = 1};
    }
    return &from->at[from->n++];
}

/* Has others send a node what it lacks of a range. */
static void order(const struct plb_halos *h, const struct plb_owners *owners, int node, int pass,
                  struct plb_range rest, int *at, struct plb_outbox *out)
{
    for (struct plb_range part; rest.count > 0; rest.first += part.count, rest.count -= part.count) {
        int owner = plb_owners_of(owners, h->buffers, rest, &part);
        *next_source(out, at, node, pass) = (struct plb_source){part, h->buffers, owner};
        if (owner != 0)
            plb_outbox_add(out, PLB_FETCH, 0, owner, pass)->fetch = (struct plb_fetch){
                .range = part, .slot = PLB_HALO_SLOT, .buffers = h->buffers, .to = node};
    }
}

/* Adds what a node lacks of some units. */
static void add_lacking(const struct plb_halos *h, const struct plb_owners *owners, int node,
                        struct plb_range rest, struct plb_rangeset *lacks)
{
    for (struct plb_range part; rest.count > 0; rest.first += part.count, rest.count -= part.count)
        if (plb_owners_of(owners, h->buffers, rest, &part) != node)
            plb_rangeset_add(lacks, part);
}

void plb_halos_send(const struct plb_halos *h, const struct plb_owners *owners, int first,
                    struct plb_outbox *out)
{
    struct plb_rangeset lacks = {0};
    for (int i = first, blocks = out->n, next; i < blocks; i = next) {
        int node = out->at[i].to, pass = out->at[i].pass, at = -1;
        int64_t granted = 0;
        plb_rangeset_clear(&lacks);
        for (next = i; next < blocks && out->at[next].to == node; next++) {
            if (out->at[next].type != PLB_BLOCK)
                continue;
            struct plb_range range = out->at[next].block.range;
            granted += range.count;
            add_lacking(h, owners, node, plb_range_around(range, h->before, h->after, h->units), &lacks);
        }
        if ((double)lacks.units > MOST * (double)granted)
            continue;
        for (int k = 0; k < lacks.n; k++)
            order(h, owners, node, pass, lacks.at[k], &at, out);
    }
    plb_rangeset_fini(&lacks);
}
