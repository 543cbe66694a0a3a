/* From the cluster to workers. */
#include "simulate/worker.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>

#include "base/normal.h"
#include "core/overdue.h"
#include "simulate/meter.h"

void plb_virtual_pu_describe(const struct plb_world *w, int n, int local, struct plb_pu_info *info)
{
    const struct plb_node_spec *node = &w->in->cluster->nodes[n];
    const struct plb_pu_spec *spec = &w->in->cluster->pus[node->first_pu + local];
    *info = (struct plb_pu_info){.node = n,
                                 .local = local,
                                 .kind = spec->kind,
                                 .power = spec->power,
                                 .memory = spec->memory,
                                 .start_s = spec->overhead,
                                 .static_watts = spec->static_watts,
                                 .dynamic_watts = spec->dynamic_watts};
    snprintf(info->name, sizeof info->name, "%s", spec->name);
    snprintf(info->host, sizeof info->host, "%s", node->name);
    plb_virtual_meter_hide(w->in, info);
}

struct plb_worker *plb_virtual_worker_new(const struct plb_world *w, int n, int n_pus)
{
    const struct plb_simulation *in = w->in;
    struct plb_worker_pu pus[n_pus + 1];
    for (int i = 0; i < n_pus; i++) {
        struct plb_pu_info info;
        plb_virtual_pu_describe(w, n, i, &info);
        pus[i] = (struct plb_worker_pu){
            info.power, plb_task_limit(in->master.sizes, &info, in->master.grain, in->master.pulled_bytes),
            false};
    }
    struct plb_worker_config config = {.node = n,
                                       .n_nodes = in->cluster->n_nodes,
                                       .n_pus = n_pus,
                                       .pus = pus,
                                       .sizes = in->master.sizes,
                                       .maps = in->maps,
                                       .n_phases = in->master.phases,
                                       .migration = in->migration};
    return plb_worker_new(&config);
}

double plb_virtual_seconds(const struct plb_world *w, const struct plb_cost_map *map, int pu, int number,
                           struct plb_range range)
{
    const struct plb_pu_spec *spec = &w->in->cluster->pus[pu];
    double cost = plb_cost_work(map, range.first, range.count) * map->per_work;
    double seconds = (cost + spec->half) / spec->rate + spec->overhead;
    if (spec->noise > 0.0)
        seconds *= exp(spec->noise * plb_random_normal(w->in->seed ^ ((uint64_t)pu << 32), (uint64_t)number));
    return seconds;
}

double plb_virtual_limit(const struct plb_world *w, struct plb_worker *worker, int local,
                         const struct plb_slice *task)
{
    double after = w->in->hung_after;
    return after > 0.0 ? plb_overdue_limit(after, plb_worker_expect(worker, local, task)) : INFINITY;
}

/* The units of the call of the kernel that executes a unit of a burst. */
static struct plb_range call_of(const struct plb_slice *task, int64_t unit)
{
    int64_t part = plb_slice_units(task), number = (unit - task->range.first) / part;
    number = number < task->more ? number : task->more;
    struct plb_range call = {task->range.first + number * part, part};
    if (number == task->more)
        call.count = task->range.first + task->range.count - call.first;
    return call;
}

bool plb_virtual_crash(const struct plb_world *w, int n, int local, const struct plb_slice *task, int phase,
                       struct plb_outbox *out)
{
    for (int i = 0; i < w->in->n_deadly; i++) {
        struct plb_range unit = {w->in->deadly[i].unit, 1};
        if (w->in->deadly[i].phase != phase || !plb_range_within(unit, task->range))
            continue;
        struct plb_message *m = plb_outbox_add(out, PLB_CRASH, n, 0, task->pass);
        m->pu = local;
        m->crash = (struct plb_crashed){.range = call_of(task, unit.first),
                                        .block = task->block,
                                        .audit = task->audit,
                                        .signal = SIGSEGV,
                                        .alive = w->in->master.isolated};
        return true;
    }
    return false;
}

void plb_virtual_trace(const struct plb_world *w, int n, int id, int type, double start, double end,
                       const struct plb_slice *task, int pass)
{
    struct plb_slice none = {.pass = pass}, t = task != NULL ? *task : none;
    if (w->in->trace != NULL)
        plb_trace_add(w->in->trace, (struct plb_trace_event){type, n, id, t.pass, start, end - start,
                                                             t.range.first, t.range.count, t.block});
}
