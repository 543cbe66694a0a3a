/* Totals, curves and the bound of a finished run. */
#include "drive/fill_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/log.h"
#include "job/dataset.h"

/* The best rate of a PU's curve counts in the bound up to this multiple of its mean rate. Larger: a curve
 * that rests on a few quick units makes the bound too good. Smaller: a PU that had only small blocks does not
 * get the rate that it can reach. A guess. */
#define CREDIBLE 2.0

/* Work per second that a PU reached over all its samples. */
static double mean_rate(const struct plb_history *h)
{
    double work = 0.0, seconds = 0.0;
    for (int i = 0; i < h->n; i++) {
        work += h->at[i].work * (double)h->at[i].tasks;
        seconds += (h->at[i].execute_s + h->at[i].transfer_s) * (double)h->at[i].tasks;
    }
    return seconds > 0.0 && isfinite(seconds) ? work / seconds : 0.0;
}

/* Fits every PU's curve of a phase, and keeps all curves where there are several phases. Returns the phase's
 * part of the bound: the time in which all PUs together end all units at their best rates.
 *
 * A PU's best rate is that of its curve at the measured size that suits it best. It is its mean rate where
 * that is higher, or where the curve's is beyond CREDIBLE. Sizes that were not measured do not count. */
static double add_phase(struct plb_master *master, const struct plb_app *app, int phase, struct plb_report *r)
{
    double rate = 0.0;
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_history *h = plb_master_history(master, phase, p);
        struct plb_report_curve c = {.phase = plb_phase_at(app->kernel, phase).name};
        struct plb_model model;
        if (plb_fit_samples(h->at, h->n, 0.0, &model)) {
            plb_curve_print(&model.execute, c.curve, sizeof c.curve);
            c.r2 = model.execute.r2;
        }
        double best = plb_model_best_rate(&model), mean = mean_rate(h);
        rate += best > mean && best < CREDIBLE * mean ? best : mean;
        if (phase == app->running) {
            memcpy(r->pus[p].curve, c.curve, sizeof c.curve);
            r->pus[p].r2 = c.r2;
        }
        if (r->curves != NULL)
            r->curves[p * r->n_phases + phase] = c;
    }
    return rate > 0.0 ? app->passes[phase] * (double)app->units / rate : 0.0;
}

void plb_report_from_master(struct plb_master *master, const struct plb_app *app, const char *balancer,
                            struct plb_report *r)
{
    int n = plb_master_pus(master), last_node = -1;
    const struct plb_balancer_stats *stats = plb_master_stats(master);
    *r = (struct plb_report){.app = app->kernel->name,
                             .unit = app->kernel->unit,
                             .balancer = balancer,
                             .n_pus = n,
                             .n_phases = plb_phase_count(app->kernel),
                             .units = app->units,
                             .profile_s = stats->profile_end,
                             .solves = stats->solves};
    r->migrations = plb_master_counts(master)->gifts;
    r->migrated_units = plb_master_counts(master)->moved_units;
    r->pus = plb_alloc((size_t)n * sizeof *r->pus);
    if (r->n_phases > 1)
        r->curves = plb_alloc((size_t)(n * r->n_phases) * sizeof *r->curves);
    for (int p = 0; p < n; p++) {
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
    for (int phase = 0; phase < r->n_phases; phase++) {
        r->passes += app->passes[phase];
        r->bound_s += add_phase(master, app, phase, r);
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
