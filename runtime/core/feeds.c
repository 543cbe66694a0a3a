/* Sets of units by node. */
#include "core/feeds.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct plb_feeds {
    int n_nodes;
    bool audits, on; /* on: results of this pass may be inputs of the next one */
    struct plb_feed named[PLB_FEEDS];
    int n;
    struct plb_rangeset *counted; /* by node: units whose result came from it */
};

struct plb_feeds *plb_feeds_new(int n_nodes, bool audits)
{
    struct plb_feeds *f = plb_alloc(sizeof *f);
    f->n_nodes = n_nodes;
    f->audits = audits;
    f->counted = plb_alloc((size_t)n_nodes * sizeof *f->counted);
    return f;
}

void plb_feeds_free(struct plb_feeds *f)
{
    if (f == NULL)
        return;
    for (int n = 0; n < f->n_nodes; n++)
        plb_rangeset_fini(&f->counted[n]);
    free(f->counted);
    free(f);
}

void plb_feeds_name(struct plb_feeds *f, const struct plb_feed *named, int n)
{
    f->n = n;
    memcpy(f->named, named, (size_t)n * sizeof *named);
}

void plb_feeds_write(const struct plb_feeds *f, struct plb_pass *begin, bool joins)
{
    begin->n_feeds = f->n;
    memcpy(begin->feeds, f->named, sizeof f->named);
    for (int i = 0; i < f->n && joins; i++)
        begin->feeds[i].now = 0;
}

/* Tells a node what counted, in as few messages as it takes. */
static void tell(const struct plb_feeds *f, int node, int pass, struct plb_outbox *out)
{
    const struct plb_rangeset *set = &f->counted[node];
    for (int i = 0; i < set->n; i += PLB_COUNTED_RANGES) {
        struct plb_counted *m = &plb_outbox_add(out, PLB_COUNTED, 0, node, pass)->counted;
        m->n = set->n - i < PLB_COUNTED_RANGES ? set->n - i : PLB_COUNTED_RANGES;
        memcpy(m->at, set->at + i, (size_t)m->n * sizeof *m->at);
    }
}

void plb_feeds_begin(struct plb_feeds *f, const struct plb_ledger *ledger, const struct plb_pass *begin,
                     int pass, struct plb_outbox *out)
{
    bool now = false;
    for (int i = 0; i < begin->n_feeds; i++)
        now |= begin->feeds[i].now;
    for (int n = 1; n < f->n_nodes; n++) {
        if (now && !plb_ledger_lost(ledger, n))
            tell(f, n, pass, out);
        plb_rangeset_clear(&f->counted[n]);
    }
    f->on = begin->n_feeds > 0 && !f->audits;
}

void plb_feeds_reported(struct plb_feeds *f, const struct plb_ledger *ledger, const struct plb_message *m,
                        bool whole)
{
    const struct plb_done *d = &m->done;
    struct plb_rangeset open = {0};
    if (!f->on || m->from == 0)
        return;
    if (plb_ledger_open_units(ledger, d->range, d->block) == d->range.count)
        plb_rangeset_add(&f->counted[m->from], d->range);
    else if (!whole)
        plb_ledger_open_ranges(ledger, d->range, &open);
    for (int i = 0; i < open.n; i++)
        plb_rangeset_add(&f->counted[m->from], open.at[i]);
    plb_rangeset_fini(&open);
}
