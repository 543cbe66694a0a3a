/* Sets of units by node, and the questions that are open. */
#include "core/place/owners.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/place/home_map.h"

/* Ranges that a node is asked for before it has answered. More: nothing is gained once its link is full.
 * Fewer: short ranges wait for the way there and back. */
#define ASKS 4

/* Of a node other than 0: all that it has. */
struct node_owned {
    struct plb_rangeset kept;     /* units whose results stayed there, and which it is not asked for yet */
    struct plb_range asked[ASKS]; /* of these, what it is asked for, by slot; count = 0: nothing */
    struct plb_rangeset *counted; /* by PU: units whose result, which feeds an input, came from it; or stayed
                                     there; n_pus of them */
    int n_pus;
};

/* Inputs that were fed as one pass began, and nothing has fed since: the same nodes have them. */
struct fed_together {
    int64_t inputs;      /* mask */
    struct plb_home *at; /* who has them, in the order of units; rank 0 has all others */
    int n;
};

struct plb_owners {
    struct plb_owners_config config;
    bool stay, feed; /* results of this pass stay; may be inputs of the next one */
    bool broken;     /* something that feeds inputs is lost */
    bool ends;       /* no pass follows: inputs are wanted no more, but results are */
    struct plb_feed feeds[PLB_FEEDS];
    int n_feeds;
    struct node_owned *at;
    bool fresh;                         /* results of nodes became all fed inputs as this pass began */
    struct fed_together fed[PLB_FEEDS]; /* n_fed of them; rank 0 has the inputs that are in none */
    int n_fed;
    int64_t away; /* units at other nodes */
    struct plb_rangeset lacking;
    struct plb_owners_counts counts;
};

struct plb_owners *plb_owners_new(const struct plb_owners_config *config)
{
    struct plb_owners *o = plb_alloc(sizeof *o);
    o->config = *config;
    o->at = plb_alloc((size_t)config->n_nodes * sizeof *o->at);
    return o;
}

void plb_owners_free(struct plb_owners *o)
{
    if (o == NULL)
        return;
    for (int n = 0; n < o->config.n_nodes; n++) {
        plb_rangeset_fini(&o->at[n].kept);
        for (int pu = 0; pu < o->at[n].n_pus; pu++)
            plb_rangeset_fini(&o->at[n].counted[pu]);
        free(o->at[n].counted);
    }
    plb_rangeset_fini(&o->lacking);
    for (int i = 0; i < o->n_fed; i++)
        free(o->fed[i].at);
    free(o->at);
    free(o);
}

void plb_owners_feed(struct plb_owners *o, const struct plb_feed *feeds, int n)
{
    o->n_feeds = n;
    if (n > 0) /* else there may be no array */
        memcpy(o->feeds, feeds, (size_t)n * sizeof *feeds);
}

void plb_owners_write(const struct plb_owners *o, struct plb_pass *begin, bool joins)
{
    begin->n_feeds = o->n_feeds;
    memcpy(begin->feeds, o->feeds, sizeof o->feeds);
    if (joins)
        for (int i = 0; i < o->n_feeds; i++)
            begin->feeds[i].now = 0;
}

/* The results of a node's PU that counted. */
static struct plb_rangeset *counted_of(struct plb_owners *o, int node, int pu)
{
    struct node_owned *n = &o->at[node];
    if (pu >= n->n_pus) {
        n->counted = plb_grow(n->counted, (size_t)(pu + 1) * sizeof *n->counted);
        memset(n->counted + n->n_pus, 0, (size_t)(pu + 1 - n->n_pus) * sizeof *n->counted);
        n->n_pus = pu + 1;
    }
    return &n->counted[pu];
}

static void forget_counted(struct node_owned *n)
{
    for (int pu = 0; pu < n->n_pus; pu++)
        plb_rangeset_clear(&n->counted[pu]);
}

/* Tells a node what counted of a PU, in as few messages as it takes. */
static void tell(const struct plb_owners *o, int node, int pu, int pass, struct plb_outbox *out)
{
    const struct plb_rangeset *set = &o->at[node].counted[pu];
    for (int i = 0; i < set->n; i += PLB_COUNTED_RANGES) {
        struct plb_message *m = plb_outbox_add(out, PLB_COUNTED, 0, node, pass);
        m->pu = pu;
        m->counted.n = set->n - i < PLB_COUNTED_RANGES ? set->n - i : PLB_COUNTED_RANGES;
        memcpy(m->counted.at, set->at + i, (size_t)m->counted.n * sizeof *m->counted.at);
    }
}

static int by_units(const void *a, const void *b)
{
    const struct plb_home *x = a, *y = b;
    return x->range.first < y->range.first ? -1 : x->range.first > y->range.first;
}

/* Results of nodes become these inputs: who has them now. */
static struct fed_together take_over(const struct plb_owners *o, int64_t inputs)
{
    struct fed_together fed = {.inputs = inputs};
    struct plb_rangeset all = {0};
    for (int node = 1; node < o->config.n_nodes; node++) {
        plb_rangeset_clear(&all);
        for (int pu = 0; pu < o->at[node].n_pus; pu++)
            plb_rangeset_add_all(&all, &o->at[node].counted[pu]);
        fed.at = plb_grow(fed.at, (size_t)(fed.n + all.n + 1) * sizeof *fed.at);
        for (int i = 0; i < all.n; i++)
            fed.at[fed.n++] = (struct plb_home){all.at[i], node};
    }
    plb_rangeset_fini(&all);
    if (fed.n > 0)
        qsort(fed.at, (size_t)fed.n, sizeof *fed.at, by_units);
    return fed;
}

/* Who had these inputs has them no more. */
static void forget_inputs(struct plb_owners *o, int64_t inputs)
{
    int n = 0;
    for (int i = 0; i < o->n_fed; i++) {
        o->fed[i].inputs &= ~inputs;
        if (o->fed[i].inputs == 0)
            free(o->fed[i].at);
        else
            o->fed[n++] = o->fed[i];
    }
    o->n_fed = n;
}

/* Nothing that stayed is wanted any more. */
static void forget_results(struct plb_owners *o)
{
    for (int n = 0; n < o->config.n_nodes; n++) {
        plb_rangeset_clear(&o->at[n].kept);
        memset(o->at[n].asked, 0, sizeof o->at[n].asked);
    }
    plb_rangeset_clear(&o->lacking);
    o->away = 0;
    o->ends = false;
}

void plb_owners_begin(struct plb_owners *o, const struct plb_ledger *ledger, const struct plb_pass *begin,
                      int pass, struct plb_outbox *out)
{
    int64_t now = 0, all = 0;
    for (int i = 0; i < begin->n_feeds; i++) {
        now |= begin->feeds[i].now ? PLB_BUFFER(begin->feeds[i].input) : 0;
        all |= PLB_BUFFER(begin->feeds[i].input);
    }
    const bool stay = now != 0 && o->config.feeds_stay;
    if (stay) {
        forget_inputs(o, now);
        o->fed[o->n_fed++] = take_over(o, now);
    }
    for (int n = 0; n < o->config.n_nodes; n++) {
        for (int pu = 0; now != 0 && !plb_ledger_lost(ledger, n) && pu < o->at[n].n_pus; pu++)
            tell(o, n, pu, pass, out);
        forget_counted(&o->at[n]);
    }
    o->fresh = stay && now == all;
    forget_results(o);
    o->stay = begin->stays != 0;
    o->feed = begin->n_feeds > 0 && !o->config.audits;
}

int64_t plb_owners_staying(const struct plb_owners *o)
{
    return o->stay ? o->config.stays : 0;
}

static void keep(struct plb_owners *o, int node, struct plb_range range)
{
    int64_t units = plb_rangeset_add(&o->at[node].kept, range);
    o->away += units;
    o->counts.kept += units;
}

void plb_owners_reported(struct plb_owners *o, const struct plb_ledger *ledger,
                         const struct plb_message *done, bool whole)
{
    const struct plb_done *d = &done->done;
    struct plb_rangeset open = {0};
    bool stays = o->stay && done->from != 0 && (d->buffers & o->config.stays) != o->config.stays,
         feeds = o->feed && !(o->config.feeds_stay && (d->buffers & o->config.stays) != 0);
    if (!stays && !feeds)
        return;
    if (plb_ledger_open_units(ledger, d->range, d->block) == d->range.count)
        plb_rangeset_add(&open, d->range);
    else if (!whole)
        plb_ledger_open_ranges(ledger, d->range, &open);
    for (int i = 0; i < open.n; i++) {
        if (stays)
            keep(o, done->from, open.at[i]);
        if (feeds)
            plb_rangeset_add(counted_of(o, done->from, done->pu), open.at[i]);
    }
    plb_rangeset_fini(&open);
}

const struct plb_rangeset *plb_owners_counted(const struct plb_owners *o, int node, int pu)
{
    return pu < o->at[node].n_pus ? &o->at[node].counted[pu] : NULL;
}

/* ------------------------------------------------------------------------- inputs */

/* The place in `fed` of the first input of a mask; -1: rank 0 has it. */
static int place_of(const struct plb_owners *o, int64_t inputs)
{
    const int64_t first = inputs & -inputs;
    for (int i = 0; i < o->n_fed; i++)
        if ((o->fed[i].inputs & first) != 0)
            return i;
    return -1;
}

int64_t plb_owners_together(const struct plb_owners *o, int64_t inputs)
{
    const int place = place_of(o, inputs);
    int64_t others = 0;
    for (int i = 0; i < o->n_fed; i++)
        others |= i != place ? o->fed[i].inputs : 0;
    return place >= 0 ? inputs & o->fed[place].inputs : inputs & ~others;
}

int plb_owners_of(const struct plb_owners *o, int64_t inputs, struct plb_range range, struct plb_range *part)
{
    const int place = place_of(o, inputs);
    const struct plb_home *at = place >= 0 ? o->fed[place].at : NULL;
    const int n = place >= 0 ? o->fed[place].n : 0;
    int low = 0, high = n; /* finds the first range that ends behind the first unit */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (plb_range_end(at[middle].range) > range.first)
            high = middle;
        else
            low = middle + 1;
    }
    const struct plb_home *next = low < n ? &at[low] : NULL;
    int64_t end = plb_range_end(range), until = end;
    bool has = next != NULL && next->range.first <= range.first;
    if (next != NULL)
        until = has ? plb_range_end(next->range) : next->range.first;
    *part = (struct plb_range){range.first, (until < end ? until : end) - range.first};
    return has ? next->node : 0;
}

bool plb_owners_fresh(const struct plb_owners *o)
{
    return o->fresh;
}

bool plb_owners_broken(const struct plb_owners *o)
{
    return o->ends ? o->config.feeds_stay && o->lacking.units > 0 : o->broken;
}

void plb_owners_restart(struct plb_owners *o)
{
    forget_results(o);
    for (int n = 0; n < o->config.n_nodes; n++)
        forget_counted(&o->at[n]);
    o->stay = o->broken = o->fresh = false;
    forget_inputs(o, -1);
}

/* ------------------------------------------------------- results that are wanted */

/* A lost node has no inputs any more. Returns how many ranges it had. */
static int lose_inputs(struct plb_owners *o, int node)
{
    int lost = 0;
    for (int i = 0; i < o->n_fed; i++) {
        struct fed_together *fed = &o->fed[i];
        const int before = fed->n;
        fed->n = 0;
        for (int k = 0; k < before; k++)
            if (fed->at[k].node != node)
                fed->at[fed->n++] = fed->at[k];
        lost += before - fed->n;
    }
    return lost;
}

void plb_owners_lose(struct plb_owners *o, int node)
{
    struct node_owned *n = &o->at[node];
    int64_t before = o->lacking.units;
    bool asked = false;
    int64_t fed = lose_inputs(o, node);
    for (int pu = 0; pu < n->n_pus; pu++)
        fed += n->counted[pu].units;
    o->broken |= o->config.feeds_stay && fed > 0;
    plb_rangeset_add_all(&o->lacking, &n->kept);
    for (int i = 0; i < ASKS; i++) {
        asked |= n->asked[i].count > 0;
        if (n->asked[i].count > 0)
            plb_rangeset_add(&o->lacking, n->asked[i]);
        n->asked[i].count = 0;
    }
    o->counts.asked_lost += asked;
    plb_rangeset_clear(&n->kept);
    forget_counted(n);
    o->away -= o->lacking.units - before;
    o->counts.lost += o->lacking.units - before;
}

void plb_owners_repaired(struct plb_owners *o, struct plb_range range)
{
    plb_rangeset_remove(&o->lacking, range);
}

/* Asks a node for its next ranges. */
static void ask(struct plb_owners *o, int node, int pass, struct plb_outbox *out)
{
    struct node_owned *n = &o->at[node];
    for (int i = 0; i < ASKS && n->kept.n > 0; i++) {
        if (n->asked[i].count > 0)
            continue;
        int64_t all = n->kept.at[0].count, most = o->config.most;
        n->asked[i] = plb_rangeset_take(&n->kept, most > 0 && most < all ? most : all);
        plb_outbox_add(out, PLB_FETCH, 0, node, pass)->fetch = (struct plb_fetch){
            .range = n->asked[i], .slot = PLB_FETCH_SLOT + i, .buffers = o->config.stays};
    }
}

void plb_owners_gather(struct plb_owners *o, int pass, bool last, struct plb_outbox *out)
{
    o->ends = last;
    for (int n = 1; n < o->config.n_nodes; n++)
        ask(o, n, pass, out);
}

bool plb_owners_awaits(const struct plb_owners *o, const struct plb_message *from)
{
    int64_t i = from->sources.slot - PLB_FETCH_SLOT;
    const struct plb_range *asked = i >= 0 && i < ASKS ? &o->at[from->from].asked[i] : NULL;
    const struct plb_source *part = from->sources.n > 0 ? &from->sources.at[0] : NULL;
    if (asked == NULL || asked->count == 0)
        return false;
    return part == NULL
        || (part->range.first == asked->first && part->range.count == asked->count
            && part->buffers == o->config.stays);
}

void plb_owners_receive(struct plb_owners *o, const struct plb_message *from, struct plb_outbox *out)
{
    struct plb_range *asked = &o->at[from->from].asked[from->sources.slot - PLB_FETCH_SLOT];
    o->away -= asked->count;
    if (from->sources.n == 0)
        plb_rangeset_add(&o->lacking, *asked);
    *(from->sources.n > 0 ? &o->counts.gathered : &o->counts.lost) += asked->count;
    asked->count = 0;
    ask(o, from->from, from->pass, out);
}

bool plb_owners_any(const struct plb_owners *o)
{
    return o->away > 0;
}

const struct plb_rangeset *plb_owners_lacking(const struct plb_owners *o)
{
    return &o->lacking;
}

const struct plb_owners_counts *plb_owners_counts(const struct plb_owners *o)
{
    return &o->counts;
}
