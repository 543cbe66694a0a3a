/* The begin of passes, and the end of those whose reduced arrays stay at their nodes. */
#include <assert.h>

#include "core/master.h"
#include "core/master_inside.h"
#include "core/place/halos.h"
#include "core/self_check.h"

/* A node that has joined reaches node 0 alone, and sends its arrays there. */
static void tell(const struct plb_master *m, int node, const struct plb_pass *begin, struct plb_outbox *out)
{
    struct plb_pass *own = &plb_outbox_add(out, PLB_PASS, 0, node, m->pass)->begin;
    *own = *begin;
    own->folds = begin->folds && node < m->config.n_nodes - m->config.joiners;
}

/* Its shares stand for so many seconds, which is known when they are in the outbox. Each PASS says so: it is
 * one of the messages from `first` until `until` - 1. */
static void tell_time(double seconds, int first, int until, struct plb_outbox *out)
{
    for (int i = first; i < until; i++)
        if (out->at[i].type == PLB_PASS)
            out->at[i].begin.stands_s = seconds;
}

/* The blocks of this pass are in the outbox from message `first` on. */
static void send_halos(const struct plb_master *m, int first, struct plb_outbox *out)
{
    const struct plb_sizes *sizes = m->config.sizes;
    struct plb_halos halos = {m->config.halos, 0, 0, m->map->units};
    if (sizes == NULL || m->config.halos == 0 || sizes->before + sizes->after == 0)
        return;
    halos.before = sizes->before;
    halos.after = sizes->after;
    plb_halos_send(&halos, m->owners, first, out);
}

/* Of a pass these units are accepted from the start; NULL: none. lost: the results of all others are. */
static void start(struct plb_master *m, int pass, const struct plb_pass *begin,
                  const struct plb_cost_map *map, const struct plb_rangeset *accepted, bool lost, double now,
                  struct plb_outbox *out)
{
    struct plb_regrants *regrants = plb_ledger_regrants(m->ledger);
    int phase = (int)begin->phase;
    plb_work_count_begin(&m->work, phase, map);
    plb_ledger_begin(m->ledger, m->work.map, accepted);
    plb_regrants_begin(regrants, pass);
    if (lost)
        for (int i = 0; i < m->ledger->free.n; i++)
            plb_regrants_wait(regrants, m->ledger->free.at[i], -1, PLB_REGRANT_LOST_RESULT);
    m->map = map = m->work.map;
    m->pass = pass;
    m->phase = phase;
    m->pass_began = now;
    m->folds = begin->folds != 0;
    m->again = begin->again != 0;
    if (m->sets != NULL)
        plb_sets_begin(m->sets);
    int begun = out->n;
    for (int n = m->config.n_nodes - 1; n >= 0; n--)
        if (!plb_ledger_lost(m->ledger, n))
            tell(m, n, begin, out);
    if (!m->again)
        plb_owners_begin(m->owners, m->ledger, begin, pass, out);
    plb_broker_begin(m->broker);
    plb_master_find_homes(m);
    plb_suspects_begin(m->suspects, pass, phase);
    plb_agenda_begin(m->agenda, pass, phase, map);
    plb_backups_begin(m->backups, pass, phase, map, now);
    plb_audits_begin(m->audits, pass, phase, map);
    int first = out->n;
    plb_agenda_open(m->agenda, out);
    tell_time(plb_agenda_stands_s(m->agenda), begun, first, out);
    if (plb_agenda_stands(m->agenda) && plb_owners_fresh(m->owners))
        send_halos(m, first, out);
    plb_self_check(m->ledger, m->agenda, m->pus.n);
}

void plb_master_begin(struct plb_master *m, int pass, int phase, int64_t replaced,
                      const struct plb_cost_map *map, double now, struct plb_outbox *out)
{
    const struct plb_rangeset *accepted = m->map == NULL ? m->config.accepted
                                                         : plb_suspects_known(m->suspects, phase);
    struct plb_pass begin = {.phase = phase, .replaced = replaced, .stays = m->config.stays};
    plb_owners_write(m->owners, &begin, false);
    begin.folds = m->sets != NULL && begin.n_feeds == 0; /* else a pass again would change what is fed */
    start(m, pass, &begin, map, accepted, false, now, out);
}

void plb_master_start_again(struct plb_master *m, int pass, const struct plb_pass *begin,
                            const struct plb_cost_map *map, const struct plb_rangeset *lacking, double now,
                            struct plb_outbox *out)
{
    struct plb_rangeset accepted = {0};
    plb_rangeset_missing(lacking, (struct plb_range){0, map->units}, &accepted);
    start(m, pass, begin, map, &accepted, true, now, out);
    plb_rangeset_fini(&accepted);
}

void plb_master_note_fresh(struct plb_master *m, const struct plb_message *done, int64_t fresh,
                           struct plb_outbox *out)
{
    if (done->done.folds)
        plb_sets_reported(m->sets, done, fresh == done->done.range.count, out);
    if (m->again && fresh > 0)
        plb_owners_repaired(m->owners, done->done.range);
}

bool plb_master_folds(const struct plb_master *m)
{
    return m->folds;
}

void plb_master_fold(struct plb_master *m, struct plb_outbox *out)
{
    if (!plb_sets_on(m->sets))
        plb_sets_start(m->sets, m->pass, out);
}

bool plb_master_folded(const struct plb_master *m)
{
    return plb_sets_over(m->sets);
}

int64_t plb_master_unfolded(const struct plb_master *m)
{
    return plb_sets_lacking(m->sets)->units;
}

void plb_master_fold_again(struct plb_master *m, int pass, const struct plb_cost_map *map, double now,
                           struct plb_outbox *out)
{
    const struct plb_rangeset *lacking = plb_sets_lacking(m->sets);
    assert(plb_sets_over(m->sets) && lacking->units > 0);
    plb_sets_counts(m->sets)->repairs++;
    plb_master_start_again(m, pass, &(struct plb_pass){.phase = m->phase, .folds = 1, .again = 1}, map,
                           lacking, now, out);
}

const struct plb_sets_counts *plb_master_set_counts(const struct plb_master *m)
{
    return m->sets != NULL ? plb_sets_counts(m->sets) : NULL;
}
