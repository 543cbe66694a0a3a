/* Totals, curves and the bound of a finished run. */
#include "run/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The equal-finish time for all units by the final curves, each PU working in blocks of the measured
 * size that suits it best: curves are not stretched to sizes that nobody has tried. 0 where there
 * are none. */
static double bound(const struct plb_model *models, int n, double units)
{
    double rate = 0.0;
    for (int p = 0; p < n; p++)
        rate += plb_model_best_rate(&models[p]);
    return rate > 0.0 ? units / rate : 0.0;
}

/* Fits every PU's curve of a phase, and where there are several keeps them all. Returns the phase's
 * part of the bound. */
static double add_phase(const struct plb_master *master, const struct plb_app *app, int phase, struct plb_report *r)
{
    struct plb_model *models = plb_alloc((size_t)r->n_pus * sizeof *models);
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_history *h = plb_master_history(master, phase, p);
        struct plb_report_curve c = {.phase = plb_phase_at(app->kernel, phase).name};
        if (plb_fit_samples(h->at, h->n, 0.0, &models[p])) {
            plb_curve_print(&models[p].execute, c.curve, sizeof c.curve);
            c.r2 = models[p].execute.r2;
        }
        if (phase == app->running) {
            memcpy(r->pus[p].curve, c.curve, sizeof c.curve);
            r->pus[p].r2 = c.r2;
        }
        if (r->curves != NULL)
            r->curves[p * r->n_phases + phase] = c;
    }
    double seconds = app->passes[phase] * bound(models, r->n_pus, (double)app->units);
    free(models);
    return seconds;
}

void plb_results_from_master(const struct plb_master *master, const struct plb_app *app,
                             const char *balancer, struct plb_report *r)
{
    int n = plb_master_pus(master), last_node = -1;
    const struct plb_balancer_stats *stats = plb_master_stats(master);
    *r = (struct plb_report){.app = app->kernel->name, .unit = app->kernel->unit, .balancer = balancer, .n_pus = n,
        .n_phases = plb_phase_count(app->kernel), .units = app->units, .profile_s = stats->profile_end, .solves = stats->solves};
    plb_master_migrations(master, &r->migrations, &r->migrated_units);
    r->pus = plb_alloc((size_t)n * sizeof *r->pus);
    if (r->n_phases > 1)
        r->curves = plb_alloc((size_t)(n * r->n_phases) * sizeof *r->curves);
    for (int p = 0; p < n; p++) {
        const struct plb_pu_info *info = plb_master_pu(master, p);
        const struct plb_pu_totals *totals = plb_master_totals(master, p);
        struct plb_report_pu *pu = &r->pus[p];
        *pu = (struct plb_report_pu){.id = p, .node = info->node, .kind = info->kind, .units = totals->units,
            .blocks = totals->blocks, .tasks = totals->tasks, .busy_s = totals->execute_s + totals->transfer_s,
            .transfer_s = totals->transfer_s, .stolen_in = totals->stolen_in, .stolen_out = totals->stolen_out, .refused = plb_master_refused(master, p)};
        snprintf(pu->host, sizeof pu->host, "%s", info->host);
        snprintf(pu->name, sizeof pu->name, "%s", info->name);
        r->nodes += info->node != last_node;
        last_node = info->node;
    }
    for (int phase = 0; phase < r->n_phases; phase++) {
        r->passes += app->passes[phase];
        r->bound_s += add_phase(master, app, phase, r);
    }
}
