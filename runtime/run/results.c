/* Totals, curves and the bound of a finished run. */
#include "run/results.h"

#include <stdio.h>
#include <stdlib.h>

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

void plb_results_from_master(const struct plb_master *master, const struct plb_app *app,
                             const char *balancer, int passes, struct plb_report *r)
{
    int n = plb_master_pus(master), last_node = -1;
    const struct plb_balancer_stats *stats = plb_master_stats(master);
    struct plb_model *models = plb_alloc((size_t)n * sizeof *models);
    *r = (struct plb_report){.app = app->kernel->name, .unit = app->kernel->unit, .balancer = balancer,
        .passes = passes, .n_pus = n, .units = app->units, .profile_s = stats->profile_end, .solves = stats->solves};
    r->pus = plb_alloc((size_t)n * sizeof *r->pus);
    for (int p = 0; p < n; p++) {
        const struct plb_pu_info *info = plb_master_pu(master, p);
        const struct plb_pu_totals *totals = plb_master_totals(master, p);
        struct plb_report_pu *pu = &r->pus[p];
        *pu = (struct plb_report_pu){.id = p, .node = info->node, .kind = info->kind, .units = totals->units,
            .blocks = totals->blocks, .tasks = totals->tasks, .busy_s = totals->execute_s + totals->transfer_s,
            .transfer_s = totals->transfer_s, .refused = plb_master_refused(master, p)};
        snprintf(pu->host, sizeof pu->host, "%s", info->host);
        snprintf(pu->name, sizeof pu->name, "%s", info->name);
        const struct plb_history *h = plb_master_history(master, 0, p);
        if (plb_fit_samples(h->at, h->n, 0.0, &models[p])) {
            plb_curve_print(&models[p].execute, pu->curve, sizeof pu->curve);
            pu->r2 = models[p].execute.r2;
        }
        r->nodes += info->node != last_node;
        last_node = info->node;
    }
    r->bound_s = passes * bound(models, n, (double)app->units);
    free(models);
}
