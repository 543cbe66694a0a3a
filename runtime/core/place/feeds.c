/* Sets of units by node. */
#include "core/place/feeds.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct plb_feeds {
    int n_nodes;
    bool audits, on; /* on: results of this pass may be inputs of the next one */
    int64_t stay;    /* mask of outputs */
    bool broken;     /* something that stayed is lost */
    struct plb_feed named[PLB_FEEDS];
    int n;
    struct plb_rangeset *counted; /* by node: units whose result came from it, and stayed there if any does */
    struct plb_rangeset *inputs;  /* by node: units whose inputs it alone has; none of node 0 */
};

struct plb_feeds *plb_feeds_new(int n_nodes, bool audits, int64_t stay)
{
    struct plb_feeds *f = plb_alloc(sizeof *f);
    f->n_nodes = n_nodes;
    f->audits = audits;
    f->stay = stay;
    f->counted = plb_alloc((size_t)n_nodes * sizeof *f->counted);
    f->inputs = plb_alloc((size_t)n_nodes * sizeof *f->inputs);
    return f;
}

void plb_feeds_free(struct plb_feeds *f)
{
    if (f == NULL)
        return;
    for (int n = 0; n < f->n_nodes; n++) {
        plb_rangeset_fini(&f->counted[n]);
        plb_rangeset_fini(&f->inputs[n]);
    }
    free(f->counted);
    free(f->inputs);
    free(f);
}

void plb_feeds_name(struct plb_feeds *f, const struct plb_feed *named, int n)
{
    f->n = n;
    if (n > 0) /* else there may be no array */
        memcpy(f->named, named, (size_t)n * sizeof *named);
}

void plb_feeds_write(const struct plb_feeds *f, struct plb_pass *begin, bool joins)
{
    begin->n_feeds = f->n;
    memcpy(begin->feeds, f->named, sizeof f->named);
    if (joins)
        for (int i = 0; i < f->n; i++)
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
        if (now && f->stay != 0) { /* results and inputs change places */
            struct plb_rangeset older = f->inputs[n];
            f->inputs[n] = f->counted[n];
            f->counted[n] = older;
        }
        plb_rangeset_clear(&f->counted[n]);
    }
    f->on = begin->n_feeds > 0 && !f->audits;
}

void plb_feeds_reported(struct plb_feeds *f, const struct plb_ledger *ledger, const struct plb_message *done,
                        bool whole)
{
    const struct plb_done *d = &done->done;
    struct plb_rangeset open = {0};
    if (!f->on || done->from == 0 || (d->buffers & f->stay) != 0)
        return;
    if (plb_ledger_open_units(ledger, d->range, d->block) == d->range.count)
        plb_rangeset_add(&f->counted[done->from], d->range);
    else if (!whole)
        plb_ledger_open_ranges(ledger, d->range, &open);
    for (int i = 0; i < open.n; i++)
        plb_rangeset_add(&f->counted[done->from], open.at[i]);
    plb_rangeset_fini(&open);
}

/* The first range of a set that ends behind a unit; the number of ranges: none does. */
static int ends_behind(const struct plb_rangeset *set, int64_t unit)
{
    int low = 0, high = set->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (set->at[middle].first + set->at[middle].count > unit)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int plb_feeds_owner(const struct plb_feeds *f, struct plb_range range, struct plb_range *part)
{
    int64_t end = range.first + range.count;
    int owner = 0;
    for (int n = 1; n < f->n_nodes; n++) {
        const struct plb_rangeset *set = &f->inputs[n];
        int i = ends_behind(set, range.first);
        if (i == set->n || set->at[i].first >= end)
            continue;
        bool has = set->at[i].first <= range.first;
        int64_t until = has ? set->at[i].first + set->at[i].count : set->at[i].first;
        owner = has ? n : owner;
        end = until < end ? until : end;
    }
    *part = (struct plb_range){range.first, end - range.first};
    return owner;
}

void plb_feeds_lose(struct plb_feeds *f, int node)
{
    f->broken |= f->stay != 0 && f->inputs[node].units + f->counted[node].units > 0;
    plb_rangeset_clear(&f->inputs[node]);
    plb_rangeset_clear(&f->counted[node]);
}

bool plb_feeds_broken(const struct plb_feeds *f)
{
    return f->broken;
}

void plb_feeds_restart(struct plb_feeds *f)
{
    for (int n = 0; n < f->n_nodes; n++) {
        plb_rangeset_clear(&f->inputs[n]);
        plb_rangeset_clear(&f->counted[n]);
    }
    f->broken = false;
}
