/* Threads in the order of the kinds. */
#include "node/core_kinds.h"

#include <stdio.h>
#include <string.h>

int plb_core_kinds(const struct plb_topology *t, const struct plb_device_pu *cpu,
                   struct plb_core_part parts[PLB_CORE_KINDS])
{
    int shares = cpu->bind_parts > 1 ? cpu->bind_parts : 1, index = shares > 1 ? cpu->bind_index : 0;
    int cores = 0, n = 0, threads = cpu->config.threads;
    for (int kind = 0; kind < t->kinds; kind++) {
        parts[n].n_cores = plb_topology_share_of_kind(t, index, shares, kind, &parts[n].cores);
        parts[n].kind = kind;
        cores += parts[n].n_cores;
        n += parts[n].n_cores > 0;
    }
    if (n < 2)
        return 0;
    int left = threads % cores, used = 0;
    for (int i = 0; i < n; i++) {
        int more = left < parts[i].n_cores ? left : parts[i].n_cores;
        left -= more;
        parts[i].threads = threads / cores * parts[i].n_cores + more;
        used += parts[i].threads > 0; /* those behind one without a thread have none either */
    }
    return used;
}

void plb_core_part_describe(const struct plb_core_part *part, struct plb_device_pu *cpu)
{
    char model[PLB_NAME];
    double share = (double)part->threads / cpu->config.threads;
    memcpy(model, cpu->model, sizeof model);
    cpu->power *= share;
    cpu->task_bytes *= share;
    cpu->config.threads = part->threads;
    cpu->cores = part->n_cores;
    snprintf(cpu->name, sizeof cpu->name, "%.36s %s", model, plb_topology_kind_name(part->kind));
    snprintf(cpu->model, sizeof cpu->model, "%.36s %s", model, plb_topology_kind_name(part->kind));
}
