/* hwloc: cores, binding and names. */
#include "base/topology.h"

#include <hwloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The cores that this process is bound to, each as the first of its hardware threads. To be freed. */
static hwloc_bitmap_t allowed_cores(hwloc_topology_t t)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc(), cores = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(t, set, HWLOC_CPUBIND_PROCESS) != 0)
        hwloc_bitmap_copy(set, hwloc_topology_get_allowed_cpuset(t));
    hwloc_bitmap_and(set, set, hwloc_topology_get_allowed_cpuset(t));
    int n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE);
    for (int i = 0; i < n; i++) {
        hwloc_obj_t core = hwloc_get_obj_by_type(t, HWLOC_OBJ_CORE, (unsigned)i);
        if (hwloc_bitmap_intersects(core->cpuset, set))
            hwloc_bitmap_set(cores, (unsigned)hwloc_bitmap_first(core->cpuset));
    }
    if (n <= 0 || hwloc_bitmap_iszero(cores))
        hwloc_bitmap_copy(cores, set);
    hwloc_bitmap_free(set);
    return cores;
}

void plb_topology_read(struct plb_topology *topology)
{
    *topology = (struct plb_topology){.cpu = "cpu", .host_cores = 1, .cores = 1};
    gethostname(topology->host, sizeof topology->host - 1);
    hwloc_topology_t t;
    if (hwloc_topology_init(&t) != 0)
        return;
    if (hwloc_topology_load(t) == 0) {
        hwloc_bitmap_t cores = allowed_cores(t);
        int all = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE);
        topology->host_cores = all > 0 ? all : 1;
        topology->cores = hwloc_bitmap_weight(cores) > 0 ? hwloc_bitmap_weight(cores) : 1;
        hwloc_bitmap_list_snprintf(topology->where, sizeof topology->where, cores);
        hwloc_obj_t package = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0);
        const char *model = package != NULL ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
        if (model != NULL)
            snprintf(topology->cpu, sizeof topology->cpu, "%s", model);
        hwloc_bitmap_free(cores);
    }
    hwloc_topology_destroy(t);
}

void plb_topology_bind(int index, int parts, char *where, int size)
{
    hwloc_topology_t t;
    if (hwloc_topology_init(&t) != 0)
        return;
    if (hwloc_topology_load(t) == 0) {
        hwloc_bitmap_t cores = allowed_cores(t), part = hwloc_bitmap_alloc();
        int n = hwloc_bitmap_weight(cores), i = 0;
        for (int core = hwloc_bitmap_first(cores); core >= 0; core = hwloc_bitmap_next(cores, core), i++)
            if (i >= index * n / parts && i < (index + 1) * n / parts)
                hwloc_bitmap_set(part, (unsigned)core);
        if (n >= parts && hwloc_set_cpubind(t, part, HWLOC_CPUBIND_THREAD) == 0)
            hwloc_bitmap_list_snprintf(where, (size_t)size, part);
        hwloc_bitmap_free(cores);
        hwloc_bitmap_free(part);
    }
    hwloc_topology_destroy(t);
}

void plb_topology_bind_near(const char *pci, char *where, int size)
{
    hwloc_topology_t t;
    if (hwloc_topology_init(&t) != 0)
        return;
    hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(t) == 0) {
        hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(t, pci);
        hwloc_obj_t near = device != NULL ? hwloc_get_non_io_ancestor_obj(t, device) : NULL;
        hwloc_bitmap_t cores = allowed_cores(t);
        if (near != NULL && hwloc_bitmap_intersects(cores, near->cpuset)) {
            hwloc_bitmap_and(cores, cores, near->cpuset);
            if (hwloc_set_cpubind(t, cores, HWLOC_CPUBIND_THREAD) == 0)
                hwloc_bitmap_list_snprintf(where, (size_t)size, cores);
        }
        hwloc_bitmap_free(cores);
    }
    hwloc_topology_destroy(t);
}
