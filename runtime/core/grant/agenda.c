/* Questions to the balancer. */
#include "core/grant/agenda.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/grant/agenda_inside.h"
#include "core/work/migration.h"

struct plb_agenda *plb_agenda_new(const struct plb_agenda_config *config, struct plb_ledger *ledger,
                                  struct plb_broker *broker)
{
    struct plb_agenda *a = plb_alloc(sizeof *a);
    size_t n = (size_t)config->pus->room;
    a->config = *config;
    a->ledger = ledger;
    a->broker = broker;
    a->pus = plb_alloc(n * sizeof *a->pus);
    a->begun = plb_alloc((size_t)config->n_phases * sizeof *a->begun);
    a->standing_until = INFINITY;
    plb_waiting_list_init(&a->waiting, config->pus->room);
    a->ended = plb_alloc(n * PLB_BLOCKS_AHEAD * sizeof *a->ended);
    a->removed = plb_alloc(n * sizeof *a->removed);
    plb_balancer_view_init(&a->seen, &config->facts, ledger, config->histories, config->n_phases);
    plb_agenda_make_shares(a);
    a->seen.beliefs = config->balancer->beliefs;
    plb_least_init(&a->least, &a->seen);
    plb_recalls_init(&a->recalls, &a->seen, &a->waiting, config->pus->infos, config->task_s);
    a->seen.view.backups = config->backups;
    bool by_power = config->balancer->basis != NULL
                 && config->balancer->basis(config->params) == PLB_BY_POWER;
    a->selection = plb_selection_new(&config->goal, config->pus, broker->n, by_power);
    return a;
}

void plb_agenda_free(struct plb_agenda *a)
{
    if (a == NULL)
        return;
    if (a->policy != NULL)
        a->config.balancer->fini(a->policy);
    plb_balancer_view_fini(&a->seen);
    plb_waiting_list_fini(&a->waiting);
    plb_recalls_fini(&a->recalls);
    plb_least_fini(&a->least);
    plb_selection_free(a->selection);
    free(a->begun);
    free(a->shares[0].x);
    free(a->shares);
    free(a->ended);
    free(a->removed);
    free(a->pus);
    free(a);
}

void plb_agenda_begin(struct plb_agenda *a, int pass, int phase, const struct plb_cost_map *map)
{
    if (a->policy != NULL)
        a->config.balancer->fini(a->policy);
    plb_agenda_stood(a);
    a->pass = pass;
    plb_agenda_readmit(a);
    plb_waiting_list_clear(&a->waiting);
    plb_recalls_begin(&a->recalls);
    a->announced = a->trusted = a->stands = false;
    a->standing_until = INFINITY;
    a->unknown = 0;
    plb_balancer_view_begin(&a->seen, phase, map);
    plb_agenda_put_off(a);
    plb_agenda_choose_first(a);
    plb_least_begin(&a->least);
    a->policy = a->config.balancer->init(&a->seen.view, a->config.params);
    if (a->policy == NULL)
        snprintf(a->failure, sizeof a->failure, "balancer %s has no memory", a->config.balancer->name);
}

void plb_agenda_recount(struct plb_agenda *a, double cost_spread)
{
    plb_balancer_view_recount(&a->seen, cost_spread);
}

bool plb_agenda_follow(struct plb_agenda *a, int pu, double now)
{
    a->seen.view.now = now;
    return plb_balancer_view_follow(&a->seen, pu);
}

void plb_agenda_stand_no_more(struct plb_agenda *a, int64_t *why)
{
    *why += a->stands;
    a->stands = false;
    a->standing_until = INFINITY;
}

/* Asks for one PU until it has enough or is told to wait. */
static void ask(struct plb_agenda *a, int p, struct plb_outbox *out)
{
    while (plb_ledger_free_units(a->ledger) > 0 && !a->seen.pus[p].lost
           && a->seen.pus[p].outstanding < PLB_BLOCKS_AHEAD && !plb_balancer_view_overruns(&a->seen, p)
           && !(a->selection != NULL && plb_selection_has_enough(a->selection, &a->seen.view, p))) {
        double work = a->config.balancer->grant(a->policy, &a->seen.view, p);
        if (!(work > 0.0)) {
            if (work < 0.0)
                plb_waiting_list_leave(&a->waiting, p);
            else
                plb_waiting_list_enter(&a->waiting, p);
            return;
        }
        plb_agenda_stand_no_more(a, &a->stood.freed); /* these units were another PU's share */
        work = a->selection != NULL ? plb_selection_most(a->selection, &a->seen.view, p, work) : work;
        plb_agenda_grant(a, p, work, out);
    }
    plb_waiting_list_leave(&a->waiting, p);
}

/* Asks those that wait, while the balancer wants it. */
static void ask_waiting(struct plb_agenda *a, struct plb_outbox *out)
{
    while (a->seen.stats.ask_again && plb_ledger_free_units(a->ledger) > 0) {
        a->seen.stats.ask_again = false;
        for (int i = a->waiting.n - 1; i >= 0; i--) /* one that leaves is replaced by one already asked */
            ask(a, a->waiting.pus[i], out);
    }
    a->seen.stats.ask_again = false;
}

static void ask_everyone(struct plb_agenda *a, struct plb_outbox *out)
{
    for (int p = 0; p < a->seen.view.n_pus && plb_ledger_free_units(a->ledger) > 0; p++)
        ask(a, p, out);
    ask_waiting(a, out);
}

/* ------------------------------------------------------- when nothing is left to grant */

/* The smallest tasks of a node's PUs. */
static void tell_least(struct plb_agenda *a, int node, struct plb_empty *empty)
{
    int first = plb_broker_first_pu(a->broker, node);
    for (int i = 0; i < plb_broker_pus(a->broker, node) && i < PLB_LEAST; i++) {
        if (!plb_least_many(&a->least))
            plb_least_look(&a->least, first + i);
        empty->least[i] = plb_least_units(&a->least, first + i);
        empty->sure[i] = a->pus[first + i].sure;
        a->pus[first + i].sure = 0.0; /* what it has got later is another matter */
    }
}

/* Tells all nodes whom to ask, and of their PUs the least tasks and the work that need not move. */
static void tell_all(struct plb_agenda *a, struct plb_outbox *out)
{
    plb_broker_begin(a->broker);
    plb_broker_survey(a->broker);
    for (int p = 0, last = -1; p < a->seen.view.n_pus; p++) {
        int node = a->config.pus->infos[p].node;
        if (node == last || plb_ledger_lost(a->ledger, node))
            continue;
        last = node;
        struct plb_empty *empty = &plb_outbox_add(out, PLB_EMPTY, 0, node, a->pass)->empty;
        plb_broker_name_some(a->broker, node, empty);
        tell_least(a, node, empty);
    }
}

/* Tells all nodes, once, and cuts the blocks that are just being sent into tasks, so that others find
 * something to take. */
static void announce(struct plb_agenda *a, int from, struct plb_outbox *out)
{
    plb_agenda_cut(a, out, from);
    if (a->announced)
        return;
    a->announced = true;
    plb_agenda_trust(a);
    tell_all(a, out);
}

void plb_agenda_name_victims(struct plb_agenda *a, int node, struct plb_outbox *out)
{
    struct plb_empty *empty = &plb_outbox_add(out, PLB_EMPTY, 0, node, a->pass)->empty;
    if (plb_broker_hint(a->broker, node, empty) == 0) {
        out->n--;
        return;
    }
    for (int i = 0; i < plb_broker_pus(a->broker, node) && i < PLB_LEAST; i++)
        plb_agenda_keep_young(a, plb_broker_first_pu(a->broker, node) + i);
    tell_least(a, node, empty);
}

/* After an event's questions: announces the end of the grants, or finds that no end is in sight. */
static void conclude(struct plb_agenda *a, int from, struct plb_outbox *out)
{
    int64_t left = plb_ledger_free_units(a->ledger);
    if (left > 0)
        plb_agenda_stand_no_more(a, &a->stood.freed);
    if (left == 0 && !a->stands && a->config.migration
        && a->config.pus->in[PLB_PU_SERVED] > 1) /* a PU that is alone needs no small tasks */
        announce(a, from, out);
    if (left == 0 || plb_ledger_held_units(a->ledger) > 0 || a->failure[0] != '\0')
        return;
    ask_everyone(a, out);
    if (plb_ledger_held_units(a->ledger) > 0)
        conclude(a, from, out);
    else if (a->seen.view.living == 0)
        snprintf(a->failure, sizeof a->failure, "no PU is left to execute the remaining %lld units",
                 (long long)left);
    else
        snprintf(a->failure, sizeof a->failure,
                 "balancer %s grants nothing, although %lld units remain and all PUs are idle",
                 a->config.balancer->name, (long long)left);
}

void plb_agenda_open(struct plb_agenda *a, struct plb_outbox *out)
{
    if (a->policy == NULL || !plb_agenda_stand(a, out))
        plb_agenda_ask_all(a, out);
}

void plb_agenda_tick(struct plb_agenda *a, double now, struct plb_outbox *out)
{
    int from = out->n;
    a->seen.view.now = now;
    if (plb_agenda_due(a) < a->standing_until)
        a->seen.stats.ask_again = plb_agenda_asks_again(a);
    else
        plb_agenda_stand_no_more(a, &a->stood.late);
    ask_waiting(a, out);
    conclude(a, from, out);
}

void plb_agenda_ask_all(struct plb_agenda *a, struct plb_outbox *out)
{
    int from = out->n;
    if (a->policy == NULL)
        return;
    plb_agenda_choose(a, out);
    ask_everyone(a, out);
    conclude(a, from, out);
}

void plb_agenda_metered(struct plb_agenda *a, int first, const struct plb_window *window, double now,
                        struct plb_outbox *out)
{
    int from = out->n;
    if (a->selection == NULL || a->policy == NULL)
        return;
    a->seen.view.now = now;
    plb_selection_metered(a->selection, &a->seen.view, first, window);
    if (plb_agenda_choose(a, out)) {
        ask_everyone(a, out);
        conclude(a, from, out);
    }
}

const struct plb_watts *plb_agenda_watts(const struct plb_agenda *a)
{
    return a->selection != NULL ? plb_selection_watts(a->selection) : NULL;
}

/* Tells the balancer of blocks that other PUs have ended. Returns how many PUs these were granted to: the
 * next grant forgets the ledger's changes. */
static int tell_ends(struct plb_agenda *a, int reporter)
{
    int n, n_ended = 0;
    const struct plb_block_change *changes = plb_ledger_changes(a->ledger, &n);
    for (int i = 0; i < n; i++) {
        int pu = changes[i].pu;
        if (!changes[i].over || pu == reporter || a->seen.pus[pu].lost)
            continue;
        a->ended[n_ended++] = pu;
        if (a->config.balancer->block_end != NULL)
            a->config.balancer->block_end(a->policy, &a->seen.view, pu);
    }
    return n_ended;
}

void plb_agenda_reported(struct plb_agenda *a, int pu, const struct plb_sample *sample,
                         struct plb_outbox *out)
{
    int from = out->n;
    a->pus[pu].silent = false;
    a->pus[pu].did += sample->work * (double)sample->tasks;
    plb_agenda_put_off(a);
    plb_balancer_view_sampled(&a->seen, pu);
    plb_agenda_keep_young(a, pu);
    if (a->config.balancer->done != NULL && !plb_pu_waits(a->config.pus->states[pu]))
        a->config.balancer->done(a->policy, &a->seen.view, pu, sample);
    int n_ended = tell_ends(a, pu);
    if (a->selection != NULL) {
        plb_selection_reported(a->selection, &a->seen.view, pu);
        if (plb_agenda_choose(a, out))
            ask_everyone(a, out);
    }
    ask(a, pu, out);
    for (int i = 0; i < n_ended; i++)
        ask(a, a->ended[i], out);
    if (a->seen.stats.ask_again)
        ask_waiting(a, out);
    if (plb_ledger_free_units(a->ledger) == 0 || plb_ledger_held_units(a->ledger) == 0)
        conclude(a, from, out);
    if (a->config.migration && plb_ledger_free_units(a->ledger) > 0)
        plb_recalls_reported(&a->recalls, pu, a->pass, out);
    if (a->announced && plb_agenda_trust(a))
        tell_all(a, out);
    if (a->announced && plb_ledger_seems_empty(a->ledger, a->seen.pus[pu].node))
        plb_agenda_name_victims(a, a->seen.pus[pu].node, out);
}

void plb_agenda_lose(struct plb_agenda *a, int first_pu, int n_pus)
{
    for (int p = first_pu; p < first_pu + n_pus; p++) {
        bool worked = plb_pus_works(a->config.pus, p);
        if (a->selection != NULL)
            plb_selection_lost(a->selection, p);
        if (plb_pus_usable(a->config.pus, p))
            plb_pus_become(a->config.pus, p, PLB_PU_LOST);
        if (!worked)
            continue;
        plb_balancer_view_turn(&a->seen, p);
        plb_waiting_list_leave(&a->waiting, p);
        a->removed[a->n_removed++] = p;
    }
}

void plb_agenda_tell_balancer(struct plb_agenda *a)
{
    int n = a->policy != NULL && a->config.balancer->lost != NULL ? a->n_removed : 0;
    a->n_removed = 0;
    for (int i = 0; i < n; i++)
        a->config.balancer->lost(a->policy, &a->seen.view, a->removed[i]);
    if (a->policy != NULL)
        tell_ends(a, PLB_NO_PU);
}

void plb_agenda_ideal(struct plb_agenda *a, const struct plb_ideal *ideals)
{
    for (int p = 0; p < a->seen.view.n_pus; p++)
        a->seen.pus[p].ideal = &ideals[p];
}

void plb_agenda_fail(struct plb_agenda *a, const char *why)
{
    if (a->failure[0] == '\0')
        snprintf(a->failure, sizeof a->failure, "%s", why);
}

const char *plb_agenda_failure(const struct plb_agenda *a)
{
    return a->failure[0] != '\0' ? a->failure : NULL;
}

const struct plb_balancer_stats *plb_agenda_stats(const struct plb_agenda *a)
{
    return &a->seen.stats;
}

double plb_agenda_stands_s(const struct plb_agenda *a)
{
    if (!a->stands || a->shares[a->seen.phase].moved)
        return 0.0;
    return fmax(a->standing_until - PLB_SHORTEST * a->config.task_s, 0.0);
}

bool plb_agenda_stands(const struct plb_agenda *a)
{
    return a->stands;
}

const struct plb_standing_counts *plb_agenda_standing(const struct plb_agenda *a)
{
    return &a->stood;
}

int64_t plb_agenda_blocks(const struct plb_agenda *a, int pu)
{
    return a->pus[pu].blocks;
}

const char *plb_agenda_check(const struct plb_agenda *a)
{
    if (!plb_waiting_list_sound(&a->waiting))
        return "agenda: the list of waiting PUs is broken";
    for (int i = 0; i < a->waiting.n; i++)
        if (a->seen.pus[a->waiting.pus[i]].lost)
            return "agenda: a lost PU waits";
    const char *wrong = plb_pus_check(a->config.pus);
    return wrong != NULL ? wrong : plb_balancer_view_check(&a->seen);
}
