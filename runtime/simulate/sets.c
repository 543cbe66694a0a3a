/* A set of units for each node. */
#include "simulate/sets.h"

#include <stdlib.h>

#include "base/memory.h"

/* A result whose arrays wait for TAKEN. */
struct waiting {
    struct plb_range range;
    int64_t slot;
    int pu;
};

struct set {
    bool on;    /* arrays stay at the node in this pass */
    bool twice; /* a unit is in it twice */
    struct plb_rangeset has;
    struct plb_rangeset heard; /* nodes whose set was folded here, or will not be */
    struct waiting *waits;
    int n_waits, room;
    int results;       /* of its own that count */
    int to;            /* who gets it; -1: nobody yet */
    int needs, serial; /* HAND: results that must be in it first; its number */
};

struct plb_virtual_sets {
    const struct plb_simulation *in;
    struct set *at;
    struct plb_rangeset accepted; /* units of the pass */
    int pass;                     /* on node 0 */
    bool again;                   /* the same */
};

struct plb_virtual_sets *plb_virtual_sets_new(const struct plb_simulation *in)
{
    struct plb_virtual_sets *v = plb_alloc(sizeof *v);
    v->in = in;
    v->at = plb_alloc((size_t)in->cluster->n_nodes * sizeof *v->at);
    v->at[0].to = -1;
    return v;
}

void plb_virtual_sets_free(struct plb_virtual_sets *sets)
{
    for (int n = 0; n < sets->in->cluster->n_nodes; n++) {
        plb_rangeset_fini(&sets->at[n].has);
        plb_rangeset_fini(&sets->at[n].heard);
        free(sets->at[n].waits);
    }
    plb_rangeset_fini(&sets->accepted);
    free(sets->at);
    free(sets);
}

void plb_virtual_sets_start(struct plb_virtual_sets *sets, int pass, bool again)
{
    sets->pass = pass;
    sets->again = again;
    plb_rangeset_clear(&sets->at[0].heard);
    if (again)
        return;
    plb_rangeset_clear(&sets->accepted);
    plb_rangeset_clear(&sets->at[0].has);
    sets->at[0].twice = false;
}

void plb_virtual_sets_begin(struct plb_virtual_sets *sets, int node, const struct plb_pass *begin)
{
    struct set *s = &sets->at[node];
    if (node == 0)
        return;
    s->on = begin->folds != 0;
    s->n_waits = s->results = 0;
    s->to = -1;
    plb_rangeset_clear(&s->heard);
    plb_rangeset_clear(&s->has);
    s->twice = false;
}

double plb_virtual_sets_send(struct plb_virtual_sets *sets, struct plb_message *m, double *seconds)
{
    struct set *s = &sets->at[m->from];
    *seconds = m->type == PLB_FOLDED && m->fold.counts ? plb_sizes_fold_seconds(sets->in->master.sizes) : 0.0;
    if (m->type == PLB_ARRAYS)
        return -sets->in->results.task_bytes;
    if (m->type != PLB_DONE || m->from == 0 || !s->on)
        return 0.0;
    m->done.folds = 1;
    s->waits = plb_room(s->waits, s->n_waits, &s->room, sizeof *s->waits);
    s->waits[s->n_waits++] = (struct waiting){m->done.range, m->done.slot, m->pu};
    return sets->in->results.task_bytes;
}

static void add(struct plb_virtual_sets *v, int node, struct plb_range range)
{
    if (plb_rangeset_add(&v->at[node].has, range) != range.count)
        v->at[node].twice = true;
}

/* Hands the set on, as soon as all that counts is in it. */
static void give(struct plb_virtual_sets *v, int node, int pass, struct plb_outbox *out)
{
    struct set *s = &v->at[node];
    if (s->to < 0 || s->results < s->needs)
        return;
    plb_outbox_add(out, PLB_ARRAYS, node, s->to, pass);
    s->to = -1;
}

static void on_taken(struct plb_virtual_sets *v, const struct plb_message *m)
{
    struct set *s = &v->at[m->to];
    for (int i = 0; i < s->n_waits; i++) {
        if (s->waits[i].slot != m->fold.slot || s->waits[i].pu != m->pu)
            continue;
        if (m->fold.counts)
            add(v, m->to, s->waits[i].range);
        s->results += m->fold.counts;
        s->waits[i] = s->waits[--s->n_waits];
        return;
    }
}

/* The set of another node has come, or never will. The first word counts. */
static void settle(struct plb_virtual_sets *v, int node, int giver, bool comes, int pass,
                   struct plb_outbox *out)
{
    const struct plb_rangeset *has = &v->at[giver].has;
    struct plb_range one = {giver, 1};
    if (plb_rangeset_overlaps(&v->at[node].heard, one))
        return;
    plb_rangeset_add(&v->at[node].heard, one);
    v->at[node].twice |= comes && v->at[giver].twice;
    if (comes)
        for (int i = 0; i < has->n; i++)
            add(v, node, has->at[i]);
    plb_outbox_add(out, PLB_FOLDED, node, 0, pass)->fold = (struct plb_fold){.node = giver, .counts = comes};
}

bool plb_virtual_sets_hear(struct plb_virtual_sets *v, const struct plb_message *m, int pass,
                           struct plb_outbox *out)
{
    struct set *s = &v->at[m->to];
    if (m->type != PLB_TAKEN && m->type != PLB_HAND && m->type != PLB_ARRAYS && m->type != PLB_DROP)
        return false;
    pass = m->to == 0 ? v->pass : pass;
    if (m->pass != pass)
        return true;
    if (m->type == PLB_TAKEN)
        on_taken(v, m);
    if (m->type == PLB_HAND && m->fold.serial > s->serial) {
        s->serial = m->fold.serial;
        s->to = m->fold.node;
        s->needs = m->fold.results;
    }
    if (m->type == PLB_ARRAYS || m->type == PLB_DROP)
        settle(v, m->to, m->type == PLB_ARRAYS ? m->from : m->fold.node, m->type == PLB_ARRAYS, pass, out);
    give(v, m->to, pass, out);
    return true;
}

void plb_virtual_sets_accepted(struct plb_virtual_sets *sets, const struct plb_message *done, int64_t fresh)
{
    if (done->type != PLB_DONE || fresh != done->done.range.count)
        return;
    if (!done->done.folds)
        add(sets, 0, done->done.range);
    if (!sets->again)
        plb_rangeset_add(&sets->accepted, done->done.range);
}

int plb_virtual_sets_check(const struct plb_virtual_sets *sets, struct plb_error *err)
{
    const struct set *s = &sets->at[0];
    if (!s->twice && s->has.units == sets->accepted.units && s->has.n == sets->accepted.n)
        return PLB_OK;
    return plb_fail(err, PLB_EFAILED,
                    "a bug in plbrun: the reduced arrays contain %lld of %lld units%s; please report it",
                    (long long)s->has.units, (long long)sets->accepted.units, s->twice ? ", some twice" : "");
}
