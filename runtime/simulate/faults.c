#include "simulate/faults.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/message/route.h"
#include "model/speed.h"
#include "plb/kernel.h"

struct node_state {
    bool dead;                             /* does nothing more */
    bool loses;                            /* and what it has sent may be lost */
    bool given_up;                         /* by the master */
    bool absent;                           /* it has not come yet */
    double silent_since, stopped, unheard; /* the last two: until then */
};

struct fault_state {
    struct plb_fault is;
    int seen; /* messages of the kind that it is bound to */
    bool struck;
};

struct plb_faults {
    struct plb_world *world;
    struct fault_state *faults;
    int n, bound; /* bound: how many wait for a message */
    struct node_state *nodes;
    bool *hung, *broken; /* by PU */
    uint64_t draws;
};

static void plan(struct plb_faults *f, double time, enum plb_event_kind kind, int node, int item)
{
    plb_events_add(f->world->clock, (struct plb_event){time, kind, node, -1, item});
}

static void add(struct plb_faults *f, const struct plb_fault *fault)
{
    f->faults[f->n].is = *fault;
    if (fault->when != PLB_AT)
        f->bound++;
    else if (fault->at >= 0.0)
        plan(f, fault->at, PLB_EVENT_FAULT, fault->node, f->n);
    f->n++;
}

struct plb_faults *plb_faults_new(struct plb_world *world)
{
    const struct plb_cluster_spec *c = world->in->cluster;
    struct plb_faults *f = plb_alloc(sizeof *f);
    f->world = world;
    f->faults = plb_alloc(2 * (size_t)(world->in->n_faults + c->n_pus + 1) * sizeof *f->faults);
    f->nodes = plb_alloc((size_t)c->n_nodes * sizeof *f->nodes);
    f->hung = plb_alloc((size_t)c->n_pus * sizeof *f->hung);
    f->broken = plb_alloc((size_t)c->n_pus * sizeof *f->broken);
    for (int n = 0; n < c->n_nodes; n++)
        f->nodes[n].stopped = f->nodes[n].unheard = -INFINITY;
    for (int n = c->n_nodes - world->in->n_joiners; n < c->n_nodes; n++)
        f->nodes[n].absent = f->nodes[n].given_up = true;
    for (int i = 0; i < world->in->n_faults; i++)
        add(f, &world->in->faults[i]);
    for (int n = 0; n < c->n_nodes; n++)
        for (int p = c->nodes[n].first_pu; p < c->nodes[n].first_pu + c->nodes[n].n_pus; p++)
            if (isfinite(plb_speed_death(&c->pus[p])))
                add(f, &(struct plb_fault){
                           .kind = PLB_HANGS, .node = n, .pu = p, .at = plb_speed_death(&c->pus[p])});
    return f;
}

void plb_faults_free(struct plb_faults *f)
{
    free(f->faults);
    free(f->nodes);
    free(f->hung);
    free(f->broken);
    free(f);
}

/* A node does not say BEAT from now on. */
static void silence(struct plb_faults *f, int node)
{
    double since;
    if (!plb_faults_silent(f, node, &since))
        f->nodes[node].silent_since = f->world->now;
}

/* Marks what no longer works, and counts. */
static void mark(struct plb_faults *f, struct fault_state *fault)
{
    struct plb_stress_counts *counts = &f->world->out->stress;
    struct node_state *node = &f->nodes[fault->is.node];
    double until = f->world->now + fault->is.lasts;
    fault->struck = true;
    counts->at_moment[fault->is.when]++;
    if (fault->is.pu < 0)
        silence(f, fault->is.node);
    if (fault->is.kind == PLB_STOPS) {
        node->stopped = fmax(node->stopped, until);
        counts->stops++;
    } else if (fault->is.kind == PLB_UNHEARD) {
        node->unheard = fmax(node->unheard, until);
        counts->unheard++;
    } else if (fault->is.kind == PLB_BREAKS) {
        f->broken[fault->is.pu] = true;
        counts->broken_pus++;
    } else if (fault->is.kind == PLB_HANGS && fault->is.pu >= 0) {
        f->hung[fault->is.pu] = true;
        counts->hung_pus++;
    } else {
        node->dead = true;
        node->loses = fault->is.kind == PLB_DIES;
        counts->deaths += node->loses;
        counts->hangs += !node->loses;
    }
}

bool plb_faults_strike(struct plb_faults *f, int number)
{
    struct fault_state *fault = &f->faults[number];
    if (fault->struck || f->nodes[fault->is.node].dead || f->nodes[fault->is.node].absent)
        return false;
    mark(f, fault);
    if (fault->is.kind == PLB_HANGS && fault->is.pu >= 0 && isfinite(f->world->in->stuck_s))
        add(f, &(struct plb_fault){.kind = PLB_HANGS,
                                   .node = fault->is.node,
                                   .pu = -1,
                                   .at = f->world->now + f->world->in->stuck_s});
    return fault->is.pu < 0;
}

void plb_faults_join(struct plb_faults *f, int node)
{
    f->nodes[node].absent = f->nodes[node].given_up = false;
    for (int i = 0; i < f->n; i++) { /* what was due before it came strikes now */
        const struct plb_fault *fault = &f->faults[i].is;
        if (fault->node == node && fault->when == PLB_AT && fault->at >= 0.0 && fault->at <= f->world->now)
            plan(f, f->world->now, PLB_EVENT_FAULT, node, i);
    }
}

void plb_faults_crash(struct plb_faults *f, int node)
{
    f->nodes[node].dead = true;
    f->world->out->stress.killed_nodes++;
}

int plb_faults_before_first_pass(struct plb_faults *f)
{
    for (int i = 0; i < f->n; i++) {
        struct fault_state *fault = &f->faults[i];
        if (fault->struck || fault->is.when != PLB_AT || fault->is.at >= 0.0
            || f->nodes[fault->is.node].absent)
            continue;
        mark(f, fault);
        f->world->out->stress.before_first_pass++;
        if (fault->is.kind != PLB_BREAKS)
            return fault->is.node;
    }
    return -1;
}

bool plb_faults_node_works(const struct plb_faults *f, int node)
{
    return !f->nodes[node].dead && !f->nodes[node].absent;
}

bool plb_faults_pu_works(const struct plb_faults *f, int node, int pu)
{
    return plb_faults_node_works(f, node) && !f->hung[pu];
}

bool plb_faults_pu_broken(const struct plb_faults *f, int pu)
{
    return f->broken[pu];
}

void plb_faults_give_up(struct plb_faults *f, int node)
{
    f->nodes[node].given_up = true;
}

bool plb_faults_given_up(const struct plb_faults *f, int node)
{
    return f->nodes[node].given_up;
}

double plb_faults_stopped(const struct plb_faults *f, int node)
{
    return f->nodes[node].stopped;
}

double plb_faults_unheard(const struct plb_faults *f, int node)
{
    return f->nodes[node].unheard;
}

bool plb_faults_silent(const struct plb_faults *f, int node, double *since)
{
    const struct node_state *n = &f->nodes[node];
    *since = n->silent_since;
    return n->dead || f->world->now < n->stopped || f->world->now < n->unheard;
}

bool plb_faults_ended(const struct plb_faults *f, int node)
{
    return f->nodes[node].loses;
}

bool plb_faults_running(const struct plb_faults *f, int node)
{
    return !f->nodes[node].loses && f->world->now >= f->nodes[node].stopped;
}

/* A moment of a node that faults may wait for. */
static void notice(struct plb_faults *f, int node, enum plb_moment moment)
{
    for (int i = 0; i < f->n && f->bound > 0; i++) {
        struct fault_state *fault = &f->faults[i];
        if (fault->is.when != moment || fault->is.node != node || ++fault->seen != fault->is.count)
            continue;
        f->bound--;
        plan(f, f->world->now, PLB_EVENT_FAULT, node, i);
    }
}

void plb_faults_sent(struct plb_faults *f, const struct plb_message *m)
{
    if (m->type == PLB_GIFT && m->gifts.n > 0)
        notice(f, m->from, PLB_AFTER_GIVING);
}

void plb_faults_received(struct plb_faults *f, const struct plb_message *m)
{
    if (m->type == PLB_GIFT && m->gifts.n > 0)
        notice(f, m->to, PLB_AFTER_TAKING);
    else if (m->type == PLB_EMPTY)
        notice(f, m->to, PLB_AFTER_EMPTY);
}

/* Whether a node sends it; the master sends the others, and node 0's loss is not rank 0's. */
static bool of_node(const struct plb_message *m)
{
    enum plb_way way = plb_message_route(m->type)->way;
    return way == PLB_UP || way == PLB_ACROSS || (way == PLB_UP_DOWN && m->to == 0);
}

bool plb_faults_lose(struct plb_faults *f, int from)
{
    return f->nodes[from].loses
        && plb_random_real(f->world->in->seed + 2, f->draws++) < f->world->in->lost_messages;
}

bool plb_faults_swallow(struct plb_faults *f, const struct plb_message *m)
{
    struct plb_stress_counts *counts = &f->world->out->stress;
    if (!of_node(m) || (m->type == PLB_FOLDED && m->from == 0))
        return false;
    counts->lost_gifts += m->type == PLB_GIFT && m->gifts.n > 0;
    counts->lost_moved += m->type == PLB_MOVED;
    counts->lost_others += m->type != PLB_GIFT && m->type != PLB_MOVED;
    return true;
}
