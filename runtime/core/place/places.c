/* Sets of units by node, and the questions that are open. */
#include "core/place/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/place/home_map.h"

/* Ranges that a node is asked for before it has answered. More: nothing is gained once its link is full.
 * Fewer: short ranges wait for the way there and back. */
#define ASKS 4

/* Of a node other than 0: all that it has. */
struct node_places {
    struct plb_rangeset kept;     /* units whose results stayed there, and which it is not asked for yet */
    struct plb_range asked[ASKS]; /* of these, what it is asked for, by slot; count = 0: nothing */
    struct plb_rangeset *counted; /* by PU: units whose result, which feeds an input, came from it; or stayed
                                     there; n_pus of them */
    int n_pus;
    struct plb_rangeset inputs; /* units whose inputs it alone has */
};

struct plb_places {
    struct plb_places_config config;
    bool stay, feed; /* results of this pass stay; may be inputs of the next one */
    bool broken;     /* something that feeds inputs is lost */
    bool ends;       /* no pass follows: inputs are wanted no more, but results are */
    struct plb_feed feeds[PLB_FEEDS];
    int n_feeds;
    struct node_places *at;
    bool fresh;              /* results of nodes became inputs as this pass began */
    struct plb_home *owners; /* who has which inputs, in the order of units; n_owners of them */
    int n_owners;
    int64_t away; /* units at other nodes */
    struct plb_rangeset lacking;
    struct plb_places_counts counts;
};

struct plb_places *plb_places_new(const struct plb_places_config *config)
{
    struct plb_places *p = plb_alloc(sizeof *p);
    p->config = *config;
    p->at = plb_alloc((size_t)config->n_nodes * sizeof *p->at);
    return p;
}

void plb_places_free(struct plb_places *p)
{
    if (p == NULL)
        return;
    for (int n = 0; n < p->config.n_nodes; n++) {
        plb_rangeset_fini(&p->at[n].kept);
        for (int pu = 0; pu < p->at[n].n_pus; pu++)
            plb_rangeset_fini(&p->at[n].counted[pu]);
        free(p->at[n].counted);
        plb_rangeset_fini(&p->at[n].inputs);
    }
    plb_rangeset_fini(&p->lacking);
    free(p->owners);
    free(p->at);
    free(p);
}

void plb_places_feed(struct plb_places *p, const struct plb_feed *feeds, int n)
{
    p->n_feeds = n;
    if (n > 0) /* else there may be no array */
        memcpy(p->feeds, feeds, (size_t)n * sizeof *feeds);
}

void plb_places_write(const struct plb_places *p, struct plb_pass *begin, bool joins)
{
    begin->n_feeds = p->n_feeds;
    memcpy(begin->feeds, p->feeds, sizeof p->feeds);
    for (int i = 0; joins && i < p->n_feeds; i++)
        begin->feeds[i].now = 0;
}

/* The results of a node's PU that counted. */
static struct plb_rangeset *counted_of(struct plb_places *p, int node, int pu)
{
    struct node_places *n = &p->at[node];
    if (pu >= n->n_pus) {
        n->counted = plb_grow(n->counted, (size_t)(pu + 1) * sizeof *n->counted);
        memset(n->counted + n->n_pus, 0, (size_t)(pu + 1 - n->n_pus) * sizeof *n->counted);
        n->n_pus = pu + 1;
    }
    return &n->counted[pu];
}

static void forget_counted(struct node_places *n)
{
    for (int pu = 0; pu < n->n_pus; pu++)
        plb_rangeset_clear(&n->counted[pu]);
}

/* Tells a node what counted of a PU, in as few messages as it takes. */
static void tell(const struct plb_places *p, int node, int pu, int pass, struct plb_outbox *out)
{
    const struct plb_rangeset *set = &p->at[node].counted[pu];
    for (int i = 0; i < set->n; i += PLB_COUNTED_RANGES) {
        struct plb_message *m = plb_outbox_add(out, PLB_COUNTED, 0, node, pass);
        m->pu = pu;
        m->counted.n = set->n - i < PLB_COUNTED_RANGES ? set->n - i : PLB_COUNTED_RANGES;
        memcpy(m->counted.at, set->at + i, (size_t)m->counted.n * sizeof *m->counted.at);
    }
}

/* Results of a node become inputs, which it alone has. */
static void take_over(struct node_places *n)
{
    plb_rangeset_clear(&n->inputs);
    for (int pu = 0; pu < n->n_pus; pu++)
        plb_rangeset_add_all(&n->inputs, &n->counted[pu]);
}

static int by_units(const void *a, const void *b)
{
    const struct plb_home *x = a, *y = b;
    return x->range.first < y->range.first ? -1 : x->range.first > y->range.first;
}

/* Writes down who has which inputs now. */
static void list_owners(struct plb_places *p)
{
    size_t n = 0;
    for (int node = 1; node < p->config.n_nodes; node++)
        n += (size_t)p->at[node].inputs.n;
    p->owners = plb_grow(p->owners, (n + 1) * sizeof *p->owners);
    p->n_owners = 0;
    for (int node = 1; node < p->config.n_nodes; node++)
        for (int i = 0; i < p->at[node].inputs.n; i++)
            p->owners[p->n_owners++] = (struct plb_home){p->at[node].inputs.at[i], node};
    if (n > 0)
        qsort(p->owners, n, sizeof *p->owners, by_units);
}

/* Nothing that stayed is wanted any more. */
static void forget_results(struct plb_places *p)
{
    for (int n = 0; n < p->config.n_nodes; n++) {
        plb_rangeset_clear(&p->at[n].kept);
        memset(p->at[n].asked, 0, sizeof p->at[n].asked);
    }
    plb_rangeset_clear(&p->lacking);
    p->away = 0;
    p->ends = false;
}

void plb_places_begin(struct plb_places *p, const struct plb_ledger *ledger, const struct plb_pass *begin,
                      int pass, struct plb_outbox *out)
{
    bool now = false;
    for (int i = 0; i < begin->n_feeds; i++)
        now |= begin->feeds[i].now;
    for (int n = 0; n < p->config.n_nodes; n++) {
        for (int pu = 0; now && !plb_ledger_lost(ledger, n) && pu < p->at[n].n_pus; pu++)
            tell(p, n, pu, pass, out);
        if (now && p->config.feeds_stay && n > 0)
            take_over(&p->at[n]);
        forget_counted(&p->at[n]);
    }
    p->fresh = now && p->config.feeds_stay;
    if (p->fresh)
        list_owners(p);
    forget_results(p);
    p->stay = begin->stays != 0;
    p->feed = begin->n_feeds > 0 && !p->config.audits;
}

int64_t plb_places_staying(const struct plb_places *p)
{
    return p->stay ? p->config.stays : 0;
}

static void keep(struct plb_places *p, int node, struct plb_range range)
{
    int64_t units = plb_rangeset_add(&p->at[node].kept, range);
    p->away += units;
    p->counts.kept += units;
}

void plb_places_reported(struct plb_places *p, const struct plb_ledger *ledger,
                         const struct plb_message *done, bool whole)
{
    const struct plb_done *d = &done->done;
    struct plb_rangeset open = {0};
    bool stays = p->stay && done->from != 0 && (d->buffers & p->config.stays) != p->config.stays,
         feeds = p->feed && !(p->config.feeds_stay && (d->buffers & p->config.stays) != 0);
    if (!stays && !feeds)
        return;
    if (plb_ledger_open_units(ledger, d->range, d->block) == d->range.count)
        plb_rangeset_add(&open, d->range);
    else if (!whole)
        plb_ledger_open_ranges(ledger, d->range, &open);
    for (int i = 0; i < open.n; i++) {
        if (stays)
            keep(p, done->from, open.at[i]);
        if (feeds)
            plb_rangeset_add(counted_of(p, done->from, done->pu), open.at[i]);
    }
    plb_rangeset_fini(&open);
}

/* ------------------------------------------------------------------------- inputs */

int plb_places_owner(const struct plb_places *p, struct plb_range range, struct plb_range *part)
{
    int low = 0, high = p->n_owners; /* finds the first range that ends behind the first unit */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (plb_range_end(p->owners[middle].range) > range.first)
            high = middle;
        else
            low = middle + 1;
    }
    const struct plb_home *next = low < p->n_owners ? &p->owners[low] : NULL;
    int64_t end = plb_range_end(range), until = end;
    bool has = next != NULL && next->range.first <= range.first;
    if (next != NULL)
        until = has ? plb_range_end(next->range) : next->range.first;
    *part = (struct plb_range){range.first, (until < end ? until : end) - range.first};
    return has ? next->node : 0;
}

bool plb_places_fresh(const struct plb_places *p)
{
    return p->fresh;
}

bool plb_places_broken(const struct plb_places *p)
{
    return p->ends ? p->config.feeds_stay && p->lacking.units > 0 : p->broken;
}

void plb_places_restart(struct plb_places *p)
{
    forget_results(p);
    for (int n = 0; n < p->config.n_nodes; n++) {
        plb_rangeset_clear(&p->at[n].inputs);
        forget_counted(&p->at[n]);
    }
    p->stay = p->broken = p->fresh = false;
    p->n_owners = 0;
}

/* ------------------------------------------------------- results that are wanted */

void plb_places_lose(struct plb_places *p, int node)
{
    struct node_places *n = &p->at[node];
    int64_t before = p->lacking.units;
    bool asked = false;
    int64_t fed = n->inputs.units;
    for (int pu = 0; pu < n->n_pus; pu++)
        fed += n->counted[pu].units;
    p->broken |= p->config.feeds_stay && fed > 0;
    plb_rangeset_add_all(&p->lacking, &n->kept);
    for (int i = 0; i < ASKS; i++) {
        asked |= n->asked[i].count > 0;
        if (n->asked[i].count > 0)
            plb_rangeset_add(&p->lacking, n->asked[i]);
        n->asked[i].count = 0;
    }
    p->counts.asked_lost += asked;
    plb_rangeset_clear(&n->kept);
    plb_rangeset_clear(&n->inputs);
    forget_counted(n);
    list_owners(p);
    p->away -= p->lacking.units - before;
    p->counts.lost += p->lacking.units - before;
}

void plb_places_repaired(struct plb_places *p, struct plb_range range)
{
    plb_rangeset_remove(&p->lacking, range);
}

/* Asks a node for its next ranges. */
static void ask(struct plb_places *p, int node, int pass, struct plb_outbox *out)
{
    struct node_places *n = &p->at[node];
    for (int i = 0; i < ASKS && n->kept.n > 0; i++) {
        if (n->asked[i].count > 0)
            continue;
        int64_t all = n->kept.at[0].count, most = p->config.most;
        n->asked[i] = plb_rangeset_take(&n->kept, most > 0 && most < all ? most : all);
        plb_outbox_add(out, PLB_FETCH, 0, node, pass)->fetch = (struct plb_fetch){
            .range = n->asked[i], .slot = PLB_FETCH_SLOT + i, .buffers = p->config.stays};
    }
}

void plb_places_gather(struct plb_places *p, int pass, bool last, struct plb_outbox *out)
{
    p->ends = last;
    for (int n = 1; n < p->config.n_nodes; n++)
        ask(p, n, pass, out);
}

bool plb_places_awaits(const struct plb_places *p, const struct plb_message *from)
{
    int64_t i = from->sources.slot - PLB_FETCH_SLOT;
    const struct plb_range *asked = i >= 0 && i < ASKS ? &p->at[from->from].asked[i] : NULL;
    const struct plb_source *part = from->sources.n > 0 ? &from->sources.at[0] : NULL;
    if (asked == NULL || asked->count == 0)
        return false;
    return part == NULL
        || (part->range.first == asked->first && part->range.count == asked->count
            && part->buffers == p->config.stays);
}

void plb_places_receive(struct plb_places *p, const struct plb_message *from, struct plb_outbox *out)
{
    struct plb_range *asked = &p->at[from->from].asked[from->sources.slot - PLB_FETCH_SLOT];
    p->away -= asked->count;
    if (from->sources.n == 0)
        plb_rangeset_add(&p->lacking, *asked);
    *(from->sources.n > 0 ? &p->counts.gathered : &p->counts.lost) += asked->count;
    asked->count = 0;
    ask(p, from->from, from->pass, out);
}

bool plb_places_any(const struct plb_places *p)
{
    return p->away > 0;
}

const struct plb_rangeset *plb_places_lacking(const struct plb_places *p)
{
    return &p->lacking;
}

const struct plb_places_counts *plb_places_counts(const struct plb_places *p)
{
    return &p->counts;
}
