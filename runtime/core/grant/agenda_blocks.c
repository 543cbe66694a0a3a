/* Blocks from the balancer's answers: which units, and in which tasks. */
#include <math.h>

#include "core/grant/agenda.h"
#include "core/grant/agenda_inside.h"
#include "core/measure/slicing.h"
#include "core/work/migration.h"

/* While more than this part of the work remains, blocks are not cut, since nobody will take from them.
 * Larger: more starts. Smaller: a long block may have been started whole. */
#define TAIL 0.3

/* Ranges of a block at most, each of which costs a message. More: messages cost more than a small block
 * gains. Fewer: a PU gets less than its balancer has said. */
#define PIECES 64

/* In the tail the least tasks are kept young, a PU at a time, so that on many PUs nothing is left to fit when
 * all nodes are told. */
void plb_agenda_keep_young(struct plb_agenda *a, int p)
{
    bool tail = a->seen.view.remaining < TAIL * a->seen.view.total;
    if (a->config.migration && plb_least_many(&a->least) && tail)
        plb_least_look(&a->least, p);
}

/* Makes a block several tasks, so that others find something to take: its ranges are all that follow here. */
static void cut(struct plb_agenda *a, int p, struct plb_message *at, int n)
{
    int64_t units = 0;
    for (int i = 0; i < n; i++)
        units += at[i].block.range.count;
    plb_least_look(&a->least, p);
    int64_t part = (int64_t)((double)units / PLB_TASK_PARTS), least = plb_least_units(&a->least, p);
    part = part > least ? part : least;
    part = part > 1 ? part : 1;
    for (int i = 0; i < n; i++)
        at[i].block.grain = part < at[i].block.grain ? part : at[i].block.grain;
}

/* Messages from `from` on that grant ranges of the same block. */
static int ranges_of(const struct plb_outbox *out, int from)
{
    int n = 0;
    while (from + n < out->n && out->at[from + n].type == PLB_BLOCK
           && out->at[from + n].block.id == out->at[from].block.id)
        n++;
    return n;
}

void plb_agenda_cut(struct plb_agenda *a, struct plb_outbox *out, int from)
{
    for (int i = from; i < out->n; i++) {
        int n = out->at[i].type == PLB_BLOCK ? ranges_of(out, i) : 0;
        if (n > 0) {
            cut(a, (int)(out->at[i].block.id % a->seen.room), &out->at[i], n);
            i += n - 1;
        }
    }
}

/* The tasks of a large block: several, so that all but one of them can be taken from a slow PU. most:
 * infinite where it is one task. */
static struct plb_slicing slicing_of(struct plb_agenda *a, int p, double work, double *share)
{
    struct plb_history *h = plb_balancer_view_history(&a->seen, p);
    *share = 0.0;
    if (!a->config.saves && (!a->config.migration || (a->seen.view.living < 2 && a->selection == NULL)))
        return (struct plb_slicing){INFINITY, -1.0};
    bool planned = a->seen.beliefs && a->seen.map->told && plb_agenda_all_known(a);
    double ahead = planned ? a->seen.pus[p].granted - a->seen.pus[p].done : INFINITY;
    struct plb_promise promise = {work, ahead, plb_balancer_view_share(&a->seen, p)};
    *share = fmax(promise.share, work);
    struct plb_slicing s = plb_slicing(h, &promise, a->config.task_s);
    if (a->selection != NULL || !a->config.backups)
        plb_slicing_judge(&s, h, *share);
    return s;
}

/* Makes the ranges of a block of so much work such tasks. The first range is as good as any to tell how many
 * units a task has. */
static void slice(struct plb_agenda *a, int p, double work, struct plb_message *at, int n)
{
    const struct plb_cost_map *map = a->seen.map;
    struct plb_range r = at->block.range;
    double share;
    struct plb_slicing s = slicing_of(a, p, work, &share);
    int64_t least = s.least < 0.0  ? 0
                  : s.least < work ? plb_cost_units(map, r.first, r.count, s.least)
                                   : r.count;
    for (int i = 0; i < n; i++) {
        struct plb_block *block = &at[i].block;
        block->share = share;
        block->least = least;
        if (s.most < work) {
            int64_t units = plb_cost_units(map, block->range.first, block->range.count, s.most);
            block->grain = units < block->grain ? units : block->grain;
        }
    }
}

/* Adds the BLOCK of units that the ledger has granted to a PU. */
static struct plb_block *add_block(struct plb_agenda *a, int p, struct plb_range range, int64_t id,
                                   struct plb_outbox *out)
{
    const struct plb_pu_info *info = &a->config.pus->infos[p];
    double most = a->seen.pus[p].grain;
    int64_t grain = most < (double)range.count ? (int64_t)most : range.count;
    struct plb_message *m = plb_outbox_add(out, PLB_BLOCK, 0, info->node, a->pass);
    m->pu = info->local;
    m->block = (struct plb_block){.range = range, .id = id, .grain = grain};
    return &m->block;
}

/* A PU has been granted a block of so much work. */
static void note(struct plb_agenda *a, int p, double work)
{
    plb_pus_become(a->config.pus, p, PLB_PU_SERVED);
    a->pus[p].blocks++;
    plb_balancer_view_granted(&a->seen, p, work);
}

/* Has the ledger grant a block of about so much work off its front. Returns the work of it. */
static double grant_front(struct plb_agenda *a, int p, double work, struct plb_outbox *out)
{
    struct plb_range range = plb_ledger_front(a->ledger);
    range.count = plb_slicing_units(a->seen.map, range, work);
    int64_t id = plb_ledger_grant(a->ledger, p, a->config.pus->infos[p].node, range.count);
    add_block(a, p, range, id, out);
    return plb_cost_work(a->seen.map, range.first, range.count);
}

/* The same with the units whose inputs are nearest, which may be in several places. */
static double grant_nearest(struct plb_agenda *a, int p, double work, struct plb_outbox *out)
{
    int node = a->config.pus->infos[p].node, pieces = 0;
    double granted = 0.0, enough = PLB_NO_UNIT * fmax((double)a->seen.map->chunk, 1.0);
    int64_t id = PLB_CLOSED;
    do {
        struct plb_range range = plb_residence_choose(a->config.residence, a->ledger, node, work - granted);
        if (pieces++ == 0)
            id = plb_ledger_grant_range(a->ledger, p, node, range);
        else
            plb_ledger_grant_more(a->ledger, id, node, range);
        add_block(a, p, range, id, out);
        granted += plb_cost_work(a->seen.map, range.first, range.count);
    } while (work - granted > enough && pieces < PIECES && plb_ledger_free_units(a->ledger) > 0);
    return granted;
}

void plb_agenda_grant(struct plb_agenda *a, int p, double work, struct plb_outbox *out)
{
    int from = out->n;
    bool nearest = a->config.residence != NULL && plb_residence_any(a->config.residence);
    work = (nearest ? grant_nearest : grant_front)(a, p, work, out);
    note(a, p, work);
    slice(a, p, work, &out->at[from], out->n - from);
    if (a->config.migration && a->seen.view.remaining < TAIL * a->seen.view.total
        && !plb_least_many(&a->least) && plb_history_surprises(plb_balancer_view_history(&a->seen, p)))
        plb_agenda_cut(a, out, from);
}

void plb_agenda_grant_range(struct plb_agenda *a, int p, struct plb_range range, struct plb_outbox *out)
{
    int64_t id = plb_ledger_grant_range(a->ledger, p, a->config.pus->infos[p].node, range);
    add_block(a, p, range, id, out);
    note(a, p, plb_cost_work(a->seen.map, range.first, range.count));
}

void plb_agenda_entrust(struct plb_agenda *a, int p, struct plb_range range, int64_t most,
                        struct plb_outbox *out)
{
    int64_t id = plb_ledger_grant_apart(a->ledger, p, a->config.pus->infos[p].node, range);
    struct plb_block *block = add_block(a, p, range, id, out);
    note(a, p, plb_cost_work(a->seen.map, range.first, range.count));
    block->grain = most < block->grain ? most : block->grain;
    block->alone = 1;
}
