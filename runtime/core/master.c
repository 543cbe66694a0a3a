/* The master: ledger, grants, losses.
 *
 * The ledger is two sets: `free`, the units that nobody has been granted, and `accepted`, those
 * whose result has been taken. Everything else is pending in a block outstanding at some PU. A unit moves
 * free → block → accepted; a loss moves what is left of a block back to free. Since a result is only
 * counted for the units that were not accepted before, each counts once however often it was executed.
 *
 * Migration changes who executes a unit, not the block that it belongs to. The giver tells the master in the
 * same moment (MOVED), so at every time whoever has an unaccepted unit is the node it was granted to, or one
 * that a MOVED names which has arrived or will. A loss frees both kinds, and a MOVED to a lost node frees when
 * it arrives: no unit is forgotten. Some may be executed twice, and count once (ARCHITECTURE.md).
 *
 * PUs that could take a block and were told to wait are in a list, and only they are asked again after
 * an event: its cost is O(log ranges) plus one question to each of them. */
#include "core/master.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD 2             /* blocks at one PU: one being executed, one waiting */
#define TASKS_IN_MEMORY 3   /* being fetched, executed and sent back */
#define NOWHERE (-1)
#define CUT 16              /* tasks of a block where others may take from it */
#define ROUNDING 1e-9
#define END 0.3             /* of the work remains when blocks are cut that may last other than expected */
#define MANY 256            /* PUs above which the master does not look for that */

struct block {
    int64_t id;                 /* the number of its PU is contained: id % n_pus */
    struct plb_rangeset pending; /* units whose result is awaited */
};

/* What only the master knows of a PU; the balancers' part is struct plb_pu. */
struct pu {
    struct plb_pu_info info;
    struct plb_pu_totals totals;
    struct block blocks[AHEAD];
    struct plb_history *histories; /* one per kernel */
    double max_units;           /* per task, by its memory */
    int place;                  /* in the list of waiting PUs, or NOWHERE */
    bool refused;
    bool served;                /* has ever been granted a block */
};

struct plb_master {
    struct plb_master_config config;
    struct pu *pus;
    struct plb_pu *seen;        /* as the balancer sees them */
    struct plb_view view;
    struct plb_balancer_stats stats;
    void *policy;               /* the balancer's state in this pass */
    const struct plb_cost_map *map;
    struct plb_rangeset free, accepted;
    int64_t next_block;
    int pass, kernel;
    int *waiting;               /* PUs to ask after the next event */
    int n_waiting, outstanding; /* outstanding: blocks at all PUs */
    int served;                 /* living PUs that have ever been granted a block: only they take from others */
    struct plb_members members;
    int64_t migrations, migrated; /* gifts between nodes, and units executed on another node than granted to */
    bool announced;             /* that nothing is left to grant */
    double pass_began;
    char failure[200];
};

/* Units per task: bounded by what the PU copies, or else what is pulled, at a time, and by the PU's memory. */
static double grain(const struct plb_master *m, const struct pu *pu)
{
    double most = pu->max_units;
    double bytes = pu->info.task_bytes > 0.0 ? pu->info.task_bytes : pu->info.node != 0 ? m->config.task_bytes : 0.0;
    if (m->config.unit_bytes > 0.0 && bytes > 0.0)
        most = fmin(most, bytes / m->config.unit_bytes);
    if (m->config.grain > 0.0)
        most = fmin(most, m->config.grain);
    return most < 1.0 ? 1.0 : floor(most);
}

struct plb_master *plb_master_new(const struct plb_master_config *config,
                                  const struct plb_pu_info *infos, int n)
{
    struct plb_master *m = plb_alloc(sizeof *m);
    m->config = *config;
    m->config.kernels = config->kernels > 0 ? config->kernels : 1;
    m->pus = plb_alloc((size_t)n * sizeof *m->pus);
    m->seen = plb_alloc((size_t)n * sizeof *m->seen);
    m->waiting = plb_alloc((size_t)n * sizeof *m->waiting);
    m->view = (struct plb_view){.n_pus = n, .pus = m->seen, .stats = &m->stats};
    plb_members_init(&m->members, infos, n);
    for (int p = 0; p < n; p++) {
        struct pu *pu = &m->pus[p];
        pu->info = infos[p];
        pu->place = NOWHERE;
        pu->histories = plb_alloc((size_t)m->config.kernels * sizeof *pu->histories);
        double room = pu->info.memory - config->replicated_bytes;
        pu->max_units = config->unit_bytes > 0.0 ? room / (TASKS_IN_MEMORY * config->unit_bytes) : INFINITY;
        pu->refused = room < 0.0 || pu->max_units < 1.0;
        double power = pu->info.power > 0.0 ? pu->info.power : 1.0;
        m->seen[p] = (struct plb_pu){.node = pu->info.node, .kind = pu->info.kind,
            .name = pu->info.name, .power = power, .grain = grain(m, pu), .lost = pu->refused};
    }
    return m;
}

void plb_master_free(struct plb_master *m)
{
    if (m == NULL)
        return;
    if (m->policy != NULL)
        m->config.balancer->fini(m->policy);
    for (int p = 0; p < m->view.n_pus; p++) {
        for (int k = 0; k < m->config.kernels; k++)
            plb_history_fini(&m->pus[p].histories[k]);
        free(m->pus[p].histories);
        for (int i = 0; i < AHEAD; i++)
            plb_rangeset_fini(&m->pus[p].blocks[i].pending);
    }
    plb_members_fini(&m->members);
    plb_rangeset_fini(&m->free);
    plb_rangeset_fini(&m->accepted);
    free(m->waiting);
    free(m->pus);
    free(m->seen);
    free(m);
}

void plb_master_recall(struct plb_master *m, int kernel, int p, const struct plb_sample *samples, int n)
{
    plb_history_recall(&m->pus[p].histories[kernel], samples, n);
}

void plb_master_ideal(struct plb_master *m, const struct plb_ideal *ideals)
{
    for (int p = 0; p < m->view.n_pus; p++)
        m->seen[p].ideal = &ideals[p];
}

static void show_history(struct plb_master *m, int p)
{
    const struct plb_history *h = &m->pus[p].histories[m->kernel];
    m->seen[p].samples = h->at;
    m->seen[p].n_samples = h->n;
    m->seen[p].recalled = h->recalled;
}

static void wait_in_list(struct plb_master *m, int p)
{
    if (m->pus[p].place != NOWHERE || m->seen[p].lost || m->seen[p].outstanding == AHEAD)
        return;
    m->pus[p].place = m->n_waiting;
    m->waiting[m->n_waiting++] = p;
}

static void leave_list(struct plb_master *m, int p)
{
    int place = m->pus[p].place;
    if (place == NOWHERE)
        return;
    m->waiting[place] = m->waiting[--m->n_waiting];
    m->pus[m->waiting[place]].place = place;
    m->pus[p].place = NOWHERE;
}

/* The list is gone through from its end: PU 0 comes first. */
static void all_wait_in_list(struct plb_master *m)
{
    for (int p = m->view.n_pus - 1; p >= 0; p--)
        wait_in_list(m, p);
}

/* Units may remain that cost nothing: balancers must still see that there is something to grant. */
static void set_remaining(struct plb_master *m, double work)
{
    m->view.remaining = m->free.units > 0 ? fmax(work, 1e-9) : 0.0;
    m->view.next = m->free.units > 0 ? fmax(plb_cost_work(m->map, m->free.at[0].first, 1), 1e-9) : 0.0;
}

/* The smallest task, in units, that serves a PU well. */
static int64_t least_task(const struct plb_master *m, int p)
{
    return (int64_t)fmin(fmin(plb_history_least_task(&m->pus[p].histories[m->kernel]), m->seen[p].grain), 1e18);
}

/* Makes a block several tasks, so that others find something to take. */
static void cut(const struct plb_master *m, struct plb_message *block)
{
    int64_t part = block->range.count / CUT > 0 ? block->range.count / CUT : 1;
    int64_t least = least_task(m, (int)(block->block % m->view.n_pus));
    part = part > least ? part : least;
    block->grain = part < block->grain ? part : block->grain;
}

static void send_block(struct plb_master *m, int p, double work, struct plb_outbox *out)
{
    struct plb_range front = m->free.at[0];
    int64_t units = plb_cost_units(m->map, front.first, front.count, work);
    if (units > 1 && m->map->prefix != NULL && plb_cost_work(m->map, front.first, units) > work * (1.0 + ROUNDING))
        units--; /* a heavy unit more could last long */
    struct plb_range range = plb_rangeset_take(&m->free, units);
    double granted = plb_cost_work(m->map, range.first, units);
    struct pu *pu = &m->pus[p];
    m->served += !pu->served;
    pu->served = true;
    struct plb_pu *seen = &m->seen[p];
    struct block *block = &pu->blocks[seen->outstanding++];
    block->id = m->next_block++ * m->view.n_pus + p;
    plb_rangeset_clear(&block->pending);
    plb_rangeset_add(&block->pending, range);
    pu->totals.blocks++;
    m->members.at[pu->info.node].left += granted;
    seen->granted += granted;
    set_remaining(m, m->view.remaining - granted);
    m->outstanding++;
    if (seen->outstanding == AHEAD)
        leave_list(m, p);

    struct plb_message *message = plb_outbox_add(out, PLB_BLOCK, pu->info.node);
    message->pu = pu->info.local;
    message->pass = m->pass;
    message->range = range;
    message->block = block->id;
    message->grain = seen->grain < (double)units ? (int64_t)seen->grain : units;
    if (m->config.migration && m->view.remaining < END * m->view.total && m->view.n_pus <= MANY
        && plb_history_surprises(&pu->histories[m->kernel]))
        cut(m, message);
}

/* Grants to one PU until it has enough or is told to wait. */
static void feed(struct plb_master *m, int p, struct plb_outbox *out)
{
    while (m->free.units > 0 && !m->seen[p].lost && m->seen[p].outstanding < AHEAD) {
        double work = m->config.balancer->grant(m->policy, &m->view, p);
        if (work < 0.0)
            leave_list(m, p);
        if (!(work > 0.0))
            return;
        send_block(m, p, work, out);
    }
}

/* A grant may lift the barrier that another PU waits at: asks until nothing moves. */
static void feed_waiting(struct plb_master *m, struct plb_outbox *out)
{
    for (int64_t before = -1; before != m->next_block && m->n_waiting > 0 && m->free.units > 0;) {
        before = m->next_block;
        for (int i = m->n_waiting - 1; i >= 0; i--) /* whoever leaves is replaced by one already asked */
            feed(m, m->waiting[i], out);
    }
}

/* Tells a node that nothing is left to grant, and who has most left. */
static void announce(struct plb_master *m, int node, struct plb_outbox *out)
{
    const struct plb_member *member = &m->members.at[node];
    struct plb_message *message = plb_outbox_add(out, PLB_EMPTY, node);
    message->pass = m->pass;
    plb_members_hint(&m->members, node, message);
    for (int i = 0; i < member->n_pus && i < PLB_LEAST; i++)
        message->least[i] = least_task(m, member->first_pu + i);
}

/* Where nothing is left to grant: tells all nodes, once, and cuts the blocks that are just being sent into
 * tasks, so that others find something to take. */
static void announce_all(struct plb_master *m, int from, struct plb_outbox *out)
{
    for (int i = from; i < out->n; i++)
        if (out->at[i].type == PLB_BLOCK)
            cut(m, &out->at[i]);
    for (int n = 0; n < m->members.n && !m->announced; n++)
        if (m->members.at[n].n_pus > 0 && !m->members.at[n].lost)
            announce(m, n, out);
    m->announced = true;
}

/* Feeds `first` before all others, so that a PU that has just reported does not wait behind them. */
static void feed_all(struct plb_master *m, int first, struct plb_outbox *out)
{
    int from = out->n;
    if (first >= 0) {
        wait_in_list(m, first);
        feed(m, first, out);
    } else {
        all_wait_in_list(m);
    }
    feed_waiting(m, out);
    if (m->free.units == 0 && m->config.migration && m->served > 1) /* a PU that is alone needs no small tasks */
        announce_all(m, from, out);
    if (m->free.units == 0 || m->outstanding > 0 || m->failure[0] != '\0')
        return;
    all_wait_in_list(m);
    feed_waiting(m, out);
    if (m->n_waiting == 0 && m->outstanding == 0)
        snprintf(m->failure, sizeof m->failure, "no processing unit is left to execute the remaining %lld units",
                 (long long)m->free.units);
    else if (m->outstanding == 0)
        snprintf(m->failure, sizeof m->failure, "balancer %s grants nothing although %lld units remain and every PU is idle",
                 m->config.balancer->name, (long long)m->free.units);
}

void plb_master_begin(struct plb_master *m, int pass, int kernel, const struct plb_cost_map *map,
                      double now, struct plb_outbox *out)
{
    if (m->policy != NULL)
        m->config.balancer->fini(m->policy);
    m->map = map;
    m->pass = pass;
    m->kernel = kernel;
    m->pass_began = now;
    m->n_waiting = m->outstanding = 0;
    m->announced = false;
    plb_members_begin(&m->members);
    plb_rangeset_clear(&m->free);
    plb_rangeset_clear(&m->accepted);
    plb_rangeset_add(&m->free, (struct plb_range){0, map->units});
    m->view.now = 0.0;
    m->view.total = (double)map->units;
    set_remaining(m, m->view.total);
    m->view.units = map->units;
    for (int p = 0; p < m->view.n_pus; p++) {
        m->seen[p].outstanding = 0;
        m->seen[p].granted = m->seen[p].done = 0.0;
        m->pus[p].place = NOWHERE;
        show_history(m, p);
    }
    m->policy = m->config.balancer->init(&m->view, m->config.params);
    if (m->policy == NULL)
        snprintf(m->failure, sizeof m->failure, "balancer %s found no memory", m->config.balancer->name);
    else
        feed_all(m, -1, out);
}

static int pu_of(const struct plb_master *m, int node, int local)
{
    int low = 0, high = m->view.n_pus; /* ids are sorted by node, then number */
    while (low < high) {
        int middle = low + (high - low) / 2;
        const struct plb_pu_info *at = &m->pus[middle].info;
        if (at->node < node || (at->node == node && at->local < local))
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < m->view.n_pus && m->pus[low].info.node == node && m->pus[low].info.local == local;
    return found ? low : -1;
}

/* Units of a block are awaited no more. True where that finishes it. */
static bool settle(struct plb_master *m, int p, int i, struct plb_range range)
{
    struct pu *pu = &m->pus[p];
    struct plb_pu *seen = &m->seen[p];
    struct block *b = &pu->blocks[i];
    plb_rangeset_remove(&b->pending, range);
    if (b->pending.units > 0)
        return false;
    struct block last = pu->blocks[--seen->outstanding];
    pu->blocks[seen->outstanding] = *b; /* its memory is kept */
    pu->blocks[i] = last;
    m->outstanding--;
    return true;
}

/* Takes the units off the block that a DONE names; true where that finishes it. */
static bool settle_block(struct plb_master *m, int owner, const struct plb_message *done)
{
    for (int i = 0; i < m->seen[owner].outstanding; i++)
        if (m->pus[owner].blocks[i].id == done->block)
            return settle(m, owner, i, done->range);
    return false;
}

static double positive(double seconds)
{
    return seconds > 0.0 && isfinite(seconds) ? seconds : 0.0;
}

/* A node that has nothing left, as far as is known, hears who has. */
static void help_idle(struct plb_master *m, int node, struct plb_outbox *out)
{
    struct plb_message probe = {0};
    if (m->announced && m->members.n > 1 && m->members.at[node].left < 0.5 && plb_members_hint(&m->members, node, &probe) > 0)
        announce(m, node, out);
}

/* Whether a DONE can be one: of a PU that is there, of this pass, with a range of the pass. */
static bool sound(const struct plb_master *m, int p, const struct plb_message *done)
{
    struct plb_range r = done->range;
    return p >= 0 && !m->seen[p].lost && done->pass == m->pass && m->failure[0] == '\0' && r.count > 0 && r.first >= 0
        && done->block >= 0 && r.count <= m->map->units && r.first <= m->map->units - r.count;
}

/* Adds what a DONE says to the totals of the PU that executed it and of the one it was granted to. */
static void count(struct plb_master *m, int p, int owner, const struct plb_message *done, int64_t fresh)
{
    struct plb_pu_totals *totals = &m->pus[p].totals;
    totals->units += fresh;
    totals->tasks += done->tasks;
    totals->execute_s += positive(done->execute_s);
    totals->transfer_s += positive(done->transfer_s);
    if (owner != p) {
        totals->stolen_in += fresh;
        m->pus[owner].totals.stolen_out += fresh;
        m->migrated += m->pus[owner].info.node != done->from ? fresh : 0;
    }
}

int64_t plb_master_done(struct plb_master *m, const struct plb_message *done, double now,
                        struct plb_outbox *out)
{
    int p = pu_of(m, done->from, done->pu);
    if (!sound(m, p, done))
        return 0;
    /* What was accepted before counts no second time, but the PU has worked on it all the same. */
    int owner = (int)(done->block % m->view.n_pus);
    int64_t fresh = plb_rangeset_add(&m->accepted, done->range);
    double work = plb_cost_work(m->map, done->range.first, done->range.count);
    m->view.now = now - m->pass_began;
    m->seen[owner].done += work;
    m->members.at[done->from].left -= work;
    count(m, p, owner, done, fresh);
    double tasks = done->tasks > 0 ? (double)done->tasks : 1.0;
    struct plb_sample sample = {work / tasks, done->execute_s / tasks, done->transfer_s / tasks, done->tasks,
                                m->view.now, settle_block(m, owner, done)};
    plb_history_add(&m->pus[p].histories[m->kernel], &sample);
    show_history(m, p);
    if (m->config.balancer->done != NULL)
        m->config.balancer->done(m->policy, &m->view, p, &sample);
    if (owner != p)
        wait_in_list(m, owner);
    feed_all(m, p, out);
    help_idle(m, done->from, out);
    return fresh;
}

/* Units that a lost node may have had: back to free, and off the blocks of the others. */
static void take_back(struct plb_master *m, struct plb_range range)
{
    plb_rangeset_missing(&m->accepted, range, &m->free);
    for (int p = 0; p < m->view.n_pus; p++)
        for (int i = m->seen[p].outstanding - 1; i >= 0; i--)
            settle(m, p, i, range);
}

/* Units of a lost node have come back: the balancer sees them, and may grant them. */
static void regrant(struct plb_master *m, const struct plb_member *lost, struct plb_outbox *out)
{
    double work = 0.0;
    for (int i = 0; i < m->free.n; i++)
        work += plb_cost_work(m->map, m->free.at[i].first, m->free.at[i].count);
    set_remaining(m, work);
    for (int p = lost->first_pu; p < lost->first_pu + lost->n_pus; p++)
        if (m->config.balancer->lost != NULL)
            m->config.balancer->lost(m->policy, &m->view, p);
    feed_all(m, -1, out);
}

void plb_master_moved(struct plb_master *m, const struct plb_message *moved, double now, struct plb_outbox *out)
{
    bool fine = moved->pass == m->pass && moved->from < m->members.n && moved->thief < m->members.n && moved->n_gifts <= PLB_GIFTS;
    if (!fine || m->failure[0] != '\0')
        return;
    struct plb_member *to = &m->members.at[moved->thief];
    m->view.now = now - m->pass_began;
    m->migrations++;
    for (int i = 0; i < moved->n_gifts; i++) {
        struct plb_range r = moved->gifts[i].range;
        double work = plb_cost_work(m->map, r.first, r.count);
        plb_rangeset_add(&to->moved, r);
        m->members.at[moved->from].left -= work;
        to->left += work;
        if (to->lost)
            take_back(m, r);
    }
    if (to->lost)
        regrant(m, to, out);
}

void plb_master_lost(struct plb_master *m, int node, double now, struct plb_outbox *out)
{
    struct plb_member *member = &m->members.at[node];
    if (member->lost)
        return;
    m->view.now = now - m->pass_began;
    member->lost = true;
    member->left = 0.0;
    for (int p = member->first_pu; p < member->first_pu + member->n_pus; p++) {
        struct plb_pu *seen = &m->seen[p];
        if (seen->lost)
            continue;
        seen->lost = true;
        m->served -= m->pus[p].served;
        leave_list(m, p);
        for (; seen->outstanding > 0; seen->outstanding--, m->outstanding--) {
            const struct plb_rangeset *pending = &m->pus[p].blocks[seen->outstanding - 1].pending;
            for (int i = 0; i < pending->n; i++)
                plb_rangeset_missing(&m->accepted, pending->at[i], &m->free);
        }
    }
    for (int i = 0; i < member->moved.n; i++)
        take_back(m, member->moved.at[i]);
    regrant(m, member, out);
}

bool plb_master_over(const struct plb_master *m)
{
    return m->map != NULL && m->accepted.units == m->map->units;
}

const char *plb_master_failure(const struct plb_master *m)
{
    return m->failure[0] != '\0' ? m->failure : NULL;
}

int64_t plb_master_accepted(const struct plb_master *m)
{
    return m->accepted.units;
}

int plb_master_pus(const struct plb_master *m)
{
    return m->view.n_pus;
}

const struct plb_pu_info *plb_master_pu(const struct plb_master *m, int pu)
{
    return &m->pus[pu].info;
}

const struct plb_pu_totals *plb_master_totals(const struct plb_master *m, int pu)
{
    return &m->pus[pu].totals;
}

void plb_master_migrations(const struct plb_master *m, int64_t *gifts, int64_t *units)
{
    *gifts = m->migrations;
    *units = m->migrated;
}

bool plb_master_refused(const struct plb_master *m, int pu)
{
    return m->pus[pu].refused;
}

const struct plb_history *plb_master_history(const struct plb_master *m, int kernel, int p)
{
    return &m->pus[p].histories[kernel];
}

const struct plb_balancer_stats *plb_master_stats(const struct plb_master *m)
{
    return &m->stats;
}
