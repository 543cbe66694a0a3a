/* Queues and rates, PU by PU. */
#include "core/worker/own_pus.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/worker/share.h"
#include "core/worker/unknown_cost.h"

/* Seconds that the master needs for a task: a report, and now and then a block. All nodes share it. Larger:
 * tasks are longer on many nodes. Smaller: reports delay answers. Measured with 1,000 PUs: 2 to 31 us for a
 * block. */
#define MASTER_SECONDS 5e-6

/* A task may take so many times the mean time of its work. Larger: a PU that hangs in a long task is noticed
 * later. Smaller: a long task on a PU that was slowed down to a sixteenth, with noise of 40 %, looks like a
 * hung one. Tasks of a quarter of a second are hung after 20 s in any case. */
#define UNSURE 3.0

void plb_own_pus_init(struct plb_own_pus *s, const struct plb_worker_pu *are, int n,
                      const struct plb_sizes *sizes, const struct plb_migration *migration, int n_nodes,
                      int n_phases)
{
    *s = (struct plb_own_pus){.n = n,
                              .by_power = migration->by_power,
                              .helps = migration->backups || !migration->on || n_nodes * n == 1,
                              .task_s = plb_longest_task(migration->task_s),
                              .master_s = MASTER_SECONDS * (n_nodes - 1),
                              .sizes = sizes != NULL ? sizes : &plb_no_sizes};
    s->at = plb_alloc((size_t)n * sizeof *s->at);
    for (int pu = 0; pu < n; pu++) {
        s->at[pu].is = are[pu];
        s->at[pu].state = PLB_PU_NEW;
        s->at[pu].past = plb_alloc((size_t)n_phases * sizeof *s->at[pu].past);
        s->at[pu].is.bursts = are[pu].bursts && s->sizes->n_indexed == 0;
    }
}

void plb_own_pus_fini(struct plb_own_pus *s)
{
    for (int pu = 0; pu < s->n; pu++) {
        plb_queue_fini(&s->at[pu].queue);
        free(s->at[pu].past);
    }
    free(s->at);
}

/* The rate of a PU, as known where a pass begins. If unit costs are unknown, they may be others now.
 */
static struct plb_pu_rate known_rate(const struct plb_pu_rate *before, bool told)
{
    struct plb_pu_rate rate = told ? *before : (struct plb_pu_rate){0};
    rate.most = rate.share = rate.sure = rate.busy_s = rate.lowest = rate.highest = 0.0;
    rate.least = rate.learned = rate.first = 0;
    rate.heard = false;
    return rate;
}

void plb_own_pus_begin(struct plb_own_pus *s, const struct plb_cost_map *map, int phase, int64_t serves)
{
    if (s->map != NULL)
        for (int pu = 0; pu < s->n; pu++)
            s->at[pu].past[s->phase].rate = s->at[pu].rate;
    s->map = map;
    s->phase = phase;
    s->asked = false;
    for (int pu = 0; pu < s->n; pu++) {
        plb_queue_clear(&s->at[pu].queue);
        s->at[pu].activity = PLB_PU_BUSY;
        if (s->at[pu].state == PLB_PU_NEW && pu < 63 && (serves >> pu & 1) != 0)
            s->at[pu].state = PLB_PU_SERVED;
        s->at[pu].rate = known_rate(&s->at[pu].past[phase].rate, map->told);
    }
}

double plb_own_pus_queued(const struct plb_own_pus *s)
{
    double sum = 0.0;
    if (s->map != NULL)
        for (int pu = 0; pu < s->n; pu++)
            sum += plb_queue_work(&s->at[pu].queue, s->map);
    return sum;
}

/* Whether the costs of units are unknown. */
static bool costs_unknown(const struct plb_own_pus *s)
{
    return s->map != NULL && !s->map->told;
}

/* Whether the rate of a PU tells of its units, and not of the PU. */
static bool varies(const struct plb_own_pus *s, const struct plb_own_pu *pu)
{
    return costs_unknown(s) && plb_pu_rate_varies(&pu->rate);
}

/* The PUs that are served, or of these the ones that wait: as a thief that offers them. */
static struct plb_steal sum(const struct plb_own_pus *s, bool waiting)
{
    struct plb_steal sum = {0};
    bool measured = true;
    for (int pu = 0; pu < s->n; pu++) {
        const struct plb_own_pu *own = &s->at[pu];
        double rate = plb_pu_rate(&own->rate);
        if (own->state != PLB_PU_SERVED || (waiting && own->activity == PLB_PU_BUSY))
            continue;
        measured = measured && rate > 0.0 && isfinite(rate) && !varies(s, own);
        sum.power += own->is.power;
        sum.rate += rate;
        sum.best = fmax(sum.best, rate);
    }
    sum.rate = measured ? sum.rate : 0.0;
    sum.best = measured ? sum.best : 0.0;
    return sum;
}

double plb_own_pus_rate(const struct plb_own_pus *s)
{
    return s->by_power ? 0.0 : sum(s, false).rate;
}

struct plb_steal plb_own_pus_thief(const struct plb_own_pus *s)
{
    return sum(s, !s->by_power);
}

/* The PU of this node with most queued work. */
static struct plb_own_pu *fullest(const struct plb_own_pus *s, double *work)
{
    int best = 0;
    *work = 0.0;
    for (int pu = 0; pu < s->n; pu++) {
        double queued = plb_queue_work(&s->at[pu].queue, s->map);
        if (queued > *work) {
            *work = queued;
            best = pu;
        }
    }
    return &s->at[best];
}

/* Whether somebody wants work of this node. */
static bool asked(const struct plb_own_pus *s)
{
    bool asked = s->asked;
    for (int pu = 0; pu < s->n && !asked; pu++)
        asked = plb_own_pu_wants(&s->at[pu]);
    return asked;
}

static struct plb_cut cut_of(const struct plb_own_pus *s, const struct plb_own_pu *own, bool shared)
{
    const struct plb_estimate *e = &own->past[s->phase].estimate;
    struct plb_cut cut = plb_pu_rate_cut(&own->rate, plb_queue_units(&own->queue), s->task_s, shared);
    if (costs_unknown(s))
        plb_unknown_cost_cut(&own->rate, s->master_s, &cut);
    if (own->rate.heard)
        cut.wanted = cut.known; /* the master's word tells more than slow small tasks */
    if (shared && (own->rate.heard || !costs_unknown(s)))
        cut.sure = plb_pu_rate_sure(&own->rate, e->spread, plb_queue_work(&own->queue, s->map), s->task_s,
                                    asked(s));
    return cut;
}

bool plb_own_pus_take(const struct plb_own_pus *s, struct plb_own_pu *own, bool shared,
                      struct plb_slice *task)
{
    if (own->queue.n == 0)
        return false;
    struct plb_cut cut = cut_of(s, own, shared);
    if (!s->helps)
        plb_pu_rate_shrink(&own->rate, s->task_s, &cut);
    if (!plb_queue_take(&own->queue, s->map, s->sizes, &own->is.limit, &cut, task))
        return false;
    bool part = own->rate.tasks == 0 && plb_queue_goes_on(&own->queue, task->block);
    own->rate.part |= part;
    if (part && !s->asked)
        own->rate.first = task->range.count;
    own->latest = task->range.count;
    own->latest_work = plb_cost_work(s->map, task->range.first, task->range.count);
    own->rate.sure = fmax(own->rate.sure - own->latest_work, 0.0);
    int64_t more = own->is.bursts ? plb_pu_rate_burst(&own->rate, task->range.count) : 0;
    if (more > 0)
        plb_queue_take_more(&own->queue, more, task);
    return true;
}

bool plb_own_pus_waits(const struct plb_own_pus *s, const struct plb_own_pu *own)
{
    return costs_unknown(s) && own->in_hand > 0 && own->rate.tasks > 0 && own->latest > own->rate.largest;
}

bool plb_own_pus_take_copy(const struct plb_own_pus *s, struct plb_own_pu *own, struct plb_queue *copies,
                           struct plb_slice *task)
{
    struct plb_cut cut = {.high = INFINITY};
    if (costs_unknown(s))
        plb_unknown_cost_cut(&own->rate, s->master_s, &cut);
    return plb_queue_take(copies, s->map, s->sizes, &own->is.limit, &cut, task);
}

bool plb_own_pus_share(const struct plb_own_pus *s, struct plb_own_pu *own)
{
    struct plb_queue_entry taken[PLB_GIFTS];
    double queued, x = 0.0;
    struct plb_own_pu *other = fullest(s, &queued);
    if (queued > 0.0 && !s->by_power && (varies(s, own) || varies(s, other)))
        x = plb_migration_share(queued, 1.0, 1.0);
    else if (queued > 0.0)
        x = plb_neighbours_share(&(struct plb_sharer){&own->rate, own->is.power},
                                 &(struct plb_sharer){&other->rate, other->is.power}, queued, s->by_power);
    if (x <= 0.0)
        return false;
    int n = plb_queue_cut(&other->queue, s->map, x, taken, PLB_GIFTS);
    plb_own_pu_push(own, taken, n);
    return n > 0;
}

void plb_own_pus_learn(const struct plb_own_pus *s, struct plb_own_pu *own, const struct plb_slice *task,
                       double seconds, double transfer_s, bool rate)
{
    double tasks = (double)(task->more + 1);
    double work = plb_cost_work(s->map, task->range.first, task->range.count);
    struct plb_own_past *past = &own->past[s->phase];
    own->rate.unit_s = seconds / (double)task->range.count;
    if (rate)
        plb_pu_rate_learn(&own->rate, work / tasks, plb_slice_units(task), seconds / tasks,
                          transfer_s / tasks);
    plb_estimate_add(&past->estimate, &(struct plb_sample){.work = work / tasks,
                                                           .execute_s = (seconds - transfer_s) / tasks,
                                                           .transfer_s = transfer_s / tasks,
                                                           .tasks = task->more + 1});
    past->work += work;
    past->seconds += seconds;
    past->longest = fmax(past->longest, seconds);
}

double plb_own_pus_expect(const struct plb_own_pus *s, const struct plb_own_pu *own,
                          const struct plb_slice *task)
{
    const struct plb_own_past *past = &own->past[s->phase];
    if (costs_unknown(s) || !(past->work > 0.0))
        return 0.0;
    double work = plb_cost_work(s->map, task->range.first, task->range.count);
    return past->longest + UNSURE * work * past->seconds / past->work;
}

static bool has_executed(const struct plb_own_pus *s)
{
    for (int pu = 0; pu < s->n; pu++)
        if (s->at[pu].rate.tasks > 0)
            return true;
    return false;
}

int plb_own_pus_give(const struct plb_own_pus *s, const struct plb_steal *steal, double threshold,
                     struct plb_queue_entry taken[PLB_GIFTS])
{
    struct plb_steal here = sum(s, false);
    double queued = plb_own_pus_queued(s), most;
    bool measured = here.rate > 0.0 && steal->rate > 0.0;
    bool halves = costs_unknown(s) && !s->by_power && has_executed(s);
    double by_rate = measured ? plb_migration_share(queued, steal->rate, here.rate) : 0.0;
    double x = measured && !s->by_power ? by_rate
             : halves                   ? plb_migration_share(queued, 1.0, 1.0)
                                        : plb_migration_share(queued, steal->power, here.power);
    if (s->by_power && x <= 0.0)
        x = by_rate; /* Li's nodes would rest beside a node whose power was told too high */
    if (measured && here.rate > queued * steal->best)
        x = 0.0; /* this node ends its queue before the thief ends a unit */
    int n = 0;
    while (x > 0.0 && x >= threshold && n < PLB_GIFTS) {
        struct plb_own_pu *pu = fullest(s, &most);
        if (most <= 0.0)
            break;
        int more = plb_queue_cut(&pu->queue, s->map, x, taken + n, PLB_GIFTS - n);
        if (more == 0)
            break;
        for (int i = n; i < n + more; i++)
            x -= plb_cost_work(s->map, taken[i].range.first, taken[i].range.count);
        n += more;
    }
    return n;
}

void plb_own_pu_push(struct plb_own_pu *pu, const struct plb_queue_entry *entries, int n)
{
    for (int i = n - 1; i >= 0; i--)
        plb_queue_push(&pu->queue, entries[i]);
}

void plb_own_pus_asked(struct plb_own_pus *s)
{
    s->asked = true;
    for (int pu = 0; pu < s->n; pu++)
        s->at[pu].rate.first = 0;
}

void plb_own_pu_trust(struct plb_own_pu *own, double work)
{
    own->rate.sure = fmax(work - own->in_hand * own->latest_work, 0.0);
    own->rate.heard = true;
}

void plb_own_pus_remove(struct plb_own_pus *s, struct plb_range range)
{
    for (int pu = 0; pu < s->n; pu++)
        plb_queue_remove(&s->at[pu].queue, range, true);
}
