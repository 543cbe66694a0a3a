/* Victims: first those that hints name, by what they have left or by when they end; then a few at random. */
#include "core/worker/thief.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plb/kernel.h"

/* Nodes that no hint named and that a thief asks all the same, per hint. Larger: more questions to nodes that
 * have nothing. Smaller: a thief waits longer for the next hint. Set by the growth bench. */
#define UNKNOWN_ASKED 3

/* Another node of which something is known. */
struct other {
    int node;
    struct plb_load load; /* when last heard of; left = 0: nothing, or not heard of */
    bool refused;         /* it gave nothing, or did not answer, since the last hint about it */
};

struct plb_thief {
    int node, n_nodes;
    struct plb_migration migration;
    struct other *others; /* by rising number, this node among them, as one that refuses */
    int n, capacity, n_refused;
    int asked; /* the node whose answer is awaited, or PLB_NOBODY */
    int unknown_asked;
    double asked_at, again_s, again_at; /* again_at: INFINITY while somebody can be asked */
    uint64_t draws;
};

struct plb_thief *plb_thief_new(int node, int n_nodes, const struct plb_migration *migration)
{
    struct plb_thief *t = plb_alloc(sizeof *t);
    t->node = node;
    t->n_nodes = n_nodes;
    t->migration = *migration;
    plb_thief_begin(t);
    return t;
}

void plb_thief_free(struct plb_thief *t)
{
    if (t != NULL)
        free(t->others);
    free(t);
}

/* The entry of a node, which it gets here where it has none. Lasts until the next call. */
static struct other *other_of(struct plb_thief *t, int node)
{
    int low = 0, high = t->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (t->others[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < t->n && t->others[low].node == node)
        return &t->others[low];
    t->others = plb_room(t->others, t->n, &t->capacity, sizeof *t->others);
    memmove(t->others + low + 1, t->others + low, (size_t)(t->n++ - low) * sizeof *t->others);
    t->others[low] = (struct other){.node = node};
    return &t->others[low];
}

static void set(struct plb_thief *t, int node, struct plb_load load, bool refused)
{
    struct other *other = other_of(t, node);
    t->n_refused += refused - other->refused;
    *other = (struct other){node, load, refused};
}

/* Everybody may be asked once more. */
static void forget_refusals(struct plb_thief *t)
{
    for (int i = 0; i < t->n; i++)
        t->others[i].refused = t->others[i].node == t->node;
    t->n_refused = 1;
    t->unknown_asked = 0;
    t->again_at = INFINITY;
}

void plb_thief_begin(struct plb_thief *t)
{
    t->asked = PLB_NOBODY;
    t->n = t->n_refused = 0;
    t->again_s = PLB_AGAIN_SECONDS;
    set(t, t->node, (struct plb_load){0}, true);
    forget_refusals(t);
}

void plb_thief_hint(struct plb_thief *t, const struct plb_empty *empty)
{
    t->unknown_asked = 0;
    t->again_at = INFINITY;
    for (int i = 0; i < t->n; i++) /* who is not named is worth less than who is */
        t->others[i].load.left = 0.0;
    for (int i = 0; i < empty->n_victims; i++)
        if (empty->victims[i] != t->node)
            set(t, empty->victims[i], (struct plb_load){empty->amounts[i], empty->rates[i]}, false);
}

void plb_thief_answered(struct plb_thief *t, int victim, const struct plb_gifts *gifts)
{
    if (victim == t->asked)
        t->asked = PLB_NOBODY;
    double rate = gifts->rate > 0.0 ? gifts->rate : other_of(t, victim)->load.rate;
    set(t, victim, (struct plb_load){gifts->left, rate}, gifts->n == 0);
    if (gifts->n > 0) {
        t->again_s = PLB_AGAIN_SECONDS;
        t->again_at = INFINITY;
    }
}

static uint64_t draw(struct plb_thief *t)
{
    return plb_random_bits(t->migration.seed + (uint64_t)t->node, t->draws++);
}

static bool better(const struct plb_thief *t, struct plb_load a, struct plb_load b)
{
    return t->migration.victim == PLB_A2WS ? plb_ends_later(a, b) : a.left > b.left;
}

/* The node that is known to have most left, or to end last, of those that have not refused; or PLB_NOBODY. */
static int best_known(const struct plb_thief *t)
{
    const struct other *best = NULL;
    for (const struct other *o = t->others; o < t->others + t->n; o++)
        if (!o->refused && o->load.left > 0.0 && (best == NULL || better(t, o->load, best->load)))
            best = o;
    return best != NULL ? best->node : PLB_NOBODY;
}

/* The node with this number among those that have not refused. */
static int candidate(const struct plb_thief *t, uint64_t number)
{
    int node = (int)number;
    for (int i = 0; i < t->n && t->others[i].node <= node; i++)
        node += t->others[i].refused;
    return node;
}

static int next_victim(struct plb_thief *t)
{
    int candidates = t->n_nodes - t->n_refused, best = best_known(t);
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

/* Nobody can be asked now. Without backups the master does not hear that this node waits, and names nobody
 * again. */
static void wait(struct plb_thief *t, double now)
{
    if (t->migration.backups || isfinite(t->again_at))
        return;
    t->again_at = now + t->again_s;
    t->again_s *= PLB_AGAIN_GROWS;
}

int plb_thief_ask(struct plb_thief *t, double now)
{
    if (t->asked != PLB_NOBODY && now - t->asked_at < PLB_PATIENCE)
        return PLB_NOBODY;
    if (t->asked != PLB_NOBODY) /* its answer is welcome all the same */
        set(t, t->asked, other_of(t, t->asked)->load, true);
    if (now >= t->again_at)
        forget_refusals(t);
    t->asked = next_victim(t);
    t->asked_at = now;
    if (t->asked == PLB_NOBODY)
        wait(t, now);
    return t->asked;
}

double plb_thief_again_at(const struct plb_thief *t)
{
    return t->again_at;
}

bool plb_thief_awaits(const struct plb_thief *t)
{
    return t->asked != PLB_NOBODY;
}
