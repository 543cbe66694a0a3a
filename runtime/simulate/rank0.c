#include "simulate/rank0.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "simulate/fetches.h"
#include "simulate/line.h"
#include "simulate/sets.h"

struct plb_virtual_rank0 {
    struct plb_world *world;
    struct plb_faults *faults;
    struct plb_network *network;
    struct plb_virtual_nodes *nodes;
    struct plb_virtual_life *life;
    struct plb_master *master;
    double busy_until;
    double tick_at;                   /* when the master is called for what is due; infinite: not planned */
    struct plb_line line;             /* the frames that wait, by their number in the network */
    bool planned;                     /* the next PLB_EVENT_RANK0 is, or not needed yet */
    struct plb_outbox out;            /* leaves at the end of the turn */
    int told;                         /* of these, so many are known to the watch */
    double called_at;                 /* real seconds, at the beginning of a call of the master */
    struct plb_balancer_stats before; /* of the balancer, then */
};

struct plb_virtual_rank0 *plb_virtual_rank0_new(struct plb_world *world, struct plb_faults *faults,
                                                struct plb_network *network, struct plb_virtual_nodes *nodes,
                                                struct plb_virtual_life *life)
{
    const struct plb_simulation *in = world->in;
    struct plb_virtual_rank0 *r = plb_alloc(sizeof *r);
    *r = (struct plb_virtual_rank0){.world = world,
                                    .faults = faults,
                                    .network = network,
                                    .nodes = nodes,
                                    .life = life,
                                    .tick_at = INFINITY};
    struct plb_pu_info *infos = plb_alloc((size_t)in->cluster->n_pus * sizeof *infos);
    int n = 0;
    for (int node = 0; node < in->cluster->n_nodes - in->n_joiners; node++)
        n += plb_virtual_nodes_describe(nodes, node, infos + n);
    r->master = plb_master_new(&in->master, infos, n);
    free(infos);
    return r;
}

void plb_virtual_rank0_free(struct plb_virtual_rank0 *r)
{
    plb_outbox_fini(&r->out);
    plb_line_fini(&r->line);
    free(r);
}

struct plb_master *plb_virtual_rank0_master(const struct plb_virtual_rank0 *r)
{
    return r->master;
}

double plb_virtual_rank0_busy_until(const struct plb_virtual_rank0 *r)
{
    return fmax(r->busy_until, r->world->now);
}

/* Rank 0 is busy for so long more. */
static void charge(struct plb_virtual_rank0 *r, double seconds)
{
    r->busy_until = plb_virtual_rank0_busy_until(r) + seconds;
    r->world->out->rank0_s += seconds;
}

/* Plans what it does next, as soon as it has time: it handles the next frame, or ends its turn. */
static void plan_next(struct plb_virtual_rank0 *r)
{
    if (r->planned || (r->line.n == 0 && r->out.n == 0))
        return;
    r->planned = true;
    plb_events_add(r->world->clock, (struct plb_event){r->busy_until, PLB_EVENT_RANK0, 0, -1, -1});
}

/* Has the master called when something is due, and not before rank 0 has time. */
static void plan_tick(struct plb_virtual_rank0 *r)
{
    double due = fmax(plb_master_due(r->master), r->busy_until);
    if (due >= r->tick_at || !isfinite(due))
        return;
    r->tick_at = due;
    plb_events_add(r->world->clock, (struct plb_event){due, PLB_EVENT_TICK, 0, -1, -1});
}

/* Tells the watch of what is said now, and leaves later. */
static void tell(struct plb_virtual_rank0 *r)
{
    const struct plb_watch *watch = &r->world->in->watch;
    for (; r->told < r->out.n; r->told++) {
        const struct plb_message *m = &r->out.at[r->told];
        if (m->type == PLB_BLOCK && watch->granted != NULL)
            watch->granted(watch->context, plb_virtual_rank0_busy_until(r),
                           r->world->in->cluster->nodes[m->to].first_pu + m->pu, m->block.range);
        plb_network_tell(r->network, m);
    }
}

/* Ends the turn: sends what is in the outbox in frames, which leave when all are filled. */
static void send(struct plb_virtual_rank0 *r)
{
    double begins = plb_virtual_rank0_busy_until(r), filled_s = r->out.n * r->world->in->message_s;
    tell(r);
    for (int i = 0; i < r->out.n; i++)
        plb_network_put(r->network, &r->out.at[i]);
    int frames = plb_network_flush(r->network, begins + filled_s, r->world->in->frame_s);
    for (int i = 0; i < r->out.n; i++)
        if (r->out.at[i].type == PLB_FROM)
            plb_virtual_halo_send(r->world, r->network, r->faults, &r->out.at[i],
                                  plb_network_left(r->network, r->out.at[i].to));
    charge(r, filled_s + frames * r->world->in->frame_s);
    r->out.n = r->told = 0;
}

/* Calls of the master stand between these two. The first one returns when they begin. The second one charges
 * for them, and for so many messages that were received; what came out leaves at the end of the turn. */
static double enter(struct plb_virtual_rank0 *r)
{
    r->before = *plb_master_stats(r->master);
    r->called_at = plb_now();
    return plb_virtual_rank0_busy_until(r);
}

static void leave(struct plb_virtual_rank0 *r, int received)
{
    double took = plb_now() - r->called_at;
    int64_t solves = plb_master_stats(r->master)->solves - r->before.solves;
    int64_t fits = plb_master_stats(r->master)->fits - r->before.fits;
    int active = plb_master_pus(r->master) - plb_master_pus_in(r->master, PLB_PU_REFUSED);
    double thinks = received * r->world->in->message_s + (double)solves * r->world->in->solve_s * active
                  + (double)fits * r->world->in->fit_s;
    r->world->out->master_s += took;
    r->world->out->solve_s += solves > 0 ? took : 0.0;
    int64_t rest_ns = (int64_t)(1e9 * plb_master_stats(r->master)->rest_s);
    if (solves > 0 && r->world->in->trace != NULL)
        plb_trace_add(r->world->in->trace,
                      (struct plb_trace_event){PLB_TRACE_SOLVE, 0, PLB_TRACE_MASTER, 0,
                                               plb_virtual_rank0_busy_until(r), thinks, rest_ns, 0, 0});
    tell(r);
    charge(r, thinks);
    plan_tick(r);
    plan_next(r);
}

double plb_virtual_rank0_begin(struct plb_virtual_rank0 *r, int pass, int phase, int64_t fed)
{
    struct plb_feed feeds[PLB_FEEDS];
    for (int i = 0; i < r->world->in->feeds; i++)
        feeds[i] = (struct plb_feed){(int16_t)i, (int16_t)i, (fed & PLB_BUFFER(i)) != 0};
    double now = enter(r);
    if (r->world->sets != NULL)
        plb_virtual_sets_start(r->world->sets, pass, false);
    plb_master_feed(r->master, feeds, r->world->in->feeds);
    plb_master_begin(r->master, pass, phase, 0, &r->world->in->maps[phase], now, &r->out);
    leave(r, 0);
    return now;
}

double plb_virtual_rank0_gather(struct plb_virtual_rank0 *r)
{
    double now = enter(r);
    plb_master_gather(r->master, true, &r->out);
    leave(r, 0);
    return now;
}

double plb_virtual_rank0_fold(struct plb_virtual_rank0 *r)
{
    double now = enter(r);
    plb_master_fold(r->master, &r->out);
    leave(r, 0);
    return now;
}

double plb_virtual_rank0_repair(struct plb_virtual_rank0 *r, int pass, int phase, bool folds)
{
    double now = enter(r);
    if (r->world->sets != NULL)
        plb_virtual_sets_start(r->world->sets, pass, true);
    (folds ? plb_master_fold_again : plb_master_repair)(r->master, pass, &r->world->in->maps[phase], now,
                                                        &r->out);
    leave(r, 0);
    return now;
}

void plb_virtual_rank0_stop(struct plb_virtual_rank0 *r, int status)
{
    enter(r);
    plb_master_stop(r->master, status, &r->out);
    leave(r, 0);
}

void plb_virtual_rank0_lost(struct plb_virtual_rank0 *r, int node)
{
    double now = enter(r);
    plb_faults_give_up(r->faults, node);
    r->world->out->stress.zombies += plb_faults_node_works(r->faults, node);
    plb_master_lost(r->master, node, now, &r->out);
    leave(r, 0);
}

void plb_virtual_rank0_join(struct plb_virtual_rank0 *r, int node)
{
    struct plb_pu_info *infos = plb_alloc((size_t)r->world->in->cluster->nodes[node].n_pus * sizeof *infos);
    int n = plb_virtual_nodes_describe(r->nodes, node, infos);
    charge(r, r->world->in->frame_s);
    if (plb_master_join(r->master, node, infos, n, 0, enter(r), &r->out)) {
        plb_faults_join(r->faults, node);
        plb_virtual_life_join(r->life, node);
    }
    leave(r, 1);
    free(infos);
}

/* Sends the inputs that a node lacks. */
static void serve(struct plb_virtual_rank0 *r, const struct plb_message *m)
{
    const struct plb_simulation *in = r->world->in;
    charge(r, in->message_s);
    double before = r->busy_until - r->world->now, busy = before,
           there = plb_virtual_fetch(r->world, r->network, r->faults, r->master, m,
                                     in->message_s + in->frame_s, &busy);
    charge(r, busy - before);
    if (isinf(there))
        return;
    plb_events_add(r->world->clock,
                   (struct plb_event){there, PLB_EVENT_INPUTS, m->from,
                                      in->cluster->nodes[m->from].first_pu + m->pu, (int32_t)m->fetch.slot});
}

/* Gives up the nodes that are lost. */
static void lose(struct plb_virtual_rank0 *r)
{
    for (int node; (node = plb_virtual_life_lost(r->life)) >= 0;)
        if (!plb_faults_given_up(r->faults, node))
            plb_virtual_rank0_lost(r, node);
}

/* Looks who lives, when it has time. */
static void look(struct plb_virtual_rank0 *r, double time)
{
    if (r->busy_until > time) {
        plb_events_add(r->world->clock, (struct plb_event){r->busy_until, PLB_EVENT_BEAT, 0, -1, -1});
        return;
    }
    plb_virtual_life_look(r->life, &r->out);
    lose(r);
    plan_next(r);
}

/* Gives the master a message. */
static void hear(struct plb_virtual_rank0 *r, const struct plb_message *m)
{
    const struct plb_watch *watch = &r->world->in->watch;
    struct plb_stress_counts *counts = &r->world->out->stress;
    enum plb_verdict verdict = m->type == PLB_DONE ? plb_master_judge(r->master, m) : PLB_NOT_SENSIBLE;
    counts->from_zombies += plb_faults_given_up(r->faults, m->from);
    if (m->type == PLB_MOVED) {
        counts->moved_from_lost += plb_faults_given_up(r->faults, m->from);
        counts->moved_to_lost += plb_faults_given_up(r->faults, m->gifts.thief);
    }
    if (m->type == PLB_CRASH && !m->crash.alive)
        plb_faults_give_up(r->faults, m->from);
    if (watch->gathered != NULL && m->type == PLB_FROM && plb_master_awaits(r->master, m))
        watch->gathered(watch->context, m, plb_faults_given_up(r->faults, m->from));
    enter(r);
    int64_t fresh = plb_master_receive(r->master, m, r->world->now, &r->out);
    leave(r, 1);
    if (r->world->sets != NULL)
        plb_virtual_sets_accepted(r->world->sets, m, fresh);
    if (m->type == PLB_DONE && watch->reported != NULL)
        watch->reported(watch->context, m, plb_faults_given_up(r->faults, m->from), verdict, fresh);
}

/* Whether a PU of the master computes these units wrongly: each time that it does. */
static bool is_wrong(const struct plb_world *w, int pu, struct plb_range range)
{
    pu += w->in->master_only ? w->in->cluster->nodes[0].n_pus : 0;
    uint64_t stream = w->in->seed + 1000 + (uint64_t)pu;
    return w->in->wrong != NULL && plb_random_real(stream, (uint64_t)range.first) < w->in->wrong[pu];
}

/* Compares the result of an audit with the earlier ones, and tells the master. */
static void compare(struct plb_virtual_rank0 *r, const struct plb_message *m)
{
    struct plb_audits *audits = plb_master_audits(r->master);
    const struct plb_audit *audit = plb_audits_find(audits, m);
    bool agrees[PLB_AUDIT_PUS - 1] = {false};
    if (audit == NULL)
        return;
    bool wrong = is_wrong(r->world, audit->pus[audit->n - 1], audit->range);
    for (int i = 0; i < audit->n - 1; i++)
        agrees[i] = !wrong && !is_wrong(r->world, audit->pus[i], audit->range);
    enter(r);
    plb_audits_compared(audits, m, agrees, r->world->now, &r->out);
    leave(r, 1);
}

/* The set of a node comes to rank 0, or never will. Rank 0 is there, whatever becomes of its PUs. */
static void take_set(struct plb_virtual_rank0 *r, const struct plb_message *m)
{
    double seconds;
    int first = r->out.n;
    charge(r, m->from != 0 ? r->world->in->message_s : 0.0);
    plb_virtual_sets_hear(r->world->sets, m, 0, &r->out);
    for (int i = first; i < r->out.n; i++) {
        plb_virtual_sets_send(r->world->sets, &r->out.at[i], &seconds);
        plb_network_tell(r->network, &r->out.at[i]);
        plb_network_send(r->network, &r->out.at[i], r->world->now + seconds, 0.0);
    }
    r->out.n = first;
}

/* Rank 0's own node gets a message. That one of its own was charged for when it was sent. */
static void pass_on(struct plb_virtual_rank0 *r, const struct plb_message *m)
{
    charge(r, m->from != 0 ? r->world->in->message_s : 0.0);
    plb_virtual_nodes_receive(r->nodes, m);
}

static void receive(struct plb_virtual_rank0 *r, const struct plb_message *m)
{
    plb_virtual_life_heard(r->life, m);
    switch (plb_message_route(m->type)->receiver) {
    case PLB_TO_LIFE:
        charge(r, r->world->in->message_s);
        lose(r);
        break;
    case PLB_TO_FETCH:
        if (m->type == PLB_FETCH)
            serve(r, m);
        else if (m->sources.slot == PLB_HALO_SLOT)
            plb_virtual_nodes_receive(r->nodes, m);
        else
            hear(r, m);
        break;
    case PLB_TO_TRANSFERS: (m->type == PLB_ARRAYS || m->type == PLB_DROP ? take_set : pass_on)(r, m); break;
    case PLB_TO_RANK0: (m->type == PLB_DONE && m->done.audit ? compare : hear)(r, m); break;
    case PLB_TO_RANK:
    case PLB_TO_WORKER: pass_on(r, m); break;
    }
}

/* Handles a frame. */
static void handle(struct plb_virtual_rank0 *r, int frame)
{
    const struct plb_message *m;
    int at = frame;
    charge(r, plb_network_open(r->network, frame) != 0 ? r->world->in->frame_s : 0.0);
    while ((m = plb_network_next(r->network, &at)) != NULL)
        receive(r, m);
    plb_network_release(r->network, frame);
    plb_virtual_nodes_step(r->nodes, 0);
}

/* Rank 0 has time: it handles the next frame. Its turn ends when none waits. */
static void go_on(struct plb_virtual_rank0 *r)
{
    r->planned = true; /* until all of the frame is handled */
    if (r->line.n > 0)
        handle(r, plb_line_pop(&r->line));
    else
        send(r);
    r->planned = false;
    plan_next(r);
}

/* Another tick may have been planned for an earlier time meanwhile. */
static void tick(struct plb_virtual_rank0 *r, double time)
{
    if (time != r->tick_at)
        return;
    r->tick_at = INFINITY;
    enter(r);
    plb_master_tick(r->master, time, &r->out);
    leave(r, 0);
}

void plb_virtual_rank0_event(struct plb_virtual_rank0 *r, const struct plb_event *e)
{
    if (e->kind == PLB_EVENT_TICK || e->kind == PLB_EVENT_BEAT) {
        (e->kind == PLB_EVENT_TICK ? tick : look)(r, e->time);
        return;
    }
    if (e->kind == PLB_EVENT_ARRIVE)
        plb_line_push(&r->line, e->item);
    else
        r->planned = false;
    if (!r->planned && r->busy_until <= e->time)
        go_on(r);
    else /* or it did something else in between */
        plan_next(r);
}
