/* The worker: messages and queues in, tasks and reports out. */
#include "core/worker/worker.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/worker/worker_inside.h"

/* Of what a PU has queued, what a RECALL takes at most. Larger: a late one leaves the PU without work.
 * Smaller: the PU that waits comes more often. */
#define MOST_RECALLED 0.9

struct plb_worker *plb_worker_new(const struct plb_worker_config *config)
{
    struct plb_worker *w = plb_alloc(sizeof *w);
    w->node = config->node;
    w->n_nodes = config->n_nodes;
    w->n_phases = config->n_phases;
    w->maps = config->maps;
    w->migration = config->migration;
    w->arrays_s = w->sent_s = plb_sizes_arrays_seconds(config->sizes, config->n_nodes);
    w->fold_s = plb_sizes_fold_seconds(config->sizes);
    w->thief = plb_thief_new(config->node, config->n_nodes, &config->migration);
    plb_reports_init(&w->reports, config->n_pus, w->node);
    plb_copies_init(&w->copies, config->n_pus);
    plb_own_pus_init(&w->pus, config->pus, config->n_pus, config->sizes, &config->migration, config->n_nodes,
                     config->n_phases);
    return w;
}

void plb_worker_free(struct plb_worker *w)
{
    if (w == NULL)
        return;
    plb_own_pus_fini(&w->pus);
    plb_copies_fini(&w->copies);
    plb_reports_fini(&w->reports);
    plb_outbox_fini(&w->early);
    plb_thief_free(w->thief);
    free(w);
}

double plb_worker_queued(const struct plb_worker *w)
{
    return plb_own_pus_queued(&w->pus);
}

/* ---------------------------------------------------------------------- messages */

static void on_pass(struct plb_worker *w, const struct plb_message *m, struct plb_outbox *out)
{
    w->pass = m->pass;
    w->phase = (int)m->begin.phase;
    w->arrays_s = m->begin.folds ? w->fold_s : w->sent_s;
    plb_own_pus_begin(&w->pus, &w->maps[w->phase], w->phase, m->begin.serves);
    plb_reports_clear(&w->reports);
    plb_copies_begin(&w->copies);
    w->empty = w->rests = false;
    plb_thief_begin(w->thief);
    struct plb_outbox early = w->early;
    w->early = (struct plb_outbox){0};
    for (int i = 0; i < early.n; i++)
        plb_worker_receive(w, &early.at[i], out);
    plb_outbox_fini(&early);
}

static bool in_pass(const struct plb_worker *w, struct plb_range range)
{
    return plb_range_end(range) <= w->pus.map->units;
}

static bool on_block(struct plb_worker *w, const struct plb_message *m)
{
    if (m->pu >= w->pus.n || !in_pass(w, m->block.range))
        return false;
    struct plb_own_pu *pu = &w->pus.at[m->pu];
    bool lost = pu->state == PLB_PU_LOST;
    if (lost && m->type == PLB_BLOCK)
        plb_worker_return(w, m->pu, m->block.range, m->block.id);
    if (lost)
        return m->type == PLB_BLOCK;
    if (m->type == PLB_BLOCK || pu->state == PLB_PU_NEW)
        pu->state = PLB_PU_SERVED;
    pu->activity = PLB_PU_BUSY; /* the master takes it to work, and it looks again */
    plb_rangeset_remove(&w->copies.elsewhere, m->block.range);
    plb_queue_push(
        m->type == PLB_BLOCK ? &pu->queue : &w->copies.of[m->pu],
        (struct plb_queue_entry){m->block.range, m->block.id, m->block.grain, m->block.alone ? PLB_HOPS : 0});
    plb_worker_sweep(w);
    if (m->block.least > 0)
        pu->rate.least = m->block.least;
    if (m->block.share > 0.0)
        pu->rate.share = m->block.share;
    return true;
}

/* A PU that has left executes nothing, and the master knows or will. */
static bool on_audit(struct plb_worker *w, const struct plb_message *m)
{
    if (m->pu >= w->pus.n || !in_pass(w, m->block.range) || w->pus.at[m->pu].state == PLB_PU_LOST)
        return false;
    plb_queue_push(&w->copies.audits[m->pu], (struct plb_queue_entry){.range = m->block.range,
                                                                      .block = m->block.id,
                                                                      .grain = m->block.range.count});
    return true;
}

static bool on_cancel(struct plb_worker *w, const struct plb_cancel *cancel)
{
    if (!in_pass(w, cancel->range))
        return false;
    if (cancel->why != PLB_ACCEPTED_ELSEWHERE) {
        plb_copies_ban(&w->copies, cancel->range, cancel->why == PLB_PUT_ASIDE);
        plb_worker_sweep(w);
        return true;
    }
    plb_copies_cancel(&w->copies, cancel->range);
    plb_own_pus_remove(&w->pus, cancel->range);
    return true;
}

static bool on_empty(struct plb_worker *w, const struct plb_empty *empty)
{
    if (!w->migration.on)
        return false;
    w->empty = true;
    for (int pu = 0; pu < w->pus.n; pu++) {
        if (w->pus.at[pu].activity == PLB_PU_IDLE)
            w->pus.at[pu]
                .activity = PLB_PU_HUNGRY; /* it asks anew, and says so where that gives it nothing */
        if (pu >= PLB_LEAST)
            continue;
        w->pus.at[pu].rate.least = empty->least[pu];
        if (empty->sure[pu] > 0.0)
            plb_own_pu_trust(&w->pus.at[pu], empty->sure[pu]);
    }
    plb_thief_hint(w->thief, empty);
    return true;
}

/* Sends units that were cut off to a PU of another node, and tells the master. An empty gift is an answer. */
static void give(struct plb_worker *w, int thief, int pu, const struct plb_queue_entry *taken, int n,
                 struct plb_outbox *out, int pass)
{
    struct plb_gifts gifts = {.thief = thief, .n = n};
    if (pass == w->pass) {
        gifts.left = plb_worker_queued(w);
        gifts.rate = plb_own_pus_rate(&w->pus);
    }
    for (int i = 0; i < n; i++)
        gifts.at[i] = (struct plb_gift){taken[i].range, taken[i].block, taken[i].hop + 1};
    struct plb_message *gift = plb_outbox_add(out, PLB_GIFT, w->node, thief, pass);
    gift->pu = pu;
    gift->gifts = gifts;
    if (n > 0)
        plb_outbox_add(out, PLB_MOVED, w->node, 0, pass)->gifts = gifts;
}

/* The PU may have gone on since the master looked. */
static bool on_recall(struct plb_worker *w, const struct plb_message *m, struct plb_outbox *out)
{
    struct plb_queue_entry taken[PLB_GIFTS];
    const struct plb_recall *recall = &m->recall;
    bool here = recall->thief == w->node;
    if (!w->migration.on || m->pu >= w->pus.n || (here && recall->thief_pu >= w->pus.n))
        return false;
    struct plb_own_pu *pu = &w->pus.at[m->pu];
    bool taker = !here || (recall->thief_pu != m->pu && w->pus.at[recall->thief_pu].state == PLB_PU_SERVED),
         all = recall->turn == PLB_RESTS;
    if (!taker && recall->turn == PLB_AS_BEFORE)
        return false;
    double most = all ? 1.0 : MOST_RECALLED;
    int n;
    do {
        double work = fmin(recall->work, most * plb_queue_work(&pu->queue, w->pus.map));
        n = taker && work >= 1.0 ? plb_queue_cut(&pu->queue, w->pus.map, work, taken, PLB_GIFTS) : 0;
        if (here)
            plb_own_pu_push(&w->pus.at[recall->thief_pu], taken, n);
        else if (n > 0)
            give(w, recall->thief, recall->thief_pu, taken, n, out, w->pass);
    } while (all && n > 0);
    if (recall->turn != PLB_AS_BEFORE && pu->state != PLB_PU_LOST)
        pu->state = all ? PLB_PU_LEFT_OUT : PLB_PU_SERVED;
    return true;
}

/* A thief gets an answer in any case, also of a pass that is over here. */
static void on_steal(struct plb_worker *w, const struct plb_message *m, struct plb_outbox *out)
{
    struct plb_queue_entry taken[PLB_GIFTS];
    plb_own_pus_asked(&w->pus);
    bool gives = m->pass == w->pass && w->migration.on && w->pus.map != NULL && m->from != w->node;
    double least = fmax(w->migration.threshold, w->arrays_s * m->steal.rate);
    int n = gives ? plb_own_pus_give(&w->pus, &m->steal, least, taken) : 0;
    give(w, m->from, 0, taken, n, out, m->pass);
}

static bool on_gift(struct plb_worker *w, const struct plb_message *m)
{
    struct plb_queue_entry entries[PLB_GIFTS];
    int pu = 0;
    if (!w->migration.on || m->from == w->node || w->pus.n == 0
        || !plb_gifts_within(&m->gifts, w->pus.map->units))
        return false;
    for (int i = 0; i < m->gifts.n; i++) {
        const struct plb_gift *g = &m->gifts.at[i];
        entries[i] = (struct plb_queue_entry){g->range, g->block, g->range.count, g->hop};
        plb_rangeset_remove(&w->copies.elsewhere, g->range);
    }
    plb_thief_answered(w->thief, m->from, &m->gifts);
    if (m->pu < w->pus.n && w->pus.at[m->pu].activity != PLB_PU_BUSY)
        pu = m->pu;
    while (pu + 1 < w->pus.n && !plb_own_pu_wants(&w->pus.at[pu]))
        pu++;
    while (pu > 0 && w->pus.at[pu].state != PLB_PU_SERVED) /* none wants it now: one that may execute it */
        pu--;
    bool lost = w->pus.at[pu].state == PLB_PU_LOST;
    for (int i = 0; i < m->gifts.n && lost; i++) /* and there is none */
        plb_worker_return(w, pu, entries[i].range, entries[i].block);
    if (!lost)
        plb_own_pu_push(&w->pus.at[pu], entries, m->gifts.n);
    for (pu = 0; pu < w->pus.n && m->gifts.n > 0; pu++) /* as after a BLOCK */
        w->pus.at[pu].activity = PLB_PU_BUSY;
    plb_worker_sweep(w);
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
    const struct plb_route *route = plb_message_route(m->type);
    if (route->receiver != PLB_TO_WORKER || route->when != PLB_IN_PASS)
        return false;
    if (m->pass > w->pass) {
        plb_outbox_copy(&w->early, m);
        return true;
    }
    if (m->pass < w->pass || w->pus.map == NULL)
        return false;
    switch ((enum plb_message_type)m->type) {
    case PLB_BLOCK:
    case PLB_BACKUP: return on_block(w, m);
    case PLB_AUDIT: return on_audit(w, m);
    case PLB_CANCEL: return on_cancel(w, &m->cancel);
    case PLB_RECALL: return on_recall(w, m, out);
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
