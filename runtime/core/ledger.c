/* One map, the open blocks of each PU, and sums over both. */
#include "core/ledger.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/unit_map.h"

#define SAME_WORK 1e-6 /* relative: sums of work that were added up in another order differ by less */

struct plb_ledger {
    int n_pus, n_nodes;
    const struct plb_cost_map *costs;
    struct plb_unit_map *map;
    struct plb_open_blocks blocks;
    double *left; /* by node */
    bool *lost;
    int64_t free_units, held_units, accepted_units;
    int64_t first_free, front_end; /* the first free entry, as far as it has been looked for */
    double free_work;
};

static const struct plb_holding is_free = {.state = PLB_FREE}, is_accepted = {.state = PLB_ACCEPTED};

struct plb_ledger *plb_ledger_new(int n_pus, int n_nodes)
{
    struct plb_ledger *l = plb_alloc(sizeof *l);
    l->n_pus = n_pus;
    l->n_nodes = n_nodes;
    plb_open_blocks_init(&l->blocks, n_pus);
    l->left = plb_alloc((size_t)n_nodes * sizeof *l->left);
    l->lost = plb_alloc((size_t)n_nodes * sizeof *l->lost);
    return l;
}

void plb_ledger_free(struct plb_ledger *l)
{
    if (l == NULL)
        return;
    plb_unit_map_free(l->map);
    plb_open_blocks_fini(&l->blocks);
    free(l->left);
    free(l->lost);
    free(l);
}

void plb_ledger_begin(struct plb_ledger *l, const struct plb_cost_map *costs)
{
    plb_unit_map_free(l->map);
    l->map = plb_unit_map_new(costs->units, is_free);
    l->costs = costs;
    l->first_free = l->held_units = l->accepted_units = 0;
    l->free_units = l->front_end = costs->units;
    l->free_work = plb_cost_work(costs, 0, costs->units);
    plb_open_blocks_begin(&l->blocks);
    for (int n = 0; n < l->n_nodes; n++)
        l->left[n] = 0.0;
}

/* A node holds `count` units, and `work`, less: they were accepted or freed. */
static void let_go(struct plb_ledger *l, const struct plb_holding *is, int64_t count, double work, bool freed)
{
    l->held_units -= count;
    l->left[is->node] -= work;
    plb_open_blocks_let_go(&l->blocks, is->pu, is->block, count, work, freed);
}

const struct plb_block_change *plb_ledger_changes(const struct plb_ledger *l, int *n)
{
    *n = l->blocks.n_changes;
    return l->blocks.changes;
}

/* --------------------------------------------------------------------- free units */

/* Looks for the first free entry, from first_free on. */
static void seek_free(struct plb_ledger *l)
{
    if (l->free_units == 0) {
        l->first_free = l->front_end = l->costs->units;
        l->free_work = 0.0;
        return;
    }
    struct plb_unit_cursor at = plb_unit_map_find(l->map, l->first_free);
    while (plb_unit_map_at(l->map, at)->is.state != PLB_FREE && plb_unit_map_next(l->map, &at))
        ;
    int64_t first = plb_unit_map_at(l->map, at)->first;
    l->first_free = first > l->first_free ? first : l->first_free;
    l->front_end = plb_unit_map_end(l->map, at);
}

static void count_free(struct plb_ledger *l, struct plb_range range, double work)
{
    l->free_units += range.count;
    l->free_work += work;
    l->first_free = range.first < l->first_free ? range.first : l->first_free;
}

struct plb_range plb_ledger_front(const struct plb_ledger *l)
{
    return (struct plb_range){l->first_free, l->front_end - l->first_free};
}

int64_t plb_ledger_grant(struct plb_ledger *l, int pu, int node, int64_t count)
{
    struct plb_range range = {l->first_free, count};
    double work = plb_cost_work(l->costs, range.first, count);
    plb_open_blocks_operation(&l->blocks);
    int64_t id = plb_open_blocks_open(&l->blocks, pu, count);
    struct plb_holding is = {id, pu, node, node, 0, PLB_HELD};
    plb_unit_map_set(l->map, plb_unit_map_find(l->map, range.first), range, is);
    l->free_units -= count;
    l->free_work -= work;
    l->held_units += count;
    l->left[node] += work;
    l->first_free += count;
    if (l->first_free == l->front_end)
        seek_free(l);
    return id;
}

/* --------------------------------------------------------- what happens to ranges */

/* The next part of a range that lies in one entry; false after the last. The part may be set meanwhile. */
struct part {
    struct plb_range range;
    struct plb_holding is;
    struct plb_unit_cursor at;
};

static bool next_part(const struct plb_ledger *l, struct plb_range range, int64_t *from, struct part *part)
{
    if (*from >= range.first + range.count)
        return false;
    part->at = plb_unit_map_find(l->map, *from);
    int64_t end = plb_unit_map_end(l->map, part->at);
    end = end < range.first + range.count ? end : range.first + range.count;
    part->range = (struct plb_range){*from, end - *from};
    part->is = plb_unit_map_at(l->map, part->at)->is;
    *from = end;
    return true;
}

int64_t plb_ledger_open_units(const struct plb_ledger *l, struct plb_range range)
{
    struct part part;
    int64_t open = 0;
    for (int64_t from = range.first; next_part(l, range, &from, &part);)
        open += part.is.state != PLB_ACCEPTED ? part.range.count : 0;
    return open;
}

int64_t plb_ledger_accept(struct plb_ledger *l, struct plb_range range)
{
    struct part part;
    int64_t fresh = 0;
    bool was_free = false;
    plb_open_blocks_operation(&l->blocks);
    for (int64_t from = range.first; next_part(l, range, &from, &part);) {
        if (part.is.state == PLB_ACCEPTED)
            continue;
        double work = plb_cost_work(l->costs, part.range.first, part.range.count);
        fresh += part.range.count;
        if (part.is.state == PLB_HELD) {
            let_go(l, &part.is, part.range.count, work, false);
        } else {
            l->free_units -= part.range.count;
            l->free_work -= work;
            was_free = true;
        }
        plb_unit_map_set(l->map, part.at, part.range, is_accepted);
    }
    l->accepted_units += fresh;
    if (was_free)
        seek_free(l);
    return fresh;
}

/* Held units become free. */
static void release(struct plb_ledger *l, const struct part *part)
{
    double work = plb_cost_work(l->costs, part->range.first, part->range.count);
    let_go(l, &part->is, part->range.count, work, true);
    count_free(l, part->range, work);
}

int64_t plb_ledger_drop(struct plb_ledger *l, struct plb_range range, int64_t block)
{
    struct part part;
    int64_t freed = 0;
    plb_open_blocks_operation(&l->blocks);
    for (int64_t from = range.first; next_part(l, range, &from, &part);) {
        if (part.is.state != PLB_HELD || part.is.block != block)
            continue;
        release(l, &part);
        plb_unit_map_set(l->map, part.at, part.range, is_free);
        freed += part.range.count;
    }
    seek_free(l);
    return freed;
}

int64_t plb_ledger_move(struct plb_ledger *l, const struct plb_gift *gift, int giver, int thief)
{
    struct part part;
    int64_t moved = 0;
    plb_open_blocks_operation(&l->blocks);
    for (int64_t from = gift->range.first; next_part(l, gift->range, &from, &part);) {
        if (part.is.state != PLB_HELD || part.is.block != gift->block || part.is.hop >= gift->hop)
            continue;
        moved += part.range.count;
        if (l->lost[thief]) {
            release(l, &part);
            plb_unit_map_set(l->map, part.at, part.range, is_free);
            continue;
        }
        double work = plb_cost_work(l->costs, part.range.first, part.range.count);
        l->left[part.is.node] -= work;
        l->left[thief] += work;
        struct plb_holding is = {gift->block, part.is.pu, thief, giver, (int16_t)gift->hop, PLB_HELD};
        plb_unit_map_set(l->map, part.at, part.range, is);
    }
    seek_free(l);
    return moved;
}

int64_t plb_ledger_lose(struct plb_ledger *l, int node)
{
    int64_t freed = 0;
    bool more = true;
    plb_open_blocks_operation(&l->blocks);
    l->lost[node] = true;
    if (l->map == NULL)
        return 0;
    for (struct plb_unit_cursor at = {0, 0}; more; more = plb_unit_map_next(l->map, &at)) {
        const struct plb_unit_entry *e = plb_unit_map_at(l->map, at);
        if (e->is.state != PLB_HELD || (e->is.node != node && e->is.giver != node))
            continue;
        struct part part = {{e->first, plb_unit_map_end(l->map, at) - e->first}, e->is, at};
        release(l, &part);
        plb_unit_map_change(l->map, at, is_free);
        freed += part.range.count;
    }
    plb_unit_map_join(l->map);
    seek_free(l);
    return freed;
}

/* ------------------------------------------------------------------ sums, invariants */

int64_t plb_ledger_free_units(const struct plb_ledger *l)
{
    return l->free_units;
}

int64_t plb_ledger_held_units(const struct plb_ledger *l)
{
    return l->held_units;
}

int64_t plb_ledger_accepted_units(const struct plb_ledger *l)
{
    return l->accepted_units;
}

double plb_ledger_free_work(const struct plb_ledger *l)
{
    return l->free_work;
}

double plb_ledger_left(const struct plb_ledger *l, int node)
{
    return l->left[node];
}

bool plb_ledger_lost(const struct plb_ledger *l, int node)
{
    return l->lost[node];
}

int plb_ledger_open_blocks(const struct plb_ledger *l, int pu)
{
    return (l->blocks.of[pu][0].id != PLB_CLOSED) + (l->blocks.of[pu][1].id != PLB_CLOSED);
}

/* Sums over the entries, beside which the ledger's own are held. */
struct sums {
    int64_t units[3]; /* by state */
    double *left;     /* by node */
    int64_t (*pending)[PLB_BLOCKS_AHEAD];
};

static const char *add_entry(const struct plb_ledger *l, const struct plb_unit_entry *e, int64_t end,
                             struct sums *s)
{
    if (end <= e->first)
        return "1: an entry is empty or out of order";
    bool front = e->first == l->first_free;
    if (e->is.state == PLB_FREE && (e->first < l->first_free || (front && end != l->front_end)))
        return "6: the first free entry is not where it was found";
    s->units[e->is.state] += end - e->first;
    if (e->is.state != PLB_HELD)
        return NULL;
    const struct plb_open_block *block = plb_open_blocks_find(&l->blocks, e->is.pu, e->is.block);
    if (block == NULL)
        return "4: a held entry names a block that is not open";
    if (l->lost[e->is.node] || l->lost[e->is.giver])
        return "5: a lost node holds units, or gave them last";
    s->left[e->is.node] += plb_cost_work(l->costs, e->first, end - e->first);
    s->pending[e->is.pu][block - l->blocks.of[e->is.pu]] += end - e->first;
    return NULL;
}

static const char *compare(const struct plb_ledger *l, const struct sums *s)
{
    if (s->units[PLB_FREE] != l->free_units || s->units[PLB_HELD] != l->held_units
        || s->units[PLB_ACCEPTED] != l->accepted_units
        || l->free_units + l->held_units + l->accepted_units != l->costs->units)
        return "3: the numbers of free, held and accepted units are not their sums";
    for (int p = 0; p < l->n_pus; p++)
        for (int i = 0; i < PLB_BLOCKS_AHEAD; i++)
            if (s->pending[p][i] != l->blocks.of[p][i].pending
                || (l->blocks.of[p][i].id != PLB_CLOSED) != (l->blocks.of[p][i].pending > 0))
                return "4: an open block's pending units are not those that it holds";
    for (int n = 0; n < l->n_nodes; n++)
        if (fabs(s->left[n] - l->left[n]) > SAME_WORK * (double)l->costs->units)
            return "7: the work that a node has left is not what it holds";
    return NULL;
}

const char *plb_ledger_check(const struct plb_ledger *l)
{
    if (l->map == NULL)
        return NULL;
    struct sums s = {.left = plb_alloc((size_t)l->n_nodes * sizeof *s.left),
                     .pending = plb_alloc((size_t)l->n_pus * sizeof *s.pending)};
    const struct plb_unit_entry *last = NULL;
    const char *wrong = NULL;
    struct plb_unit_cursor at = {0, 0};
    if (plb_unit_map_at(l->map, at)->first != 0)
        wrong = "1: the first entry does not begin at unit 0";
    for (bool more = true; more && wrong == NULL; more = plb_unit_map_next(l->map, &at)) {
        const struct plb_unit_entry *e = plb_unit_map_at(l->map, at);
        wrong = add_entry(l, e, plb_unit_map_end(l->map, at), &s);
        if (wrong == NULL && last != NULL && plb_holding_equal(&last->is, &e->is))
            wrong = "2: two neighbours are equal";
        last = e;
    }
    wrong = wrong != NULL ? wrong : compare(l, &s);
    free(s.left);
    free(s.pending);
    return wrong;
}
