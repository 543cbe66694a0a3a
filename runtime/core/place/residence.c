/* A map of ranges to nodes, an index of it by node, and what was seen since it was made. */
#include "core/place/residence.h"

#include <stdlib.h>

#include "base/memory.h"
#include "core/measure/slicing.h"
#include "model/rounding.h"

/* Nodes that are compared before units of one of them are taken. Larger: a choice costs more. Smaller: the
 * units of a node are taken that would have executed them in time. */
#define CANDIDATES 16

#define NONE (-1)

/* The ranges of a node are at `order[first]` to `order[end - 1]`. */
struct node_homes {
    int first, end;
    int front, back; /* ranges before and behind these have no free units */
    int64_t units;
    int32_t last_seen; /* the latest range in the list of those seen; NONE: none */
};

struct plb_residence {
    int n_nodes;
    bool guesses;        /* homes before the first pass */
    struct plb_home *at; /* all units, in order */
    int n;
    int *order;      /* indices in `at`, by node and then by unit */
    int64_t *before; /* units in the ranges of `order` before this one; one more than ranges */
    struct node_homes *nodes;
    int *others, n_others, turn; /* nodes other than 0 that may have free units; whose turn it is */
    int64_t free_units;          /* that there should be: else some were freed */
    struct plb_home *seen;       /* in this pass; in no order */
    int n_seen, capacity;
    struct plb_residence_counts counts;
};

struct plb_residence *plb_residence_new(int n_nodes, bool guesses)
{
    struct plb_residence *r = plb_alloc(sizeof *r);
    r->n_nodes = n_nodes;
    r->guesses = guesses;
    r->nodes = plb_alloc((size_t)n_nodes * sizeof *r->nodes);
    r->others = plb_alloc((size_t)n_nodes * sizeof *r->others);
    for (int n = 0; n < n_nodes; n++)
        r->nodes[n].last_seen = NONE;
    return r;
}

void plb_residence_free(struct plb_residence *r)
{
    if (r == NULL)
        return;
    free(r->at);
    free(r->order);
    free(r->before);
    free(r->nodes);
    free(r->others);
    free(r->seen);
    free(r);
}

/* ----------------------------------------------------------------- the map */

/* Lays what was seen over the map. */
static void take_over(struct plb_residence *r)
{
    struct plb_home *map = plb_alloc((size_t)(r->n + 2 * r->n_seen) * sizeof *map);
    r->n = plb_homes_lay(r->at, r->n, r->seen, r->n_seen, map);
    free(r->at);
    r->at = map;
}

/* All free units may be anywhere again. */
static void look_anew(struct plb_residence *r)
{
    r->n_others = 0;
    for (int n = 0; n < r->n_nodes; n++) {
        struct node_homes *node = &r->nodes[n];
        node->front = node->first;
        node->back = node->end - 1;
        if (n > 0 && node->units > 0)
            r->others[r->n_others++] = n;
    }
}

/* Makes the index of the map. */
static void make_index(struct plb_residence *r)
{
    free(r->order);
    free(r->before);
    r->order = plb_alloc((size_t)(r->n + 1) * sizeof *r->order);
    r->before = plb_alloc((size_t)(r->n + 1) * sizeof *r->before);
    for (int n = 0; n < r->n_nodes; n++) {
        r->nodes[n].end = 0;
        r->nodes[n].units = 0;
    }
    for (int i = 0; i < r->n; i++) {
        r->nodes[r->at[i].node].end++;
        r->nodes[r->at[i].node].units += r->at[i].range.count;
    }
    for (int n = 0, first = 0; n < r->n_nodes; n++) {
        int count = r->nodes[n].end;
        r->nodes[n].first = r->nodes[n].end = first;
        first += count;
    }
    for (int i = 0; i < r->n; i++)
        r->order[r->nodes[r->at[i].node].end++] = i;
    for (int i = 0; i < r->n; i++)
        r->before[i + 1] = r->before[i] + r->at[r->order[i]].range.count;
    look_anew(r);
}

struct plb_range plb_residence_guess(const struct plb_residence *r, int64_t units, int node)
{
    return r->guesses ? plb_homes_guess(units, node, r->n_nodes) : (struct plb_range){0, 0};
}

/* All units are at home on rank 0, or each node has as many. */
static void make_first(struct plb_residence *r, int64_t units)
{
    int n = r->guesses ? r->n_nodes : 1;
    r->at = plb_alloc((size_t)n * sizeof *r->at);
    for (int i = 0; i < n; i++) {
        struct plb_range home = plb_homes_guess(units, i, n);
        r->n = plb_homes_append(r->at, r->n, home.first, plb_range_end(home), i);
    }
}

void plb_residence_begin(struct plb_residence *r, int64_t units, const double *least)
{
    if (r->n == 0)
        make_first(r, units);
    if (r->n_seen > 0)
        take_over(r);
    if (least != NULL)
        r->n = plb_homes_merge(r->at, r->n, least, r->n_nodes);
    r->n_seen = 0;
    for (int n = 0; n < r->n_nodes; n++)
        r->nodes[n].last_seen = NONE;
    make_index(r);
    r->free_units = NONE;
}

/* The index in the map of the range that has a unit. */
static int index_of(const struct plb_residence *r, int64_t unit)
{
    int low = 0, high = r->n - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (plb_range_end(r->at[middle].range) <= unit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int plb_residence_of(const struct plb_residence *r, int64_t unit)
{
    return r->n > 0 ? r->at[index_of(r, unit)].node : 0;
}

int64_t plb_residence_home(const struct plb_residence *r, int node)
{
    struct plb_range largest = {INT64_MAX, 0};
    for (int i = r->nodes[node].first; r->n > 0 && i < r->nodes[node].end; i++)
        if (r->at[r->order[i]].range.count > largest.count)
            largest = r->at[r->order[i]].range;
    return largest.first;
}

void plb_residence_executed(struct plb_residence *r, int node, struct plb_range range)
{
    if (node == 0 || r->n == 0)
        return;
    const struct plb_home *home = &r->at[index_of(r, range.first)];
    struct node_homes *n = &r->nodes[node];
    if (home->node == node && plb_range_within(range, home->range))
        return;
    if (n->last_seen != NONE && plb_range_end(r->seen[n->last_seen].range) == range.first) {
        r->seen[n->last_seen].range.count += range.count;
        return;
    }
    r->seen = plb_room(r->seen, r->n_seen, &r->capacity, sizeof *r->seen);
    n->last_seen = r->n_seen;
    r->seen[r->n_seen++] = (struct plb_home){range, node};
}

void plb_residence_lose(struct plb_residence *r, int node)
{
    int kept = 0;
    if (node == 0 || r->n == 0)
        return;
    r->counts.lost += r->nodes[node].units > 0;
    for (int n = 0; n < r->n_nodes; n++)
        r->nodes[n].last_seen = NONE;
    for (int i = 0; i < r->n_seen; i++)
        if (r->seen[i].node != node)
            r->seen[kept++] = r->seen[i];
    r->n_seen = kept;
    kept = 0;
    for (int i = 0; i < r->n; i++)
        kept = plb_homes_append(r->at, kept, r->at[i].range.first, plb_range_end(r->at[i].range),
                                r->at[i].node == node ? 0 : r->at[i].node);
    r->n = kept;
    make_index(r);
}

bool plb_residence_any(const struct plb_residence *r)
{
    return r->n > 1 || (r->n == 1 && r->at[0].node != 0);
}

const struct plb_residence_counts *plb_residence_counts(const struct plb_residence *r)
{
    return &r->counts;
}

/* ------------------------------------------------------------------ choices */

/* The first free range that ends behind a unit: its index. */
static int free_behind(const struct plb_rangeset *free, int64_t unit)
{
    int low = 0, high = free->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (plb_range_end(free->at[middle]) <= unit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first and the last free units of a range; count = 0: there are none. */
static struct plb_range first_free(const struct plb_rangeset *free, struct plb_range range)
{
    int i = free_behind(free, range.first);
    return i < free->n ? plb_range_common(free->at[i], range) : (struct plb_range){0, 0};
}

static struct plb_range last_free(const struct plb_rangeset *free, struct plb_range range)
{
    int i = free_behind(free, plb_range_end(range) - 1);
    struct plb_range part = i < free->n ? plb_range_common(free->at[i], range) : (struct plb_range){0, 0};
    return part.count == 0 && i > 0 ? plb_range_common(free->at[i - 1], range) : part;
}

static struct plb_range home(const struct plb_residence *r, int index)
{
    return r->at[r->order[index]].range;
}

/* The first free units at a node's home. */
static struct plb_range front_of(struct plb_residence *r, const struct plb_rangeset *free, int node)
{
    struct node_homes *n = &r->nodes[node];
    for (; n->front <= n->back; n->front++) {
        struct plb_range part = first_free(free, home(r, n->front));
        if (part.count > 0)
            return part;
    }
    return (struct plb_range){0, 0};
}

/* The last ones. */
static struct plb_range back_of(struct plb_residence *r, const struct plb_rangeset *free, int node)
{
    struct node_homes *n = &r->nodes[node];
    for (; n->front <= n->back; n->back--) {
        struct plb_range part = last_free(free, home(r, n->back));
        if (part.count > 0)
            return part;
    }
    return (struct plb_range){0, 0};
}

/* The part of its home that a node has still before it; 0: nothing is free. */
static double left_of(struct plb_residence *r, const struct plb_rangeset *free, int node)
{
    const struct node_homes *n = &r->nodes[node];
    struct plb_range front = front_of(r, free, node), back = back_of(r, free, node);
    if (front.count == 0)
        return 0.0;
    int64_t units = r->before[n->back + 1] - r->before[n->front];
    units -= front.first - home(r, n->front).first;
    units -= plb_range_end(home(r, n->back)) - plb_range_end(back);
    return (double)units / (double)n->units;
}

/* The node, of the next candidates, that has the largest part left; 0: nobody has any. */
static int will_be_last(struct plb_residence *r, const struct plb_rangeset *free, int but)
{
    int best = 0;
    double most = 0.0;
    for (int looks = 0; looks < CANDIDATES && looks < r->n_others;) {
        r->turn = r->turn < r->n_others ? r->turn : 0;
        int node = r->others[r->turn];
        double left = node != but ? left_of(r, free, node) : 0.0;
        if (left == 0.0 && node != but) {
            r->others[r->turn] = r->others[--r->n_others];
            continue;
        }
        if (left > most) {
            most = left;
            best = node;
        }
        r->turn++;
        looks++;
    }
    return best;
}

/* About so much work off the end of free units: whole units, and whole chunks. */
static struct plb_range tail(const struct plb_cost_map *map, struct plb_range part, double work)
{
    double all = plb_cost_work(map, part.first, part.count);
    int64_t kept = all > work ? plb_cost_units(map, part.first, part.count, all - work) : 0;
    double taken = plb_cost_work(map, part.first + kept, part.count - kept);
    bool heavy = map->prefix != NULL && map->chunk < 2 && taken > work * (1.0 + PLB_ROUNDING);
    kept += heavy && kept < part.count - 1;
    if (kept == part.count)
        kept = map->chunk < 2 ? part.count - 1
                              : (plb_range_end(part) - 1) / map->chunk * map->chunk - part.first;
    kept = kept > 0 ? kept : 0;
    return (struct plb_range){part.first + kept, part.count - kept};
}

static struct plb_range head(const struct plb_cost_map *map, struct plb_range part, double work)
{
    part.count = plb_slicing_units(map, part, work);
    return part;
}

/* Units of others, if any are free. */
static struct plb_range of_others(struct plb_residence *r, const struct plb_ledger *ledger, int node,
                                  double work)
{
    struct plb_range part = {0, 0};
    if (node != 0)
        part = back_of(r, &ledger->free, 0);
    int other = part.count == 0 ? will_be_last(r, &ledger->free, node) : 0;
    if (other != 0)
        part = back_of(r, &ledger->free, other);
    return part.count > 0 ? tail(ledger->costs, part, work)
                          : head(ledger->costs, plb_ledger_front(ledger), work);
}

struct plb_range plb_residence_choose(struct plb_residence *r, const struct plb_ledger *ledger, int node,
                                      double work)
{
    const struct plb_rangeset *free = &ledger->free;
    struct plb_range front = plb_ledger_front(ledger);
    if (front.count == 0)
        return front;
    if (!plb_residence_any(r))
        return head(ledger->costs, front, work);
    if (free->units != r->free_units)
        look_anew(r);
    struct plb_range part = front_of(r, free, node);
    bool at_home = part.count > 0;
    part = at_home ? head(ledger->costs, part, work) : of_others(r, ledger, node, work);
    r->free_units = free->units - part.count;
    *(at_home ? &r->counts.at_home : &r->counts.away) += part.count;
    return part;
}
