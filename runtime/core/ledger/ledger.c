/* Free ranges, the parts of open blocks, and sums over both. */
#include "core/ledger/ledger.h"

#include <stdlib.h>

#include "base/memory.h"

struct plb_ledger *plb_ledger_new(int n_pus, int n_nodes)
{
    struct plb_ledger *l = plb_alloc(sizeof *l);
    l->n_pus = n_pus;
    l->n_nodes = n_nodes;
    plb_open_blocks_init(&l->held, n_pus);
    l->left = plb_alloc((size_t)n_nodes * sizeof *l->left);
    l->lost = plb_alloc((size_t)n_nodes * sizeof *l->lost);
    return l;
}

void plb_ledger_free(struct plb_ledger *l)
{
    if (l == NULL)
        return;
    plb_rangeset_fini(&l->free);
    plb_rangeset_fini(&l->suspect);
    plb_rangeset_fini(&l->apart);
    plb_open_blocks_fini(&l->held);
    plb_regrants_fini(&l->regrants);
    free(l->left);
    free(l->lost);
    free(l->changes);
    free(l);
}

void plb_ledger_begin(struct plb_ledger *l, const struct plb_cost_map *costs,
                      const struct plb_rangeset *accepted)
{
    l->costs = costs;
    plb_rangeset_clear(&l->free);
    plb_rangeset_clear(&l->suspect);
    plb_rangeset_clear(&l->apart);
    plb_rangeset_add(&l->free, (struct plb_range){0, costs->units});
    if (accepted != NULL)
        for (int i = 0; i < accepted->n; i++)
            plb_rangeset_remove(&l->free, accepted->at[i]);
    l->held_units = 0;
    l->accepted_units = costs->units - l->free.units;
    plb_open_blocks_begin(&l->held);
    l->n_changes = 0;
    plb_ledger_recount(l);
}

void plb_ledger_recount(struct plb_ledger *l)
{
    l->free_work = 0.0;
    for (int i = 0; i < l->free.n; i++)
        l->free_work += plb_cost_work(l->costs, l->free.at[i].first, l->free.at[i].count);
    for (int n = 0; n < l->n_nodes; n++)
        l->left[n] = 0.0;
    for (int32_t i = 0; i < l->held.n_parts; i++) {
        const struct plb_part *part = &l->held.parts[i]; /* an unused part has no units */
        l->left[part->node] += plb_cost_work(l->costs, part->range.first, part->range.count);
    }
}

/* A node gets free units, for a PU. */
static void hand_out(struct plb_ledger *l, int pu, int node, struct plb_range range)
{
    double work = plb_cost_work(l->costs, range.first, range.count);
    plb_rangeset_remove(&l->free, range);
    l->n_changes = 0;
    l->free_work = l->free.units > 0 ? l->free_work - work : 0.0;
    l->held_units += range.count;
    l->left[node] += work;
    plb_regrants_granted(&l->regrants, range, pu);
}

int64_t plb_ledger_grant_range(struct plb_ledger *l, int pu, int node, struct plb_range range)
{
    hand_out(l, pu, node, range);
    return plb_open_blocks_open(&l->held, pu, node, range);
}

void plb_ledger_grant_more(struct plb_ledger *l, int64_t block, int node, struct plb_range range)
{
    hand_out(l, (int)(block % l->n_pus), node, range);
    plb_open_blocks_extend(&l->held, block, node, range);
}

int64_t plb_ledger_grant(struct plb_ledger *l, int pu, int node, int64_t count)
{
    return plb_ledger_grant_range(l, pu, node, (struct plb_range){plb_ledger_front(l).first, count});
}

int64_t plb_ledger_grant_apart(struct plb_ledger *l, int pu, int node, struct plb_range range)
{
    plb_rangeset_remove(&l->apart, range);
    l->n_changes = 0;
    l->held_units += range.count;
    l->left[node] += plb_cost_work(l->costs, range.first, range.count);
    plb_regrants_granted(&l->regrants, range, pu);
    return plb_open_blocks_open(&l->held, pu, node, range);
}

int plb_ledger_open_blocks(const struct plb_ledger *l, int pu)
{
    const struct plb_open_block *of_pu = &l->held.at[pu * PLB_BLOCKS_AHEAD];
    return (of_pu[0].id != PLB_CLOSED) + (of_pu[1].id != PLB_CLOSED);
}

/* ------------------------------------------------------- what happens to held parts */

/* Room for one more change. */
static struct plb_block_change *add_change(struct plb_ledger *l)
{
    l->changes = plb_room(l->changes, l->n_changes, &l->capacity, sizeof *l->changes);
    return &l->changes[l->n_changes++];
}

/* Free units of the range that are suspect stand apart from now on. */
static void put_apart(struct plb_ledger *l, struct plb_range range)
{
    for (int s = 0; s < l->suspect.n; s++)
        for (int i = l->free.n - 1; i >= 0; i--) {
            struct plb_range part = plb_range_common(plb_range_common(l->free.at[i], range),
                                                     l->suspect.at[s]);
            if (part.count == 0)
                continue;
            plb_rangeset_remove(&l->free, part);
            plb_rangeset_add(&l->apart, part);
            l->free_work -= plb_cost_work(l->costs, part.first, part.count);
        }
    l->free_work = l->free.units > 0 ? l->free_work : 0.0;
}

void plb_ledger_suspect(struct plb_ledger *l, struct plb_range range)
{
    plb_rangeset_add(&l->suspect, range);
    put_apart(l, range);
}

/* A part is accepted or freed, for this reason: nobody holds it any more. Returns its units. */
static int64_t let_go(struct plb_ledger *l, int32_t index, enum plb_regrant_reason reason)
{
    const struct plb_part *part = &l->held.parts[index];
    struct plb_block_change *change = add_change(l);
    struct plb_range range = part->range;
    double work = plb_cost_work(l->costs, range.first, range.count);
    l->held_units -= range.count;
    l->left[part->node] -= work;
    change->pu = plb_part_pu(part);
    change->node = part->node;
    change->freed = reason != PLB_NO_REGRANT;
    change->units = range.count;
    change->work = work;
    change->over = plb_open_blocks_remove(&l->held, index);
    if (change->freed) {
        plb_regrants_wait(&l->regrants, range, change->pu, reason);
        l->free_work += work;
        plb_rangeset_add(&l->free, range);
        if (l->suspect.n > 0)
            put_apart(l, range);
    } else {
        l->accepted_units += range.count;
    }
    return range.count;
}

/* Accepts or frees a block's units of a range. Returns how many. */
static int64_t let_go_of(struct plb_ledger *l, int64_t block, struct plb_range range,
                         enum plb_regrant_reason reason)
{
    int64_t units = 0;
    int32_t next;
    for (int32_t i = plb_open_blocks_parts(&l->held, block); i != PLB_NO_PART; i = next) {
        next = l->held.parts[i].next;
        if (!plb_range_overlaps(l->held.parts[i].range, range))
            continue;
        plb_open_blocks_cut(&l->held, i, range);
        units += let_go(l, i, reason);
    }
    return units;
}

/* Units of the range that are of any block. */
static int64_t accept_held(struct plb_ledger *l, struct plb_range range)
{
    int64_t fresh = 0;
    for (int32_t i = 0; i < l->held.n_parts; i++)
        if (plb_range_common(l->held.parts[i].range, range).count > 0) { /* an unused part has none */
            plb_open_blocks_cut(&l->held, i, range);
            fresh += let_go(l, i, PLB_NO_REGRANT);
        }
    return fresh;
}

/* Units of the range that are free: nobody gets them any more. */
static int64_t accept_free(struct plb_ledger *l, struct plb_range range)
{
    for (int i = 0; i < l->free.n; i++) {
        struct plb_range part = plb_range_common(l->free.at[i], range);
        l->free_work -= plb_cost_work(l->costs, part.first, part.count);
    }
    int64_t fresh = plb_rangeset_remove(&l->free, range);
    fresh += plb_rangeset_remove(&l->apart, range);
    l->free_work = l->free.units > 0 ? l->free_work : 0.0;
    l->accepted_units += fresh;
    return fresh;
}

int64_t plb_ledger_accept(struct plb_ledger *l, struct plb_range range, int64_t block)
{
    l->n_changes = 0;
    int64_t fresh = let_go_of(l, block, range, PLB_NO_REGRANT);
    if (fresh < range.count) /* what is missing was accepted before, or freed and perhaps granted again */
        fresh += accept_held(l, range) + accept_free(l, range);
    return fresh;
}

int64_t plb_ledger_drop(struct plb_ledger *l, struct plb_range range, int64_t block,
                        enum plb_regrant_reason reason)
{
    l->n_changes = 0;
    return let_go_of(l, block, range, reason);
}

bool plb_ledger_next_held(const struct plb_ledger *l, int64_t *at, struct plb_held *held)
{
    while (*at < l->held.n_parts) {
        const struct plb_part *part = &l->held.parts[(*at)++];
        if (part->range.count == 0)
            continue;
        *held = (struct plb_held){part->range, l->held.at[part->block].id, plb_part_pu(part), part->node};
        return true;
    }
    return false;
}

int64_t plb_ledger_open_units(const struct plb_ledger *l, struct plb_range range, int64_t block)
{
    const struct plb_part *parts = l->held.parts;
    int64_t open = 0;
    for (int32_t i = plb_open_blocks_parts(&l->held, block); i != PLB_NO_PART; i = parts[i].next)
        open += plb_range_common(parts[i].range, range).count;
    if (open == range.count)
        return open;
    open = 0;
    for (int i = 0; i < l->held.n_parts; i++)
        open += plb_range_common(parts[i].range, range).count;
    for (int i = 0; i < l->free.n; i++)
        open += plb_range_common(l->free.at[i], range).count;
    for (int i = 0; i < l->apart.n; i++)
        open += plb_range_common(l->apart.at[i], range).count;
    return open;
}

void plb_ledger_open_ranges(const struct plb_ledger *l, struct plb_range range, struct plb_rangeset *open)
{
    for (int i = 0; i < l->held.n_parts; i++)
        plb_rangeset_add(open,
                         plb_range_common(l->held.parts[i].range, range)); /* an unused part adds nothing */
    for (int i = 0; i < l->free.n; i++)
        plb_rangeset_add(open, plb_range_common(l->free.at[i], range));
    for (int i = 0; i < l->apart.n; i++)
        plb_rangeset_add(open, plb_range_common(l->apart.at[i], range));
}

static void move_part(struct plb_ledger *l, int32_t index, int giver, int thief, int64_t hop)
{
    struct plb_part *part = &l->held.parts[index];
    double work = plb_cost_work(l->costs, part->range.first, part->range.count);
    l->left[part->node] -= work;
    l->left[thief] += work;
    part->node = thief;
    part->giver = giver;
    part->hop = (int32_t)hop;
}

int64_t plb_ledger_move(struct plb_ledger *l, const struct plb_gift *gift, int giver, int thief)
{
    int64_t moved = 0;
    int32_t next;
    l->n_changes = 0;
    for (int32_t i = plb_open_blocks_parts(&l->held, gift->block); i != PLB_NO_PART; i = next) {
        next = l->held.parts[i].next;
        if (l->held.parts[i].hop >= gift->hop || !plb_range_overlaps(l->held.parts[i].range, gift->range))
            continue;
        plb_open_blocks_cut(&l->held, i, gift->range);
        moved += l->held.parts[i].range.count;
        if (l->lost[thief])
            let_go(l, i, PLB_REGRANT_LOST_RANK);
        else
            move_part(l, i, giver, thief, gift->hop);
    }
    return moved;
}

/* The index of a part, and what a list of them is sorted by. */
struct listed {
    int64_t first;
    int32_t part;
};

static int by_unit(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

void plb_ledger_join(struct plb_ledger *l, int node)
{
    l->lost[node] = false;
}

/* In the order of their units: so the free set grows at its end, or nearly. */
int64_t plb_ledger_lose(struct plb_ledger *l, int node)
{
    int64_t freed = 0;
    int n = 0;
    struct listed *list = plb_grow(NULL, (size_t)l->held.n_parts * sizeof *list);
    l->n_changes = 0;
    l->lost[node] = true;
    for (int32_t i = 0; i < l->held.n_parts; i++) {
        const struct plb_part *part = &l->held.parts[i];
        if (part->range.count > 0 && (part->node == node || part->giver == node))
            list[n++] = (struct listed){part->range.first, i};
    }
    qsort(list, (size_t)n, sizeof *list, by_unit);
    for (int i = 0; i < n; i++)
        freed += let_go(l, list[i].part, PLB_REGRANT_LOST_RANK);
    free(list);
    return freed;
}
