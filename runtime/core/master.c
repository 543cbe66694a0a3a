/* The master: ledger and losses; grants.c has the grants.
 *
 * The ledger is two sets: `free`, the units that nobody has been granted, and `accepted`, those
 * whose result has been taken. Everything else is pending in a block outstanding at some PU. A unit moves
 * free → block → accepted; a loss moves what is left of a block back to free. Since a result is only
 * counted for the units that were not accepted before, each counts once however often it was executed.
 *
 * Migration changes who executes a unit, not the block that it belongs to. The giver tells the master in the
 * same moment (MOVED), so at every time whoever has an unaccepted unit is the node it was granted to, or one
 * that a MOVED names which has arrived or will. A loss frees both kinds, and a MOVED to a lost node frees when
 * it arrives: no unit is forgotten. Some may be executed twice, and count once (ARCHITECTURE.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/master.h"
#include "base/memory.h"
#include "core/master_parts.h"

#define TASKS_IN_MEMORY 3   /* being fetched, executed and sent back */

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
        m->view.living += !pu->refused;
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
    plb_grants_remaining(m, m->view.total);
    m->view.units = map->units;
    m->view.idle = m->view.living;
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
        plb_grants_feed(m, -1, out);
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
    m->view.idle += seen->outstanding == 0 && !seen->lost;
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
        plb_grants_announce(m, node, out);
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

/* Another PU's report has finished a block of this one. */
static void end_block(struct plb_master *m, int p, struct plb_outbox *out)
{
    if (m->config.balancer->block_end != NULL)
        m->config.balancer->block_end(m->policy, &m->view, p);
    plb_grants_feed(m, p, out);
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
                                m->view.now, false};
    bool ended = settle_block(m, owner, done);
    sample.block_end = ended && owner == p;
    plb_history_add(&m->pus[p].histories[m->kernel], &sample);
    show_history(m, p);
    if (m->config.balancer->done != NULL)
        m->config.balancer->done(m->policy, &m->view, p, &sample);
    if (ended && owner != p)
        end_block(m, owner, out);
    plb_grants_feed(m, p, out);
    help_idle(m, done->from, out);
    return fresh;
}

static double work_of(const struct plb_master *m, const struct plb_rangeset *set)
{
    double work = 0.0;
    for (int i = 0; i < set->n; i++)
        work += plb_cost_work(m->map, set->at[i].first, set->at[i].count);
    return work;
}

/* Units that a lost node may have had: back to free, and off the blocks of the others. */
static void take_back(struct plb_master *m, struct plb_range range)
{
    plb_rangeset_missing(&m->accepted, range, &m->free);
    for (int p = 0; p < m->view.n_pus; p++)
        for (int i = m->seen[p].outstanding - 1; i >= 0; i--) {
            struct plb_rangeset *pending = &m->pus[p].blocks[i].pending;
            double before = work_of(m, pending);
            bool ended = settle(m, p, i, range);
            m->seen[p].granted -= ended ? before : before - work_of(m, pending);
            m->pus[p].taken_back += ended;
        }
}

/* Units have come back: the balancer sees them, and may grant them. `lost`: the node whose loss that is, or
 * NULL where the balancer has heard of it. */
static void regrant(struct plb_master *m, const struct plb_member *lost, struct plb_outbox *out)
{
    const struct plb_balancer *b = m->config.balancer;
    plb_grants_remaining(m, work_of(m, &m->free));
    for (int p = lost != NULL ? lost->first_pu : 0; lost != NULL && p < lost->first_pu + lost->n_pus; p++)
        if (b->lost != NULL && !m->pus[p].refused)
            b->lost(m->policy, &m->view, p);
    for (int p = 0; p < m->view.n_pus; p++)
        for (; m->pus[p].taken_back > 0; m->pus[p].taken_back--)
            if (b->block_end != NULL)
                b->block_end(m->policy, &m->view, p);
    plb_grants_feed(m, -1, out);
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
        regrant(m, NULL, out);
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
        plb_grants_leave(m, p);
        m->view.living--;
        m->view.idle -= seen->outstanding == 0;
        for (; seen->outstanding > 0; seen->outstanding--, m->outstanding--) {
            const struct plb_rangeset *pending = &m->pus[p].blocks[seen->outstanding - 1].pending;
            seen->granted -= work_of(m, pending);
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
