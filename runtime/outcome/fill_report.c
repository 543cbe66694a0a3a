/* Totals, curves and the bound of a finished run. */
#include "outcome/fill_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/dataset.h"
#include "base/log.h"
#include "base/memory.h"
#include "journal/journal.h"
#include "model/bound.h"
#include "outcome/fill_starts.h"
#include "outcome/set_aside.h"

#define NOT_OPENED "it could not be opened"

/* Ranges of units whose costs a report has at most. More: larger reports. Fewer: a replay knows costs less
 * precisely. */
#define MOST_COSTS 1000

/* Samples of a report's curves: of one curve, and of all PUs in a phase. More: larger reports. Fewer: charts
 * of curves tell less of their spread. */
#define SAMPLES_OF_PU 24
#define MOST_SAMPLES 2000

/* The first PU of the same model and power. Cost: O(PUs). */
static int first_alike(const struct plb_master *master, int pu)
{
    const struct plb_pu_info *own = plb_master_pu(master, pu);
    for (int p = 0; p < pu; p++) {
        const struct plb_pu_info *other = plb_master_pu(master, p);
        if (other->power == own->power && other->kind == own->kind && other->threads == own->threads
            && strcmp(other->name, own->name) == 0 && strcmp(other->model, own->model) == 0)
            return p;
    }
    return pu;
}

/* The time that one unit is believed to take. Where no balancer looks at beliefs, there are none. */
static void add_unit(const struct plb_belief *belief, struct plb_report_pu *pu)
{
    bool known = plb_model_known(&belief->model);
    pu->unit_s = known ? plb_model_time(&belief->model, 1.0) : (double)NAN;
    pu->unit_seen = known && plb_belief_reported(belief);
    pu->unit_late_s = known ? plb_belief_late(belief, 1.0, 0.0) : (double)NAN;
}

/* Keeps some of a phase's samples, evenly spread over them. */
static void add_samples(const struct plb_history *h, int n_pus, struct plb_report_curve *to)
{
    int most = MOST_SAMPLES / n_pus < SAMPLES_OF_PU ? MOST_SAMPLES / n_pus : SAMPLES_OF_PU;
    int n = h->n < most ? h->n : most;
    if (n == 0)
        return;
    to->samples = plb_alloc((size_t)n * sizeof *to->samples);
    to->n_samples = n;
    for (int i = 0; i < n; i++) {
        const struct plb_sample *s = &h->at[(int64_t)(i + 1) * h->n / n - 1];
        to->samples[i] = (struct plb_report_sample){s->work, isfinite(s->execute_s) ? s->execute_s : 0.0};
    }
}

static void add_curve(const struct plb_curve *from, struct plb_report_curve *to)
{
    plb_curve_print(from, to->text, sizeof to->text);
    double constant = plb_curve_constant(from);
    if (constant != 0.0)
        to->terms[to->n_terms++] = (struct plb_report_term){plb_term_name(PLB_TERM_ONE), constant};
    for (int i = PLB_TERM_ONE + 1; i < PLB_TERMS; i++)
        if (from->terms & (1u << i))
            to->terms[to->n_terms++] = (struct plb_report_term){plb_term_name((enum plb_term)i), from->a[i]};
    to->scale = from->scale;
    to->low = from->low;
    to->high = from->high;
    to->r2 = from->r2;
}

/* Fits every PU's curve of a phase, and keeps all curves where there are several phases. Returns the PUs as
 * the bound looks at them, to be freed. */
static struct plb_bound_pu *add_curves(struct plb_master *master, const struct plb_app *app, int phase,
                                       struct plb_report *r)
{
    struct plb_bound_pu *pus = plb_alloc((size_t)r->n_pus * sizeof *pus);
    for (int p = 0; p < r->n_pus; p++) {
        struct plb_history *h = plb_master_history(master, phase, p);
        plb_history_fit(h);
        const struct plb_model *model = plb_history_model(h);
        struct plb_report_curve c = {.phase = plb_phase_at(app->kernel, phase).name};
        if (model != NULL) {
            add_curve(&model->execute, &c);
            add_samples(h, r->n_pus, &c);
        }
        pus[p] = (struct plb_bound_pu){.tally = plb_work_count_tally(plb_master_work(master), phase, p),
                                       .alike = first_alike(master, p),
                                       .best_rate = model != NULL ? plb_model_best_rate(model) : 0.0,
                                       .refused = plb_master_state(master, p) == PLB_PU_REFUSED};
        r->pus[p].work += pus[p].tally->work;
        r->pus[p].starts_s += plb_starts_of(h, pus[p].tally);
        if (phase == app->running) {
            r->pus[p].curve = c;
            plb_starts_add_line(h, pus[p].tally, &r->pus[p]);
            add_unit(&plb_master_history(master, phase, p)->belief, &r->pus[p]);
        }
        if (r->curves != NULL)
            r->curves[p * r->n_phases + phase] = c;
    }
    return pus;
}

/* A PU whose speed has changed once or twice has tasks of unlike times, and perhaps of equal units. */
static void add_spread(struct plb_master *master, int phase, int n, struct plb_spread *spread)
{
    for (int p = 0; p < n; p++) {
        struct plb_history *h = plb_master_history(master, phase, p);
        if (h->changes == 0 || plb_history_surprises(h))
            plb_spread_add(spread, plb_work_count_tally(plb_master_work(master), phase, p));
    }
}

/* The work that this run had in a phase: without that of an earlier one that it went on from. */
static double work_of(const struct plb_job *job, int phase, const struct plb_journal_start *start)
{
    double work = (job->app.passes[phase] - start->before[phase]) * (double)job->app.units;
    if (start->resumed && phase == start->phase)
        for (int i = 0; i < start->accepted->n; i++)
            work -= plb_cost_work(&job->maps[phase], start->accepted->at[i].first,
                                  start->accepted->at[i].count);
    return work;
}

static void add_phase(struct plb_master *master, const struct plb_job *job, int phase,
                      const struct plb_journal_start *start, struct plb_report *r, struct plb_spread *spread)
{
    const struct plb_app *app = &job->app;
    struct plb_bound_pu *pus = add_curves(master, app, phase, r);
    bool told = plb_phase_at(app->kernel, phase).cost != NULL;
    r->costs_given = r->costs_given && told;
    r->bound_s += plb_bound(pus, r->n_pus, work_of(job, phase, start), told);
    add_spread(master, phase, r->n_pus, spread);
    free(pus);
}

/* The costs of units, in ranges of equal length. */
static void add_costs(const struct plb_cost_map *map, struct plb_report *r)
{
    int64_t n = map->units < MOST_COSTS ? map->units : MOST_COSTS;
    r->costs = plb_alloc((size_t)n * sizeof *r->costs);
    r->n_costs = (int)n;
    for (int64_t i = 0; i < n; i++) {
        int64_t first = map->units / n * i + map->units % n * i / n;
        int64_t end = map->units / n * (i + 1) + map->units % n * (i + 1) / n;
        double cost = plb_cost_work(map, first, end - first) / (double)(end - first);
        r->costs[i] = (struct plb_report_cost){first, end - first, cost};
    }
}

/* Watts that were told, or learned. */
static void add_watts(const struct plb_master *master, int p, struct plb_report_pu *pu)
{
    static const char *const origins[] = {"given", "measured", "unmeasured"};
    const struct plb_pu_info *info = plb_master_pu(master, p);
    const struct plb_watts *watts = plb_master_watts(master);
    double idle = info->static_watts, besides = info->dynamic_watts;
    enum plb_watts_origin origin = isfinite(idle + besides) ? PLB_WATTS_TOLD : PLB_WATTS_UNMEASURED;
    if (watts != NULL)
        origin = plb_watts_of(watts, p, &idle, &besides);
    pu->watts_idle = origin == PLB_WATTS_UNMEASURED ? (double)NAN : idle;
    pu->watts_busy = origin == PLB_WATTS_UNMEASURED ? (double)NAN : idle + besides;
    pu->watts_origin = origins[origin];
}

/* The work that the PUs have done. */
static void add_pus(struct plb_master *master, struct plb_report *r)
{
    int last_node = -1;
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_pu_info *info = plb_master_pu(master, p);
        const struct plb_pu_totals *totals = plb_master_totals(master, p);
        enum plb_pu_state state = plb_master_state(master, p);
        struct plb_report_pu *pu = &r->pus[p];
        *pu = (struct plb_report_pu){.id = p,
                                     .node = info->node,
                                     .kind = info->kind,
                                     .threads = info->threads,
                                     .power = info->power,
                                     .units = totals->units,
                                     .in_vain = totals->in_vain,
                                     .wrong = plb_audits_wrong(plb_master_audits(master), p),
                                     .blocks = totals->blocks,
                                     .tasks = totals->tasks,
                                     .busy_s = totals->execute_s + totals->transfer_s,
                                     .transfer_s = totals->transfer_s,
                                     .cpu_s = totals->cpu_s,
                                     .waited_s = totals->waited_s,
                                     .copied_in = totals->copied_in,
                                     .copied_out = totals->copied_out,
                                     .locking_s = totals->locking_s,
                                     .imbalance_s = totals->imbalance_s,
                                     .tail_s = totals->tail_s,
                                     .others_waited_s = totals->others_waited_s,
                                     .longest_s = totals->longest_s,
                                     .longest_first = totals->longest.first,
                                     .longest_units = totals->longest.count,
                                     .training_s = totals->training_s,
                                     .stolen_in = totals->stolen_in,
                                     .stolen_out = totals->stolen_out,
                                     .refused = state == PLB_PU_REFUSED && !info->broken,
                                     .left_out = plb_pu_waits(state),
                                     .static_j = (double)NAN,
                                     .dynamic_j = (double)NAN};
        add_watts(master, p, pu);
        snprintf(pu->host, sizeof pu->host, "%s", info->host);
        snprintf(pu->name, sizeof pu->name, "%s", info->name);
        snprintf(pu->failure, sizeof pu->failure, "%s", info->broken ? NOT_OPENED : totals->failure);
        r->nodes += info->node != last_node;
        last_node = info->node;
    }
}

static void add_goal(const struct plb_master *master, struct plb_report_goal *g)
{
    const struct plb_goal *goal = plb_master_goal(master);
    struct plb_goal_account account = plb_master_goal_account(master);
    *g = (struct plb_report_goal){
        .objective_is = goal->objective,
        .rule = goal->rule,
        .deadline_s = goal->deadline_s,
        .power_cap_w = goal->power_cap,
        .most_w = account.most_watts,
        .learning_w = account.learning_watts,
        .saved_j = account.saved_j,
        .longer_s = account.longer_s,
    };
}

static void add_replicated(const struct plb_app *app, struct plb_report *r)
{
    struct plb_dataset set;
    plb_dataset_describe(&set, app);
    r->replicated_bytes = plb_dataset_link_sizes(&set, false).replicated_bytes;
}

static void add_times(const struct plb_app *app, const struct plb_report_phase *times, struct plb_report *r)
{
    r->phases = plb_alloc((size_t)r->n_phases * sizeof *r->phases);
    for (int i = 0; i < r->n_phases; i++) {
        const char *name = plb_phase_at(app->kernel, i).name;
        r->phases[i] = times[i];
        r->phases[i].phase = name != NULL ? name : app->kernel->name;
    }
}

static void add_regrants(const struct plb_regrants *from, struct plb_report *r)
{
    r->backup_units = from->units[PLB_REGRANT_BACKUP];
    r->n_regrants = from->granted.n;
    r->regrants = plb_alloc((size_t)r->n_regrants * sizeof *r->regrants);
    for (int i = 0; i < r->n_regrants; i++) {
        const struct plb_regrant *at = &from->granted.at[i];
        r->regrants[i] = (struct plb_report_regrant){at->range.first, at->range.count,
                                                     at->pass,        at->first_pu,
                                                     at->second_pu,   plb_regrant_reason(at->reason)};
    }
}

void plb_report_add_job(const struct plb_job *job, const char *command, struct plb_report *r)
{
    const struct plb_settings *s = &job->settings;
    struct tm utc;
    if (gmtime_r(&job->began, &utc) != NULL)
        strftime(r->date, sizeof r->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    r->command = command;
    r->seed = (int64_t)job->seed;
    r->n_settings = s->n;
    r->settings = plb_alloc((size_t)s->n * sizeof *r->settings);
    for (int i = 0; i < s->n; i++)
        r->settings[i] = (struct plb_report_setting){s->at[i].section, s->at[i].option->name, s->at[i].text,
                                                     s->at[i].origin};
}

void plb_report_from_master(struct plb_master *master, const struct plb_job *job,
                            const struct plb_report_phase *times, struct plb_report *r)
{
    const struct plb_app *app = &job->app;
    const struct plb_journal_start start = plb_journal_start(job->journal);
    int n = plb_master_pus(master);
    const struct plb_balancer_stats *stats = plb_master_stats(master);
    *r = (struct plb_report){.app = app->kernel->name,
                             .unit = app->kernel->unit,
                             .balancer = job->balancer->name,
                             .n_pus = n,
                             .n_phases = plb_phase_count(app->kernel),
                             .units = app->units,
                             .costs_given = true,
                             .profile_s = stats->profile_end,
                             .solves = stats->solves,
                             .resumed = start.resumed,
                             .resumed_pass = start.resumed ? start.pass : 0,
                             .resumed_units = start.resumed ? start.accepted->units : 0};
    r->migrations = plb_master_counts(master)->gifts;
    r->migrated_units = plb_master_counts(master)->moved_units;
    const struct plb_backup_counts *backups = plb_backups_counts(plb_master_backups(master));
    r->backups = backups->copies;
    r->backups_won = backups->won;
    add_regrants(plb_master_regrants(master), r);
    const struct plb_sets_counts *sets = plb_master_set_counts(master);
    r->sets_handed = sets != NULL ? sets->handed : 0;
    r->sets_to_rank0 = sets != NULL ? sets->to_0 : 0;
    plb_set_aside_report(master, app->kernel, r);
    r->audited = plb_audits_counts(plb_master_audits(master))->audited;
    r->audit_differences = plb_audits_counts(plb_master_audits(master))->differences;
    r->pus = plb_alloc((size_t)n * sizeof *r->pus);
    if (r->n_phases > 1)
        r->curves = plb_alloc((size_t)(n * r->n_phases) * sizeof *r->curves);
    add_pus(master, r);
    add_goal(master, &r->goal);
    add_replicated(app, r);
    add_times(app, times, r);
    const struct plb_cost_map *map = r->n_phases == 1 ? plb_work_count_end(plb_master_work(master)) : NULL;
    if (map != NULL)
        add_costs(map, r);
    struct plb_spread spread = {0};
    for (int phase = 0; phase < r->n_phases; phase++) {
        r->passes += app->passes[phase] - start.before[phase];
        add_phase(master, job, phase, &start, r, &spread);
    }
    r->cost_spread = plb_spread_deviation(&spread);
    r->cost_apart = plb_spread_apart(&spread);
    r->least_cost = isnan(r->cost_spread) ? (double)NAN : spread.least;
    r->most_cost = isnan(r->cost_spread) ? (double)NAN : spread.most;
}

void plb_report_add_emulated_energy(const struct plb_master *master, const struct plb_cluster_spec *cluster,
                                    struct plb_report *r)
{
    bool whole = plb_master_goal(master)->rule == PLB_STATIC_JOB;
    r->emulated = cluster->n_nodes > 0;
    if (!r->emulated)
        return;
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_pu_info *info = plb_master_pu(master, p);
        r->pus[p].static_j = whole ? info->static_watts * r->makespan_s : (double)NAN;
        r->pus[p].dynamic_j = info->dynamic_watts * r->pus[p].busy_s;
    }
}

int plb_warn_of_refused(const struct plb_master *master, const struct plb_app *app)
{
    struct plb_dataset set;
    int n = 0;
    plb_dataset_describe(&set, app);
    struct plb_sizes sizes = plb_dataset_sizes(&set);
    for (int p = 0; p < plb_master_pus(master); p++) {
        const struct plb_pu_info *pu = plb_master_pu(master, p);
        bool refused = plb_master_state(master, p) == PLB_PU_REFUSED;
        n += refused;
        if (refused && !pu->broken)
            plb_log(PLB_LOG_WARNING,
                    "PU %d (%s, rank %d) is not used: its memory of %.4g bytes cannot hold %.4g bytes of "
                    "replicated data and three units of %.4g bytes each",
                    p, pu->name, pu->node, pu->memory, sizes.replicated_bytes,
                    plb_sizes_largest(&sizes, app->units));
    }
    return n;
}

int plb_no_usable_pu(const struct plb_master *master, struct plb_error *err)
{
    for (int p = 0; p < plb_master_pus(master); p++)
        if (plb_master_pu(master, p)->broken)
            return plb_fail(err, PLB_EFAILED, "no PU can be used; the warnings say why");
    return plb_fail(err, PLB_EINPUT,
                    "no PU has enough memory for this job; the warnings have the numbers; use other PUs or "
                    "smaller units");
}

int plb_usable_pus(struct plb_master *master)
{
    int n = 0;
    for (int p = 0; p < plb_master_pus(master); p++)
        n += plb_pu_usable(plb_master_state(master, p));
    return n;
}
