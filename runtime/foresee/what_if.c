/* A list of changes, in the order of their use to a reader, and simulations until the budget is spent. */
#include "foresee/what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "foresee/change.h"
#include "job/balancer_table.h"

/* Seconds that all simulations may take: this part of the makespan, at least so many, and at most so many.
 * Larger: reports are written later. Smaller: large runs have no changes. */
#define BUDGET_PART 0.01
#define BUDGET_LEAST 0.05
#define BUDGET_MOST 1.0

/* Seconds that one simulated event costs, about: what a budget is counted in before anything was measured,
 * and where the report is of a simulation. Larger: fewer changes. Smaller: reports take longer than they may.
 * Measured on a 2.x GHz Xeon. */
#define EVENT_SECONDS 2e-6

/* Relative difference between the run and its simulation from which on changes are not told. Larger: numbers
 * are told that mean little. Smaller: noisy runs have none. */
#define TOO_FAR 0.25

/* The part of the budget that one change may take. Larger: others have no time left. Smaller: fewer changes
 * of large runs. */
#define MOST_OF_BUDGET 0.25

/* The same of the run as it was. Larger: it is simulated where no time is left for changes. */
#define MOST_OF_FIRST 0.5

/* Simulated events for each message and task of a run, about: a task ends, a message arrives and is handled.
 * Larger: fewer passes are simulated. Smaller: fewer changes. Seen: 1.0 to 1.6. */
#define EVENTS_OF_MESSAGE 1.5

/* Tasks of a PU from which on its rate is known, if unit costs are unknown. Fewer: a PU with
 * expensive units is taken for a slow one. */
#define FEW_TASKS 4

/* PUs without which the run is simulated. More: a longer list, of which the rest is alike. */
#define MOST_PUS 8
#define MOST_CHANGES 64

struct plb_what_if {
    struct plb_measured measured;
};

/* A run of changes, and what it has cost. */
struct trial {
    struct plb_changed_run run;
    const struct plb_measured *measured; /* as the run has it, and the job */
    const struct plb_job *job;
    struct plb_report *report;
    bool real;
    double budget, spent; /* seconds; of a simulated run by its events */
    double once;          /* of these: what the run as it was took */
    int64_t events;       /* that it had */
    struct plb_change *changes;
    int n;
};

struct plb_what_if *plb_what_if_new(void)
{
    return plb_alloc(sizeof(struct plb_what_if));
}

void plb_what_if_free(struct plb_what_if *what_if)
{
    if (what_if != NULL)
        plb_measured_fini(&what_if->measured);
    free(what_if);
}

void plb_what_if_learn(struct plb_what_if *what_if, const struct plb_job *job, struct plb_master *master)
{
    if (what_if == NULL)
        return;
    plb_measured_fini(&what_if->measured);
    plb_measured_read(&what_if->measured, job, master);
}

/* ------------------------------------------------------------------------------- changes */

static struct plb_change *add(struct trial *t)
{
    struct plb_change *c = &t->changes[t->n < MOST_CHANGES - 1 ? t->n++ : t->n];
    *c = (struct plb_change){.machine = {.without = -1, .more_like = -1}};
    return c;
}

static void add_settings(struct trial *t)
{
    const struct plb_balance_settings *b = &t->job->balance;
    struct plb_change *c;
    if (!b->migration.on) {
        c = add(t);
        c->setting = PLB_CHANGE_MIGRATION;
        snprintf(c->text, sizeof c->text, "with balance.migration=on");
    } else if (!b->migration.backups && !t->job->kernel->once) {
        c = add(t);
        c->setting = PLB_CHANGE_BACKUPS;
        snprintf(c->text, sizeof c->text, "with balance.backups=on");
    }
    if (b->grain > 0.0) {
        c = add(t);
        c->setting = PLB_CHANGE_NO_GRAIN;
        snprintf(c->text, sizeof c->text, "without balance.grain");
    }
}

/* The basis of a balancer may need what its options say, and these are the defaults. */
static void add_balancers(struct trial *t, bool sure)
{
    for (int i = 0; plb_balancers[i] != NULL; i++) {
        const struct plb_balancer *b = plb_balancers[i];
        if (b->simulation_only || strcmp(b->name, t->job->balancer->name) == 0
            || (strcmp(b->name, "sure") == 0) != sure)
            continue;
        struct plb_change *c = add(t);
        c->balancer = b;
        snprintf(c->text, sizeof c->text, "with balancer %s", b->name);
    }
}

/* The phase that took the longest. */
static int main_phase(const struct plb_report *r)
{
    int longest = 0;
    for (int i = 1; i < r->n_phases; i++)
        longest = r->phases[i].time_s > r->phases[longest].time_s ? i : longest;
    return longest;
}

static void add_node(struct trial *t)
{
    int node = plb_measured_best_node(t->measured, main_phase(t->report));
    if (node < 0)
        return;
    struct plb_change *c = add(t);
    c->machine.more_like = node;
    snprintf(c->text, sizeof c->text, "with one more node like node %d", node);
}

/* Whether the run might miss PU a less than PU b: others waited longer for it, or it is slower. */
static bool before(const struct trial *t, int a, int b)
{
    const struct plb_measured *m = t->measured;
    const struct plb_report_pu *pus = t->report->pus;
    int phase = main_phase(t->report);
    if (pus[a].others_waited_s != pus[b].others_waited_s)
        return pus[a].others_waited_s > pus[b].others_waited_s;
    double of_a = m->rates[a * m->n_phases + phase].rate, of_b = m->rates[b * m->n_phases + phase].rate;
    return of_a != of_b ? of_a < of_b : a < b;
}

static void add_pus(struct trial *t)
{
    int chosen[MOST_PUS + 1], n = 0, measured = 0;
    for (int p = 0; p < t->report->n_pus; p++) {
        if (!(t->report->pus[p].units > 0))
            continue;
        measured++;
        int at = n;
        for (; at > 0 && before(t, p, chosen[at - 1]); at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = p;
        n = n < MOST_PUS ? n + 1 : n;
    }
    if (measured <= 1)
        return;
    for (int i = 0; i < n; i++) {
        const struct plb_report_pu *pu = &t->report->pus[chosen[i]];
        struct plb_change *c = add(t);
        c->machine.without = pu->id;
        snprintf(c->text, sizeof c->text, "without PU %d (%.40s, node %d)", pu->id, pu->name, pu->node);
    }
}

/* In the order of their use, since the last ones may be left out. */
static void add_changes(struct trial *t)
{
    add_settings(t);
    add_balancers(t, true);
    add_node(t);
    add_pus(t);
    add_balancers(t, false);
}

/* ------------------------------------------------------------------------------- report */

/* Simulates a change, and adds up what that costs. */
static double try(struct trial *t, const struct plb_change *c, int64_t most, int64_t *events,
                  const char **why)
{
    double began = plb_thread_seconds();
    double seconds = plb_change_simulate(&t->run, c, most, events, why);
    double cost = t->real ? plb_thread_seconds() - began : (double)*events * EVENT_SECONDS;
    t->spent += cost;
    t->once = t->events == 0 ? cost : t->once;
    return seconds;
}

/* Whether costs that nobody told cannot be told from the rates of PUs, since one had too few tasks. */
static bool knows_little(const struct trial *t)
{
    const struct plb_measured *m = t->measured;
    int phase = main_phase(t->report);
    if (plb_phase_at(t->job->kernel, phase).cost == NULL)
        for (int p = 0; p < m->n_pus; p++)
            if (m->rates[p * m->n_phases + phase].rate > 0.0
                && m->rates[p * m->n_phases + phase].samples < FEW_TASKS)
                return true;
    return false;
}

/* Whether the goal of the run needs watts that no .cluster file tells. */
static bool lacks_watts(const struct trial *t)
{
    const struct plb_goal *goal = &t->job->goal;
    bool lacks = false;
    for (int p = 0; p < t->measured->n_pus; p++)
        lacks = lacks || !isfinite(t->measured->pus[p].static_watts + t->measured->pus[p].dynamic_watts);
    return lacks && (goal->objective != PLB_OBJECTIVE_TIME || goal->power_cap > 0.0);
}

/* Events that a simulation of the whole run has, about. */
static double events_of(const struct plb_report *r)
{
    double events = (double)r->messages;
    for (int p = 0; p < r->n_pus; p++)
        events += (double)r->pus[p].tasks;
    return EVENTS_OF_MESSAGE * events;
}

/* Of a run of many passes some are simulated, so that there is time for all changes. */
static double part_of_passes(const struct trial *t)
{
    double room = t->budget / EVENT_SECONDS / (t->n + 2);
    return fmin(1.0, room / fmax(events_of(t->report), 1.0));
}

static bool is_too_large(const struct trial *t)
{
    const struct plb_report *r = t->report;
    int passes = 0;
    for (int i = 0; i < r->n_phases; i++)
        passes += plb_change_passes(&t->run, i);
    double events = r->passes > 0 ? events_of(r) * passes / r->passes : INFINITY;
    return events * EVENT_SECONDS > MOST_OF_FIRST * t->budget;
}

/* Why a run is not simulated; NULL: it may be. */
static const char *obstacle(const struct trial *t)
{
    const struct plb_report *r = t->report;
    if (r->resumed)
        return "the run was resumed from a journal";
    if (r->failed_pus > 0)
        return "a PU failed during the run";
    if (r->n_set_aside > 0)
        return "units were set aside";
    if (t->job->run.join != NULL)
        return "ranks could join the run";
    if (r->profiles_used > 0)
        return "the run began with profiles of earlier runs";
    if (t->measured->n_pus != r->n_pus)
        return "nothing was measured";
    if (lacks_watts(t))
        return "its objective needs watts, which only a .cluster file tells the simulator";
    if (knows_little(t))
        return "unit costs are unknown, and a PU had too few tasks to learn them";
    if (is_too_large(t))
        return "there were too many tasks to simulate in reasonable time";
    return NULL;
}

static void note(struct plb_report *r, const char *text)
{
    snprintf(r->what_if_note, sizeof r->what_if_note, "%s", text);
}

/* Simulates the run as it was. False where that tells nothing of changes. */
static bool as_it_was(struct trial *t)
{
    struct plb_report *r = t->report;
    struct plb_change none = {.machine = {.without = -1, .more_like = -1}};
    const char *why;
    int64_t events, most = (int64_t)(MOST_OF_FIRST * t->budget / EVENT_SECONDS);
    double seconds = try(t, &none, most, &events, &why);
    if (why != NULL) {
        note(r, events < most ? "tasks were so small that task starts hide the speed of a PU"
                              : "simulating the run would take too long");
        return false;
    }
    t->events = events;
    for (int i = 0; i < r->n_phases; i++)
        r->what_if_passes += plb_change_passes(&t->run, i);
    r->what_if_simulated_s = seconds;
    if (seconds > 0.0 && fabs(seconds / r->makespan_s - 1.0) <= TOO_FAR)
        return true;
    note(r, "the simulation of the run as it was differs too much from the run to predict changes");
    return false;
}

/* Events that the next change may have: a quarter of the budget, and what is left of it. Only the run as it
 * was has told so far what an event costs. */
static int64_t most_events(const struct trial *t)
{
    double price = fmax(t->real && t->events > 0 ? t->once / (double)t->events : 0.0, EVENT_SECONDS);
    return (int64_t)(fmin(t->budget - t->spent, MOST_OF_BUDGET * t->budget) / price);
}

static void fill(struct trial *t)
{
    struct plb_report *r = t->report;
    r->changes = plb_alloc((size_t)t->n * sizeof *r->changes);
    r->n_changes = t->n;
    for (int i = 0; i < t->n; i++) {
        struct plb_report_change *to = &r->changes[i];
        int64_t events;
        *to = (struct plb_report_change){.predicted_s = (double)NAN,
                                         .ratio = (double)NAN,
                                         .adds_nodes = t->changes[i].machine.more_like >= 0};
        snprintf(to->change, sizeof to->change, "%s", t->changes[i].text);
        if (t->spent + t->once > t->budget) {
            to->left_out = "there was no time left to simulate it";
            continue;
        }
        double seconds = try(t, &t->changes[i], most_events(t), &events, &to->left_out);
        if (to->left_out != NULL)
            continue;
        to->ratio = seconds / r->what_if_simulated_s;
        to->predicted_s = to->ratio * r->makespan_s;
    }
}

void plb_what_if_report(const struct plb_what_if *what_if, const struct plb_job *job, struct plb_report *r)
{
    if (what_if == NULL || !(r->makespan_s > 0.0))
        return;
    struct plb_change changes[MOST_CHANGES];
    struct trial t = {.run = {&what_if->measured, job, r, 1.0},
                      .measured = &what_if->measured,
                      .job = job,
                      .report = r,
                      .real = r->mode == PLB_REAL_RUN,
                      .changes = changes};
    t.budget = fmin(fmax(BUDGET_PART * r->makespan_s, BUDGET_LEAST), BUDGET_MOST);
    if (t.measured->n_pus == r->n_pus)
        add_changes(&t);
    t.run.part = part_of_passes(&t);
    const char *why = obstacle(&t);
    if (why != NULL)
        note(r, why);
    else if (as_it_was(&t))
        fill(&t);
}
