/* Sets of units by node, and the questions that are open. */
#include "core/place/stays.h"

#include <stdlib.h>

#include "base/memory.h"

/* Ranges that a node is asked for before it has answered. More: nothing is gained once its link is full.
 * Fewer: short ranges wait for the way there and back. */
#define ASKS 4

struct node_results {
    struct plb_rangeset kept;     /* what it has, and is not asked for yet */
    struct plb_range asked[ASKS]; /* what it is asked for */
    int n_asked;
};

struct plb_stays {
    int n_nodes;
    int64_t buffers;
    bool on; /* in this pass */
    struct node_results *at;
    int64_t away; /* units at other nodes */
    struct plb_rangeset lacking;
    struct plb_stays_counts counts;
};

struct plb_stays *plb_stays_new(int n_nodes, int64_t buffers)
{
    struct plb_stays *s = plb_alloc(sizeof *s);
    s->n_nodes = n_nodes;
    s->buffers = buffers;
    s->at = plb_alloc((size_t)n_nodes * sizeof *s->at);
    return s;
}

void plb_stays_free(struct plb_stays *s)
{
    if (s == NULL)
        return;
    for (int n = 0; n < s->n_nodes; n++)
        plb_rangeset_fini(&s->at[n].kept);
    plb_rangeset_fini(&s->lacking);
    free(s->at);
    free(s);
}

void plb_stays_begin(struct plb_stays *s, bool on)
{
    for (int n = 0; n < s->n_nodes; n++) {
        plb_rangeset_clear(&s->at[n].kept);
        s->at[n].n_asked = 0;
    }
    plb_rangeset_clear(&s->lacking);
    s->away = 0;
    s->on = on;
}

int64_t plb_stays_buffers(const struct plb_stays *s)
{
    return s->on ? s->buffers : 0;
}

static void keep(struct plb_stays *s, int node, struct plb_range range)
{
    int64_t units = range.count > 0 ? plb_rangeset_add(&s->at[node].kept, range) : 0;
    s->away += units;
    s->counts.kept += units;
}

void plb_stays_reported(struct plb_stays *s, const struct plb_ledger *ledger, const struct plb_message *done,
                        bool whole)
{
    const struct plb_done *d = &done->done;
    struct plb_rangeset open = {0};
    if (!s->on || done->from == 0 || (d->buffers & s->buffers) == s->buffers)
        return;
    if (plb_ledger_open_units(ledger, d->range, d->block) == d->range.count)
        keep(s, done->from, d->range);
    else if (!whole)
        plb_ledger_open_ranges(ledger, d->range, &open);
    for (int i = 0; i < open.n; i++)
        keep(s, done->from, open.at[i]);
    plb_rangeset_fini(&open);
}

void plb_stays_lose(struct plb_stays *s, int node)
{
    struct node_results *n = &s->at[node];
    int64_t before = s->lacking.units;
    for (int i = 0; i < n->kept.n; i++)
        plb_rangeset_add(&s->lacking, n->kept.at[i]);
    for (int i = 0; i < n->n_asked; i++)
        plb_rangeset_add(&s->lacking, n->asked[i]);
    s->counts.asked_lost += n->n_asked > 0;
    plb_rangeset_clear(&n->kept);
    n->n_asked = 0;
    s->away -= s->lacking.units - before;
    s->counts.lost += s->lacking.units - before;
}

void plb_stays_repaired(struct plb_stays *s, struct plb_range range)
{
    plb_rangeset_remove(&s->lacking, range);
}

/* Asks a node for its next ranges. */
static void ask(struct plb_stays *s, int node, int pass, struct plb_outbox *out)
{
    struct node_results *n = &s->at[node];
    while (n->n_asked < ASKS && n->kept.n > 0) {
        struct plb_range range = plb_rangeset_take(&n->kept, n->kept.at[0].count);
        n->asked[n->n_asked++] = range;
        plb_outbox_add(out, PLB_GATHER, 0, node, pass)->gather = (struct plb_gather){range, s->buffers};
    }
}

void plb_stays_gather(struct plb_stays *s, int pass, struct plb_outbox *out)
{
    for (int n = 1; n < s->n_nodes; n++)
        ask(s, n, pass, out);
}

/* The open question that a KEPT answers; -1: none. */
static int answered(const struct plb_stays *s, const struct plb_message *kept)
{
    const struct node_results *n = &s->at[kept->from];
    const struct plb_range *range = &kept->kept.range;
    for (int i = 0; i < n->n_asked; i++)
        if (n->asked[i].first == range->first && n->asked[i].count == range->count)
            return i;
    return -1;
}

bool plb_stays_awaits(const struct plb_stays *s, const struct plb_message *kept)
{
    return answered(s, kept) >= 0;
}

void plb_stays_receive(struct plb_stays *s, const struct plb_message *kept, struct plb_outbox *out)
{
    struct node_results *n = &s->at[kept->from];
    int i = answered(s, kept);
    struct plb_range range = n->asked[i];
    n->asked[i] = n->asked[--n->n_asked];
    s->away -= range.count;
    if (kept->kept.here == 0)
        plb_rangeset_add(&s->lacking, range);
    *(kept->kept.here ? &s->counts.gathered : &s->counts.lost) += range.count;
    ask(s, kept->from, kept->pass, out);
}

bool plb_stays_any(const struct plb_stays *s)
{
    return s->away > 0;
}

const struct plb_rangeset *plb_stays_lacking(const struct plb_stays *s)
{
    return &s->lacking;
}

const struct plb_stays_counts *plb_stays_counts(const struct plb_stays *s)
{
    return &s->counts;
}
