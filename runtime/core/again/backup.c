/* Which late units an idle PU executes a second time. */
#include "core/again/backup.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/again/backup_inside.h"
#include "core/work/migration.h"

/* A PU of unknown speed is taken to need this part of the time that the late PU has needed so far. It is idle
 * anyway. Larger: it gets a copy later. Smaller: more copies on slow PUs keep the links busy. */
#define UNKNOWN 0.25

/* Of the time since the pass began: what a copy must win at least. Larger: small gains are left. Smaller: the
 * run executes copies that change it by less than noise does. */
#define LEAST_GAIN 0.005

struct plb_backups *plb_backups_new(const struct plb_backups_config *config)
{
    struct plb_backups *b = plb_alloc(sizeof *b);
    b->config = *config;
    b->pus = plb_alloc((size_t)config->pus->room * sizeof *b->pus);
    b->due = INFINITY;
    return b;
}

void plb_backups_free(struct plb_backups *b)
{
    if (b != NULL) {
        plb_lates_fini(&b->lates);
        free(b->pus);
    }
    free(b);
}

void plb_backups_begin(struct plb_backups *b, int pass, int phase, const struct plb_cost_map *map, double now)
{
    b->pass = pass;
    b->phase = phase;
    b->map = map;
    b->began = now;
    b->patience = PLB_LATE_AGAIN;
    b->looked = -INFINITY;
    b->due = INFINITY;
    b->moves = b->copies.n = b->n_idle = 0;
    for (int p = 0; p < b->config.pus->room; p++)
        b->pus[p] = (struct backup_pu){.since = now};
}

static bool is_idle(const struct plb_backups *b, int p)
{
    return b->pus[p].activity == PLB_PU_IDLE;
}

static void become(struct plb_backups *b, int p, enum plb_pu_activity activity)
{
    b->n_idle += (activity == PLB_PU_IDLE) - is_idle(b, p);
    b->pus[p].activity = activity;
}

/* A PU has something to execute. One that is doubted stays so until it says that it has ended all. */
static void employ(struct plb_backups *b, int p)
{
    if (is_idle(b, p))
        become(b, p, PLB_PU_BUSY);
}

void plb_backups_granted(struct plb_backups *b, const struct plb_outbox *out, int from, double now)
{
    for (int i = from; i < out->n; i++) {
        if (out->at[i].type != PLB_BLOCK)
            continue;
        int p = (int)(out->at[i].block.id % b->config.pus->room);
        if (plb_ledger_open_blocks(b->config.ledger, p) == 1)
            b->pus[p].since = now;
        employ(b, p);
    }
}

static int first_of(const struct plb_backups *b, int node)
{
    return plb_broker_first_pu(b->config.broker, node);
}

void plb_backups_given(struct plb_backups *b, int node, double now)
{
    b->moves++;
    for (int p = first_of(b, node); p < plb_broker_end_pu(b->config.broker, node) && b->n_idle > 0; p++)
        if (is_idle(b, p))
            b->pus[p].since = now;
}

/* Units have been accepted, and this node has been late with them. */
static void cancel(struct plb_backups *b, int node, struct plb_range units, struct plb_outbox *out)
{
    plb_outbox_add(out, PLB_CANCEL, 0, node, b->pass)->cancel.range = units;
    for (int p = first_of(b, node); p < plb_broker_end_pu(b->config.broker, node); p++)
        if (!is_idle(b, p))
            become(b, p, PLB_PU_DOUBTED);
}

/* The units of a copy have been accepted from it: each node that had some of them until now is told, once. */
static void cancel_holders(struct plb_backups *b, struct plb_range units, struct plb_outbox *out)
{
    int n;
    const struct plb_block_change *changes = plb_ledger_changes(b->config.ledger, &n);
    for (int i = 0; i < n; i++) {
        bool told = false;
        for (int k = 0; k < i && !told; k++)
            told = changes[k].node == changes[i].node;
        if (!told)
            cancel(b, changes[i].node, units, out);
    }
}

bool plb_backups_doubts(const struct plb_backups *b, int pu)
{
    return b->pus[pu].activity == PLB_PU_DOUBTED;
}

void plb_backups_reported(struct plb_backups *b, int pu, struct plb_range range, bool accepted, double now,
                          struct plb_outbox *out)
{
    b->pus[pu].since = now;
    for (int i = b->copies.n - 1; i >= 0; i--) {
        struct plb_copy *c = &b->copies.at[i];
        struct plb_range done = plb_range_common(c->range, range);
        if (done.count == 0)
            continue;
        c->reported += c->pu == pu ? done.count : 0;
        b->counts.won += c->pu == pu && accepted && !c->won;
        c->won = c->won || (c->pu == pu && accepted);
        if (accepted && c->pu == pu)
            cancel_holders(b, done, out);
        else if (accepted)
            cancel(b, b->config.pus->infos[c->pu].node, done, out);
        if (c->reported >= c->range.count || plb_ledger_open_units(b->config.ledger, c->range, c->block) == 0)
            plb_made_copies_end(&b->copies, i);
    }
}

void plb_backups_idle(struct plb_backups *b, int pu, double now)
{
    if (!b->config.on)
        return;
    become(b, pu, PLB_PU_IDLE);
    b->due = fmin(b->due, fmax(now, b->looked + PLB_LOOK_GAP));
}

void plb_backups_lost(struct plb_backups *b, int first_pu, int n_pus)
{
    for (int p = first_pu; p < first_pu + n_pus; p++)
        employ(b, p);
    for (int i = b->copies.n - 1; i >= 0; i--)
        if (b->config.pus->states[b->copies.at[i].pu] == PLB_PU_LOST)
            plb_made_copies_end(&b->copies, i);
    b->due = b->n_idle > 0 ? b->looked + PLB_LOOK_GAP : INFINITY;
}

double plb_backups_due(const struct plb_backups *b)
{
    return b->due;
}

/* -------------------------------------------------------------------------- looks */

int plb_backups_executor(const struct plb_backups *b, const struct plb_held *held)
{
    int best = -1;
    if (b->config.pus->infos[held->pu].node == held->node && !is_idle(b, held->pu))
        return held->pu;
    for (int p = first_of(b, held->node); p < plb_broker_end_pu(b->config.broker, held->node); p++) {
        bool better = best < 0 || (is_idle(b, best) && !is_idle(b, p));
        if (better || (is_idle(b, p) == is_idle(b, best) && b->pus[p].since < b->pus[best].since))
            best = p;
    }
    return best >= 0 ? best : held->pu;
}

/* Seconds that a PU still needs for all that it holds. */
static double time_left(const struct plb_backups *b, int p, double now)
{
    return fabs(b->pus[p].held_s - (now - b->pus[p].since));
}

/* Seconds of held work; of a PU that has not reported, as slow as it may be. If it was the slowest of a few
 * PUs, others would wait for its only unit. On 400 random clusters of the tuning half this took 3.5 % less,
 * and 1.2 % less by the prior alone. */
static double longest_s(const struct plb_backups *b, int p, double work)
{
    return has_reported(b, p) ? seconds_of(b, p, work) : plb_estimate_late(estimate_of(b, p), work);
}

void plb_backups_expect(struct plb_backups *b)
{
    struct plb_held held;
    for (int p = 0; p < b->config.pus->room; p++)
        b->pus[p].held_s = 0.0;
    for (int64_t at = 0; plb_ledger_next_held(b->config.ledger, &at, &held);) {
        int p = plb_backups_executor(b, &held);
        b->pus[p].held_s += longest_s(b, p, work_of(b, held.range));
    }
}

/* The held units without a copy. */
static void find_late(struct plb_backups *b, double now)
{
    struct plb_held held;
    plb_backups_expect(b);
    plb_lates_clear(&b->lates);
    b->late_work = 0.0;
    for (int64_t at = 0; plb_ledger_next_held(b->config.ledger, &at, &held);) {
        held.range = plb_made_copies_without(&b->copies, held.range, false);
        if (held.range.count == 0 || plb_ledger_is_suspect(b->config.ledger, held.range))
            continue;
        int p = plb_backups_executor(b, &held);
        plb_lates_add(&b->lates, &(struct plb_late){held, p, time_left(b, p, now)});
        b->late_work += work_of(b, held.range);
    }
}

static void find_soon(struct plb_backups *b, double now)
{
    b->soon.n = 0;
    for (int p = 0; p < b->config.pus->room; p++)
        if (!is_idle(b, p) && b->config.pus->states[p] != PLB_PU_LOST && has_reported(b, p))
            plb_soon_add(&b->soon, (struct plb_soon_pu){time_left(b, p, now), estimate_of(b, p)->rate, p});
}

/* Work per second; 0 where the PU has not reported. */
static double rate_of(const struct plb_backups *b, int p)
{
    return plb_estimate_rate(estimate_of(b, p));
}

/* The idle PUs that are fastest, fastest first; then those that have not reported.
 * rates: the sum of theirs. */
static struct plb_soon find_helpers(const struct plb_backups *b, double *rates)
{
    struct plb_soon helpers = {.n = 0};
    *rates = 0.0;
    for (int p = 0; p < b->config.pus->room; p++)
        if (is_idle(b, p) && !plb_pu_waits(b->config.pus->states[p]))
            plb_soon_add(&helpers, (struct plb_soon_pu){.rate = rate_of(b, p), .pu = p});
    for (int i = 0; i < helpers.n; i++)
        *rates += helpers.at[i].rate;
    return helpers;
}

/* Whether a copy that takes `own` seconds is worth it, where the holder still needs `left`. */
static bool is_worth(const struct plb_backups *b, double own, double left, double now)
{
    return own < PLB_CLEARLY * left && own + LEAST_GAIN * (now - b->began) <= left;
}

/* Whether a copy may also have these late units, which are next to it. They may not be those that the PU of
 * its units executes before them, and perhaps ends soon. */
static bool joins(const struct plb_backups *b, int p, const struct plb_late *copy,
                  const struct plb_late *next)
{
    if (next == NULL || next->pu == p)
        return false;
    if (next->pu == copy->pu && plb_late_is_first(next, copy))
        return false;
    return plb_made_copies_without(&b->copies, next->held.range, false).count == next->held.range.count;
}

/* A copy of late units is worth it: those next to them, of whatever blocks, are part of it where that is
 * worth it, too, up to so much work. So the PU starts once, and not for each of them. Where results count
 * whole, any report of any holder would make such a copy worthless. */
static void widen(struct plb_backups *b, int p, double most, struct plb_late *copy, double now)
{
    for (int side = 0; side < 2 && !b->config.whole_results; side++)
        for (;;) {
            const struct plb_late *next = side == 0 ? plb_lates_after(&b->lates, copy->held.range)
                                                    : plb_lates_before(&b->lates, copy->held.range);
            if (!joins(b, p, copy, next))
                break;
            const struct plb_held *first = side == 0 ? &copy->held : &next->held;
            struct plb_range both = {first->range.first, copy->held.range.count + next->held.range.count};
            double work = work_of(b, both), least = fmin(copy->left, next->left);
            if (work > most || !is_worth(b, seconds_of(b, p, work), least, now))
                break;
            int pu = side == 0 ? copy->pu : next->pu;
            *copy = (struct plb_late){*first, pu, least};
            copy->held.range = both;
        }
}

static void give_copy(struct plb_backups *b, int p, const struct plb_held *units, double until,
                      struct plb_outbox *out)
{
    struct plb_message *m = plb_outbox_add(out, PLB_BACKUP, 0, b->config.pus->infos[p].node, b->pass);
    m->pu = b->config.pus->infos[p].local;
    m->block = (struct plb_block){.range = units->range, .id = units->block, .grain = units->range.count};
    struct plb_copy copy = {.range = units->range, .block = units->block, .pu = p, .until = until};
    copy.trial = !has_reported(b, p);
    b->copies.at[b->copies.n++] = copy;
    employ(b, p);
    b->due = fmin(b->due, until);
    b->counts.copies++;
}

/* Gives an idle PU its share of late units, where that is worth it. Else plans the time at which it will be,
 * if they are not there before. */
static bool help(struct plb_backups *b, int p, double share, const struct plb_late *late, double now,
                 struct plb_outbox *out)
{
    bool trial = !has_reported(b, p);
    struct plb_range range = plb_made_copies_without(&b->copies, late->held.range, trial);
    double part = share * work_of(b, range);
    int64_t units = range.count > 0 ? plb_cost_units(b->map, range.first, range.count, part) : 0;
    range.count = share < 1.0 && units < range.count ? units : range.count;
    double own = seconds_of(b, p, work_of(b, range)), gain = LEAST_GAIN * (now - b->began);
    if (range.count == 0)
        return false;
    if (trial)
        own = UNKNOWN * (now - b->pus[late->pu].since);
    const struct plb_soon_pu *better = trial ? NULL
                                             : plb_soon_find(&b->soon, work_of(b, range), PLB_CLEARLY * own);
    if (better != NULL) {
        b->due = fmin(b->due, now + fmax(better->left, PLB_LOOK_GAP));
        return false;
    }
    if (is_worth(b, own, late->left, now)) {
        /* without a start, single copies leave more to other PUs: on random clusters they are quicker */
        double most = fmin(share * b->late_work, plb_history_least_task(history_of(b, p)));
        struct plb_late copy = *late;
        copy.held.range = range;
        if (!trial) {
            widen(b, p, most, &copy, now);
            own = seconds_of(b, p, work_of(b, copy.held.range));
        }
        plb_backups_note(b, p, late, copy.held.range);
        give_copy(b, p, &copy.held, now + b->patience * fmax(own, PLB_LOOK_GAP), out);
        if (!trial)
            plb_soon_add(&b->soon, (struct plb_soon_pu){own, rate_of(b, p), p});
        return true;
    }
    double at = b->pus[late->pu].since + b->pus[late->pu].held_s + fmax(own / PLB_CLEARLY, own + gain);
    b->due = fmin(b->due, fmax(at, now + PLB_LOOK_GAP));
    return false;
}

/* Units have moved since an idle PU's node heard whom to ask: it hears again, and may say IDLE once more. */
static bool name_victims(struct plb_backups *b, int p, double now, struct plb_outbox *out)
{
    int node = b->config.pus->infos[p].node, from = out->n;
    if (b->pus[p].heard == b->moves)
        return false;
    plb_agenda_name_victims(b->config.agenda, node, out);
    for (int q = first_of(b, node); q < plb_broker_end_pu(b->config.broker, node); q++) {
        b->pus[q].heard = b->moves;
        if (out->n > from) {
            employ(b, q);
            b->pus[q].since = now;
        }
    }
    return out->n > from;
}

void plb_backups_look(struct plb_backups *b, double now, struct plb_outbox *out)
{
    double rates;
    b->looked = now;
    b->due = INFINITY;
    if (b->map == NULL || b->n_idle == 0 || plb_ledger_free_units(b->config.ledger) > 0)
        return;
    b->due = plb_made_copies_look(&b->copies, now, &b->patience);
    struct plb_soon helpers = find_helpers(b, &rates);
    find_late(b, now);
    find_soon(b, now);
    for (int i = 0; i < helpers.n; i++) {
        int p = helpers.at[i].pu;
        double rate = helpers.at[i].rate;
        bool asks = !is_idle(b, p) || name_victims(b, p, now, out);
        if (asks && rate > 0.0)
            plb_soon_add(&b->soon, (struct plb_soon_pu){0.0, rate, p});
        for (int k = 0; k < b->lates.n && !asks && b->copies.n < PLB_COPIES; k++)
            if (help(b, p, rate > 0.0 ? rate / rates : 1.0, &b->lates.latest[k], now, out))
                break;
        rates -= rate;
    }
}

const struct plb_backup_counts *plb_backups_counts(const struct plb_backups *b)
{
    return &b->counts;
}
