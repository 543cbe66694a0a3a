/* Counters from watts. */
#include "simulate/meter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/normal.h"
#include "simulate/events.h"
#include "simulate/node_inside.h"
#include "plb/kernel.h"
#include "meter/account.h"

#define COUNT 6.1e-5 /* joules of a count, as of many processors */

struct counter {
    double exact, counted; /* joules until the last reading: used, and as the counter shows them */
    double told;           /* of the account's */
    struct plb_meter_account account;
    int64_t readings;
};

struct plb_virtual_meter {
    const struct plb_world *world;
    struct counter *hosts, *pus; /* by node, and by PU of the cluster */
    double *ended, *began;       /* by node: when the last window ended, and the first one began */
    double *busy;                /* by PU: seconds until then */
};

struct plb_virtual_meter *plb_virtual_meter_new(const struct plb_world *world)
{
    const struct plb_cluster_spec *c = world->in->cluster;
    const struct plb_goal *goal = &world->in->master.goal;
    if (!world->in->meters.on || (goal->objective == PLB_OBJECTIVE_TIME && !(goal->power_cap > 0.0)))
        return NULL;
    struct plb_virtual_meter *m = plb_alloc(sizeof *m);
    m->world = world;
    m->hosts = plb_alloc((size_t)c->n_nodes * sizeof *m->hosts);
    m->pus = plb_alloc((size_t)c->n_pus * sizeof *m->pus);
    m->ended = plb_alloc((size_t)c->n_nodes * sizeof *m->ended);
    m->began = plb_alloc((size_t)c->n_nodes * sizeof *m->began);
    m->busy = plb_alloc((size_t)c->n_pus * sizeof *m->busy);
    for (int n = 0; n < c->n_nodes; n++)
        m->began[n] = INFINITY;
    return m;
}

void plb_virtual_meter_free(struct plb_virtual_meter *m)
{
    if (m == NULL)
        return;
    free(m->hosts);
    free(m->pus);
    free(m->ended);
    free(m->began);
    free(m->busy);
    free(m);
}

static int host_of(const struct plb_simulation *in, int node)
{
    return in->hosts != NULL ? in->hosts[node] : node;
}

/* Whether a node is the first of its host. */
static bool reads(const struct plb_simulation *in, int node)
{
    for (int n = 0; n < node; n++)
        if (host_of(in, n) == host_of(in, node))
            return false;
    return true;
}

void plb_virtual_meter_hide(const struct plb_simulation *in, struct plb_pu_info *info)
{
    if (!in->meters.on)
        return;
    info->static_watts = info->dynamic_watts = (double)NAN;
    info->meter = (info->kind != PLB_CPU ? PLB_METERED_ALONE : 0)
                | (reads(in, info->node) ? PLB_METERS_ITS_HOST : 0);
    snprintf(info->host, sizeof info->host, "host%d", host_of(in, info->node));
}

/* Windows end where the clock shows a multiple of the short ones. */
void plb_virtual_meter_plan(struct plb_virtual_meter *m, int n)
{
    double now = m->world->now;
    if (isinf(m->began[n]))
        m->began[n] = m->ended[n] = now;
    const struct plb_simulation *in = m->world->in;
    bool first = n < in->cluster->n_nodes - in->n_joiners && now < m->began[n] + PLB_WINDOW_FIRST;
    double steps = first ? 1.0 : PLB_WINDOW_LONG / PLB_WINDOW_SHORT;
    double end = PLB_WINDOW_SHORT * steps * (floor(now / (PLB_WINDOW_SHORT * steps) + 1e-6) + 1.0);
    plb_events_add(m->world->clock, (struct plb_event){end, PLB_EVENT_WINDOW, n, -1, -1});
}

/* The joules of a counter since it was last read, whose PUs have used `exact` in all. */
static double read_counter(const struct plb_virtual_meter *m, struct counter *c, int number, double exact)
{
    const struct plb_virtual_meters *how = &m->world->in->meters;
    struct plb_meter_domain domain = {
        .joules = COUNT, .range = how->range_j > 0.0 ? floor(how->range_j / COUNT) : 0.0, .refresh = 1e-3};
    uint64_t stream = m->world->in->seed + 5000 + (uint64_t)number;
    double lies = plb_random_real(stream, 0) < 0.5 ? -how->lie : how->lie;
    double noise = how->noise * plb_random_normal(stream, 1 + (uint64_t)c->readings);
    bool stands = plb_random_real(stream + 1, 0) < how->still && m->world->now >= how->still_from;
    if (!stands)
        c->counted += fmax((exact - c->exact) * (1.0 + lies) * (1.0 + noise), 0.0);
    c->exact = exact;
    double count = floor(c->counted / COUNT);
    if (domain.range > 0.0)
        count -= domain.range * floor(count / domain.range);
    if (c->readings++ == 0)
        plb_meter_account_add(&c->account, &domain, 0.0, 0, 0.0);
    plb_meter_account_add(&c->account, &domain, m->world->now, (uint64_t)count, 0.0);
    double joules = plb_meter_account_joules(&c->account, &domain) - c->told;
    c->told += joules;
    return joules;
}

/* Seconds that a PU of the cluster has worked since the run began. */
static double busy_s(const struct plb_virtual_nodes *v, int p)
{
    return v->pus[p].worked_s + plb_virtual_pu_executes_s(&v->pus[p], v->world->now);
}

/* Joules of the CPUs of a host since the node that reads them began to. */
static double used_by_host(const struct plb_virtual_meter *m, int node, const struct plb_virtual_nodes *v)
{
    const struct plb_cluster_spec *c = m->world->in->cluster;
    double joules = 0.0;
    for (int n = 0; n < c->n_nodes; n++)
        for (int p = c->nodes[n].first_pu; p < c->nodes[n].first_pu + c->nodes[n].n_pus; p++)
            if (host_of(m->world->in, n) == host_of(m->world->in, node) && c->pus[p].kind == PLB_CPU)
                joules += c->pus[p].static_watts * (m->world->now - m->began[node])
                        + c->pus[p].dynamic_watts * busy_s(v, p);
    return joules;
}

void plb_virtual_meter_read(struct plb_virtual_meter *m, int n, const struct plb_virtual_nodes *nodes,
                            struct plb_outbox *out)
{
    const struct plb_simulation *in = m->world->in;
    const struct plb_cluster_spec *c = in->cluster;
    const struct plb_node_spec *node = &c->nodes[n];
    double now = m->world->now, seconds = now - m->ended[n];
    double joules = reads(in, n) ? read_counter(m, &m->hosts[n], n, used_by_host(m, n, nodes)) : (double)NAN;
    m->ended[n] = now;
    for (int i = 0; i < node->n_pus && seconds > 0.0; i += PLB_WINDOW_PUS) {
        struct plb_message *message = plb_outbox_add(out, PLB_WINDOW, n, 0,
                                                     plb_worker_pass(nodes->at[n].worker));
        struct plb_window *w = &message->window;
        message->pu = i;
        w->number = (int64_t)round(now / PLB_WINDOW_SHORT);
        w->seconds = seconds;
        w->joules = joules;
        w->n = node->n_pus - i < PLB_WINDOW_PUS ? node->n_pus - i : PLB_WINDOW_PUS;
        for (int k = 0; k < w->n; k++) {
            int p = node->first_pu + i + k;
            const struct plb_pu_spec *pu = &c->pus[p];
            double busy = busy_s(nodes, p);
            double used = pu->static_watts * (now - m->began[n]) + pu->dynamic_watts * busy;
            bool own = pu->kind != PLB_CPU;
            w->at[k].busy_s = (float)(busy - m->busy[p]);
            w->at[k].joules = own ? (float)read_counter(m, &m->pus[p], c->n_nodes + p, used) : NAN;
            m->busy[p] = busy;
        }
    }
    plb_virtual_meter_plan(m, n);
}
