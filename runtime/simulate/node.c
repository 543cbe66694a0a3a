#include "simulate/node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "simulate/sets.h"
#include "simulate/meter.h"
#include "simulate/node_inside.h"
#include "simulate/worker.h"
#include "model/speed.h"

/* ---------------------------------------------------------------------- messages */

/* Sends the outbox in frames; a message that data follows, or that leaves later, goes by itself. */
static void dispatch(struct plb_virtual_nodes *v)
{
    for (int i = 0; i < v->out.n; i++) {
        struct plb_message *m = &v->out.at[i];
        double bytes = plb_virtual_inputs_results(v->inputs, m), seconds = 0.0;
        if (v->world->sets != NULL)
            bytes -= plb_virtual_sets_send(v->world->sets, m, &seconds);
        plb_network_tell(v->network, m);
        if (bytes > 0.0 || seconds > 0.0)
            plb_network_send(v->network, m, v->world->now + seconds, bytes);
        else
            plb_network_put(v->network, m);
    }
    plb_network_flush(v->network, v->world->now, 0.0);
    v->out.n = 0;
}

static void look_later(struct plb_virtual_nodes *v, int n, double seconds)
{
    struct virtual_node *node = &v->at[n];
    double time = v->world->now + seconds;
    if (node->look_at > v->world->now && node->look_at <= time)
        return;
    node->look_at = time;
    plb_events_add(v->world->clock, (struct plb_event){time, PLB_EVENT_LOOK, n, -1, -1});
}

/* Collects what a node has to say. It looks again while it waits for an answer. */
static void collect(struct plb_virtual_nodes *v, int n)
{
    bool waits = plb_worker_collect(v->at[n].worker, v->world->now, &v->out);
    double due = fmin(waits ? PLB_PATIENCE : INFINITY, plb_worker_due(v->at[n].worker) - v->world->now);
    if (isfinite(due))
        look_later(v, n, fmax(due, 0.0));
}

/* ------------------------------------------------------------------------- tasks */

/* It executes no more, and its dynamic watts end. */
static void rest(struct plb_virtual_nodes *v, int n, int id)
{
    struct virtual_pu *pu = &v->pus[id];
    double worked_s = plb_virtual_pu_executes_s(pu, v->world->now);
    if (pu->executing)
        plb_virtual_count_tasks(v, n, -1);
    pu->worked_s += worked_s;
    if (v->world->in->worked_s != NULL)
        v->world->in->worked_s[id] += worked_s;
    pu->executing = false;
    pu->idle_since = v->world->now;
}

/* Takes a task into the line and pulls its inputs; false where there is none. */
static bool stage(struct plb_virtual_nodes *v, int n, int id)
{
    struct virtual_node *node = &v->at[n];
    struct virtual_pu *pu = &v->pus[id];
    struct staged *s = &pu->line[pu->n_line];
    if (!plb_worker_take(node->worker, id - node->first_pu, &s->task))
        return false;
    s->phase = plb_worker_phase(node->worker);
    s->number = pu->taken++;
    s->asked = v->world->now;
    struct plb_range pulled;
    bool pulls = plb_virtual_inputs_pulls(v->inputs, n, s->task.range, plb_virtual_pull(id, s->number),
                                          &pulled);
    s->ready = !pulls && !plb_virtual_inputs_waits(v->inputs, n, s->task.range);
    s->asks = pulls;
    pu->n_line++;
    if (!pulls)
        return true;
    struct plb_message *m = plb_outbox_add(&v->out, PLB_FETCH, n, 0, s->task.pass);
    m->pu = id - node->first_pu;
    m->fetch = (struct plb_fetch){.range = pulled,
                                  .slot = s->number,
                                  .buffers = plb_virtual_inputs_all(v->world->in),
                                  .to = n,
                                  .halo = !v->world->in->master.resident};
    return true;
}

/* Reports the result that a PU holds back, where the next task does not continue it; NULL: there is none.
 * True where there was one. */
static bool report_held(const struct virtual_node *node, struct virtual_pu *pu, int local,
                        const struct plb_slice *next)
{
    if (!pu->held.any || (next != NULL && plb_held_continues(&pu->held, next)))
        return false;
    plb_worker_report(node->worker, local, &pu->held);
    return true;
}

static void plan_hung(struct plb_virtual_nodes *v, int n, int id)
{
    const struct virtual_pu *pu = &v->pus[id];
    if (isfinite(pu->limit))
        plb_events_add(v->world->clock,
                       (struct plb_event){pu->limit, PLB_EVENT_HUNG, n, id, pu->current.number});
}

/* Starts the first task of the line. */
static void start(struct plb_virtual_nodes *v, int n, int id)
{
    const struct plb_simulation *in = v->world->in;
    struct virtual_pu *pu = &v->pus[id];
    double now = v->world->now;
    pu->current = pu->line[0];
    memmove(pu->line, pu->line + 1, (size_t)--pu->n_line * sizeof *pu->line);
    const struct plb_slice *task = &pu->current.task;
    report_held(&v->at[n], pu, id - v->at[n].first_pu, task);
    double bytes = plb_sizes_bytes(&in->inputs, task->range) + plb_sizes_bytes(&in->results, task->range);
    pu->executing = true;
    plb_virtual_count_tasks(v, n, 1);
    pu->started = now;
    pu->copies_s = 2.0 * pu->spec->copy_latency + bytes / pu->spec->copy_bandwidth;
    double asked = fmin(fmax(pu->idle_since, pu->current.asked), now);
    pu->transfer_s = pu->copies_s + now - asked;
    double seconds = plb_virtual_seconds(v->world, &v->true_maps[pu->current.phase], id, pu->current.number,
                                         task->range);
    double end = plb_speed_end(pu->spec, now + pu->copies_s, seconds);
    pu->execute_s = end - now - pu->copies_s;
    pu->limit = now + plb_virtual_limit(v->world, v->at[n].worker, id - v->at[n].first_pu, task);
    int pass = plb_worker_pass(v->at[n].worker);
    plb_virtual_trace(v->world, n, id, PLB_TRACE_WAIT, pu->idle_since, asked, NULL, pass);
    plb_virtual_trace(v->world, n, id, PLB_TRACE_WAIT, asked, now, task, pass);
    if (isfinite(end)) /* else the PU dies before */
        plb_events_add(v->world->clock, (struct plb_event){end, PLB_EVENT_END, n, id, pu->current.number});
    if (end > pu->limit)
        plan_hung(v, n, id);
}

/* The device of a PU has failed, or hangs: all tasks that it has in hand go back. */
static void drop_out(struct plb_virtual_nodes *v, int n, int id, const char *why)
{
    const struct virtual_node *node = &v->at[n];
    struct virtual_pu *pu = &v->pus[id];
    struct plb_device_failure failure = {.status = 1, .text = why, .among = pu->current.task.range};
    if (pu->executing)
        plb_worker_leave(node->worker, id - node->first_pu, &pu->current.task, &failure);
    for (int i = 0; i < pu->n_line; i++) {
        failure.among = pu->line[i].task.range;
        plb_worker_leave(node->worker, id - node->first_pu, &pu->line[i].task, &failure);
    }
    plb_worker_give_back(node->worker, id - node->first_pu, &pu->held, why);
    rest(v, n, id);
    pu->n_line = 0;
}

/* A PU takes tasks while there is room, and starts the next one where it is idle and the inputs are there. */
static void advance(struct plb_virtual_nodes *v, int n, int id)
{
    const struct virtual_node *node = &v->at[n];
    struct virtual_pu *pu = &v->pus[id];
    bool hangs = !plb_faults_pu_works(v->faults, n, id); /* where that can be seen, in its next task */
    if (node->stopped || (hangs && v->world->in->hung_after <= 0.0))
        return;
    for (;;) {
        bool room = pu->n_line < node->ahead || (!pu->executing && pu->n_line == 0);
        if (!pu->executing && pu->n_line > 0 && pu->line[0].ready)
            start(v, n, id);
        else if (!room || !stage(v, n, id))
            break;
    }
    if (!pu->executing)
        report_held(node, pu, id - node->first_pu, NULL);
    if (plb_faults_pu_broken(v->faults, id))
        drop_out(v, n, id, "it broke");
}

static void advance_all(struct plb_virtual_nodes *v, int n)
{
    const struct virtual_node *node = &v->at[n];
    for (int id = node->first_pu; id < node->first_pu + node->n_pus; id++)
        advance(v, n, id);
    collect(v, n);
}

/* A task has killed its node, or its child process, and the master hears of it. */
static void die(struct plb_virtual_nodes *v, int n, int id)
{
    if (!v->world->in->master.isolated) {
        plb_faults_crash(v->faults, n);
        return;
    }
    v->world->out->stress.killed_children++;
    plb_worker_forget(v->at[n].worker, id - v->at[n].first_pu);
    rest(v, n, id);
    advance_all(v, n);
}

/* Reports the task that a PU has executed, or holds its result back. True where the report should not
 * wait. */
static bool end(const struct virtual_node *node, struct virtual_pu *pu, int local)
{
    const struct plb_slice *task = &pu->current.task, *next = pu->n_line > 0 ? &pu->line[0].task : NULL;
    if (!node->combines)
        return plb_worker_done(node->worker, local, task, pu->execute_s, pu->transfer_s,
                               node->slots ? pu->current.number : PLB_NO_SLOT);
    if (!plb_worker_executed(node->worker, local, task, pu->execute_s, pu->transfer_s))
        return false;
    bool reports = report_held(node, pu, local, task);
    plb_held_add(&pu->held, task, pu->current.number, pu->execute_s, pu->transfer_s);
    if (plb_worker_may_hold(node->worker, local, &pu->held, next,
                            next != NULL ? &pu->line[pu->n_line - 1].task : NULL,
                            pu->execute_s + pu->transfer_s))
        return reports;
    plb_worker_report(node->worker, local, &pu->held);
    return true;
}

/* A PU has executed its task. */
static void finish(struct plb_virtual_nodes *v, int n, int id)
{
    struct virtual_node *node = &v->at[n];
    struct virtual_pu *pu = &v->pus[id];
    const struct plb_slice *task = &pu->current.task;
    double executing = pu->started + pu->copies_s;
    if (plb_virtual_crash(v->world, n, id - node->first_pu, task, pu->current.phase, &v->out)) {
        die(v, n, id);
        return;
    }
    plb_virtual_trace(v->world, n, id, PLB_TRACE_TRANSFER, pu->started, executing, task, task->pass);
    plb_virtual_trace(v->world, n, id, PLB_TRACE_TASK, executing, v->world->now, task, task->pass);
    rest(v, n, id);
    if (v->world->in->watch.executed != NULL)
        v->world->in->watch.executed(v->world->in->watch.context, id, task);
    bool urgent = end(node, pu, id - node->first_pu);
    advance(v, n, id);
    if (urgent || !pu->executing)
        collect(v, n);
    else
        look_later(v, n, PLB_REPORT_DELAY);
}

/* The PUs of a node end what is obsolete, as an emulated PU does and a kernel that looks at `cancelled`. */
static void cancel(struct plb_virtual_nodes *v, int n, bool pass_begins)
{
    const struct virtual_node *node = &v->at[n];
    for (int id = node->first_pu; id < node->first_pu + node->n_pus; id++) {
        struct virtual_pu *pu = &v->pus[id];
        if (!plb_faults_pu_works(v->faults, n, id))
            continue;
        bool ends = pu->executing && plb_worker_obsolete(node->worker, &pu->current.task);
        if (ends) {
            plb_worker_forget(node->worker, id - node->first_pu);
            rest(v, n, id);
        }
        pu->idle_since = pass_begins ? v->world->now : pu->idle_since;
        int kept = 0;
        for (int i = 0; i < pu->n_line; i++)
            if (!plb_worker_revoke(node->worker, id - node->first_pu, &pu->line[i].task)
                && !plb_worker_obsolete(node->worker, &pu->line[i].task))
                pu->line[kept++] = pu->line[i];
            else
                plb_worker_forget(node->worker, id - node->first_pu);
        pu->n_line = kept;
    }
}

/* Inputs are there: tasks that waited for nothing else are ready. */
static void make_ready(struct plb_virtual_nodes *v, int n)
{
    const struct virtual_node *node = &v->at[n];
    for (int id = node->first_pu; id < node->first_pu + node->n_pus; id++) {
        struct virtual_pu *pu = &v->pus[id];
        for (int i = 0; i < pu->n_line; i++)
            pu->line[i].ready |= !pu->line[i].asks
                              && !plb_virtual_inputs_waits(v->inputs, n, pu->line[i].task.range);
    }
}

static void inputs_arrived(struct plb_virtual_nodes *v, int n, int id, int number)
{
    const struct virtual_node *node = &v->at[n];
    plb_virtual_inputs_arrived(v->inputs, n, plb_virtual_pull(id, number));
    for (int i = 0; i < v->pus[id].n_line; i++)
        v->pus[id].line[i].asks &= v->pus[id].line[i].number != number;
    make_ready(v, n);
    for (int i = node->first_pu; i < node->first_pu + node->n_pus; i++)
        advance(v, n, i);
}

/* The halo that a FROM of this pass has named is there. Where it is earlier than the FROM, it waits. */
static void halo_arrived(struct plb_virtual_nodes *v, const struct plb_event *e)
{
    const struct virtual_node *node = &v->at[e->node];
    double again = v->world->now + v->world->in->cluster->nodes[e->node].latency + 1e-6;
    if (plb_worker_pass(node->worker) > e->item)
        return;
    if (plb_worker_pass(node->worker) < e->item || !plb_virtual_inputs_halo(v->inputs, e->node)) {
        plb_events_add(v->world->clock, (struct plb_event){again, e->kind, e->node, e->pu, e->item});
        return;
    }
    make_ready(v, e->node);
    advance_all(v, e->node);
}

/* ------------------------------------------------------------------------ events */

void plb_virtual_nodes_receive(struct plb_virtual_nodes *v, const struct plb_message *m)
{
    struct virtual_node *node = &v->at[m->to];
    struct plb_stress_counts *counts = &v->world->out->stress;
    bool works = plb_faults_node_works(v->faults, m->to);
    counts->to_the_dead += !works && m->type == PLB_GIFT && m->gifts.n > 0;
    if (!works || node->stopped)
        return;
    bool ends = m->type == PLB_CANCEL || (m->type == PLB_PASS && m->pass > plb_worker_pass(node->worker));
    counts->early += m->type != PLB_PASS && m->type != PLB_STOP && m->pass > plb_worker_pass(node->worker);
    if (m->type == PLB_PASS && ends)
        plb_virtual_inputs_begin(v->inputs, m->to, m->pass, &m->begin);
    if (m->type == PLB_PASS && ends && v->world->sets != NULL)
        plb_virtual_sets_begin(v->world->sets, m->to, &m->begin);
    if (m->type == PLB_PASS && ends && v->meter != NULL && plb_worker_pass(node->worker) == 0)
        plb_virtual_meter_plan(v->meter, m->to);
    int pass = plb_worker_pass(node->worker);
    if (!plb_virtual_inputs_hear(v->inputs, m, pass, &v->out)
        && (v->world->sets == NULL || !plb_virtual_sets_hear(v->world->sets, m, pass, &v->out)))
        plb_worker_receive(node->worker, m, &v->out);
    if (ends)
        cancel(v, m->to, m->type == PLB_PASS);
    node->stopped = m->type == PLB_STOP;
    for (int i = 0; i < node->n_pus && node->stopped; i++)
        rest(v, m->to, node->first_pu + i);
    node->heard |= m->type != PLB_STEAL;
    plb_faults_received(v->faults, m);
}

void plb_virtual_nodes_step(struct plb_virtual_nodes *v, int n)
{
    if (v->at[n].heard)
        advance_all(v, n);
    v->at[n].heard = false;
    dispatch(v);
}

/* Whether a PU has the task still that would end now, or hang: it may have been cancelled. */
static bool has(const struct plb_virtual_nodes *v, const struct plb_event *e)
{
    return v->pus[e->pu].executing && v->pus[e->pu].current.number == e->item;
}

/* A PU should have ended its task long ago: its node gives it up, unless it is alone in the run. */
static void give_up(struct plb_virtual_nodes *v, int n, int id)
{
    struct plb_stress_counts *counts = &v->world->out->stress;
    const struct virtual_node *node = &v->at[n];
    int left = 0;
    for (int i = 0; i < node->n_pus; i++)
        left += plb_worker_state(node->worker, i) != PLB_PU_LOST;
    if (left < 2 && v->world->in->cluster->n_nodes == 1)
        return;
    counts->given_up++;
    counts->given_up_slow += plb_faults_pu_works(v->faults, n, id);
    drop_out(v, n, id, "it hangs");
    collect(v, n);
}

void plb_virtual_nodes_event(struct plb_virtual_nodes *v, const struct plb_event *e)
{
    struct virtual_node *node = &v->at[e->node];
    double until = plb_faults_stopped(v->faults, e->node);
    if (node->stopped || !plb_faults_node_works(v->faults, e->node))
        return;
    if (e->time < until) {
        node->look_at = e->kind == PLB_EVENT_LOOK && e->time == node->look_at ? until : node->look_at;
        plb_events_add(v->world->clock, (struct plb_event){until, e->kind, e->node, e->pu, e->item});
    } else if (e->kind == PLB_EVENT_INPUTS) {
        inputs_arrived(v, e->node, e->pu, e->item);
    } else if (e->kind == PLB_EVENT_HALO) {
        halo_arrived(v, e);
    } else if (e->kind == PLB_EVENT_END && has(v, e)) {
        (plb_faults_pu_works(v->faults, e->node, e->pu) ? finish : plan_hung)(v, e->node, e->pu);
    } else if (e->kind == PLB_EVENT_HUNG && has(v, e)) {
        give_up(v, e->node, e->pu);
    } else if (e->kind == PLB_EVENT_WINDOW) {
        plb_virtual_meter_read(v->meter, e->node, v, &v->out);
    } else if (e->kind == PLB_EVENT_LOOK && e->time == node->look_at) {
        collect(v, e->node);
    } else if (e->kind == PLB_EVENT_FAULT) {
        advance_all(v, e->node);
    }
    dispatch(v);
}
