/* Which late units an idle PU executes a second time. */
#include "core/backup.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* An idle PU gets a copy if it needs less than this part of the time that the holder still needs. Larger:
 * more copies that do not come first. Smaller: late units last longer before somebody helps. */
#define WORTH 0.5

/* Of the time since the pass began: what a copy must win at least. Larger: small gains are left. Smaller: the
 * run executes copies that change it by less than noise does. */
#define LEAST_GAIN 0.005

/* Copies at a time, and idle PUs that one look considers. Larger: a look costs more. Smaller: with many late
 * PUs the later ones wait. */
#define COPIES 64
#define HELPERS 8

/* A PU that executes a copy is late itself after this multiple of the time that its curve says. It doubles
 * each time, so that few copies are made in vain. Larger: a second PU that hangs holds the run up longer.
 * Smaller: results that are long on their way are taken for late. */
#define PATIENCE 4.0

/* Late ranges that one look considers. Larger: a look costs more. Smaller: a range that nobody can help hides
 * others. */
#define TRIES 16

struct backup_pu {
    double since; /* it has worked since then on what it holds, as far as the master knows */
    bool idle;    /* and finds nobody to take work from */
};

/* Units of a block that a PU executes beside their holder. */
struct copy {
    struct plb_range range;
    int64_t block;
    int pu, holder;   /* holder: node */
    int64_t reported; /* units of it that the PU has reported, also where they were dropped */
    bool won;         /* it was first with some of them */
    double until;     /* then the PU is late itself, and another one may get a copy */
};

struct plb_backups {
    struct plb_backups_config config;
    struct backup_pu *pus;
    int n_idle;
    struct copy copies[COPIES];
    int n_copies, pass, phase;
    const struct plb_cost_map *map;
    double began, looked, due;
    double patience; /* see PATIENCE */
    struct plb_backup_counts counts;
};

/* Late units, and what is expected of their holder. */
struct late {
    struct plb_held held;
    int pu;         /* that probably executes them */
    double seconds; /* that it was expected to need; 0: nothing is known */
    double left;    /* seconds that it still needs */
};

struct plb_backups *plb_backups_new(const struct plb_backups_config *config)
{
    struct plb_backups *b = plb_alloc(sizeof *b);
    b->config = *config;
    b->pus = plb_alloc((size_t)config->n_pus * sizeof *b->pus);
    b->due = INFINITY;
    return b;
}

void plb_backups_free(struct plb_backups *b)
{
    if (b != NULL)
        free(b->pus);
    free(b);
}

void plb_backups_begin(struct plb_backups *b, int pass, int phase, const struct plb_cost_map *map, double now)
{
    b->pass = pass;
    b->phase = phase;
    b->map = map;
    b->began = now;
    b->patience = PATIENCE;
    b->looked = -INFINITY;
    b->due = INFINITY;
    b->n_copies = b->n_idle = 0;
    for (int p = 0; p < b->config.n_pus; p++)
        b->pus[p] = (struct backup_pu){.since = now};
}

static void set_idle(struct plb_backups *b, int p, bool idle)
{
    b->n_idle += idle - b->pus[p].idle;
    b->pus[p].idle = idle;
}

void plb_backups_granted(struct plb_backups *b, const struct plb_outbox *out, int from, double now)
{
    for (int i = from; i < out->n && b->config.on; i++) {
        if (out->at[i].type != PLB_BLOCK)
            continue;
        int p = (int)(out->at[i].block.id % b->config.n_pus);
        if (plb_ledger_open_blocks(b->config.ledger, p) == 1)
            b->pus[p].since = now;
        set_idle(b, p, false);
    }
}

static int first_of(const struct plb_backups *b, int node)
{
    return plb_broker_first_pu(b->config.broker, node);
}

static int end_of_node(const struct plb_backups *b, int node)
{
    return first_of(b, node) + plb_broker_pus(b->config.broker, node);
}

void plb_backups_given(struct plb_backups *b, int node, double now)
{
    for (int p = first_of(b, node); p < end_of_node(b, node) && b->n_idle > 0; p++)
        if (b->pus[p].idle) {
            set_idle(b, p, false);
            b->pus[p].since = now;
        }
}

/* ------------------------------------------------------------------------- copies */

static int64_t end_of(struct plb_range range)
{
    return range.first + range.count;
}

static struct plb_range common(struct plb_range a, struct plb_range b)
{
    int64_t first = a.first > b.first ? a.first : b.first;
    int64_t end = end_of(a) < end_of(b) ? end_of(a) : end_of(b);
    return (struct plb_range){first, end > first ? end - first : 0};
}

static void end_copy(struct plb_backups *b, int i)
{
    b->copies[i] = b->copies[--b->n_copies];
}

/* The first units of a range that have no copy. */
static struct plb_range without_copy(const struct plb_backups *b, struct plb_range range)
{
    int64_t end = end_of(range);
    for (int i = 0; i < b->n_copies; i++)
        if (common(b->copies[i].range, (struct plb_range){range.first, 1}).count > 0) {
            range.first = end_of(b->copies[i].range);
            if (range.first >= end)
                return (struct plb_range){end, 0};
            i = -1; /* the copies stand in no order */
        }
    for (int i = 0; i < b->n_copies; i++)
        if (b->copies[i].range.first > range.first && b->copies[i].range.first < end)
            end = b->copies[i].range.first;
    return (struct plb_range){range.first, end - range.first};
}

void plb_backups_reported(struct plb_backups *b, int pu, struct plb_range range, bool accepted, double now,
                          struct plb_outbox *out)
{
    b->pus[pu].since = now;
    set_idle(b, pu, false);
    for (int i = b->n_copies - 1; i >= 0; i--) {
        struct copy *c = &b->copies[i];
        struct plb_range done = common(c->range, range);
        if (done.count == 0)
            continue;
        int loser = c->pu == pu ? c->holder : b->config.infos[c->pu].node;
        c->reported += c->pu == pu ? done.count : 0;
        b->counts.won += c->pu == pu && accepted && !c->won;
        c->won = c->won || (c->pu == pu && accepted);
        if (accepted)
            plb_outbox_add(out, PLB_CANCEL, 0, loser, b->pass)->cancel.range = done;
        if (c->reported >= c->range.count || plb_ledger_open_units(b->config.ledger, c->range, c->block) == 0)
            end_copy(b, i);
    }
}

void plb_backups_idle(struct plb_backups *b, int pu, double now)
{
    if (!b->config.on)
        return;
    set_idle(b, pu, true);
    b->due = fmin(b->due, fmax(now, b->looked + PLB_LOOK_GAP));
}

void plb_backups_lost(struct plb_backups *b, int node)
{
    for (int p = first_of(b, node); p < end_of_node(b, node); p++)
        set_idle(b, p, false);
    for (int i = b->n_copies - 1; i >= 0; i--)
        if (b->config.infos[b->copies[i].pu].node == node)
            end_copy(b, i);
    b->due = b->n_idle > 0 ? b->looked + PLB_LOOK_GAP : INFINITY;
}

double plb_backups_due(const struct plb_backups *b)
{
    return b->due;
}

/* -------------------------------------------------------------------------- looks */

static double work_of(const struct plb_backups *b, struct plb_range range)
{
    return plb_cost_work(b->map, range.first, range.count);
}

static struct plb_history *history_of(const struct plb_backups *b, int p)
{
    return &b->config.histories[p * b->config.n_phases + b->phase];
}

/* Work per second in the latest report, without a fit; 0 where there is none. */
static double latest_rate(const struct plb_backups *b, int p)
{
    const struct plb_history *h = history_of(b, p);
    const struct plb_sample *last = h->n > 0 ? &h->at[h->n - 1] : NULL;
    double seconds = last != NULL ? last->execute_s + last->transfer_s : 0.0;
    return seconds > 0.0 && isfinite(seconds) ? last->work / seconds : 0.0;
}

/* Seconds that a PU needs by its curve; negative where nothing is known. */
static double seconds_of(const struct plb_backups *b, int p, double work)
{
    const struct plb_model *model = plb_history_model(history_of(b, p));
    return model != NULL ? plb_model_time(model, work) : -1.0;
}

/* The PU that probably executes held units: the one that they were granted to, or the one of the node that
 * has reported longest ago. */
static int executor_of(const struct plb_backups *b, const struct plb_held *held)
{
    const struct plb_pu_info *infos = b->config.infos;
    int best = held->pu;
    if (infos[held->pu].node == held->node && !b->pus[held->pu].idle)
        return held->pu;
    for (int p = first_of(b, held->node); p < end_of_node(b, held->node); p++)
        if (!b->pus[p].idle
            && (infos[best].node != held->node || b->pus[best].idle || b->pus[p].since < b->pus[best].since))
            best = p;
    return best;
}

/* Seconds that the holder still needs, where it was expected to need `seconds`. */
static double time_left(const struct plb_backups *b, int p, double seconds, double now)
{
    return fabs(fmax(seconds, 0.0) - (now - b->pus[p].since));
}

/* The held units without a copy that will probably last longest, leaving out those that end before `below`.
 * Times are from the latest report: a fit for each range would cost too much. */
static bool find_latest(const struct plb_backups *b, double now, double below, struct late *latest)
{
    struct plb_held held;
    bool found = false;
    for (int64_t at = 0; plb_ledger_next_held(b->config.ledger, &at, &held);) {
        held.range = without_copy(b, held.range);
        if (held.range.count == 0)
            continue;
        struct late late = {.held = held, .pu = executor_of(b, &held)};
        double rate = latest_rate(b, late.pu);
        late.seconds = rate > 0.0 ? work_of(b, held.range) / rate : 0.0;
        late.left = time_left(b, late.pu, late.seconds, now);
        if (late.left < below && (!found || late.left > latest->left)) {
            *latest = late;
            found = true;
        }
    }
    return found;
}

/* The idle PUs that were fastest in their latest report, fastest first. Returns how many. */
static int find_helpers(const struct plb_backups *b, int helpers[HELPERS], double *rates)
{
    int n = 0;
    *rates = 0.0;
    for (int p = 0; p < b->config.n_pus; p++) {
        double rate = b->pus[p].idle ? latest_rate(b, p) : 0.0;
        if (rate <= 0.0)
            continue;
        int place = n < HELPERS ? n++ : HELPERS;
        for (; place > 0 && latest_rate(b, helpers[place - 1]) < rate; place--)
            if (place < HELPERS)
                helpers[place] = helpers[place - 1];
        if (place < HELPERS)
            helpers[place] = p;
    }
    for (int i = 0; i < n; i++)
        *rates += latest_rate(b, helpers[i]);
    return n;
}

static void give_copy(struct plb_backups *b, int p, const struct late *late, struct plb_range range,
                      double until, struct plb_outbox *out)
{
    const struct plb_pu_info *info = &b->config.infos[p];
    struct plb_message *m = plb_outbox_add(out, PLB_BACKUP, 0, info->node, b->pass);
    m->pu = info->local;
    m->block = (struct plb_block){.range = range, .id = late->held.block, .grain = range.count};
    b->copies[b->n_copies++] = (struct copy){
        .range = range, .block = late->held.block, .pu = p, .holder = late->held.node, .until = until};
    set_idle(b, p, false);
    b->due = fmin(b->due, until);
    b->counts.copies++;
    b->counts.units += range.count;
}

/* Gives an idle PU its share of late units, where that is worth it. Else plans the time at which it will be,
 * if they are not there before. */
static bool help(struct plb_backups *b, int p, double share, const struct late *late, double now,
                 struct plb_outbox *out)
{
    struct plb_range range = late->held.range;
    double part = share * work_of(b, range);
    int64_t units = plb_cost_units(b->map, range.first, range.count, part);
    range.count = share < 1.0 && units < range.count ? units : range.count;
    double own = seconds_of(b, p, work_of(b, range)), gain = LEAST_GAIN * (now - b->began);
    if (own < 0.0)
        return false;
    if (own < WORTH * late->left && own + gain <= late->left) {
        give_copy(b, p, late, range, now + b->patience * fmax(own, PLB_LOOK_GAP), out);
        return true;
    }
    double at = b->pus[late->pu].since + fmax(late->seconds, 0.0) + fmax(own / WORTH, own + gain);
    b->due = fmin(b->due, fmax(at, now + PLB_LOOK_GAP));
    return false;
}

/* Forgets copies that are late themselves, and plans a look for the others. */
static void forget_late_copies(struct plb_backups *b, double now)
{
    for (int i = b->n_copies - 1; i >= 0; i--) {
        if (now < b->copies[i].until) {
            b->due = fmin(b->due, b->copies[i].until);
            continue;
        }
        end_copy(b, i);
        b->patience *= 2.0;
    }
}

void plb_backups_look(struct plb_backups *b, double now, struct plb_outbox *out)
{
    struct late late = {0};
    double below = INFINITY, rates;
    int helpers[HELPERS], tries = 0;
    b->looked = now;
    b->due = INFINITY;
    if (b->map == NULL || b->n_idle == 0 || plb_ledger_free_units(b->config.ledger) > 0)
        return;
    forget_late_copies(b, now);
    int n = find_helpers(b, helpers, &rates);
    for (int i = 0; i < n && b->n_copies < COPIES && tries++ < TRIES && find_latest(b, now, below, &late);) {
        double share = latest_rate(b, helpers[i]) / rates;
        below = late.left;
        late.seconds = seconds_of(b, late.pu, work_of(b, late.held.range));
        late.left = time_left(b, late.pu, late.seconds, now);
        if (help(b, helpers[i], share, &late, now, out)) {
            rates -= latest_rate(b, helpers[i++]);
            below = INFINITY;
        }
    }
}

const struct plb_backup_counts *plb_backups_counts(const struct plb_backups *b)
{
    return &b->counts;
}
