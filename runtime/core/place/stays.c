/* Sets of units by node, and the questions that are open. */
#include "core/place/stays.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Ranges that a node is asked for before it has answered. More: nothing is gained once its link is full.
 * Fewer: short ranges wait for the way there and back. */
#define ASKS 4

struct node_results {
    struct plb_rangeset kept;     /* what it has, and is not asked for yet */
    struct plb_range asked[ASKS]; /* what it is asked for, by slot; count = 0: nothing */
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
        memset(s->at[n].asked, 0, sizeof s->at[n].asked);
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
    bool asked = false;
    for (int i = 0; i < ASKS; i++) {
        asked |= n->asked[i].count > 0;
        if (n->asked[i].count > 0)
            plb_rangeset_add(&s->lacking, n->asked[i]);
        n->asked[i].count = 0;
    }
    s->counts.asked_lost += asked;
    plb_rangeset_clear(&n->kept);
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
    for (int i = 0; i < ASKS && n->kept.n > 0; i++) {
        if (n->asked[i].count > 0)
            continue;
        n->asked[i] = plb_rangeset_take(&n->kept, n->kept.at[0].count);
        plb_outbox_add(out, PLB_FETCH, 0, node, pass)->fetch = (struct plb_fetch){
            .range = n->asked[i], .slot = PLB_FETCH_SLOT + i, .buffers = s->buffers};
    }
}

void plb_stays_gather(struct plb_stays *s, int pass, struct plb_outbox *out)
{
    for (int n = 1; n < s->n_nodes; n++)
        ask(s, n, pass, out);
}

bool plb_stays_awaits(const struct plb_stays *s, const struct plb_message *from)
{
    int64_t i = from->sources.slot - PLB_FETCH_SLOT;
    const struct plb_range *asked = i >= 0 && i < ASKS ? &s->at[from->from].asked[i] : NULL;
    const struct plb_source *part = from->sources.n > 0 ? &from->sources.at[0] : NULL;
    if (asked == NULL || asked->count == 0)
        return false;
    return part == NULL
        || (part->range.first == asked->first && part->range.count == asked->count
            && part->buffers == s->buffers);
}

void plb_stays_receive(struct plb_stays *s, const struct plb_message *from, struct plb_outbox *out)
{
    struct plb_range *asked = &s->at[from->from].asked[from->sources.slot - PLB_FETCH_SLOT];
    s->away -= asked->count;
    if (from->sources.n == 0)
        plb_rangeset_add(&s->lacking, *asked);
    *(from->sources.n > 0 ? &s->counts.gathered : &s->counts.lost) += asked->count;
    asked->count = 0;
    ask(s, from->from, from->pass, out);
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
