/* A state for each node, and a line of those that are ready. */
#include "core/place/sets.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

/* A node and its set:
 *
 *   NOTHING  it has none, or none that counts
 *   READY    it waits in the line for another one
 *   TAKES    its peer hands it a set
 *   GIVES    it hands its set to its peer
 *   GIVEN    its peer has folded it */
enum state { NOTHING, READY, TAKES, GIVES, GIVEN };

struct fold_node {
    struct plb_rangeset own; /* units of its own results that counted */
    enum state state;
    int peer;
    int32_t results; /* that counted */
    bool dead;
};

struct plb_sets {
    int n_nodes, pass;
    bool on;
    struct fold_node *at;
    int *line, n_line; /* nodes that are ready */
    int open;          /* pairs */
    int32_t serial;
    struct plb_rangeset lacking;
    struct plb_sets_counts counts;
};

struct plb_sets *plb_sets_new(int n_nodes)
{
    struct plb_sets *f = plb_alloc(sizeof *f);
    f->n_nodes = n_nodes;
    f->at = plb_alloc((size_t)n_nodes * sizeof *f->at);
    f->line = plb_alloc((size_t)n_nodes * sizeof *f->line);
    return f;
}

void plb_sets_free(struct plb_sets *sets)
{
    if (sets == NULL)
        return;
    for (int n = 0; n < sets->n_nodes; n++)
        plb_rangeset_fini(&sets->at[n].own);
    plb_rangeset_fini(&sets->lacking);
    free(sets->at);
    free(sets->line);
    free(sets);
}

void plb_sets_begin(struct plb_sets *sets)
{
    for (int n = 0; n < sets->n_nodes; n++) {
        plb_rangeset_clear(&sets->at[n].own);
        sets->at[n].state = NOTHING;
        sets->at[n].results = 0;
    }
    plb_rangeset_clear(&sets->lacking);
    sets->on = false;
    sets->n_line = sets->open = 0;
}

void plb_sets_reported(struct plb_sets *sets, const struct plb_message *done, bool counts,
                       struct plb_outbox *out)
{
    struct fold_node *n = &sets->at[done->from];
    assert(!sets->on || !counts);
    if (counts) {
        plb_rangeset_add(&n->own, done->done.range);
        n->results++;
        sets->counts.stayed++;
    }
    struct plb_message *m = plb_outbox_add(out, PLB_TAKEN, 0, done->from, done->pass);
    m->pu = done->pu;
    m->fold = (struct plb_fold){.slot = done->done.slot, .counts = counts};
}

static void make_ready(struct plb_sets *f, int n)
{
    f->at[n].state = READY;
    f->line[f->n_line++] = n;
}

static void leave_line(struct plb_sets *f, int n)
{
    int kept = 0;
    for (int i = 0; i < f->n_line; i++)
        if (f->line[i] != n)
            f->line[kept++] = f->line[i];
    f->n_line = kept;
}

/* Pairs those that have waited longest. Node 0 always takes. */
static void pair(struct plb_sets *f, struct plb_outbox *out)
{
    while (f->on && f->n_line >= 2) {
        int taker = f->line[0], giver = f->line[1];
        if (giver == 0) {
            giver = taker;
            taker = 0;
        }
        leave_line(f, taker);
        leave_line(f, giver);
        f->at[giver].state = GIVES;
        f->at[giver].peer = taker;
        f->at[taker].state = TAKES;
        f->at[taker].peer = giver;
        f->open++;
        plb_outbox_add(out, PLB_HAND, 0, giver, f->pass)->fold = (struct plb_fold){
            .node = taker, .results = f->at[giver].results, .serial = ++f->serial};
    }
}

/* A node's set is gone. Its own units lack; those that gave it theirs have these still, unless they are lost,
 * too. */
static void release(struct plb_sets *f, int n)
{
    struct fold_node *x = &f->at[n];
    f->counts.lost += x->own.units;
    for (int i = 0; i < x->own.n; i++)
        plb_rangeset_add(&f->lacking, x->own.at[i]);
    plb_rangeset_clear(&x->own);
    x->state = NOTHING;
    for (int c = 1; c < f->n_nodes; c++) {
        if (f->at[c].state != GIVEN || f->at[c].peer != n)
            continue;
        f->counts.again++;
        if (f->at[c].dead)
            release(f, c);
        else
            make_ready(f, c);
    }
}

void plb_sets_start(struct plb_sets *sets, int pass, struct plb_outbox *out)
{
    sets->pass = pass;
    sets->on = true;
    for (int n = 0; n < sets->n_nodes; n++)
        if (n == 0 || (sets->at[n].own.units > 0 && !sets->at[n].dead))
            make_ready(sets, n);
    pair(sets, out);
}

bool plb_sets_folded(struct plb_sets *f, const struct plb_message *m, struct plb_outbox *out)
{
    struct fold_node *taker = &f->at[m->from], *giver = &f->at[m->fold.node];
    if (!f->on || m->pass != f->pass || taker->state != TAKES || taker->peer != m->fold.node)
        return false;
    f->open--;
    if (m->fold.counts) {
        giver->state = GIVEN;
        f->counts.handed++;
        f->counts.to_0 += m->from == 0;
    } else {
        f->counts.dropped++;
        release(f, m->fold.node);
    }
    make_ready(f, m->from);
    pair(f, out);
    return true;
}

void plb_sets_lose(struct plb_sets *sets, int n, struct plb_outbox *out)
{
    struct fold_node *x = &sets->at[n];
    if (n == 0 || x->dead)
        return;
    x->dead = true;
    switch (x->state) {
    case NOTHING: /* in the pass: its results are with it alone */ release(sets, n); break;
    case READY:
        leave_line(sets, n);
        release(sets, n);
        break;
    case TAKES:
        sets->open--;
        if (sets->at[x->peer].dead)
            release(sets, x->peer);
        else
            make_ready(sets, x->peer);
        release(sets, n);
        break;
    case GIVES: /* the taker may have it already */
        plb_outbox_add(out, PLB_DROP, 0, x->peer, sets->pass)->fold = (struct plb_fold){.node = n};
        break;
    case GIVEN: break;
    }
    pair(sets, out);
}

bool plb_sets_on(const struct plb_sets *f)
{
    return f->on;
}

bool plb_sets_over(const struct plb_sets *f)
{
    return f->on && f->open == 0 && f->n_line == 1;
}

const struct plb_rangeset *plb_sets_lacking(const struct plb_sets *sets)
{
    return &sets->lacking;
}

struct plb_sets_counts *plb_sets_counts(struct plb_sets *sets)
{
    return &sets->counts;
}
