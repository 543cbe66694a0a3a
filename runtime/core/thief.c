/* Victims: first those that hints name, by what they have left or by when they end; then a few at random. */
#include "core/thief.h"

#include <stdlib.h>

#include "base/memory.h"
#include "plb/kernel.h"

/* Nodes that no hint named and that a thief asks all the same, per hint. Larger: more questions to nodes that
 * have nothing. Smaller: a thief waits longer for the next hint. Set by the growth bench. */
#define UNKNOWN_ASKED 3

/* Another node, as far as this one knows. */
struct other {
    struct plb_load load; /* when last heard of; left = 0: nothing, or not heard of */
    bool refused;         /* it gave nothing, or did not answer, since the last hint about it */
};

struct plb_thief {
    int node, n_nodes;
    struct plb_migration migration;
    struct other *others;
    int asked; /* the node whose answer is awaited, or PLB_NOBODY */
    int unknown_asked;
    double asked_at;
    uint64_t draws;
};

struct plb_thief *plb_thief_new(int node, int n_nodes, const struct plb_migration *migration)
{
    struct plb_thief *t = plb_alloc(sizeof *t);
    t->node = node;
    t->n_nodes = n_nodes;
    t->migration = *migration;
    t->others = plb_alloc((size_t)n_nodes * sizeof *t->others);
    t->asked = PLB_NOBODY;
    return t;
}

void plb_thief_free(struct plb_thief *t)
{
    if (t != NULL)
        free(t->others);
    free(t);
}

void plb_thief_begin(struct plb_thief *t)
{
    t->asked = PLB_NOBODY;
    t->unknown_asked = 0;
    for (int i = 0; i < t->n_nodes; i++)
        t->others[i] = (struct other){0};
}

void plb_thief_hint(struct plb_thief *t, const struct plb_empty *empty)
{
    t->unknown_asked = 0;
    for (int i = 0; i < t->n_nodes; i++) /* who is not named is worth less than who is */
        t->others[i].load.left = 0.0;
    for (int i = 0; i < empty->n_victims; i++)
        t->others[empty->victims[i]] = (struct other){{empty->amounts[i], empty->rates[i]}, false};
}

void plb_thief_answered(struct plb_thief *t, int victim, const struct plb_gifts *gifts)
{
    if (victim == t->asked)
        t->asked = PLB_NOBODY;
    struct other *other = &t->others[victim];
    double rate = gifts->rate > 0.0 ? gifts->rate : other->load.rate;
    *other = (struct other){{gifts->left, rate}, gifts->n == 0};
}

static uint64_t draw(struct plb_thief *t)
{
    return plb_random_bits(t->migration.seed + (uint64_t)t->node, t->draws++);
}

static bool better(const struct plb_thief *t, struct plb_load a, struct plb_load b)
{
    return t->migration.victim == PLB_A2WS ? plb_ends_later(a, b) : a.left > b.left;
}

/* The node that is known to have most left, or to end last, or PLB_NOBODY. `candidates`: nodes that have not
 * refused. */
static int best_known(const struct plb_thief *t, int *candidates)
{
    int best = PLB_NOBODY;
    *candidates = 0;
    for (int i = 0; i < t->n_nodes; i++) {
        if (i == t->node || t->others[i].refused)
            continue;
        ++*candidates;
        struct plb_load load = t->others[i].load;
        if (load.left > 0.0 && (best == PLB_NOBODY || better(t, load, t->others[best].load)))
            best = i;
    }
    return best;
}

/* The node with this number among those that have not refused. */
static int candidate(const struct plb_thief *t, uint64_t number)
{
    for (int i = 0; i < t->n_nodes; i++)
        if (i != t->node && !t->others[i].refused && number-- == 0)
            return i;
    return PLB_NOBODY;
}

static int next_victim(struct plb_thief *t)
{
    int candidates, best = best_known(t, &candidates);
    if (candidates == 0)
        return PLB_NOBODY;
    if (t->migration.victim == PLB_FIRST)
        return candidate(t, 0);
    if (t->migration.victim == PLB_RANDOM)
        return candidate(t, draw(t) % (uint64_t)candidates);
    if (best != PLB_NOBODY || t->unknown_asked >= UNKNOWN_ASKED)
        return best;
    t->unknown_asked++; /* the hint is used up */
    return candidate(t, draw(t) % (uint64_t)candidates);
}

int plb_thief_ask(struct plb_thief *t, double now)
{
    if (t->asked != PLB_NOBODY && now - t->asked_at < PLB_PATIENCE)
        return PLB_NOBODY;
    if (t->asked != PLB_NOBODY)
        t->others[t->asked].refused = true; /* its answer is welcome all the same */
    t->asked = next_victim(t);
    t->asked_at = now;
    return t->asked;
}

bool plb_thief_awaits(const struct plb_thief *t)
{
    return t->asked != PLB_NOBODY;
}
