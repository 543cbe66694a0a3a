/* Which tasks are executed a second time, and by whom. */
#include "core/again/audit.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/again/late.h"
#include "plb/kernel.h"

/* Added to the job's seed, so that the sample does not follow its other random numbers. Any number. */
#define STREAM 0x6175646974u

/* A PU is asked first if it is at least this part as fast as the one that is audited. Larger: fewer PUs do
 * all audits. Smaller: audits last longer. */
#define LEAST_SPEED 0.5

/* A PU that needs more than so many times the task's seconds executes a part of the units. Larger: an audit
 * near the end of a pass lasts longer. Smaller: less of each task is compared. */
#define LONGEST 2.0

/* Seconds for an audit once all units are accepted, beside PLB_LATE_AGAIN times what all open audits of the
 * PU should take. Larger: a PU that hangs holds the pass up for longer. Smaller: a PU whose core was taken
 * away is passed over. */
#define GRACE 1.0

/* Seconds of an audit on a PU of unknown speed, in multiples of the task's seconds. Larger and smaller: as
 * above. */
#define UNKNOWN 8.0

struct audit_pu {
    double load;   /* seconds that its open audits should take */
    int64_t wrong; /* audits in which its result was the wrong one */
    bool silent;   /* it has not answered in this pass */
};

struct plb_audits {
    struct plb_audits_config config;
    struct audit_pu *pus;
    struct plb_audit *at; /* the open ones, in no order */
    int n, capacity, pass, phase;
    int64_t next_id;
    uint64_t draws;
    const struct plb_cost_map *map;
    struct plb_audit_counts counts;
};

struct plb_audits *plb_audits_new(const struct plb_audits_config *config)
{
    struct plb_audits *a = plb_alloc(sizeof *a);
    a->config = *config;
    a->pus = plb_alloc((size_t)config->pus->room * sizeof *a->pus);
    return a;
}

void plb_audits_free(struct plb_audits *a)
{
    if (a == NULL)
        return;
    free(a->pus);
    free(a->at);
    free(a);
}

int plb_audits_candidates(const struct plb_audits *a)
{
    int n = 0;
    for (int p = 0; p < a->config.pus->room; p++)
        n += plb_pus_usable(a->config.pus, p);
    return n;
}

void plb_audits_begin(struct plb_audits *a, int pass, int phase, const struct plb_cost_map *map)
{
    a->pass = pass;
    a->phase = phase;
    a->map = map;
    a->n = 0;
    for (int p = 0; p < a->config.pus->room; p++) {
        a->pus[p].load = 0.0;
        a->pus[p].silent = false;
    }
}

/* ------------------------------------------------------------------------- whom */

static const struct plb_estimate *estimate_of(const struct plb_audits *a, int p)
{
    return plb_history_estimate(&a->config.histories[p * a->config.n_phases + a->phase]);
}

static double rate_of(const struct plb_audits *a, int p)
{
    return plb_estimate_rate(estimate_of(a, p));
}

static double work_of(const struct plb_audits *a, struct plb_range range)
{
    return plb_cost_work(a->map, range.first, range.count);
}

/* Bytes that a PU has for one task. */
static double room_of(const struct plb_audits *a, int p)
{
    return (a->config.pus->infos[p].memory - a->config.sizes->replicated_bytes) / PLB_TASKS_IN_MEMORY;
}

/* Whether a PU may be the next one of an audit. */
static bool may(const struct plb_audits *a, const struct plb_audit *audit, int p, bool other_node)
{
    const struct plb_pu_info *infos = a->config.pus->infos;
    if (!plb_pus_usable(a->config.pus, p) || a->pus[p].silent)
        return false;
    for (int i = 0; i < audit->n; i++)
        if (audit->pus[i] == p || (other_node && infos[audit->pus[i]].node == infos[p].node))
            return false;
    return plb_sizes_bytes(a->config.sizes, audit->range) <= room_of(a, p);
}

/* How PUs are sought: each level only where the one before has found none. */
enum level { FAST, KNOWN, ANY, FAST_HERE, KNOWN_HERE, ANY_HERE, LEVELS };

/* A PU's part of the draw. */
static double weight(const struct plb_audits *a, const struct plb_audit *audit, int p, enum level level)
{
    if (!may(a, audit, p, level < FAST_HERE))
        return 0.0;
    double rate = rate_of(a, p);
    if (level == FAST || level == FAST_HERE)
        return rate >= LEAST_SPEED * rate_of(a, audit->pus[0]) ? rate : 0.0;
    return level == KNOWN || level == KNOWN_HERE ? rate : fmax(a->config.pus->infos[p].power, 1e-300);
}

/* The next PU of an audit, drawn by weight; negative: there is none. */
static int choose(struct plb_audits *a, const struct plb_audit *audit)
{
    for (enum level level = FAST; level < LEVELS; level++) {
        double sum = 0.0;
        int last = -1;
        for (int p = 0; p < a->config.pus->room; p++)
            sum += weight(a, audit, p, level);
        if (!(sum > 0.0))
            continue;
        double at = sum * plb_random_real(a->config.seed + STREAM, a->draws++);
        for (int p = 0; p < a->config.pus->room && at >= 0.0; p++) {
            double w = weight(a, audit, p, level);
            last = w > 0.0 ? p : last;
            at -= w;
        }
        return last;
    }
    return -1;
}

/* ----------------------------------------------------------------------- asking */

static bool all_accepted(const struct plb_audits *a)
{
    return a->map != NULL && plb_ledger_accepted_units(a->config.ledger) == a->map->units;
}

static void set_time(const struct plb_audits *a, struct plb_audit *audit, double now)
{
    double load = a->pus[audit->pus[audit->n - 1]].load;
    audit->until = all_accepted(a) ? now + GRACE + PLB_LATE_AGAIN * load : INFINITY;
}

/* Asks a PU to execute the units of an audit. */
static void ask(struct plb_audits *a, struct plb_audit *audit, int p, double now, struct plb_outbox *out)
{
    const struct plb_pu_info *info = &a->config.pus->infos[p];
    audit->pus[audit->n++] = p;
    plb_regrants_copied(plb_ledger_regrants(a->config.ledger), audit->range, audit->pus[0], p,
                        PLB_REGRANT_AUDIT);
    audit->expected = rate_of(a, p) > 0.0 ? plb_estimate_seconds(estimate_of(a, p), work_of(a, audit->range))
                                          : UNKNOWN * audit->seconds;
    a->pus[p].load += audit->expected;
    set_time(a, audit, now);
    struct plb_message *m = plb_outbox_add(out, PLB_AUDIT, 0, info->node, a->pass);
    m->pu = info->local;
    m->block = (struct plb_block){.range = audit->range, .id = audit->id, .grain = audit->range.count};
}

/* The last PU of an audit is not waited for any more. */
static void release(struct plb_audits *a, const struct plb_audit *audit)
{
    a->pus[audit->pus[audit->n - 1]].load -= audit->expected;
}

static void end(struct plb_audits *a, struct plb_audit *audit)
{
    *audit = a->at[--a->n];
}

/* The part of a task's units that a PU executes. */
static struct plb_range cut(struct plb_audits *a, struct plb_range task, int p, double seconds)
{
    const struct plb_task_limit limit = {INT64_MAX, room_of(a, p)};
    double rate = rate_of(a, p), work = rate * seconds;
    int64_t count = plb_sizes_fit(a->config.sizes, &limit, task);
    if (work > 0.0 && LONGEST * work < work_of(a, task)) {
        int64_t most = plb_cost_units(a->map, task.first, task.count, work);
        count = most < count ? most : count;
    }
    double draw = plb_random_real(a->config.seed + STREAM, a->draws++);
    task.first += (int64_t)(draw * (double)(task.count - count + 1));
    task.count = count;
    task.count = plb_sizes_fit(a->config.sizes, &limit, task); /* other units may be larger */
    return task;
}

/* Begins the audit of a task, where there is a second PU. */
static void begin(struct plb_audits *a, int pu, struct plb_range task, double seconds, double now,
                  struct plb_outbox *out)
{
    a->at = plb_room(a->at, a->n, &a->capacity, sizeof *a->at);
    struct plb_audit *audit = &a->at[a->n];
    *audit = (struct plb_audit){
        .id = a->next_id++, .range = task, .pus = {pu}, .n = 1, .seconds = seconds, .until = INFINITY};
    if (!a->config.whole)
        audit->range.count = 1;
    int second = choose(a, audit);
    if (second < 0) {
        a->counts.given_up++;
        return;
    }
    if (!a->config.whole)
        audit->range = cut(a, task, second, seconds);
    a->n++;
    ask(a, audit, second, now, out);
}

void plb_audits_reported(struct plb_audits *a, int pu, const struct plb_done *done, int64_t fresh, double now,
                         struct plb_outbox *out)
{
    const struct plb_range *r = &done->range;
    if (!(a->config.fraction > 0.0))
        return;
    double seconds = (done->execute_s + done->transfer_s) / (double)done->tasks;
    seconds = isfinite(seconds) && seconds > 0.0 ? seconds : 0.0;
    for (int64_t i = 0; i < done->tasks && fresh == r->count; i++) {
        int64_t from = r->count / done->tasks * i + r->count % done->tasks * i / done->tasks, next = i + 1;
        int64_t to = r->count / done->tasks * next + r->count % done->tasks * next / done->tasks;
        uint64_t first = (uint64_t)(r->first + from), stream = a->config.seed + STREAM + (uint64_t)a->pass;
        if (plb_random_real(stream, first) < a->config.fraction)
            begin(a, pu, (struct plb_range){r->first + from, to - from}, seconds, now, out);
    }
    plb_audits_follow(a, now);
}

void plb_audits_follow(struct plb_audits *a, double now)
{
    for (int i = 0; i < a->n && all_accepted(a); i++)
        if (!(a->at[i].until < INFINITY))
            set_time(a, &a->at[i], now);
}

/* ----------------------------------------------------------- PUs that do not answer */

/* Asks another PU instead of the last one. Where there is none the audit is over. */
static void ask_another(struct plb_audits *a, struct plb_audit *audit, double now, struct plb_outbox *out)
{
    release(a, audit);
    audit->n--;
    int p = choose(a, audit);
    if (p >= 0) {
        ask(a, audit, p, now, out);
        return;
    }
    a->counts.given_up += audit->n == 1;
    end(a, audit);
}

void plb_audits_lost(struct plb_audits *a, double now, struct plb_outbox *out)
{
    for (int i = a->n - 1; i >= 0; i--)
        if (!plb_pus_usable(a->config.pus, a->at[i].pus[a->at[i].n - 1]))
            ask_another(a, &a->at[i], now, out);
}

double plb_audits_due(const struct plb_audits *a)
{
    double due = INFINITY;
    for (int i = 0; i < a->n; i++)
        due = fmin(due, a->at[i].until);
    return due;
}

void plb_audits_tick(struct plb_audits *a, double now, struct plb_outbox *out)
{
    for (int i = a->n - 1; i >= 0; i--)
        if (now >= a->at[i].until) {
            a->pus[a->at[i].pus[a->at[i].n - 1]].silent = true;
            ask_another(a, &a->at[i], now, out);
        }
}

/* ---------------------------------------------------------------------- results */

int plb_audits_open(const struct plb_audits *a)
{
    return a->n;
}

const struct plb_audit *plb_audits_of(const struct plb_audits *a, struct plb_range range)
{
    for (int i = a->n - 1; i >= 0; i--)
        if (a->at[i].range.first == range.first && a->at[i].range.count == range.count)
            return &a->at[i];
    return NULL;
}

static struct plb_audit *of_id(const struct plb_audits *a, int64_t id)
{
    for (int i = 0; i < a->n; i++)
        if (a->at[i].id == id)
            return &a->at[i];
    return NULL;
}

void plb_audits_forget(struct plb_audits *a, int64_t id)
{
    struct plb_audit *audit = of_id(a, id);
    if (audit == NULL)
        return;
    release(a, audit);
    a->counts.given_up += audit->n == 2;
    end(a, audit);
}

bool plb_audits_is_open(const struct plb_audits *a, int64_t id)
{
    return of_id(a, id) != NULL;
}

const struct plb_audit *plb_audits_find(const struct plb_audits *a, const struct plb_message *m)
{
    const struct plb_done *done = &m->done;
    const struct plb_audit *audit = done->audit && m->pass == a->pass ? of_id(a, done->block) : NULL;
    if (audit == NULL || audit->range.first != done->range.first || audit->range.count != done->range.count)
        return NULL;
    int pu = plb_broker_pu(a->config.broker, m->from, m->pu);
    return audit->pus[audit->n - 1] == pu ? audit : NULL;
}

void plb_audits_ask_again(struct plb_audits *a, const struct plb_message *done, double now,
                          struct plb_outbox *out)
{
    if (plb_audits_find(a, done) == NULL)
        return;
    struct plb_audit *audit = of_id(a, done->done.block);
    release(a, audit);
    audit->n--;
    ask(a, audit, audit->pus[audit->n], now, out);
}

/* The second result differs from the first one: a third PU decides, where there is one. */
static enum plb_audit_verdict ask_third(struct plb_audits *a, struct plb_audit *audit, double now,
                                        struct plb_outbox *out)
{
    int third = choose(a, audit);
    a->counts.differences++;
    if (third >= 0) {
        ask(a, audit, third, now, out);
        return PLB_AUDIT_DIFFERS;
    }
    end(a, audit);
    return PLB_AUDIT_UNDECIDED;
}

enum plb_audit_verdict plb_audits_compared(struct plb_audits *a, const struct plb_message *done,
                                           const bool agrees[PLB_AUDIT_PUS - 1], double now,
                                           struct plb_outbox *out)
{
    struct plb_audit *audit = of_id(a, done->done.block);
    enum plb_audit_verdict verdict = agrees[0]                 ? PLB_AUDIT_SECOND
                                   : audit->n > 2 && agrees[1] ? PLB_AUDIT_FIRST
                                                               : PLB_AUDIT_UNDECIDED;
    release(a, audit);
    if (audit->n == 2) {
        a->counts.audited++;
        if (!agrees[0])
            return ask_third(a, audit, now, out);
        verdict = PLB_AUDIT_AGREES;
    }
    if (verdict == PLB_AUDIT_FIRST || verdict == PLB_AUDIT_SECOND)
        a->pus[audit->pus[verdict == PLB_AUDIT_SECOND]].wrong++;
    end(a, audit);
    return verdict;
}

const struct plb_audit_counts *plb_audits_counts(const struct plb_audits *a)
{
    return &a->counts;
}

int64_t plb_audits_wrong(const struct plb_audits *a, int pu)
{
    return a->pus[pu].wrong;
}
