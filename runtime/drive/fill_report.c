/* Totals, curves and the bound of a finished run. */
#include "drive/fill_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "job/dataset.h"
#include "model/fit.h"
#include "model/bound.h"

/* Ranges of units whose costs a report has at most. More: larger reports. Fewer: a replay knows costs less
 * precisely. */
#define MOST_COSTS 1000

/* The part of a PU's time that its work takes at least, beside starts. Smaller: noise makes rates that no PU
 * has. */
#define LEAST_WORKING 0.01

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

/* A PU's times as a line: what a task takes at least, by the line through its samples, and what it did in the
 * rest of its time. A curve's own slope, far from what was measured, may be anything. */
static void add_line(struct plb_master *master, int phase, int p, struct plb_report_pu *pu)
{
    const struct plb_history *h = plb_master_history(master, phase, p);
    const struct plb_tally *tally = plb_work_count_tally(plb_master_work(master), phase, p);
    double x[PLB_MAX_SAMPLES], t[PLB_MAX_SAMPLES], slope;
    for (int i = 0; i < h->n; i++) {
        x[i] = h->at[i].work;
        t[i] = h->at[i].execute_s + h->at[i].transfer_s;
    }
    plb_fit_line(x, t, h->n, &pu->start_s, &slope);
    double starts = (double)plb_master_totals(master, p)->tasks * pu->start_s;
    if (!(tally->seconds - starts > LEAST_WORKING * tally->seconds))
        pu->start_s = starts = 0.0;
    pu->work_rate = tally->work > 0.0 ? tally->work / (tally->seconds - starts) : (double)NAN;
    if (!isfinite(pu->work_rate))
        pu->work_rate = pu->start_s = (double)NAN;
}

/* Fits every PU's curve of a phase, and keeps all curves where there are several phases. Returns the PUs as
 * the bound looks at them, to be freed. */
static struct plb_bound_pu *add_curves(struct plb_master *master, const struct plb_app *app, int phase,
                                       struct plb_report *r)
{
    struct plb_bound_pu *pus = plb_alloc((size_t)r->n_pus * sizeof *pus);
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_model *model = plb_history_model(plb_master_history(master, phase, p));
        struct plb_report_curve c = {.phase = plb_phase_at(app->kernel, phase).name};
        if (model != NULL) {
            plb_curve_print(&model->execute, c.curve, sizeof c.curve);
            c.r2 = model->execute.r2;
        }
        pus[p] = (struct plb_bound_pu){.tally = plb_work_count_tally(plb_master_work(master), phase, p),
                                       .alike = first_alike(master, p),
                                       .best_rate = model != NULL ? plb_model_best_rate(model) : 0.0,
                                       .refused = plb_master_refused(master, p)};
        if (phase == app->running) {
            memcpy(r->pus[p].curve, c.curve, sizeof c.curve);
            add_line(master, phase, p, &r->pus[p]);
            r->pus[p].r2 = c.r2;
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

static void add_phase(struct plb_master *master, const struct plb_app *app, int phase, struct plb_report *r,
                      struct plb_spread *spread)
{
    struct plb_bound_pu *pus = add_curves(master, app, phase, r);
    bool told = plb_phase_at(app->kernel, phase).cost != NULL;
    r->costs_told = r->costs_told && told;
    r->bound_s += plb_bound(pus, r->n_pus, app->passes[phase] * (double)app->units, told);
    add_spread(master, phase, r->n_pus, spread);
    free(pus);
}

/* What units cost, as ranges of equal length. */
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

/* What the PUs have done. */
static void add_pus(struct plb_master *master, struct plb_report *r)
{
    int last_node = -1;
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_pu_info *info = plb_master_pu(master, p);
        const struct plb_pu_totals *totals = plb_master_totals(master, p);
        struct plb_report_pu *pu = &r->pus[p];
        *pu = (struct plb_report_pu){.id = p,
                                     .node = info->node,
                                     .kind = info->kind,
                                     .units = totals->units,
                                     .blocks = totals->blocks,
                                     .tasks = totals->tasks,
                                     .busy_s = totals->execute_s + totals->transfer_s,
                                     .transfer_s = totals->transfer_s,
                                     .stolen_in = totals->stolen_in,
                                     .stolen_out = totals->stolen_out,
                                     .refused = plb_master_refused(master, p)};
        snprintf(pu->host, sizeof pu->host, "%s", info->host);
        snprintf(pu->name, sizeof pu->name, "%s", info->name);
        r->nodes += info->node != last_node;
        last_node = info->node;
    }
}

void plb_report_from_master(struct plb_master *master, const struct plb_app *app, const char *balancer,
                            struct plb_report *r)
{
    int n = plb_master_pus(master);
    const struct plb_balancer_stats *stats = plb_master_stats(master);
    *r = (struct plb_report){.app = app->kernel->name,
                             .unit = app->kernel->unit,
                             .balancer = balancer,
                             .n_pus = n,
                             .n_phases = plb_phase_count(app->kernel),
                             .units = app->units,
                             .costs_told = true,
                             .profile_s = stats->profile_end,
                             .solves = stats->solves};
    r->migrations = plb_master_counts(master)->gifts;
    r->migrated_units = plb_master_counts(master)->moved_units;
    r->backups = plb_master_backups(master)->copies;
    r->backups_won = plb_master_backups(master)->won;
    r->backup_units = plb_master_backups(master)->units;
    r->pus = plb_alloc((size_t)n * sizeof *r->pus);
    if (r->n_phases > 1)
        r->curves = plb_alloc((size_t)(n * r->n_phases) * sizeof *r->curves);
    add_pus(master, r);
    const struct plb_cost_map *map = r->n_phases == 1 ? plb_work_count_end(plb_master_work(master)) : NULL;
    if (map != NULL)
        add_costs(map, r);
    struct plb_spread spread = {0};
    for (int phase = 0; phase < r->n_phases; phase++) {
        r->passes += app->passes[phase];
        add_phase(master, app, phase, r, &spread);
    }
    r->cost_spread = plb_spread_deviation(&spread);
    r->least_cost = isnan(r->cost_spread) ? (double)NAN : spread.least;
    r->most_cost = isnan(r->cost_spread) ? (double)NAN : spread.most;
}

int plb_warn_of_refused(const struct plb_master *master, const struct plb_app *app)
{
    struct plb_dataset set;
    int n = 0;
    plb_dataset_describe(&set, app);
    struct plb_sizes sizes = plb_dataset_sizes(&set);
    for (int p = 0; p < plb_master_pus(master); p++) {
        const struct plb_pu_info *pu = plb_master_pu(master, p);
        n += plb_master_refused(master, p);
        if (plb_master_refused(master, p))
            plb_say("warning: PU %d (%s, rank %d) is not used: its memory of %.4g bytes cannot hold %.4g "
                    "bytes of "
                    "replicated data and three units of %.4g bytes",
                    p, pu->name, pu->node, pu->memory, sizes.replicated_bytes,
                    plb_sizes_largest(&sizes, app->units));
    }
    return n;
}
