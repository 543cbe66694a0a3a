/* The worker: messages and queues in, tasks and reports out. */
#include "core/worker.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "core/copies.h"
#include "core/pu_rate.h"
#include "core/reports.h"
#include "core/share.h"
#include "core/thief.h"

/* One PU of the node. */
struct worker_pu {
    struct plb_queue queue;
    struct plb_pu_rate rate;
    double power; /* as given */
    struct plb_task_limit limit;
    int merging; /* its latest report, which may grow; or -1 */
    bool hungry; /* found nothing when it last asked */
    bool idle;   /* the master knows that it found nothing, and that nobody has work for it */
    bool served; /* has been granted a block in this run: the master refuses some, for lack of memory */
    bool bursts;
    double unit_s; /* seconds of a unit in its latest task; 0: none in this pass */
};

/* A burst has at most so many tasks beside the first, and lasts at most these seconds, by the PU's latest
 * task. Larger: if costs rise suddenly, more units wait behind dear ones. Smaller: locks, reports and clocks
 * cost each task more (bench-overhead). */
#define BURST_TASKS 7
#define BURST_SECONDS 20e-6

struct plb_worker {
    int node, n_nodes, n_pus, n_phases, pass, phase;
    struct worker_pu *pus;
    const struct plb_sizes *sizes;
    const struct plb_cost_map *maps, *map; /* map: of the phase that runs; NULL before the first pass */
    struct plb_reports reports;
    struct plb_copies copies;
    struct plb_outbox early; /* messages of passes that have not begun here */
    struct plb_migration migration;
    struct plb_thief *thief;
    bool empty; /* the master has nothing more to grant */
};

struct plb_worker *plb_worker_new(const struct plb_worker_config *config)
{
    struct plb_worker *w = plb_alloc(sizeof *w);
    w->node = config->node;
    w->n_nodes = config->n_nodes;
    w->n_pus = config->n_pus;
    w->n_phases = config->n_phases;
    w->sizes = config->sizes != NULL ? config->sizes : &plb_no_sizes;
    w->maps = config->maps;
    w->migration = config->migration;
    w->thief = plb_thief_new(config->node, config->n_nodes, &config->migration);
    plb_reports_init(&w->reports, w->n_pus, w->node);
    plb_copies_init(&w->copies, w->n_pus);
    w->pus = plb_alloc((size_t)config->n_pus * sizeof *w->pus);
    for (int pu = 0; pu < w->n_pus; pu++) {
        w->pus[pu].power = config->pus[pu].power;
        w->pus[pu].limit = config->pus[pu].limit;
        w->pus[pu].bursts = config->pus[pu].bursts && w->sizes->n_indexed == 0;
    }
    return w;
}

void plb_worker_free(struct plb_worker *w)
{
    if (w == NULL)
        return;
    for (int pu = 0; pu < w->n_pus; pu++)
        plb_queue_fini(&w->pus[pu].queue);
    plb_copies_fini(&w->copies);
    plb_reports_fini(&w->reports);
    plb_outbox_fini(&w->early);
    plb_thief_free(w->thief);
    free(w->pus);
    free(w);
}

/* ------------------------------------------------------------------------ queues */

/* How fast the node is: as measured, or 0 where a PU has done nothing yet or Li's powers are wanted. */
static double measured_rate(const struct plb_worker *w)
{
    double sum = 0.0;
    for (int pu = 0; pu < w->n_pus; pu++) {
        double rate = plb_pu_rate(&w->pus[pu].rate);
        if (rate == 0.0 || w->migration.by_power)
            return 0.0;
        sum += rate;
    }
    return sum;
}

static double given_power(const struct plb_worker *w)
{
    double sum = 0.0;
    for (int pu = 0; pu < w->n_pus; pu++)
        sum += w->pus[pu].power;
    return sum;
}

/* The PU of this node with most queued work. */
static struct worker_pu *fullest(const struct plb_worker *w, double *work)
{
    int best = 0;
    *work = 0.0;
    for (int pu = 0; pu < w->n_pus; pu++) {
        double queued = plb_queue_work(&w->pus[pu].queue, w->map);
        if (queued > *work) {
            *work = queued;
            best = pu;
        }
    }
    return &w->pus[best];
}

double plb_worker_queued(const struct plb_worker *w)
{
    double sum = 0.0;
    for (int pu = 0; pu < w->n_pus && w->map != NULL; pu++)
        sum += plb_queue_work(&w->pus[pu].queue, w->map);
    return sum;
}

/* Entries that were cut off the back of a queue, last first. */
static void push_back(struct worker_pu *pu, const struct plb_queue_entry *entries, int n)
{
    for (int i = n - 1; i >= 0; i--)
        plb_queue_push(&pu->queue, entries[i]);
}

/* Moves work from the fullest queue of the node to that of a PU which has none. */
static bool take_from_neighbour(struct plb_worker *w, struct worker_pu *own)
{
    struct plb_queue_entry taken[PLB_GIFTS];
    double queued;
    struct worker_pu *other = fullest(w, &queued);
    double x = queued > 0.0 ? plb_neighbours_share(&(struct plb_sharer){&own->rate, own->power},
                                                   &(struct plb_sharer){&other->rate, other->power}, queued,
                                                   w->migration.by_power)
                            : 0.0;
    if (x <= 0.0)
        return false;
    int n = plb_queue_cut(&other->queue, w->map, x, taken, PLB_GIFTS);
    push_back(own, taken, n);
    return n > 0;
}

/* ---------------------------------------------------------------------- messages */

static void on_pass(struct plb_worker *w, const struct plb_message *m, struct plb_outbox *out)
{
    w->pass = m->pass;
    w->phase = (int)m->begin.phase;
    w->map = &w->maps[w->phase];
    plb_reports_clear(&w->reports);
    plb_copies_begin(&w->copies);
    w->empty = false;
    plb_thief_begin(w->thief);
    for (int pu = 0; pu < w->n_pus; pu++) {
        plb_queue_clear(&w->pus[pu].queue);
        w->pus[pu].hungry = w->pus[pu].idle = false;
        w->pus[pu].rate = (struct plb_pu_rate){0}; /* the phase may be another one */
        w->pus[pu].unit_s = 0.0;
    }
    struct plb_outbox early = w->early;
    w->early = (struct plb_outbox){0};
    for (int i = 0; i < early.n; i++)
        plb_worker_receive(w, &early.at[i], out);
    plb_outbox_fini(&early);
}

static bool in_pass(const struct plb_worker *w, struct plb_range range)
{
    return range.first + range.count <= w->map->units;
}

static bool on_block(struct plb_worker *w, const struct plb_message *m)
{
    if (m->pu >= w->n_pus || !in_pass(w, m->block.range))
        return false;
    struct worker_pu *pu = &w->pus[m->pu];
    pu->served = true;
    plb_queue_push(m->type == PLB_BLOCK ? &pu->queue : &w->copies.of[m->pu],
                   (struct plb_queue_entry){m->block.range, m->block.id, m->block.grain, 0});
    if (m->block.least > 0)
        pu->rate.least = m->block.least;
    return true;
}

static bool on_cancel(struct plb_worker *w, struct plb_range range)
{
    if (!in_pass(w, range))
        return false;
    plb_copies_cancel(&w->copies, range);
    for (int pu = 0; pu < w->n_pus; pu++)
        plb_queue_remove(&w->pus[pu].queue, range);
    return true;
}

static bool on_empty(struct plb_worker *w, const struct plb_empty *empty)
{
    if (!w->migration.on)
        return false;
    w->empty = true;
    for (int pu = 0; pu < w->n_pus && pu < PLB_LEAST; pu++)
        w->pus[pu].rate.least = empty->least[pu];
    plb_thief_hint(w->thief, empty);
    return true;
}

/* Cuts what a thief of this rate and power gets off the fullest queues. Returns the number of entries. */
static int cut_for(struct plb_worker *w, const struct plb_steal *steal, struct plb_queue_entry *taken)
{
    double own = measured_rate(w), queued = plb_worker_queued(w), most;
    bool measured = own > 0.0 && steal->rate > 0.0;
    double x = plb_migration_share(queued, measured ? steal->rate : steal->power,
                                   measured ? own : given_power(w));
    int n = 0;
    while (x > 0.0 && x >= w->migration.threshold && n < PLB_GIFTS) {
        struct worker_pu *pu = fullest(w, &most);
        if (most <= 0.0)
            break;
        int more = plb_queue_cut(&pu->queue, w->map, x, taken + n, PLB_GIFTS - n);
        if (more == 0)
            break;
        for (int i = n; i < n + more; i++)
            x -= plb_cost_work(w->map, taken[i].range.first, taken[i].range.count);
        n += more;
    }
    return n;
}

/* A thief gets an answer in any case, also of a pass that is over here. */
static void on_steal(struct plb_worker *w, const struct plb_message *m, struct plb_outbox *out)
{
    struct plb_queue_entry taken[PLB_GIFTS];
    bool gives = m->pass == w->pass && w->migration.on && w->map != NULL && m->from != w->node;
    struct plb_gifts gifts = {.thief = m->from, .n = gives ? cut_for(w, &m->steal, taken) : 0};
    for (int i = 0; i < gifts.n; i++)
        gifts.at[i] = (struct plb_gift){taken[i].range, taken[i].block, taken[i].hop + 1};
    gifts.left = gives ? plb_worker_queued(w) : 0.0;
    plb_outbox_add(out, PLB_GIFT, w->node, m->from, m->pass)->gifts = gifts;
    if (gifts.n > 0)
        plb_outbox_add(out, PLB_MOVED, w->node, 0, m->pass)->gifts = gifts;
}

static bool on_gift(struct plb_worker *w, const struct plb_message *m)
{
    struct plb_queue_entry entries[PLB_GIFTS];
    int pu = 0;
    if (!w->migration.on || m->from == w->node || w->n_pus == 0)
        return false;
    for (int i = 0; i < m->gifts.n; i++) {
        const struct plb_gift *g = &m->gifts.at[i];
        if (!in_pass(w, g->range))
            return false;
        entries[i] = (struct plb_queue_entry){g->range, g->block, g->range.count, g->hop};
    }
    plb_thief_answered(w->thief, m->from, &m->gifts);
    while (pu + 1 < w->n_pus && !w->pus[pu].hungry)
        pu++;
    while (pu > 0 && !w->pus[pu].served) /* nobody is hungry any more: a PU that may execute it */
        pu--;
    push_back(&w->pus[pu], entries, m->gifts.n);
    for (pu = 0; pu < w->n_pus && m->gifts.n > 0; pu++) /* the master takes the node to work again */
        w->pus[pu].idle = false;
    return true;
}

bool plb_worker_receive(struct plb_worker *w, const struct plb_message *m, struct plb_outbox *out)
{
    if (m->type == PLB_PASS) {
        bool sensible = m->pass > w->pass && m->begin.phase < w->n_phases;
        if (sensible)
            on_pass(w, m, out);
        return sensible;
    }
    if (m->type == PLB_STEAL) {
        on_steal(w, m, out);
        return true;
    }
    if (m->type == PLB_STOP) {
        w->empty = false;
        return true;
    }
    if (m->type != PLB_BLOCK && m->type != PLB_BACKUP && m->type != PLB_CANCEL && m->type != PLB_EMPTY
        && m->type != PLB_GIFT)
        return false;
    if (m->pass > w->pass) {
        plb_outbox_copy(&w->early, m);
        return true;
    }
    if (m->pass < w->pass || w->map == NULL)
        return false;
    switch ((enum plb_message_type)m->type) {
    case PLB_BLOCK:
    case PLB_BACKUP: return on_block(w, m);
    case PLB_CANCEL: return on_cancel(w, m->cancel.range);
    case PLB_EMPTY: return on_empty(w, &m->empty);
    default: return on_gift(w, m);
    }
}

int plb_worker_pass(const struct plb_worker *w)
{
    return w->pass;
}

int plb_worker_phase(const struct plb_worker *w)
{
    return w->phase;
}

bool plb_worker_shares(const struct plb_worker *w)
{
    return w->empty;
}

/* ----------------------------------------------------------------- tasks, reports */

static bool take(struct plb_worker *w, struct worker_pu *own, struct plb_slice *task)
{
    struct plb_cut cut = plb_pu_rate_cut(&own->rate, plb_queue_units(&own->queue), w->empty);
    if (!plb_queue_take(&own->queue, w->map, w->sizes, &own->limit, &cut, task))
        return false;
    if (own->rate.tasks == 0 && plb_queue_goes_on(&own->queue, task->block))
        own->rate.first = task->range.count;
    double seconds = own->unit_s * (double)task->range.count;
    if (own->bursts && seconds > 0.0 && 2.0 * seconds <= BURST_SECONDS)
        plb_queue_take_more(&own->queue, (int64_t)fmin(BURST_SECONDS / seconds - 1.0, BURST_TASKS), task);
    return true;
}

bool plb_worker_take(struct plb_worker *w, int pu, struct plb_slice *task)
{
    struct worker_pu *own = &w->pus[pu];
    bool got = take(w, own, task);
    if (!got && w->empty && own->served && take_from_neighbour(w, own))
        got = take(w, own, task);
    if (!got)
        got = plb_queue_take(&w->copies.of[pu], w->map, w->sizes, &own->limit,
                             &(struct plb_cut){.high = INFINITY}, task);
    task->pass = w->pass;
    own->hungry = !got && own->served;
    own->idle = own->idle && !got;
    return got;
}

bool plb_worker_obsolete(const struct plb_worker *w, const struct plb_slice *task)
{
    return task->pass != w->pass || plb_copies_accepted(&w->copies, task->range);
}

bool plb_worker_done(struct plb_worker *w, int pu, const struct plb_slice *task, double execute_s,
                     double transfer_s, int slot)
{
    struct worker_pu *own = &w->pus[pu];
    own->idle = false; /* the master takes a PU that reports to work on */
    if (plb_worker_obsolete(w, task))
        return false;
    double tasks = (double)(task->more + 1), seconds = (execute_s + transfer_s) / tasks;
    own->unit_s = seconds * tasks / (double)task->range.count;
    if (w->migration.on)
        plb_pu_rate_learn(&own->rate, plb_cost_work(w->map, task->range.first, task->range.count) / tasks,
                          plb_slice_units(task), seconds);
    plb_reports_add(&w->reports, pu, task, execute_s, transfer_s, slot);
    return slot != PLB_NO_SLOT || !plb_queue_goes_on(&own->queue, task->block);
}

void plb_worker_fail(struct plb_worker *w, int pu, const struct plb_slice *task, int status, const char *text)
{
    plb_reports_fail(&w->reports, pu, w->pass, task->range, status, text);
}

/* Adds a STEAL where the node has nothing queued, a PU waits and somebody can be asked. */
static bool ask_others(struct plb_worker *w, double now, struct plb_outbox *out)
{
    bool hungry = false, idle = w->empty && w->n_nodes > 1;
    for (int pu = 0; pu < w->n_pus && idle; pu++) {
        idle = w->pus[pu].queue.n == 0;
        hungry = hungry || w->pus[pu].hungry;
    }
    if (!idle || !hungry)
        return false;
    int victim = plb_thief_ask(w->thief, now);
    if (victim != PLB_NOBODY)
        plb_outbox_add(out, PLB_STEAL, w->node, victim, w->pass)->steal = (struct plb_steal){measured_rate(w),
                                                                                             given_power(w)};
    return plb_thief_awaits(w->thief);
}

/* Says IDLE of the PUs that wait, once each. */
static void tell_idle(struct plb_worker *w, struct plb_outbox *out)
{
    for (int pu = 0; pu < w->n_pus && w->empty && w->migration.backups; pu++)
        if (w->pus[pu].hungry && !w->pus[pu].idle) {
            plb_outbox_add(out, PLB_IDLE, w->node, 0, w->pass)->pu = pu;
            w->pus[pu].idle = true;
        }
}

bool plb_worker_collect(struct plb_worker *w, double now, struct plb_outbox *out)
{
    plb_reports_collect(&w->reports, out);
    if (ask_others(w, now, out))
        return true;
    tell_idle(w, out);
    return false;
}
