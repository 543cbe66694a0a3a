/* The master: ledger, grants, losses.
 *
 * The ledger is two sets: `free`, the units that nobody has been granted, and `accepted`, those
 * whose result has been taken. Everything else is in the blocks outstanding at some PU. A unit moves
 * free → block → accepted; a loss moves what is left of a block back to free. Since a result is only
 * counted for the units that were not accepted before, each counts once however often it was
 * executed.
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

struct block {
    int64_t id, left;
    struct plb_range range;
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
    double pass_began;
    char failure[200];
};

/* Units per task: bounded by what is pulled at a time from another node, and by the PU's memory. */
static double grain(const struct plb_master *m, const struct pu *pu)
{
    double most = pu->max_units;
    if (pu->info.node != 0 && m->config.unit_bytes > 0.0 && m->config.task_bytes > 0.0)
        most = fmin(most, m->config.task_bytes / m->config.unit_bytes);
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
    }
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
}

static void send_block(struct plb_master *m, int p, double work, struct plb_outbox *out)
{
    struct plb_range front = m->free.at[0];
    int64_t units = plb_cost_units(m->map, front.first, front.count, work);
    struct block block = {m->next_block++, units, plb_rangeset_take(&m->free, units)};
    double granted = plb_cost_work(m->map, block.range.first, units);
    struct pu *pu = &m->pus[p];
    struct plb_pu *seen = &m->seen[p];
    pu->blocks[seen->outstanding++] = block;
    pu->totals.blocks++;
    seen->granted += granted;
    set_remaining(m, m->view.remaining - granted);
    m->outstanding++;
    if (seen->outstanding == AHEAD)
        leave_list(m, p);

    struct plb_message *message = plb_outbox_add(out, PLB_BLOCK, pu->info.node);
    message->pu = pu->info.local;
    message->pass = m->pass;
    message->range = block.range;
    message->block = block.id;
    message->grain = seen->grain < (double)units ? (int64_t)seen->grain : units;
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

/* Feeds `first` before all others, so that a PU that has just reported does not wait behind them. */
static void feed_all(struct plb_master *m, int first, struct plb_outbox *out)
{
    if (first >= 0) {
        wait_in_list(m, first);
        feed(m, first, out);
    } else {
        all_wait_in_list(m);
    }
    feed_waiting(m, out);
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
    plb_rangeset_clear(&m->free);
    plb_rangeset_clear(&m->accepted);
    plb_rangeset_add(&m->free, (struct plb_range){0, map->units});
    m->view.now = 0.0;
    m->view.total = m->view.remaining = (double)map->units;
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

/* Takes the units off the block they belong to; true where that finishes it. */
static bool settle_block(struct plb_master *m, int p, const struct plb_message *done)
{
    struct pu *pu = &m->pus[p];
    struct plb_pu *seen = &m->seen[p];
    for (int i = 0; i < seen->outstanding; i++) {
        struct block *b = &pu->blocks[i];
        if (b->id != done->block || (b->left -= done->range.count) > 0)
            continue;
        *b = pu->blocks[--seen->outstanding];
        m->outstanding--;
        return true;
    }
    return false;
}

static double positive(double seconds)
{
    return seconds > 0.0 && isfinite(seconds) ? seconds : 0.0;
}

int64_t plb_master_done(struct plb_master *m, const struct plb_message *done, double now,
                        struct plb_outbox *out)
{
    int p = pu_of(m, done->from, done->pu);
    struct plb_range r = done->range;
    bool sound = p >= 0 && !m->seen[p].lost && done->pass == m->pass && r.count > 0 && r.first >= 0
              && r.count <= m->map->units && r.first <= m->map->units - r.count;
    if (!sound || m->failure[0] != '\0')
        return 0;
    /* What was accepted before counts no second time, but the PU has worked on it all the same. */
    int64_t fresh = plb_rangeset_add(&m->accepted, r);
    double work = plb_cost_work(m->map, r.first, r.count);
    struct pu *pu = &m->pus[p];
    m->view.now = now - m->pass_began;
    m->seen[p].done += work;
    pu->totals.units += fresh;
    pu->totals.tasks += done->tasks;
    pu->totals.execute_s += positive(done->execute_s);
    pu->totals.transfer_s += positive(done->transfer_s);
    double tasks = done->tasks > 0 ? (double)done->tasks : 1.0;
    struct plb_sample sample = {work / tasks, done->execute_s / tasks, done->transfer_s / tasks, done->tasks,
                                m->view.now, settle_block(m, p, done)};
    plb_history_add(&pu->histories[m->kernel], &sample);
    show_history(m, p);
    if (m->config.balancer->done != NULL)
        m->config.balancer->done(m->policy, &m->view, p, &sample);
    feed_all(m, p, out);
    return fresh;
}

void plb_master_lost(struct plb_master *m, int node, double now, struct plb_outbox *out)
{
    double work = 0.0;
    m->view.now = now - m->pass_began;
    for (int p = 0; p < m->view.n_pus; p++) {
        struct pu *pu = &m->pus[p];
        struct plb_pu *seen = &m->seen[p];
        if (pu->info.node != node || seen->lost)
            continue;
        seen->lost = true;
        leave_list(m, p);
        m->outstanding -= seen->outstanding;
        for (int i = 0; i < seen->outstanding; i++)
            plb_rangeset_missing(&m->accepted, pu->blocks[i].range, &m->free);
        seen->outstanding = 0;
    }
    for (int i = 0; i < m->free.n; i++)
        work += plb_cost_work(m->map, m->free.at[i].first, m->free.at[i].count);
    set_remaining(m, work);
    for (int p = 0; p < m->view.n_pus; p++)
        if (m->pus[p].info.node == node && m->config.balancer->lost != NULL)
            m->config.balancer->lost(m->policy, &m->view, p);
    feed_all(m, -1, out);
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
