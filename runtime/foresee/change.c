/* Each phase is a simulation of its own, since a PU has another rate in each. */
#include "foresee/change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/feeds.h"
#include "base/memory.h"
#include "config/duration.h"
#include "config/ini.h"
#include "simulate/simulate.h"

/* A PU whose small tasks tell no rate may get so many times the work that it had in the run. Larger: changes
 * are told whose times may be anything. Smaller: fewer changes. */
#define TOO_MUCH 2.0

static bool is_real(const struct plb_changed_run *run)
{
    return run->report->mode == PLB_REAL_RUN;
}

/* The defaults of a balancer's options. Of those that the user has set for another one none counts. */
static struct plb_param *defaults(const struct plb_balancer *b)
{
    int n = 0;
    while (b->options != NULL && b->options[n].name != NULL)
        n++;
    struct plb_param *params = plb_alloc((size_t)(n + 1) * sizeof *params);
    for (int i = 0; i < n; i++) {
        const struct plb_option *o = &b->options[i];
        params[i] = (struct plb_param){.name = o->name, .text = o->fallback};
        if (o->fallback == NULL)
            continue;
        if (o->choices != NULL)
            plb_parse_choice(o->fallback, o->choices, &params[i].value);
        else if (o->type == PLB_FLAG)
            plb_parse_flag(o->fallback, &params[i].value);
        else if (o->type == PLB_DURATION)
            plb_parse_duration(o->fallback, &params[i].value);
        else if (o->type == PLB_INT || o->type == PLB_REAL)
            plb_parse_real(o->fallback, &params[i].value);
    }
    return params;
}

/* Costs as the run has learned them, where a report has them. */
static double learned_cost(const void *context, int64_t first, int64_t count)
{
    const struct plb_changed_run *run = context;
    const struct plb_report *r = run->report;
    const struct plb_range range = {first, count};
    double sum = 0.0;
    int64_t at = (int64_t)((double)first / (double)run->job->maps[0].units * r->n_costs);
    at = at > 0 ? at - 1 : 0;
    for (int64_t i = at; i < r->n_costs && r->costs[i].first < plb_range_end(range); i++) {
        const struct plb_report_cost *c = &r->costs[i];
        struct plb_range both = plb_range_common((struct plb_range){c->first, c->count}, range);
        sum += (double)both.count * c->cost * run->job->maps[0].per_work;
    }
    return sum;
}

static bool make_true_map(const struct plb_changed_run *run, struct plb_cost_map *map)
{
    struct plb_error err = {.status = PLB_OK};
    bool learned = run->report->n_costs > 0 && !run->report->costs_given;
    return learned && plb_cost_map_init(map, run->job->maps[0].units, learned_cost, run, &err) == PLB_OK;
}

int plb_change_passes(const struct plb_changed_run *run, int phase)
{
    int all = run->job->app.passes[phase], some = (int)ceil(run->part * all);
    some = some > PLB_CHANGE_PASSES ? some : PLB_CHANGE_PASSES;
    return some < all ? some : all;
}

/* The simulation of the passes of a phase, which has all but its cluster. */
static struct plb_simulation of_phase(const struct plb_changed_run *run, const struct plb_change *c,
                                      int phase, const struct plb_param *params)
{
    struct plb_simulation s = plb_job_simulation(run->job);
    const struct plb_balancer *b = c->balancer;
    s.maps = &run->job->maps[phase];
    s.true_maps = NULL;
    s.cost_error = 0.0;
    s.passes = plb_change_passes(run, phase);
    s.phases = NULL;
    s.master.phases = 1;
    s.hung_after = 0.0;
    s.feeds = s.passes > 1 && plb_feeds_outputs(&run->job->app) != 0;
    if (b != NULL) {
        s.master.balancer = b;
        s.master.params = params;
        s.migration.by_power = b->basis != NULL && b->basis(params) == PLB_BY_POWER;
    }
    if (c->setting == PLB_CHANGE_MIGRATION)
        s.master.migration = s.migration.on = true;
    if (c->setting == PLB_CHANGE_BACKUPS)
        s.master.backups = s.migration.backups = true;
    if (c->setting == PLB_CHANGE_NO_GRAIN)
        s.master.grain = 0.0;
    if (is_real(run) && run->report->solves > 0)
        s.solve_s = run->report->solve_s / ((double)run->report->solves * run->report->n_pus);
    return s;
}

/* Whether a PU did far more than in the run, where its tasks were so small that nobody knows how long it
 * takes for that. */
static bool goes_too_far(const struct plb_changed_run *run, int phase, struct plb_master *master,
                         const int *of)
{
    int all = run->job->app.passes[phase], some = plb_change_passes(run, phase);
    for (int p = 0; p < plb_master_pus(master); p++) {
        const struct plb_measured_rate *r = &run->measured->rates[of[p] * run->measured->n_phases + phase];
        double work = plb_work_count_tally(plb_master_work(master), 0, p)->work;
        if (r->unsure && work * all > TOO_MUCH * some * r->all_work)
            return true;
    }
    return false;
}

/* One phase. NAN, and why, where that cannot be. */
static double simulate(const struct plb_changed_run *run, const struct plb_change *c, int phase,
                       struct plb_simulation *s, int64_t *events, const char **why)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_cluster_spec cluster;
    struct plb_simulated result;
    int *of = plb_alloc(2 * (size_t)run->measured->n_pus * sizeof *of);
    plb_measured_cluster(run->measured, run->job, phase, is_real(run), &c->machine, &cluster, of);
    s->cluster = &cluster;
    s->master_only = cluster.nodes[0].n_pus == 0;
    if (cluster.n_pus == 0) {
        *why = "nothing was measured";
    } else {
        if (plb_simulate(s, &result, &err) != PLB_OK)
            *why = "simulating it would take too long";
        else if (goes_too_far(run, phase, result.master, of))
            *why = "a PU would get far larger tasks than were measured";
        plb_master_free(result.master);
        *events += result.events;
    }
    s->cluster = NULL;
    plb_measured_cluster_fini(&cluster);
    free(of);
    if (*why != NULL)
        return (double)NAN;
    int others = run->job->app.passes[phase] - s->passes;
    return result.makespan_s + others * result.times[0].shortest_s;
}

double plb_change_simulate(const struct plb_changed_run *run, const struct plb_change *c, int64_t most,
                           int64_t *events, const char **why)
{
    struct plb_cost_map true_map;
    struct plb_param *params = c->balancer != NULL ? defaults(c->balancer) : NULL;
    bool learned = make_true_map(run, &true_map);
    double seconds = 0.0;
    *events = 0;
    *why = NULL;
    for (int phase = 0; phase < run->report->n_phases && *why == NULL; phase++) {
        struct plb_simulation s = of_phase(run, c, phase, params);
        s.true_maps = learned ? &true_map : NULL;
        s.max_events = most > *events ? most - *events : 1;
        seconds += s.passes > 0 ? simulate(run, c, phase, &s, events, why) : 0.0;
    }
    if (learned)
        plb_cost_map_fini(&true_map);
    free(params);
    return seconds;
}
