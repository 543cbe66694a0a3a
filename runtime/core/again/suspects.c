/* Which units are suspect, who tries them, and which are given up. */
#include "core/again/suspects.h"

#include <stdlib.h>

#include "base/memory.h"

/* Where only a child process dies, a suspect task is cut into so many. Larger: more tasks of innocent units.
 * Smaller: more children die before the unit is found. */
#define CUT 8

/* A PU gets this part of its equal share of the units that stand apart, so that fast PUs get more. Larger:
 * the last ones take longer. Smaller: more messages. */
#define SHARE 0.5

#define DEADLY 2 /* executors that a unit kills before it is set aside */

/* Crashes before the run gives up, where the pass has no result. Larger: a kernel that always crashes does so
 * more often. Smaller: one that fails in its first units is not tried in others. */
#define HOPELESS 100

/* Units that are not accepted, and what happened to them in this pass. */
struct suspect {
    struct plb_range range;
    int deaths, signal;
    int pus[2];     /* of the latest deaths, latest first */
    int64_t most;   /* units of a task */
    bool kills;     /* a rank has died with them */
    bool condemned; /* to be set aside */
};

struct plb_suspects {
    struct plb_suspects_config config;
    struct suspect *at; /* disjoint, in no order */
    int n, capacity, pass, phase;
    bool any_condemned;
    struct plb_rangeset *known; /* by phase: set aside */
    struct plb_set_aside *aside;
    int n_aside, aside_capacity;
    int64_t units_aside;
    int crashes; /* in this pass */
};

struct plb_suspects *plb_suspects_new(const struct plb_suspects_config *config)
{
    struct plb_suspects *s = plb_alloc(sizeof *s);
    s->config = *config;
    s->known = plb_alloc((size_t)config->n_phases * sizeof *s->known);
    return s;
}

void plb_suspects_free(struct plb_suspects *s)
{
    if (s == NULL)
        return;
    for (int i = 0; i < s->config.n_phases; i++)
        plb_rangeset_fini(&s->known[i]);
    free(s->known);
    free(s->aside);
    free(s->at);
    free(s);
}

const struct plb_rangeset *plb_suspects_known(const struct plb_suspects *s, int phase)
{
    return s->known[phase].n > 0 ? &s->known[phase] : NULL;
}

void plb_suspects_begin(struct plb_suspects *s, int pass, int phase)
{
    s->pass = pass;
    s->phase = phase;
    s->n = 0;
    s->any_condemned = false;
    s->crashes = 0;
}

/* ------------------------------------------------------------------------- a crash */

static struct suspect *add(struct plb_suspects *s, struct suspect suspect)
{
    s->at = plb_room(s->at, s->n, &s->capacity, sizeof *s->at);
    s->at[s->n] = suspect;
    return &s->at[s->n++];
}

/* Divides suspects so that each lies within the range or outside. */
static void divide(struct plb_suspects *s, struct plb_range range)
{
    const int64_t cuts[] = {range.first, plb_range_end(range)};
    for (int c = 0; c < 2; c++)
        for (int i = 0, n = s->n; i < n; i++) {
            struct suspect back = s->at[i];
            if (cuts[c] <= back.range.first || plb_range_end(back.range) <= cuts[c])
                continue;
            back.range.count = plb_range_end(back.range) - cuts[c];
            back.range.first = cuts[c];
            s->at[i].range.count -= back.range.count;
            add(s, back);
        }
}

/* An executor of these units has died. */
static void blame(struct plb_suspects *s, struct suspect *suspect, int pu, const struct plb_crashed *crash)
{
    int64_t most = crash->alive && !suspect->kills ? crash->range.count / CUT : 1;
    int64_t chunk = s->config.chunk > 1 ? s->config.chunk : 1;
    suspect->pus[1] = suspect->pus[0];
    suspect->pus[0] = pu;
    suspect->deaths++;
    suspect->signal = crash->signal;
    suspect->kills |= !crash->alive;
    suspect->most = most > chunk ? most - most % chunk : chunk;
    suspect->condemned = suspect->deaths >= DEADLY && crash->range.count <= chunk;
    s->any_condemned |= suspect->condemned;
}

static void say(const struct plb_suspects *s, int node, struct plb_range range, enum plb_cancel_why why,
                struct plb_outbox *out)
{
    plb_outbox_add(out, PLB_CANCEL, 0, node, s->pass)->cancel = (struct plb_cancel){range, why};
}

/* Nobody may execute these units with others any more. Where units move, any node may have them. */
static void warn(const struct plb_suspects *s, struct plb_range range, struct plb_outbox *out)
{
    for (int p = 0, last = -1; p < s->config.pus->n && s->config.moves; p++) {
        int node = s->config.pus->infos[p].node;
        if (node != last && !plb_ledger_lost(s->config.ledger, node))
            say(s, node, range, PLB_UNDER_SUSPICION, out);
        last = node;
    }
}

/* Takes units away from those who hold them, since they are suspect now. */
static void take_away(const struct plb_suspects *s, struct plb_range range, int node, int64_t block,
                      double pass_s, struct plb_outbox *out)
{
    struct plb_held held;
    for (int64_t at = 0; plb_ledger_next_held(s->config.ledger, &at, &held);) {
        struct plb_range units = plb_range_common(held.range, range);
        if (units.count == 0)
            continue;
        if (!s->config.moves && (held.node != node || held.block != block))
            say(s, held.node, units, PLB_UNDER_SUSPICION, out);
        plb_ledger_drop(s->config.ledger, units, held.block, PLB_REGRANT_CRASH);
        plb_agenda_follow(s->config.agenda, PLB_NO_PU, pass_s);
        plb_agenda_tell_balancer(s->config.agenda);
        at = 0; /* the parts have changed */
    }
}

void plb_suspects_crashed(struct plb_suspects *s, int pu, const struct plb_crashed *crash, double pass_s,
                          struct plb_outbox *out)
{
    struct plb_rangeset open = {0};
    s->crashes++;
    plb_ledger_open_ranges(s->config.ledger, crash->range, &open);
    for (int i = 0; i < open.n; i++) {
        struct plb_rangeset fresh = {0};
        divide(s, open.at[i]);
        plb_rangeset_add(&fresh, open.at[i]);
        for (int k = 0; k < s->n; k++)
            if (plb_range_within(s->at[k].range, open.at[i])) {
                plb_rangeset_remove(&fresh, s->at[k].range);
                blame(s, &s->at[k], pu, crash);
            }
        plb_ledger_suspect(s->config.ledger, open.at[i]);
        for (int k = 0; k < fresh.n; k++) {
            blame(s, add(s, (struct suspect){.range = fresh.at[k], .pus = {PLB_NO_PU, PLB_NO_PU}}), pu,
                  crash);
            warn(s, fresh.at[k], out);
            take_away(s, fresh.at[k], s->config.pus->infos[pu].node, crash->block, pass_s, out);
        }
        plb_rangeset_fini(&fresh);
    }
    plb_rangeset_fini(&open);
}

/* ------------------------------------------------------------------------- who may */

/* Whether the death of a PU's executor spares rank 0. */
static bool spares_rank0(const struct plb_suspects *s, int p)
{
    const struct plb_pu_info *pu = &s->config.pus->infos[p];
    return pu->node != 0 || (s->config.isolated && pu->kind == PLB_CPU);
}

/* Whether a PU may execute suspect units at all. */
static bool is_eligible(const struct plb_suspects *s, int p)
{
    return plb_pus_works(s->config.pus, p) && spares_rank0(s, p);
}

/* Whether it could, but is left out, or rests. */
static bool is_away(const struct plb_suspects *s, int p)
{
    return plb_pu_waits(s->config.pus->states[p]) && spares_rank0(s, p);
}

/* Whether it may do so now: one that hangs would hold them for ever. */
static bool is_trusted(const struct plb_suspects *s, int p)
{
    return is_eligible(s, p) && !plb_backups_doubts(s->config.backups, p);
}

static int count(const struct plb_suspects *s, bool (*counts)(const struct plb_suspects *s, int p))
{
    int n = 0;
    for (int p = 0; p < s->config.pus->n; p++)
        n += counts(s, p);
    return n;
}

/* Whether a node has nothing to execute. */
static bool is_free(const struct plb_suspects *s, int node)
{
    int first = plb_broker_first_pu(s->config.broker, node), n = plb_broker_pus(s->config.broker, node);
    for (int p = first; p < first + n; p++)
        if (plb_ledger_open_blocks(s->config.ledger, p) > 0)
            return false;
    return plb_ledger_seems_empty(s->config.ledger, node);
}

/* ----------------------------------------------------------------------- set aside */

static void note(struct plb_suspects *s, const struct suspect *suspect)
{
    s->aside = plb_room(s->aside, s->n_aside, &s->aside_capacity, sizeof *s->aside);
    s->aside[s->n_aside++] = (struct plb_set_aside){.range = suspect->range,
                                                    .pass = s->pass,
                                                    .phase = s->phase,
                                                    .signal = suspect->signal,
                                                    .deaths = suspect->deaths,
                                                    .pus = {suspect->pus[0], suspect->pus[1]},
                                                    .nobody = !suspect->condemned};
    s->units_aside += suspect->range.count;
    plb_rangeset_add(&s->known[s->phase], suspect->range);
}

/* Those who hold units that are set aside need not execute them. */
static void cancel(const struct plb_suspects *s, struct plb_range range, struct plb_outbox *out)
{
    struct plb_held held;
    for (int64_t at = 0; plb_ledger_next_held(s->config.ledger, &at, &held);) {
        struct plb_range units = plb_range_common(held.range, range);
        if (units.count > 0)
            say(s, held.node, units, PLB_PUT_ASIDE, out);
    }
}

/* Sets aside the units of a suspect that are not accepted. */
static void set_aside(struct plb_suspects *s, struct suspect suspect, double pass_s, struct plb_outbox *out)
{
    struct plb_rangeset open = {0};
    plb_ledger_open_ranges(s->config.ledger, suspect.range, &open);
    for (int i = 0; i < open.n; i++) {
        suspect.range = open.at[i];
        note(s, &suspect);
        cancel(s, suspect.range, out);
        plb_ledger_accept(s->config.ledger, suspect.range, PLB_CLOSED);
        plb_agenda_follow(s->config.agenda, PLB_NO_PU, pass_s);
        plb_agenda_tell_balancer(s->config.agenda);
    }
    plb_rangeset_fini(&open);
}

/* Sets aside all that is condemned, and what stands apart where nobody is left who may execute it. */
static void settle(struct plb_suspects *s, bool nobody, double pass_s, struct plb_outbox *out)
{
    int before = s->n_aside;
    for (int i = s->n - 1; i >= 0; i--) {
        bool waits = plb_rangeset_overlaps(plb_ledger_apart(s->config.ledger), s->at[i].range);
        if (s->at[i].condemned || (nobody && waits)) {
            set_aside(s, s->at[i], pass_s, out);
            s->at[i] = s->at[--s->n];
        }
    }
    s->any_condemned = false;
    if (s->n_aside > before
        && plb_ledger_free_units(s->config.ledger) > 0) /* they may wait for a block's end */
        plb_agenda_ask_all(s->config.agenda, out);
}

/* ------------------------------------------------------------------------- grants */

/* Units of a suspect that stand apart and that a PU may have; none: count = 0. */
static struct plb_range offer(const struct plb_suspects *s, const struct suspect *suspect, int p, int trusted)
{
    const struct plb_rangeset *apart = plb_ledger_apart(s->config.ledger);
    struct plb_range range = {0, 0};
    bool other = suspect->pus[0] == p && trusted > 1;
    if (other || (suspect->kills && !is_free(s, s->config.pus->infos[p].node)))
        return range;
    for (int i = 0; i < apart->n && range.count == 0; i++)
        range = plb_range_common(apart->at[i], suspect->range);
    int64_t share = (int64_t)(SHARE * (double)apart->units / trusted);
    share = share > suspect->most ? share - share % suspect->most : suspect->most;
    range.count = share < range.count ? share : range.count;
    return range;
}

/* Nobody who works may execute what stands apart: when nothing else is left to grant, a PU comes back for it.
 * False: there is none. */
static bool call_back(const struct plb_suspects *s, struct plb_outbox *out)
{
    int p = 0;
    while (p < s->config.pus->n && !is_away(s, p))
        p++;
    if (p < s->config.pus->n && plb_ledger_free_units(s->config.ledger) == 0)
        plb_agenda_call_back(s->config.agenda, p, out);
    return p < s->config.pus->n;
}

static void grant(struct plb_suspects *s, int p, int trusted, struct plb_outbox *out)
{
    for (int i = 0; i < s->n; i++) {
        struct plb_range range = offer(s, &s->at[i], p, trusted);
        if (range.count == 0)
            continue;
        plb_agenda_entrust(s->config.agenda, p, range, s->at[i].most, out);
        return;
    }
}

void plb_suspects_step(struct plb_suspects *s, double pass_s, struct plb_outbox *out)
{
    const struct plb_rangeset *apart = plb_ledger_apart(s->config.ledger);
    if (!s->any_condemned && apart->n == 0)
        return;
    int64_t done = plb_ledger_accepted_units(s->config.ledger) - s->known[s->phase].units;
    if (s->crashes >= HOPELESS && done <= 0)
        plb_agenda_fail(s->config.agenda, "the kernel crashes in all units that were tried");
    settle(s, count(s, is_eligible) == 0 && (apart->n == 0 || !call_back(s, out)), pass_s, out);
    int trusted = count(s, is_trusted);
    for (int p = 0; p < s->config.pus->n && apart->n > 0 && plb_ledger_free_units(s->config.ledger) == 0; p++)
        if (is_trusted(s, p) && plb_ledger_open_blocks(s->config.ledger, p) == 0)
            grant(s, p, trusted, out);
}

/* ------------------------------------------------------------------------- the end */

const struct plb_set_aside *plb_suspects_list(const struct plb_suspects *s, int *n)
{
    *n = s->n_aside;
    return s->aside;
}

int64_t plb_suspects_units(const struct plb_suspects *s)
{
    return s->units_aside;
}
