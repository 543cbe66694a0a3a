/* The simulation driver: events in, the right part of the virtual cluster called. The rules are in
 * simulation.h. */
#include "simulate/simulate.h"

#include <math.h>
#include <stdlib.h>

#include "app/dataset.h"
#include "base/memory.h"
#include "core/liveness.h"
#include "job/require_watts.h"
#include "model/optimum.h"
#include "profile/profiles.h"
#include "simulate/inputs.h"
#include "simulate/rank0.h"
#include "simulate/sets.h"
#include "simulate/true_costs.h"

/* The optimum of a phase. */
struct ideals {
    struct plb_ideal *at; /* by PU; NULL: no pass has been of this phase */
    double seconds;       /* of a pass */
};

struct sim {
    struct plb_simulation in; /* as asked, with its defaults filled in */
    struct plb_world world;
    struct plb_faults *faults;
    struct plb_network *network;
    struct plb_virtual_life *life;
    struct plb_virtual_nodes *nodes;
    struct plb_virtual_rank0 *rank0;
    struct plb_master *master;
    struct plb_cost_map *true_maps; /* made for this run, or NULL */
    struct ideals *ideals;          /* by phase */
    int number;                     /* of the pass that runs, as messages have it */
    bool back;                      /* it was given up: all passes begin anew */
};

static const struct plb_sizes no_data;

/* The simulation that was asked for, with defaults where nothing was said. */
static struct plb_simulation complete(const struct plb_simulation *asked)
{
    struct plb_simulation in = *asked;
    in.master.n_nodes = in.cluster->n_nodes;
    in.master.joiners = in.n_joiners;
    for (int n = in.cluster->n_nodes - in.n_joiners; n < in.cluster->n_nodes; n++)
        in.master.joining_pus += in.cluster->nodes[n].n_pus;
    in.master.phases = in.master.phases > 0 ? in.master.phases : 1;
    in.master.sizes = in.master.sizes != NULL ? in.master.sizes : &no_data;
    in.passes = in.passes > 0 ? in.passes : 1;
    in.message_s = in.message_s != 0.0 ? fmax(in.message_s, 0.0) : PLB_MESSAGE_SECONDS;
    in.frame_s = in.frame_s != 0.0 ? fmax(in.frame_s, 0.0) : PLB_FRAME_SECONDS;
    in.solve_s = in.solve_s != 0.0 ? fmax(in.solve_s, 0.0) : PLB_SOLVE_SECONDS;
    in.fit_s = in.fit_s != 0.0 ? fmax(in.fit_s, 0.0) : PLB_FIT_SECONDS;
    in.lost_after = in.lost_after > 0.0 ? in.lost_after : PLB_LOST_AFTER;
    in.beat_s = in.beat_s > 0.0 ? in.beat_s : PLB_BEAT_SECONDS;
    return in;
}

static void make_true_maps(struct sim *s)
{
    const struct plb_simulation *in = s->world.in;
    if (in->true_maps != NULL || !(in->cost_error > 0.0))
        return;
    s->true_maps = plb_alloc((size_t)in->master.phases * sizeof *s->true_maps);
    for (int i = 0; i < in->master.phases; i++)
        plb_true_costs(&in->maps[i], in->cost_error, in->seed + 3 + (uint64_t)i, &s->true_maps[i]);
}

static void set_up(struct sim *s)
{
    const struct plb_simulation *in = s->world.in;
    const struct plb_cluster_spec *c = in->cluster;
    make_true_maps(s);
    s->world.clock = plb_events_new();
    s->world.sets = s->in.master.folds ? plb_virtual_sets_new(&s->in) : NULL;
    s->faults = plb_faults_new(&s->world);
    s->network = plb_network_new(&s->world, s->faults);
    const struct plb_cost_map *costs = s->true_maps != NULL  ? s->true_maps
                                     : in->true_maps != NULL ? in->true_maps
                                                             : in->maps;
    s->nodes = plb_virtual_nodes_new(&s->world, costs, s->faults, s->network);
    s->life = plb_virtual_life_new(&s->world, s->faults, s->network);
    s->rank0 = plb_virtual_rank0_new(&s->world, s->faults, s->network, s->nodes, s->life);
    s->master = s->world.out->master = plb_virtual_rank0_master(s->rank0);
    s->ideals = plb_alloc((size_t)s->in.master.phases * sizeof *s->ideals);
    /* Replicated data is broadcast before the pass: its bytes count, its time does not, as in a real run. */
    int64_t each = (int64_t)(in->master.sizes->replicated_bytes - in->shared_bytes);
    s->world.out->bytes = each * (c->n_nodes - 1);
    if (in->traffic != NULL)
        for (int i = 0; i < c->n_nodes; i++) {
            in->traffic[i].bytes += i == 0 ? s->world.out->bytes : 0;
            in->traffic[i].received += i == 0 ? 0 : each;
        }
    for (int i = 0; i < in->n_joiners; i++)
        plb_events_add(s->world.clock, (struct plb_event){in->join_at[i], PLB_EVENT_JOIN,
                                                          c->n_nodes - in->n_joiners + i, -1, -1});
    for (int node; (node = plb_faults_before_first_pass(s->faults)) >= 0;)
        plb_virtual_rank0_lost(s->rank0, node);
}

static void clean_up(struct sim *s)
{
    for (int i = 0; s->true_maps != NULL && i < s->in.master.phases; i++)
        plb_cost_map_fini(&s->true_maps[i]);
    plb_virtual_rank0_free(s->rank0);
    if (s->world.sets != NULL)
        plb_virtual_sets_free(s->world.sets);
    plb_virtual_life_free(s->life);
    plb_virtual_nodes_free(s->nodes);
    plb_network_free(s->network);
    plb_faults_free(s->faults);
    plb_events_free(s->world.clock);
    free(s->true_maps);
    for (int i = 0; i < s->in.master.phases; i++)
        free(s->ideals[i].at);
    free(s->ideals);
}

/* A frame arrives at a node other than rank 0's, and waits there while its process is stopped. */
static void deliver(struct sim *s, const struct plb_event *e)
{
    double until = plb_faults_stopped(s->faults, e->node);
    if (e->time < until) {
        plb_events_add(s->world.clock, (struct plb_event){until, e->kind, e->node, e->pu, e->item});
        return;
    }
    const struct plb_message *m;
    int at = e->item;
    plb_network_open(s->network, at);
    while ((m = plb_network_next(s->network, &at)) != NULL)
        if (m->type == PLB_BEAT)
            plb_virtual_life_asked(s->life, m);
        else
            plb_virtual_nodes_receive(s->nodes, m);
    plb_network_release(s->network, e->item);
    plb_virtual_nodes_step(s->nodes, e->node);
}

static void handle(struct sim *s, const struct plb_event *e)
{
    switch ((enum plb_event_kind)e->kind) {
    case PLB_EVENT_ARRIVE:
        if (e->node == 0)
            plb_virtual_rank0_event(s->rank0, e);
        else
            deliver(s, e);
        break;
    case PLB_EVENT_RANK0:
    case PLB_EVENT_TICK:
    case PLB_EVENT_BEAT: plb_virtual_rank0_event(s->rank0, e); break;
    case PLB_EVENT_FAULT:
        if (plb_faults_strike(s->faults, e->item))
            plb_virtual_life_watch(s->life);
        plb_virtual_nodes_event(s->nodes, e);
        break;
    case PLB_EVENT_JOIN: plb_virtual_rank0_join(s->rank0, e->node); break;
    case PLB_EVENT_INPUTS:
    case PLB_EVENT_HALO:
    case PLB_EVENT_END:
    case PLB_EVENT_HUNG:
    case PLB_EVENT_WINDOW:
    case PLB_EVENT_LOOK: plb_virtual_nodes_event(s->nodes, e); break;
    }
}

/* One event. PLB_EFAILED where there is none, or there were too many. */
static int step(struct sim *s, struct plb_error *err)
{
    const struct plb_simulation *in = s->world.in;
    struct plb_event e;
    if (in->max_events > 0 && s->world.out->events == in->max_events)
        return plb_fail(err, PLB_EFAILED, "the simulation did not end within %lld events, at %g s",
                        (long long)in->max_events, s->world.now);
    if (!plb_events_next(s->world.clock, &e))
        return plb_fail(err, PLB_EFAILED,
                        "the simulation stopped making progress at %g s, with %lld units done", s->world.now,
                        (long long)plb_master_accepted(s->master));
    s->world.now = e.time;
    s->world.out->events++;
    handle(s, &e);
    if (in->watch.stepped != NULL)
        in->watch.stepped(in->watch.context, s->world.now, s->master);
    return PLB_OK;
}

/* The optimum of a pass, for the report and the oracle. */
static void set_ideals(struct sim *s, int phase)
{
    const struct plb_simulation *in = s->world.in;
    const struct plb_cost_map *map = &in->maps[phase];
    struct ideals *ideals = &s->ideals[phase];
    if (ideals->at == NULL) {
        struct plb_unit_size unit = {.cost = map->per_work,
                                     .input_bytes = plb_sizes_mean(&in->inputs, map->units),
                                     .output_bytes = plb_sizes_mean(&in->results, map->units),
                                     .task_bytes = in->master.pulled_bytes,
                                     .replicated_bytes = in->master.sizes->replicated_bytes};
        ideals->at = plb_alloc((size_t)in->cluster->n_pus * sizeof *ideals->at);
        ideals->seconds = plb_optimum(in->cluster, &unit, (double)map->units, in->master_only, ideals->at);
    }
    s->world.out->optimum_s += ideals->seconds;
    plb_master_ideal(s->master, ideals->at + (in->master_only ? in->cluster->nodes[0].n_pus : 0));
}

/* Whether inputs are lost with a node that alone had them. Then nothing of the pass counts. */
static bool goes_back(struct sim *s)
{
    if (!s->in.feeds || !s->in.master.feeds_stay || !plb_master_broken(s->master))
        return false;
    plb_master_break(s->master);
    return true;
}

/* Until a pass that has begun is over. */
static int end_pass(struct sim *s, double began, struct plb_error *err)
{
    s->back = false;
    while (!s->back && !plb_master_over(s->master)) {
        if (plb_master_failure(s->master) != NULL)
            return plb_fail(err, PLB_EFAILED, "%s", plb_master_failure(s->master));
        if (step(s, err) != PLB_OK)
            return err->status;
        s->back = goes_back(s);
    }
    s->world.out->makespan_s += plb_virtual_rank0_busy_until(s->rank0) - began;
    if (!isfinite(s->world.now))
        return plb_fail(err, PLB_EFAILED, "the simulated time overflows; check rate and overhead of the PUs");
    return PLB_OK;
}

static int phase_of(const struct sim *s, int pass)
{
    return s->world.in->phases != NULL ? s->world.in->phases[pass - 1] : 0;
}

/* Reduced arrays that stayed go along the tree, and those that are lost are computed again. */
static int fold(struct sim *s, int phase, struct plb_error *err)
{
    while (plb_master_folds(s->master)) {
        double began = plb_virtual_rank0_fold(s->rank0);
        while (!plb_master_folded(s->master))
            if (step(s, err) != PLB_OK)
                return err->status;
        double took = plb_virtual_rank0_busy_until(s->rank0) - began;
        s->world.out->makespan_s += took;
        s->world.out->stress.folds_s += took;
        if (plb_master_unfolded(s->master) == 0)
            return plb_virtual_sets_check(s->world.sets, err);
        began = plb_virtual_rank0_repair(s->rank0, ++s->number, phase, true);
        if (end_pass(s, began, err) != PLB_OK)
            return err->status;
    }
    return PLB_OK;
}

/* The inputs that become other ones as a pass begins, as a mask: all where the passes begin anew. */
static int64_t fed_by(const struct sim *s, int pass)
{
    const struct plb_simulation *in = s->world.in;
    bool chosen = pass > 1 && in->fed != NULL;
    return s->number == 1 || in->feeds == 0 ? 0 : chosen ? in->fed[pass - 1] : plb_virtual_inputs_all(in);
}

/* A pass from its begin to its end. */
static int run_pass(struct sim *s, int pass, int phase, struct plb_error *err)
{
    const struct plb_watch *watch = &s->world.in->watch;
    s->number++;
    if (watch->begun != NULL)
        watch->begun(watch->context, pass, s->number, fed_by(s, pass));
    double began = plb_virtual_rank0_begin(s->rank0, s->number, phase, fed_by(s, pass));
    if (end_pass(s, began, err) != PLB_OK || s->back)
        return err->status;
    if (fold(s, phase, err) == PLB_OK)
        plb_report_add_pass(&s->world.out->times[phase], plb_virtual_rank0_busy_until(s->rank0) - began);
    return err->status;
}

/* All passes from the first one on: where inputs are lost, from that one again. */
static int run_passes(struct sim *s, struct plb_error *err)
{
    for (int pass = 1; pass <= s->in.passes; pass++) {
        int phase = phase_of(s, pass);
        set_ideals(s, phase);
        if (run_pass(s, pass, phase, err) != PLB_OK)
            return err->status;
        pass = s->back ? 0 : pass;
    }
    return PLB_OK;
}

/* The last pass is over: results that stayed go to rank 0, and lost ones are computed again. */
static int gather(struct sim *s, struct plb_error *err)
{
    int last = s->world.in->passes, phase = phase_of(s, last);
    double began = plb_virtual_rank0_gather(s->rank0);
    while (plb_master_gathers(s->master))
        if (step(s, err) != PLB_OK)
            return err->status;
    s->world.out->makespan_s += plb_virtual_rank0_busy_until(s->rank0) - began;
    s->back = goes_back(s);
    if (s->back || plb_master_lacking(s->master) == 0)
        return PLB_OK;
    double begins = plb_virtual_rank0_repair(s->rank0, ++s->number, phase, false);
    if (end_pass(s, begins, err) == PLB_OK && !s->back)
        plb_report_add_pass(&s->world.out->times[phase], plb_virtual_rank0_busy_until(s->rank0) - begins);
    return err->status;
}

/* Whether every node that lives, and that the master has not given up, has heard STOP. */
static bool all_stopped(const struct sim *s)
{
    for (int n = 0; n < s->world.in->cluster->n_nodes; n++)
        if (!plb_virtual_nodes_stopped(s->nodes, n) && plb_faults_node_works(s->faults, n)
            && !plb_faults_given_up(s->faults, n))
            return false;
    return true;
}

static void stop(struct sim *s, struct plb_error *err)
{
    struct plb_error late = {.status = PLB_OK};
    plb_virtual_rank0_stop(s->rank0, err->status);
    while (!all_stopped(s))
        if (step(s, &late) != PLB_OK)
            break;
    if (late.status != PLB_OK && err->status == PLB_OK)
        plb_fail(err, late.status, "a node did not receive STOP: %.900s", late.text);
    s->world.out->stopped_s = s->world.now;
}

int plb_simulate(const struct plb_simulation *simulation, struct plb_simulated *result, struct plb_error *err)
{
    *result = (struct plb_simulated){0};
    struct sim s = {.in = complete(simulation), .world = {.in = &s.in, .out = result}};
    set_up(&s);
    plb_profiles_load(simulation->profiles, s.master);
    bool runs = plb_profiles_require(&simulation->master, s.master, err) == PLB_OK
             && plb_watts_require(&simulation->master.goal, s.master, err) == PLB_OK;
    do {
        s.back = false;
        if (runs && run_passes(&s, err) == PLB_OK && s.in.master.stays != 0)
            gather(&s, err);
    } while (s.back && err->status == PLB_OK);
    stop(&s, err);
    clean_up(&s);
    return err->status;
}

struct plb_simulation plb_job_simulation(const struct plb_job *job)
{
    struct plb_dataset set;
    plb_dataset_describe(&set, &job->app);
    struct plb_simulation s = {
        .cluster = &job->cluster,
        .maps = job->maps,
        .true_maps = job->true_map,
        .passes = plb_phase_count(job->kernel),
        .phases = job->simulated,
        .master = plb_job_master(job),
        .inputs = plb_dataset_link_sizes(&set, false),
        .results = plb_dataset_link_sizes(&set, true),
        .migration = job->balance.migration,
        .hung_after = job->run.hung_after,
        .lost_after = job->run.lost_after,
        .seed = job->seed,
        .master_only = job->machines.pus.master_only,
        .message_s = job->cluster.simulation.message_s,
        .frame_s = job->cluster.simulation.frame_s,
        .solve_s = job->cluster.simulation.solve_s,
        .fit_s = job->cluster.simulation.fit_s,
        .cost_error = job->cluster.simulation.cost_error,
    };
    s.shared_bytes = job->sizes.replicated_bytes - s.inputs.replicated_bytes;
    for (int i = 0; i < job->app.n_data; i++)
        if (s.master.stays & PLB_BUFFER(i))
            s.staying.unit_bytes += (double)job->app.data[i].unit_bytes;
    s.inputs.replicated_bytes = 0.0;
    return s;
}
