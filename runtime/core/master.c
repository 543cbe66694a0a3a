/* The master: events to ledger, histories and agenda. */
#include "core/master.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/master_inside.h"
#include "core/self_check.h"

static void count_work(struct plb_master *m)
{
    plb_work_count_init(&m->work, m->pus.room, m->config.phases, m->config.learn_costs);
    for (int i = 0; i < m->pus.room * m->config.phases; i++)
        m->work.histories[i].unscaled = m->config.unscaled;
}

struct plb_master *plb_master_new(const struct plb_master_config *config, const struct plb_pu_info *infos,
                                  int n)
{
    size_t room = (size_t)(n + config->joining_pus);
    struct plb_master *m = plb_alloc(sizeof *m);
    m->config = *config;
    m->config.phases = config->phases > 0 ? config->phases : 1;
    const struct plb_sizes *sizes = m->config.sizes = config->sizes != NULL ? config->sizes : &plb_no_sizes;
    plb_pus_init(&m->pus, (int)room);
    m->totals = plb_alloc(room * sizeof *m->totals);
    m->limits = plb_alloc(room * sizeof *m->limits);
    count_work(m);
    m->largest_bytes = plb_sizes_largest(sizes, config->units);
    for (int p = 0; p < n; p++)
        plb_master_add(m, &infos[p], PLB_PU_NEW);
    m->ledger = plb_ledger_new(m->pus.room, m->config.n_nodes);
    for (int i = config->n_nodes - config->joiners; i < config->n_nodes; i++)
        plb_ledger_lose(m->ledger, i);
    plb_master_know_data(m);
    m->broker = plb_broker_new(m->ledger, &m->work, config->victim, m->pus.infos, n, config->n_nodes);
    struct plb_agenda_config agenda = {.balancer = config->balancer,
                                       .params = config->params,
                                       .histories = m->work.histories,
                                       .n_phases = m->config.phases,
                                       .pus = &m->pus,
                                       .facts = {&m->pus, m->limits, plb_sizes_mean(sizes, config->units),
                                                 plb_sizes_beside(sizes), plb_master_result_seconds(m)},
                                       .migration = config->migration,
                                       .task_s = plb_longest_task(config->task_s),
                                       .backups = config->backups && config->migration,
                                       .saves = config->saves,
                                       .residence = m->residence,
                                       .goal = config->goal};
    m->agenda = plb_agenda_new(&agenda, m->ledger, m->broker);
    m->backups = plb_backups_new(&(struct plb_backups_config){&m->pus, m->ledger, m->broker, m->agenda,
                                                              m->work.histories, agenda.n_phases,
                                                              agenda.backups, config->whole_results});
    m->audits = plb_audits_new(&(struct plb_audits_config){&m->pus, m->ledger, m->broker, m->config.sizes,
                                                           m->work.histories, agenda.n_phases, config->audit,
                                                           config->seed, config->whole_results});
    m->suspects = plb_suspects_new(
        &(struct plb_suspects_config){&m->pus, m->ledger, m->broker, m->agenda, m->backups, agenda.n_phases,
                                      m->config.sizes->chunk, config->migration, config->isolated});
    m->losses = (struct plb_losses){m->ledger, m->broker, m->agenda, m->backups, m->audits};
    return m;
}

void plb_master_free(struct plb_master *m)
{
    if (m == NULL)
        return;
    plb_suspects_free(m->suspects);
    plb_audits_free(m->audits);
    plb_backups_free(m->backups);
    plb_agenda_free(m->agenda);
    plb_residence_free(m->residence);
    plb_owners_free(m->owners);
    plb_sets_free(m->sets);
    plb_broker_free(m->broker);
    plb_ledger_free(m->ledger);
    plb_work_count_fini(&m->work);
    plb_pus_fini(&m->pus);
    free(m->totals);
    free(m->limits);
    free(m);
}

void plb_master_load(struct plb_master *m, int phase, int p, const struct plb_sample *samples, int n)
{
    plb_history_load(plb_master_history(m, phase, p), samples, n);
}

void plb_master_ideal(struct plb_master *m, const struct plb_ideal *ideals)
{
    plb_agenda_ideal(m->agenda, ideals);
}

/* ------------------------------------------------------------------------- reports */

/* Whether a message is of this pass, and of a living node. */
static bool timely(const struct plb_master *m, const struct plb_message *message)
{
    return m->map != NULL && message->pass == m->pass && !plb_ledger_lost(m->ledger, message->from);
}

static bool exists(const struct plb_master *m, struct plb_range range)
{
    return plb_range_end(range) <= m->map->units;
}

/* The number in the run of the PU that a DONE comes from; -1 where the DONE makes no sense. */
static int reporter_of(const struct plb_master *m, const struct plb_message *message)
{
    if (!timely(m, message) || !exists(m, message->done.range))
        return -1;
    if (message->done.folds && !m->folds) /* nobody would have its arrays */
        return -1;
    return plb_broker_pu(m->broker, message->from, message->pu);
}

enum plb_verdict plb_master_judge(const struct plb_master *m, const struct plb_message *message)
{
    if (reporter_of(m, message) < 0)
        return PLB_NOT_SENSIBLE;
    int64_t count = message->done.range.count;
    int64_t open = plb_ledger_open_units(m->ledger, message->done.range, message->done.block);
    return open == 0 ? PLB_NONE_NEW : open < count ? PLB_SOME_NEW : PLB_ALL_NEW;
}

/* The units that nobody executes any more where a result does not count. Others have those of a copy. */
static struct plb_range left_alone(const struct plb_done *done)
{
    return done->copy ? (struct plb_range){0, 0} : done->range;
}

/* Accepts what is new; nothing where results count whole and only a part is new. Returns the new units. */
static int64_t accept(struct plb_master *m, const struct plb_done *done)
{
    int64_t open = 0;
    if (m->config.whole_results)
        open = plb_ledger_open_units(m->ledger, done->range, done->block);
    if (open > 0 && open < done->range.count) {
        m->counts.partly_new++;
        plb_ledger_drop(m->ledger, left_alone(done), done->block, PLB_REGRANT_PARTLY_NEW);
        return 0;
    }
    int64_t fresh = plb_ledger_accept(m->ledger, done->range, done->block);
    m->counts.twice += done->range.count - fresh;
    return fresh;
}

/* Counts a message of another pass, or one that makes no sense. */
static void drop(struct plb_master *m, const struct plb_message *message)
{
    bool stale = m->map != NULL && message->pass != m->pass && !plb_ledger_lost(m->ledger, message->from);
    *(stale ? &m->counts.stale : &m->counts.dropped) += 1;
}

/* The map of the pass has changed. */
static void count_anew(struct plb_master *m)
{
    plb_ledger_recount(m->ledger);
    int64_t front = plb_ledger_front(m->ledger).first, units = plb_ledger_free_units(m->ledger);
    plb_agenda_recount(m->agenda, plb_work_count_doubt(&m->work, front, units));
}

/* After a report: notes what PUs have waited where it ended the training, or the pass. */
static void end_times(struct plb_master *m, int p, const struct plb_done *done, int64_t fresh, double now)
{
    double trained = plb_agenda_stats(m->agenda)->profile_end;
    if (trained > 0.0 && !m->trained)
        plb_totals_end_training(m->totals, m->pus.n, trained);
    m->trained |= trained > 0.0;
    if (fresh > 0 && plb_ledger_accepted_units(m->ledger) == m->map->units)
        plb_totals_end_pass(m->totals, m->pus.n, p, done, m->pass_began, now);
}

static int64_t on_done(struct plb_master *m, const struct plb_message *message, double now,
                       struct plb_outbox *out)
{
    const struct plb_done *done = &message->done;
    int p = reporter_of(m, message);
    if (p < 0 || done->audit) {
        drop(m, message);
        return 0;
    }
    if (plb_agenda_failure(m->agenda) != NULL)
        return 0;
    double tasks = (double)done->tasks, work = plb_cost_work(m->map, done->range.first, done->range.count);
    struct plb_sample sample = {.work = work / tasks,
                                .execute_s = done->execute_s / tasks,
                                .transfer_s = done->transfer_s / tasks,
                                .tasks = done->tasks,
                                .time = now - m->pass_began};
    plb_master_note(m, p, message);
    bool new = plb_agenda_is_new(m->agenda, p, work);
    int64_t fresh = accept(m, done);
    plb_master_note_fresh(m, message, fresh, out);
    int from = out->n;
    bool suspect = plb_ledger_is_suspect(m->ledger, done->range); /* the balancer has not granted its block */
    sample.block_end = plb_agenda_follow(m->agenda, p, sample.time) && !suspect;
    m->counts.moved_units += plb_totals_count(m->totals, m->pus.infos, m->ledger, p, done, fresh);
    m->totals[p].latest = now;
    if (new)
        plb_work_count_passed_over(&m->work, p, done);
    else if (plb_work_count_reported(&m->work, p, done, &sample))
        count_anew(m);
    plb_broker_heard(m->broker, message->from);
    plb_backups_reported(m->backups, p, done->range, fresh > 0, now, out);
    plb_agenda_reported(m->agenda, p, &sample, out);
    plb_backups_granted(m->backups, out, from, now);
    plb_audits_reported(m->audits, p, done, suspect ? 0 : fresh, now, out);
    end_times(m, p, done, fresh, now);
    return fresh;
}

/* --------------------------------------------------------------------- moves, losses */

static void on_moved(struct plb_master *m, const struct plb_message *message, double now,
                     struct plb_outbox *out)
{
    const struct plb_gifts *gifts = &message->gifts;
    int64_t before = plb_ledger_free_units(m->ledger);
    int from = out->n;
    if (m->map != NULL && message->pass < m->pass && !plb_ledger_lost(m->ledger, message->from))
        return; /* the results were quicker, and ended their pass */
    if (!timely(m, message) || !plb_gifts_within(gifts, m->map->units)) {
        drop(m, message);
        return;
    }
    m->counts.gifts++;
    for (int i = 0; i < gifts->n; i++) {
        plb_ledger_move(m->ledger, &gifts->at[i], message->from, gifts->thief);
        plb_agenda_follow(m->agenda, -1, now - m->pass_began);
        plb_agenda_tell_balancer(m->agenda);
    }
    plb_broker_heard(m->broker, message->from);
    if (plb_ledger_free_units(m->ledger) > before)
        plb_agenda_ask_all(m->agenda, out);
    plb_backups_given(m->backups, gifts->thief, now);
    plb_backups_granted(m->backups, out, from, now);
}

static double pass_seconds(const struct plb_master *m, double now)
{
    return m->map != NULL ? now - m->pass_began : 0.0;
}

/* After an event: those who wait may try suspect units. */
static void look_at_suspects(struct plb_master *m, double now, struct plb_outbox *out)
{
    int from = out->n;
    if (m->map != NULL)
        plb_suspects_step(m->suspects, pass_seconds(m, now), out);
    plb_audits_follow(m->audits, now);
    plb_backups_granted(m->backups, out, from, now);
}

/* A PU's device has failed. */
static void on_fail(struct plb_master *m, const struct plb_message *message, double now,
                    struct plb_outbox *out)
{
    const struct plb_failure *f = &message->fail;
    int p = plb_broker_pu(m->broker, message->from, message->pu);
    if (p < 0 || f->text[0] == '\0' || plb_ledger_lost(m->ledger, message->from)) {
        drop(m, message);
        return;
    }
    bool first = plb_totals_fail(&m->totals[p], f->text),
         here = !f->audit && !f->copy && timely(m, message) && exists(m, f->range);
    plb_losses_pu(&m->losses, p, first, here ? f->range : (struct plb_range){0, 0}, f->block,
                  PLB_REGRANT_FAILED_PU, now, pass_seconds(m, now), out);
}

/* A task has crashed. The units are suspect before others are asked. */
static void on_crash(struct plb_master *m, const struct plb_message *message, double now,
                     struct plb_outbox *out)
{
    const struct plb_crashed *c = &message->crash;
    int p = plb_broker_pu(m->broker, message->from, message->pu);
    bool here = p >= 0 && m->map != NULL && message->pass == m->pass && exists(m, c->range),
         late = plb_ledger_lost(m->ledger, message->from);
    if (p < 0 || (late && !here)) {
        drop(m, message);
        return;
    }
    m->counts.crashes++;
    if (here && c->audit)
        plb_audits_forget(m->audits, c->block);
    else if (here)
        plb_suspects_crashed(m->suspects, p, c, pass_seconds(m, now), out);
    if (late) /* others had its units already, and lack them now */
        plb_agenda_ask_all(m->agenda, out);
    if (!c->alive && c->others == 0)
        plb_master_lost(m, message->from, now, out);
    else if (c->alive && here && !c->audit && !late)
        plb_losses_pu(&m->losses, p, false, c->range, c->block, PLB_REGRANT_CRASH, now, pass_seconds(m, now),
                      out);
}

static void on_idle(struct plb_master *m, const struct plb_message *message, double now)
{
    int p = plb_broker_pu(m->broker, message->from, message->pu);
    if (p < 0 || plb_ledger_lost(m->ledger, message->from))
        drop(m, message);
    else if (timely(m, message) && plb_pus_works(&m->pus, p))
        plb_backups_idle(m->backups, p, now);
}

void plb_master_tick(struct plb_master *m, double now, struct plb_outbox *out)
{
    if (m->map != NULL && now >= m->pass_began + plb_agenda_due(m->agenda))
        plb_agenda_tick(m->agenda, pass_seconds(m, now), out);
    if (now >= plb_backups_due(m->backups))
        plb_backups_look(m->backups, now, out);
    plb_audits_tick(m->audits, now, out);
}

int64_t plb_master_receive(struct plb_master *m, const struct plb_message *message, double now,
                           struct plb_outbox *out)
{
    int64_t fresh = 0;
    if (message->type == PLB_DONE)
        fresh = on_done(m, message, now, out);
    else if (message->type == PLB_MOVED)
        on_moved(m, message, now, out);
    else if (message->type == PLB_IDLE)
        on_idle(m, message, now);
    else if (message->type == PLB_FAIL)
        on_fail(m, message, now, out);
    else if (message->type == PLB_CRASH)
        on_crash(m, message, now, out);
    else if (message->type == PLB_WINDOW)
        plb_master_metered(m, message, now, out);
    else if (message->type == PLB_FROM && plb_master_awaits(m, message))
        plb_owners_receive(m->owners, message, out);
    else if (message->type == PLB_FOLDED && m->folds
             && (message->from == 0 || timely(m, message))) /* rank 0 is there without its PUs, too */
        m->counts.dropped += !plb_sets_folded(m->sets, message, out);
    else
        m->counts.dropped++;
    look_at_suspects(m, now, out);
    plb_self_check(m->ledger, m->agenda, m->pus.n);
    return fresh;
}

void plb_master_spoiled(struct plb_master *m, const struct plb_message *message,
                        enum plb_regrant_reason reason, double now, struct plb_outbox *out)
{
    int p = reporter_of(m, message);
    if (message->done.audit)
        plb_audits_ask_again(m->audits, message, now, out);
    else if (p >= 0)
        plb_losses_pu(&m->losses, p, false, left_alone(&message->done), message->done.block, reason, now,
                      pass_seconds(m, now), out);
    if (p >= 0)
        plb_master_note_fresh(m, message, 0, out);
    look_at_suspects(m, now, out);
    plb_self_check(m->ledger, m->agenda, m->pus.n);
}

void plb_master_lost(struct plb_master *m, int node, double now, struct plb_outbox *out)
{
    if (node < 0 || node >= m->config.n_nodes || plb_ledger_lost(m->ledger, node))
        return;
    m->counts.losses++;
    plb_master_forget(m, node, out);
    plb_totals_lose(m->totals, m->pus.infos, m->pus.n, node);
    plb_losses_node(&m->losses, node, now, pass_seconds(m, now), out);
    look_at_suspects(m, now, out);
    plb_self_check(m->ledger, m->agenda, m->pus.n);
}

void plb_master_stop(struct plb_master *m, int status, struct plb_outbox *out)
{
    if (!m->stopped)
        for (int n = m->config.n_nodes - 1; n >= 0; n--)
            if (!plb_ledger_lost(m->ledger, n))
                plb_outbox_add(out, PLB_STOP, 0, n, m->pass)->stop.status = status;
    m->stopped = true;
}
