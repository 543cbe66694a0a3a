/* The simulation driver.
 *
 * A PU's task takes (cost + half) / rate + overhead seconds, times log-normal noise, at the speed that its
 * `slow` lines give it at each moment. Inputs split by unit are pulled over the node's link one task ahead,
 * results go back the same way; the links of different nodes do not disturb each other, which is the model's
 * main weakness: a real master has one link too. A loss is noticed DETECTION seconds after it happened. */
#include "drive/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "core/worker.h"
#include "plb/kernel.h"
#include "model/optimum.h"
#include "model/speed.h"
#include "profile/profiles.h"
#include "drive/events.h"

#define DETECTION 0.5

enum event_kind { ARRIVE, READY, FINISH, DIE, DETECTED, LOOK };

struct sim_pu {
    struct plb_pu_spec spec;
    bool executing, staged;
    struct plb_slice current, next;
    double next_asked, next_ready; /* when the inputs of `next` were asked for, and are there */
    double idle_since, started;
    double execute_s, copies_s, transfer_s; /* of `current`; the last with the wait for inputs */
    uint64_t tasks;             /* counts draws of noise */
};

struct sim_node {
    struct plb_worker *worker;
    double link_free, bandwidth, latency;
    int first_pu, n_pus;
    double look_at;             /* when it looks whether somebody has answered; once at a time */
    bool dead;
};

struct sim {
    const struct plb_simulation *in;
    struct plb_simulated *result;
    struct plb_events *clock;
    struct plb_master *master;
    struct sim_node *nodes;
    struct sim_pu *pus;
    struct plb_ideal *ideals;
    struct plb_outbox out;
    uint64_t draws;
    double now;
    int pass;
    const struct plb_cost_map *map; /* of its phase */
};

static void plan(struct sim *s, double time, int kind, int node, int pu, const struct plb_message *m)
{
    struct plb_event e = {.time = time, .kind = kind, .node = node, .pu = pu};
    if (m != NULL)
        e.message = *m;
    plb_events_add(s->clock, &e);
}

/* How late a message is under stress. */
static double late(struct sim *s)
{
    return s->in->delay > 0.0 ? s->in->delay * plb_random_real(s->in->seed + 1, s->draws++) : 0.0;
}

/* When `bytes` that start now have crossed a node's link, which carries one thing at a time. */
static double cross(struct sim *s, struct sim_node *node, double bytes)
{
    if (node == &s->nodes[0])
        return s->now;
    double begin = fmax(s->now, node->link_free);
    node->link_free = begin + bytes / node->bandwidth;
    s->result->bytes += (int64_t)bytes;
    return node->link_free + node->latency;
}

/* Seconds that a message takes between two nodes; data of a DONE crosses the sender's link. */
static double travel(struct sim *s, const struct plb_message *m)
{
    struct sim_node *from = &s->nodes[m->from], *to = &s->nodes[m->to];
    if (m->type == PLB_DONE)
        return cross(s, from, plb_cost_work(s->map, m->range.first, m->range.count) * s->in->output_bytes) - s->now;
    if (from == to)
        return 0.0;
    return (m->from != 0 ? from->latency : 0.0) + (m->to != 0 ? to->latency : 0.0);
}

static void send(struct sim *s)
{
    for (int i = 0; i < s->out.n; i++) {
        const struct plb_message *m = &s->out.at[i];
        s->result->messages += m->from != m->to;
        if (m->type == PLB_BLOCK && s->in->granted != NULL)
            s->in->granted(s->in->context, s->now, s->nodes[m->to].first_pu + m->pu, m->range);
        plan(s, s->now + travel(s, m) + late(s), ARRIVE, m->to, -1, m);
    }
    s->out.n = 0;
}

/* A normal draw (Box and Muller), one per task. */
static double normal(uint64_t seed, uint64_t index)
{
    double u = 1.0 - plb_random_real(seed, 2 * index), v = plb_random_real(seed, 2 * index + 1);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

/* Seconds of a task that begins to execute at `begin`. */
static double task_seconds(struct sim *s, int id, struct plb_range range, double begin)
{
    struct sim_pu *pu = &s->pus[id];
    double cost = plb_cost_work(s->map, range.first, range.count) * s->map->per_work;
    double seconds = (cost + pu->spec.half) / pu->spec.rate + pu->spec.overhead;
    if (pu->spec.noise > 0.0)
        seconds *= exp(pu->spec.noise * normal(s->in->seed ^ ((uint64_t)id << 32), pu->tasks));
    pu->tasks++;
    return plb_speed_end(&pu->spec, begin, seconds) - begin;
}

static void trace(struct sim *s, int node, int pu, int type, double start, double end, struct plb_slice p)
{
    if (s->in->trace != NULL)
        plb_trace_add(s->in->trace, (struct plb_trace_event){type, node, pu, s->pass, start, end - start, p.range.first, p.range.count, p.block});
}

/* Takes pieces while the PU has fewer than two, and starts the next where it is idle and ready. */
static void advance(struct sim *s, int node_id, int id)
{
    struct sim_node *node = &s->nodes[node_id];
    struct sim_pu *pu = &s->pus[id];
    for (int turn = 0; turn < 2; turn++) {
        if (!pu->staged && plb_worker_take(node->worker, id - node->first_pu, &pu->next)) {
            double work = plb_cost_work(s->map, pu->next.range.first, pu->next.range.count);
            double bytes = work * s->in->input_bytes;
            pu->staged = true;
            pu->next_asked = s->now;
            pu->next_ready = cross(s, node, bytes) + (node_id != 0 && bytes > 0.0 ? node->latency : 0.0);
            if (pu->next_ready > s->now)
                plan(s, pu->next_ready, READY, node_id, id, NULL);
        }
        if (pu->executing || !pu->staged || pu->next_ready > s->now)
            return;
        double work = plb_cost_work(s->map, pu->next.range.first, pu->next.range.count);
        double moved = work * (s->in->input_bytes + s->in->output_bytes);
        double copies = 2.0 * pu->spec.copy_latency + moved / pu->spec.copy_bandwidth;
        pu->current = pu->next;
        pu->staged = false;
        pu->executing = true;
        pu->copies_s = copies;
        pu->transfer_s = copies + fmax(s->now - fmax(pu->idle_since, pu->next_asked), 0.0);
        pu->execute_s = task_seconds(s, id, pu->current.range, s->now + copies);
        pu->started = s->now;
        trace(s, node_id, id, PLB_TRACE_WAIT, pu->idle_since, s->now, (struct plb_slice){{0, 0}, 0});
        if (isfinite(pu->execute_s))
            plan(s, s->now + copies + pu->execute_s, FINISH, node_id, id, NULL);
    }
}

/* Sends what a node has to say, and has it look again while it waits for an answer. */
static void collect(struct sim *s, int node_id)
{
    struct sim_node *node = &s->nodes[node_id];
    bool waits = plb_worker_collect(node->worker, s->now, &s->out);
    send(s);
    if (!waits || node->look_at > s->now)
        return;
    node->look_at = s->now + PLB_PATIENCE;
    plan(s, node->look_at, LOOK, node_id, -1, NULL);
}

/* All PUs of a node look for work. */
static void advance_all(struct sim *s, int node_id)
{
    const struct sim_node *node = &s->nodes[node_id];
    for (int id = node->first_pu; id < node->first_pu + node->n_pus; id++)
        advance(s, node_id, id);
    collect(s, node_id);
}

static void finish(struct sim *s, int node_id, int id)
{
    struct sim_node *node = &s->nodes[node_id];
    struct sim_pu *pu = &s->pus[id];
    double executing = pu->started + pu->copies_s;
    trace(s, node_id, id, PLB_TRACE_TRANSFER, pu->started, executing, pu->current);
    trace(s, node_id, id, PLB_TRACE_TASK, executing, s->now, pu->current);
    pu->executing = false;
    pu->idle_since = s->now;
    plb_worker_done(node->worker, id - node->first_pu, &pu->current, pu->execute_s, pu->transfer_s, PLB_NO_SLOT);
    advance(s, node_id, id);
    collect(s, node_id);
}

/* Runs one call of the master, noting the real time that it takes. */
static void lead(struct sim *s, const struct plb_event *e)
{
    int64_t solves = plb_master_stats(s->master)->solves;
    double began = plb_now();
    if (e->kind == DETECTED) {
        plb_master_lost(s->master, e->node, s->now, &s->out);
    } else if (e->message.type == PLB_MOVED) {
        plb_master_moved(s->master, &e->message, s->now, &s->out);
    } else {
        int64_t fresh = plb_master_done(s->master, &e->message, s->now, &s->out);
        if (fresh > 0 && s->in->accepted != NULL)
            s->in->accepted(s->in->context, e->message.range, fresh);
    }
    double took = plb_now() - began;
    s->result->lead_s += took;
    s->result->solve_s += plb_master_stats(s->master)->solves > solves ? took : 0.0;
    send(s);
}

static void arrive(struct sim *s, const struct plb_event *e)
{
    struct sim_node *node = &s->nodes[e->node];
    const struct plb_message *m = &e->message;
    if (m->type == PLB_DONE || m->type == PLB_MOVED) {
        lead(s, e);
        return;
    }
    if (node->dead)
        return;
    if (m->type == PLB_STEAL) {
        plb_worker_steal(node->worker, m, &s->out);
        send(s);
        return;
    }
    if (m->type == PLB_BLOCK)
        plb_worker_block(node->worker, m);
    else if (m->type == PLB_EMPTY)
        plb_worker_empty(node->worker, m);
    else
        plb_worker_gift(node->worker, m);
    advance_all(s, e->node);
}

static void step(struct sim *s, const struct plb_event *e)
{
    struct sim_node *node = &s->nodes[e->node];
    switch ((enum event_kind)e->kind) {
    case DIE:
        node->dead = true;
        plan(s, s->now + DETECTION, DETECTED, e->node, -1, NULL);
        break;
    case DETECTED:
        lead(s, e);
        break;
    case READY:
        if (!node->dead)
            advance(s, e->node, e->pu);
        break;
    case FINISH:
        if (!node->dead)
            finish(s, e->node, e->pu);
        break;
    case LOOK:
        if (!node->dead)
            collect(s, e->node);
        break;
    case ARRIVE:
        arrive(s, e);
        break;
    }
}

/* The optimum of a pass, for the report and the oracle. */
static void set_ideals(struct sim *s)
{
    const struct plb_simulation *in = s->in;
    struct plb_unit_size unit = {s->map->per_work, in->input_bytes, in->output_bytes, in->master.task_bytes,
                                in->master.replicated_bytes};
    s->result->optimum_s += plb_optimum(in->cluster, &unit, (double)s->map->units, in->master_only, s->ideals);
    plb_master_ideal(s->master, s->ideals + (in->master_only ? in->cluster->nodes[0].n_pus : 0));
}

static int run_pass(struct sim *s, struct plb_error *err)
{
    struct plb_event event;
    int phase = s->in->phases != NULL ? s->in->phases[s->pass - 1] : 0;
    s->map = &s->in->maps[phase];
    for (int n = 0; n < s->in->cluster->n_nodes; n++)
        plb_worker_pass(s->nodes[n].worker, s->pass, s->map);
    for (int p = 0; p < s->in->cluster->n_pus; p++)
        s->pus[p].idle_since = s->now;
    double began = s->now;
    set_ideals(s);
    plb_master_begin(s->master, s->pass, phase, s->map, s->now, &s->out);
    send(s);
    while (!plb_master_over(s->master)) {
        if (plb_master_failure(s->master) != NULL)
            return plb_fail(err, PLB_EFAILED, "%s", plb_master_failure(s->master));
        if (!plb_events_next(s->clock, &event))
            return plb_fail(err, PLB_EFAILED, "the simulation stands still at %g s with %lld of %lld units done", s->now,
                            (long long)plb_master_accepted(s->master), (long long)s->map->units);
        s->now = event.time;
        s->result->events++;
        step(s, &event);
    }
    s->result->makespan_s += s->now - began;
    if (!isfinite(s->now))
        return plb_fail(err, PLB_EFAILED, "the simulated run takes longer than a number can say; check rate and overhead of the PUs");
    return PLB_OK;
}

static void set_up(struct sim *s)
{
    const struct plb_cluster_spec *c = s->in->cluster;
    struct plb_pu_info *infos = plb_alloc((size_t)c->n_pus * sizeof *infos);
    int n_infos = 0;
    s->clock = plb_events_new();
    s->nodes = plb_alloc((size_t)c->n_nodes * sizeof *s->nodes);
    s->pus = plb_alloc((size_t)c->n_pus * sizeof *s->pus);
    for (int n = 0; n < c->n_nodes; n++) {
        const struct plb_node_spec *node = &c->nodes[n];
        s->nodes[n] = (struct sim_node){plb_worker_new(n, node->n_pus), 0.0, node->bandwidth, node->latency,
                                        node->first_pu, node->n_pus, -1.0, false};
        double powers[node->n_pus];
        for (int i = 0; i < node->n_pus; i++)
            powers[i] = c->pus[node->first_pu + i].power;
        plb_worker_migrate(s->nodes[n].worker, &s->in->migration, c->n_nodes, powers);
        for (int i = 0; i < node->n_pus; i++) {
            const struct plb_pu_spec *spec = &c->pus[node->first_pu + i];
            s->pus[node->first_pu + i].spec = *spec;
            for (int k = 0; k < spec->n_slow; k++)
                if (spec->slow_by[k] == 0.0)
                    plan(s, spec->slow_at[k], DIE, n, -1, NULL);
            if (s->in->master_only && n == 0)
                continue;
            struct plb_pu_info *info = &infos[n_infos++];
            *info = (struct plb_pu_info){.node = n, .local = i, .kind = spec->kind, .power = spec->power,
                                         .memory = spec->memory};
            snprintf(info->name, sizeof info->name, "%s", spec->name);
            snprintf(info->host, sizeof info->host, "%s", node->name);
        }
    }
    for (int i = 0; i < s->in->n_lose; i++)
        plan(s, s->in->lose_at[i], DIE, s->in->lose[i], -1, NULL);
    /* The broadcast happens before the pass: its bytes count, its time does not, as in a real run. */
    s->result->bytes = (int64_t)s->in->master.replicated_bytes * (c->n_nodes - 1);
    s->master = s->result->master = plb_master_new(&s->in->master, infos, n_infos);
    free(infos);
    s->ideals = plb_alloc((size_t)c->n_pus * sizeof *s->ideals);
}

int plb_simulate(const struct plb_simulation *in, struct plb_simulated *result, struct plb_error *err)
{
    *result = (struct plb_simulated){0};
    struct sim s = {.in = in, .result = result};
    set_up(&s);
    plb_profiles_recall(in->profiles, s.master);
    int passes = plb_profiles_require(&in->master, s.master, err) != PLB_OK ? 0 : in->passes > 0 ? in->passes : 1;
    for (s.pass = 1; s.pass <= passes; s.pass++)
        if (run_pass(&s, err) != PLB_OK)
            break;
    for (int n = 0; n < in->cluster->n_nodes; n++)
        plb_worker_free(s.nodes[n].worker);
    plb_outbox_fini(&s.out);
    plb_events_free(s.clock);
    free(s.nodes);
    free(s.ideals);
    free(s.pus);
    return err->status;
}

struct plb_simulation plb_job_simulation(const struct plb_job *job)
{
    return (struct plb_simulation){
        .cluster = &job->cluster,
        .maps = job->maps,
        .passes = plb_phase_count(job->kernel),
        .phases = job->simulated,
        .master = plb_job_master(job),
        .migration = job->balance.migration,
        .input_bytes = plb_app_unit_bytes(&job->app, true, false),
        .output_bytes = plb_app_unit_bytes(&job->app, false, true),
        .seed = job->seed,
        .master_only = job->machines.pus.master_only,
    };
}
