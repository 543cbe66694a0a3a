/* A test's own look at a simulated run, independently of the master's own ledger: every task that a PU has
 * executed and every result that the master has taken. It keeps the first fault as a sentence. */
#ifndef TEST_WATCH_H
#define TEST_WATCH_H

#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"
#include "deadly.h"
#include "watched.h"

/* The block with this number: the first of its ranges. */
static inline const struct granted *block_of(const struct watch *w, int64_t id)
{
    int low = 0, high = w->n_blocks;
    while (low < high) {
        int middle = (low + high) / 2;
        if (w->blocks[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->n_blocks && w->blocks[low].id == id ? &w->blocks[low] : NULL;
}

/* Units of a range that are in a block that was granted in that pass. */
static inline int64_t units_in_block(const struct watch *w, int pass, int64_t id, struct plb_range r)
{
    int64_t inside = 0;
    const struct granted *b = block_of(w, id), *end = w->blocks + w->n_blocks;
    for (; b != NULL && b < end && b->id == id; b++)
        inside += b->pass == pass ? units_in_both(r, b->range) : 0;
    return inside;
}

/* Each executed or reported range lies in the ranges of a block; or in those of a copy, which may have units
 * of several blocks. */
static inline void check_block(struct watch *w, const char *what, int pass, int64_t id, struct plb_range r)
{
    int64_t inside = units_in_block(w, pass, id, r);
    for (int i = 0; i < w->n_backups && inside != r.count; i++) /* or all in one copy */
        if (w->backups[i].id == id && w->backups[i].pass == pass)
            inside = units_in_both(r, w->backups[i].range);
    if (inside != r.count)
        wrong(w, "%s of units %lld + %lld in pass %d is not in its block %lld", what, (long long)r.first,
              (long long)r.count, pass, (long long)id);
}

static inline void add_block(struct watch *w, const struct plb_message *m)
{
    if (w->n_blocks == w->capacity) {
        w->capacity = w->capacity > 0 ? 2 * w->capacity : 256;
        w->blocks = plb_grow(w->blocks, (size_t)w->capacity * sizeof *w->blocks);
    }
    if (w->n_blocks > 0 && m->block.id < w->blocks[w->n_blocks - 1].id)
        wrong(w, "block %lld comes after a later one", (long long)m->block.id);
    int64_t most = m->block.alone ? m->block.grain : 0;
    w->blocks[w->n_blocks++] = (struct granted){m->block.id, m->pass, m->block.range, most};
    for (int64_t u = m->block.range.first; u < plb_range_end(m->block.range); u++) {
        w->regranted += w->granted[m->pass - 1][u];
        w->granted[m->pass - 1][u] = true;
    }
    int64_t least = w->scenario->sizes.chunk > 1 ? w->scenario->sizes.chunk : 1;
    if (most > 0 && !w->scenario->simulation.master.isolated && (m->to == 0 || most > least))
        wrong(w, "node %d gets suspect units in tasks of %lld", m->to, (long long)most);
}

/* Suspect units do not change nodes. */
static inline void check_gift(struct watch *w, const struct plb_message *m)
{
    for (int i = 0; i < m->gifts.n; i++) {
        const struct granted *b = block_of(w, m->gifts.at[i].block);
        if (b != NULL && b->most > 0)
            wrong(w, "node %d gives suspect units %lld + %lld away", m->from,
                  (long long)m->gifts.at[i].range.first, (long long)m->gifts.at[i].range.count);
    }
}

/* Only units that kill are set aside, unless nobody is left to try them. Later passes leave them out. */
static inline void follow_aside(struct watch *w, const struct plb_suspects *suspects)
{
    int n;
    const struct plb_set_aside *list = plb_suspects_list(suspects, &n);
    for (; w->n_aside < n; w->n_aside++) {
        const struct plb_set_aside *a = &list[w->n_aside];
        for (int64_t u = a->range.first; u < a->range.first + a->range.count; u++) {
            if (w->accepted[a->pass - 1][u] || (!a->nobody && !may_be_aside(w->scenario, a->phase, u)))
                wrong(w, "unit %lld of pass %d is set aside, and not deadly", (long long)u, a->pass);
            w->aside[a->pass - 1][u] = true;
            w->taken[a->pass - 1]++;
            w->folded[a->pass - 1] += (double)u;
            for (int pass = a->pass; pass < w->scenario->simulation.passes; pass++)
                if (w->scenario->phases[pass] == a->phase) {
                    w->before[pass][u] = w->aside[pass][u] = true;
                    w->taken[pass]++;
                    w->folded[pass] += (double)u;
                }
        }
    }
}

static inline bool was_granted(const struct watch *w, int pass, int64_t unit)
{
    for (int i = 0; i < w->n_blocks; i++)
        if (w->blocks[i].pass == pass && units_in_both(w->blocks[i].range, (struct plb_range){unit, 1}) > 0)
            return true;
    return false;
}

/* A second execution of held units. */
static inline void add_copy(struct watch *w, const struct plb_message *m)
{
    struct plb_range r = m->block.range;
    if (!w->scenario->simulation.master.backups)
        wrong(w, "node %d gets a copy, and there are no backups", m->to);
    if (!w->told_empty[m->pass][m->to])
        wrong(w, "node %d gets a copy in pass %d, before EMPTY", m->to, m->pass);
    if (w->n_backups == w->backups_capacity) {
        w->backups_capacity = w->backups_capacity > 0 ? 2 * w->backups_capacity : 64;
        w->backups = plb_grow(w->backups, (size_t)w->backups_capacity * sizeof *w->backups);
    }
    w->backups[w->n_backups++] = (struct granted){m->block.id, m->pass, r, 0};
    if (units_in_block(w, m->pass, m->block.id, (struct plb_range){r.first, 1}) == 0)
        wrong(w, "a copy of units %lld + %lld in pass %d does not begin in its block %lld",
              (long long)r.first, (long long)r.count, m->pass, (long long)m->block.id);
    for (int64_t u = r.first; u < r.first + r.count; u++) {
        w->copies[m->pass - 1][u]++;
        if (!was_granted(w, m->pass, u))
            wrong(w, "unit %lld of pass %d is copied, and nobody has it", (long long)u, m->pass);
        if (w->accepted[m->pass - 1][u])
            wrong(w, "unit %lld of pass %d is accepted, and copied", (long long)u, m->pass);
    }
}

/* Cancelled units are suspect, or have been accepted in the same event. */
static inline void check_cancelled(struct watch *w)
{
    for (int i = 0; i < w->n_cancelled; i++) {
        const struct plb_message *m = &w->cancelled[i];
        if (m->cancel.why == PLB_UNDER_SUSPICION)
            continue;
        for (int64_t u = m->cancel.range.first; u < m->cancel.range.first + m->cancel.range.count; u++)
            if (!w->accepted[m->pass - 1][u] && !w->aside[m->pass - 1][u])
                wrong(w, "unit %lld of pass %d is cancelled, and not accepted", (long long)u, m->pass);
    }
    w->n_cancelled = 0;
}

/* Every message has the form of one. A node asks for work, or is idle, only after EMPTY. */
static inline void watch_sent(void *context, const struct plb_message *m)
{
    struct watch *w = context;
    const char *why = plb_message_check(m, m->size, w->scenario->cluster.n_nodes);
    if (why != NULL)
        wrong(w, "a %s is sent that is %s", plb_message_name(m->type), why);
    versions_sent(&w->versions, m);
    if (m->type == PLB_PASS && m->pass > w->pass)
        begin_pass(w, m->pass);
    for (int i = 0; m->type == PLB_PASS && i < m->begin.n_feeds; i++)
        if (m->begin.feeds[i].now) /* it has other inputs */
            memset(w->pulled[m->to], 0, sizeof w->pulled[m->to]);
    if (m->type == PLB_FETCH && m->to == 0)
        note_pulled(w, m->from, m->fetch.range);
    for (int i = 0; m->type == PLB_COUNTED && i < m->counted.n; i++)
        note_pulled(w, m->to, m->counted.at[i]);
    for (int i = 0; m->type == PLB_FROM && m->from == 0 && i < m->sources.n; i++)
        note_pulled(w, m->to, m->sources.at[i].range);
    if (m->type == PLB_BLOCK)
        add_block(w, m);
    if (m->type == PLB_EMPTY)
        w->told_empty[m->pass][m->to] = true;
    if ((m->type == PLB_STEAL || m->type == PLB_IDLE) && !w->told_empty[m->pass][m->from])
        wrong(w, "node %d sends %s in pass %d, before EMPTY", m->from, plb_message_name(m->type), m->pass);
    w->regranted += m->type == PLB_BACKUP || m->type == PLB_AUDIT ? m->block.range.count : 0;
    if (m->type == PLB_BACKUP)
        add_copy(w, m);
    if (m->type == PLB_GIFT)
        check_gift(w, m);
    if (m->type == PLB_CANCEL && w->n_cancelled < MAX_CANCELS)
        w->cancelled[w->n_cancelled++] = *m;
}

/* Every task lies within its PU's memory, by the true sizes, and within the user's grain. */
static inline void watch_executed(void *context, int pu, const struct plb_slice *task)
{
    struct watch *w = context;
    const struct scenario *s = w->scenario;
    if (!in_run(w, task->pass, task->range, "a task"))
        return;
    if (!task->audit)
        check_block(w, "a task", task->pass, task->block, task->range);
    if (task->pass == w->pass) /* else its inputs may be those of an older pass */
        check_pulled(w, pu, task);
    const struct granted *b = task->audit ? NULL : block_of(w, task->block);
    if (b != NULL && b->most > 0 && task->range.count > b->most && task->range.count > s->sizes.chunk)
        wrong(w, "PU %d executes %lld suspect units at once", pu, (long long)task->range.count);
    double held = s->sizes.replicated_bytes + PLB_TASKS_IN_MEMORY * plb_sizes_bytes(&s->sizes, task->range);
    if (held > s->pus[pu].memory * (1.0 + 1e-9))
        wrong(w, "PU %d with %g bytes executes units %lld + %lld, which need %g", pu, s->pus[pu].memory,
              (long long)task->range.first, (long long)task->range.count, held);
    int64_t chunk = s->sizes.chunk, end = task->range.first + task->range.count;
    if (chunk > 0 && (task->range.first % chunk != 0 || (end % chunk != 0 && end != s->maps[0].units)))
        wrong(w, "PU %d executes units %lld + %lld, which are no whole chunks of %lld", pu,
              (long long)task->range.first, (long long)task->range.count, (long long)chunk);
    if (chunk == 0 && s->simulation.master.grain > 0.0
        && (double)task->range.count > s->simulation.master.grain)
        wrong(w, "PU %d executes %lld units at once, and the grain is %g", pu, (long long)task->range.count,
              s->simulation.master.grain);
    for (int64_t u = task->range.first; u < task->range.first + task->range.count && !task->audit; u++) {
        if (w->before[task->pass - 1][u])
            wrong(w, "unit %lld was accepted from the start, and PU %d executes it", (long long)u, pu);
        w->executed_by[task->pass - 1][u] |= 1u << pu;
        w->executions[task->pass - 1][u]++;
    }
}

/* The master may take so many units of a report that it judged so. */
static inline bool plausible(enum plb_verdict verdict, bool whole, int64_t count, int64_t fresh)
{
    switch (verdict) {
    case PLB_ALL_NEW: return fresh == count;
    case PLB_SOME_NEW: return whole ? fresh == 0 : fresh > 0 && fresh < count;
    default: return fresh == 0;
    }
}

/* Accepted are units that this PU has executed in this pass, and that were not accepted before. */
static inline void watch_reported(void *context, const struct plb_message *done, bool given_up,
                                  enum plb_verdict verdict, int64_t fresh)
{
    struct watch *w = context;
    const struct scenario *s = w->scenario;
    struct plb_range r = done->done.range;
    int pass = done->pass - 1, pu = s->nodes[done->from].first_pu + done->pu;
    int64_t first_time = 0;
    bool whole_results = s->simulation.master.whole_results;
    versions_reported(&w->versions, done, fresh);
    if (!plausible(verdict, whole_results, r.count, fresh))
        wrong(w, "a report of %lld units is judged %d, and %lld are taken", (long long)r.count, (int)verdict,
              (long long)fresh);
    if (given_up && fresh > 0)
        wrong(w, "%lld units are taken from node %d, which was given up", (long long)fresh, done->from);
    if (fresh == 0 || !in_run(w, done->pass, r, "a report"))
        return;
    w->held += whole_results && done->done.tasks > 1;
    check_block(w, "a report", done->pass, done->done.block, r);
    for (int64_t u = r.first; u < r.first + r.count; u++) {
        if (!(w->executed_by[pass][u] & 1u << pu))
            wrong(w, "PU %d reports unit %lld in pass %d, which it has not executed", pu, (long long)u,
                  done->pass);
        first_time += !w->accepted[pass][u];
        if (!w->accepted[pass][u]) {
            w->home[u] = done->from;
            w->there[u] = done->from == 0 || done->done.buffers != 0 || s->simulation.master.stays == 0;
        }
        if (is_deadly(s, s->phases[pass], u) || w->aside[pass][u])
            wrong(w, "unit %lld of pass %d is accepted, though it kills or was set aside", (long long)u,
                  done->pass);
        w->accepted[pass][u] = true;
        w->folded[pass] += (double)u;
    }
    if (first_time != fresh)
        wrong(w, "%lld units are taken from a report of which %lld are new", (long long)fresh,
              (long long)first_time);
    w->taken[pass] += fresh;
}

static inline void watch_stepped(void *context, double now, const struct plb_master *master)
{
    struct watch *w = context;
    const char *why = plb_master_check(master);
    if (why != NULL)
        wrong(w, "at %g s: %s", now, why);
    follow_aside(w, plb_master_suspects(master));
    check_cancelled(w);
    if (now < w->now)
        wrong(w, "time goes back from %g s to %g s", w->now, now);
    w->now = now;
}

/* Watches the simulation of a scenario. */
static inline void start_watch(struct watch *w, struct scenario *s)
{
    memset(w, 0, sizeof *w);
    w->scenario = s;
    for (int i = 0; i < s->accepted.n; i++)
        for (int64_t k = 0; k < s->accepted.at[i].count; k++) {
            int64_t u = s->accepted.at[i].first + k;
            w->before[0][u] = w->accepted[0][u] = true;
            w->folded[0] += (double)u;
            w->taken[0]++;
        }
    s->simulation.watch = (struct plb_watch){
        w,           NULL,      watch_sent, watch_executed, watch_reported, watch_gathered, watch_stepped,
        watch_begun, watch_lent};
    versions_init(&w->versions, &s->simulation);
}

/* A PU that computes rightly is never called wrong, and results differ only where somebody is wrong. */
static inline void check_audits(struct watch *w, const struct plb_audits *audits, int n_pus)
{
    const double *part = w->scenario->simulation.wrong;
    if (part == NULL && plb_audits_counts(audits)->differences > 0)
        wrong(w, "nobody is wrong, and results differ");
    for (int p = 0; p < n_pus; p++)
        if (plb_audits_wrong(audits, p) > 0 && (part == NULL || part[p] == 0.0))
            wrong(w, "PU %d is called wrong, and is not", p);
    if (plb_audits_open(audits) > 0)
        wrong(w, "an audit is open after the end");
}

/* A unit kills two nodes at most where nothing else is executed twice or lost. */
static inline void check_deaths(struct watch *w, const struct plb_simulated *result)
{
    const struct scenario *s = w->scenario;
    int64_t copies = plb_backups_counts(plb_master_backups(result->master))->copies;
    if (copies == 0 && result->stress.killed_nodes > 2 * s->simulation.n_deadly)
        wrong(w, "%d units have killed %lld nodes", s->simulation.n_deadly,
              (long long)result->stress.killed_nodes);
    if (copies == 0 && is_peaceful(s) && result->stress.killed_children > 6 * s->simulation.n_deadly)
        wrong(w, "%d units have killed %lld child processes", s->simulation.n_deadly,
              (long long)result->stress.killed_children);
    if (s->simulation.n_deadly == 0 && plb_suspects_units(plb_master_suspects(result->master)) > 0)
        wrong(w, "no unit kills, and some are set aside");
}

/* These facts must hold of a run that has ended well. */
static inline void end_watch(struct watch *w, const struct plb_simulated *result)
{
    const struct scenario *s = w->scenario;
    const struct plb_master_counts *counts = plb_master_counts(result->master);
    int64_t units = s->maps[0].units;
    for (int64_t u = 0; u < units; u++)
        if (!w->there[u] && !w->aside[s->simulation.passes - 1][u])
            wrong(w, "rank 0 never gets the result of unit %lld", (long long)u);
    for (int pass = 0; pass < passes_of(w); pass++) {
        double sum = 0.5 * (double)units * (double)(units - 1);
        if (w->taken[pass] != units)
            wrong(w, "%lld of %lld units are accepted in pass %d", (long long)w->taken[pass],
                  (long long)units, pass + 1);
        if (s->simulation.master.whole_results && w->folded[pass] != sum)
            wrong(w, "the results of pass %d fold to %.0f, and should to %.0f", pass + 1, w->folded[pass],
                  sum);
        bool held = s->simulation.master.whole_results /* results that go back with their PU */
                 && result->stress.broken_pus + result->stress.given_up > 0;
        bool calm = counts->losses == 0 && counts->partly_new == 0 && counts->crashes == 0 && !held;
        for (int64_t u = 0; u < units && calm; u++)
            if (w->executions[pass][u] < !w->before[pass][u]
                || w->executions[pass][u] > 1 + w->copies[pass][u])
                wrong(w, "nothing was lost, and unit %lld was executed %d times in pass %d", (long long)u,
                      w->executions[pass][u], pass + 1);
    }
    if (counts->losses == 0 && counts->crashes == 0 && result->stress.broken_pus == 0
        && result->stress.given_up == 0 && plb_backups_counts(plb_master_backups(result->master))->copies == 0
        && (counts->twice > 0 || counts->partly_new > 0 || freed_units(result->master) > 0
            || counts->stale > 0 || counts->dropped > 0))
        wrong(w, "nothing was lost, and something was reported twice, in part, stale or dropped, or freed");
    for (int p = 0; p < plb_master_pus(result->master); p++)
        w->refused += plb_master_state(result->master, p) == PLB_PU_REFUSED;
    if (counts->losses == 0 && counts->dropped > 0)
        wrong(w, "nothing was lost, and a message was dropped");
    check_deaths(w, result);
    check_regrants(w, plb_master_regrants(result->master));
    check_audits(w, plb_master_audits(result->master), plb_master_pus(result->master));
    free(w->blocks);
    free(w->backups);
    w->blocks = w->backups = NULL;
}

/* Simulates the scenario, and fails the test where a fact does not hold. The result's master is the caller's.
 */
static inline void simulate_watched(struct scenario *s, struct watch *w, const char *what,
                                    struct plb_simulated *result)
{
    struct plb_error err = {.status = PLB_OK};
    start_watch(w, s);
    if (plb_simulate(&s->simulation, result, &err) != PLB_OK)
        wrong(w, "%.250s", err.text);
    end_watch(w, result);
    if (w->wrong[0] != '\0')
        fail_msg("seed %llu, %s on %d PUs of %d nodes, %s: %s", (unsigned long long)s->simulation.seed,
                 s->simulation.master.balancer->name, s->cluster.n_pus, s->cluster.n_nodes, what, w->wrong);
}

/* Simulates a scenario in which no PU is left: the run ends, and says so. Frees the scenario. */
static inline void simulate_to_no_pu(struct scenario *s)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated result;
    assert_int_equal(plb_simulate(&s->simulation, &result, &err), PLB_EFAILED);
    assert_non_null(strstr(err.text, "no PU is left"));
    plb_master_free(result.master);
    free_scenario(s);
}

#endif
