/* The master's grants: who gets the next block, of what size, and how it is cut into tasks.
 *
 * PUs that could take a block and were told to wait are in a list, and only they are asked again after
 * an event: its cost is O(log ranges) plus one question to each of them. */
#include <math.h>
#include <stdio.h>

#include "core/master.h"
#include "core/master_parts.h"

#define CUT 16              /* tasks of a block where others may take from it */
#define ROUNDING 1e-9
#define END 0.3             /* of the work remains when blocks are cut that may last other than expected */
#define MANY 256            /* PUs above which the master does not look for that */

void plb_grants_wait(struct plb_master *m, int p)
{
    if (m->pus[p].place != NOWHERE || m->seen[p].lost || m->seen[p].outstanding == AHEAD)
        return;
    m->pus[p].place = m->n_waiting;
    m->waiting[m->n_waiting++] = p;
}

void plb_grants_leave(struct plb_master *m, int p)
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
        plb_grants_wait(m, p);
}

/* Units may remain that cost nothing: balancers must still see that there is something to grant. */
void plb_grants_remaining(struct plb_master *m, double work)
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
    m->view.idle -= seen->outstanding == 0;
    struct block *block = &pu->blocks[seen->outstanding++];
    block->id = m->next_block++ * m->view.n_pus + p;
    plb_rangeset_clear(&block->pending);
    plb_rangeset_add(&block->pending, range);
    pu->totals.blocks++;
    m->members.at[pu->info.node].left += granted;
    seen->granted += granted;
    plb_grants_remaining(m, m->view.remaining - granted);
    m->outstanding++;
    if (seen->outstanding == AHEAD)
        plb_grants_leave(m, p);

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
            plb_grants_leave(m, p);
        if (!(work > 0.0))
            return;
        send_block(m, p, work, out);
    }
}

/* Asks everybody who waits, again where the balancer wants it after a grant. */
static void feed_waiting(struct plb_master *m, struct plb_outbox *out)
{
    for (int64_t before = -1; before != m->next_block && m->free.units > 0;) {
        before = m->next_block;
        m->stats.ask_again = false;
        for (int i = m->n_waiting - 1; i >= 0; i--) /* whoever leaves is replaced by one already asked */
            feed(m, m->waiting[i], out);
        if (!m->stats.ask_again)
            return;
    }
}

void plb_grants_announce(struct plb_master *m, int node, struct plb_outbox *out)
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
            plb_grants_announce(m, n, out);
    m->announced = true;
}

void plb_grants_feed(struct plb_master *m, int first, struct plb_outbox *out)
{
    int from = out->n;
    if (first >= 0) {
        plb_grants_wait(m, first);
        feed(m, first, out);
    } else {
        all_wait_in_list(m);
        m->stats.ask_again = true;
    }
    if (m->stats.ask_again)
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
