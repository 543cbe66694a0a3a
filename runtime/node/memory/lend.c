/* A list of transfers. */
#include "node/memory/lend.h"

#include <stdlib.h>

#include "base/memory.h"

#define TAGS 8 /* for results on their way: twice as many as the master asks for at a time */

struct plb_lent {
    struct plb_range range;
    int pending;
    struct plb_lent *next;
};

void plb_lends_fini(struct plb_lends *l)
{
    for (struct plb_lent *lent = l->first, *next; lent != NULL; lent = next) {
        next = lent->next;
        free(lent);
    }
    l->first = NULL;
}

bool plb_lend(struct plb_lends *l, const struct plb_mirror *mirror, const struct plb_node_config *config,
              const struct plb_message *m)
{
    const struct plb_lend *lend = &m->lend;
    const struct plb_dataset *set = config->data;
    if (mirror == NULL || (lend->buffers & ~(plb_mirror_buffers(mirror) & set->fed)) != 0
        || lend->range.first + lend->range.count > set->units)
        return false;
    struct plb_lent *lent = plb_alloc(sizeof *lent);
    *lent = (struct plb_lent){lend->range, 0, l->first};
    l->first = lent;
    for (int i = 0; i < set->n; i++)
        if ((lend->buffers & PLB_BUFFER(i)) != 0)
            config->wire.put_to(config->wire.context, lend->to, (int)lend->slot,
                                plb_mirror_place(mirror, i, lend->range.first),
                                (size_t)lend->range.count * set->at[i].unit_bytes, &lent->pending);
    return true;
}

void plb_lends_under_way(struct plb_lends *l, struct plb_rangeset *units)
{
    for (struct plb_lent **at = &l->first; *at != NULL;) {
        struct plb_lent *lent = *at;
        if (lent->pending > 0) {
            plb_rangeset_add(units, lent->range);
            at = &lent->next;
            continue;
        }
        *at = lent->next;
        free(lent);
    }
}

void plb_lend_results(struct plb_lends *l, const struct plb_mirror *mirror,
                      const struct plb_node_config *config, int tag, const struct plb_message *gather,
                      struct plb_outbox *out)
{
    const struct plb_gather *g = &gather->gather;
    struct plb_message *answer = plb_outbox_add(out, PLB_KEPT, config->rank, 0, gather->pass);
    answer->kept.range = g->range;
    if (mirror == NULL || (g->buffers & ~plb_mirror_outputs(mirror)) != 0
        || !plb_mirror_made(mirror, gather->pass, g->range))
        return;
    tag += l->turn++ % TAGS;
    for (int i = 0; i < config->data->n; i++)
        if ((g->buffers & PLB_BUFFER(i)) != 0)
            config->wire.put(config->wire.context, tag, plb_mirror_result(mirror, i, g->range.first),
                             (size_t)g->range.count * config->data->at[i].unit_bytes, &l->pending);
    answer->kept = (struct plb_kept_results){g->range, tag, 1, 0, g->buffers};
}
