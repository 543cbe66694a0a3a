/* hwloc: cores, binding and names. The system's own files say which CPUs are close to a PCI device, so that
 * hwloc need not look for devices: that takes 0.1 s and more on a large node. */
#include "host/topology.h"

#include <ctype.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool has(const struct plb_cores *cores, int cpu)
{
    return CPU_ISSET_S((size_t)cpu, sizeof cores->at, cores->at);
}

static void put(struct plb_cores *cores, int cpu)
{
    CPU_SET_S((size_t)cpu, sizeof cores->at, cores->at);
}

/* As a list, such as "0-3,8"; cut to fit. */
static void print(const struct plb_cores *cores, char *text, int size)
{
    int used = 0;
    text[0] = '\0';
    for (int cpu = 0; cpu < PLB_MOST_CPUS && used < size; cpu++) {
        int first = cpu;
        if (!has(cores, cpu))
            continue;
        while (cpu + 1 < PLB_MOST_CPUS && has(cores, cpu + 1))
            cpu++;
        used += snprintf(text + used, (size_t)(size - used), cpu > first ? "%s%d-%d" : "%s%d",
                         used > 0 ? "," : "", first, cpu);
    }
}

static void add(struct plb_topology *topology, int cpu)
{
    if (cpu >= PLB_MOST_CPUS)
        return;
    topology->order[CPU_COUNT_S(sizeof topology->allowed.at, topology->allowed.at)] = (short)cpu;
    put(&topology->allowed, cpu);
}

/* The cores that this process is bound to, each as the first of its hardware threads. hwloc's order is that
 * of the hardware; the system may number the cores of two packages by turns. */
static void read_allowed(hwloc_topology_t t, struct plb_topology *topology)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(t, set, HWLOC_CPUBIND_PROCESS) != 0)
        hwloc_bitmap_copy(set, hwloc_topology_get_allowed_cpuset(t));
    hwloc_bitmap_and(set, set, hwloc_topology_get_allowed_cpuset(t));
    int n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE);
    for (int i = 0; i < n; i++) {
        hwloc_obj_t core = hwloc_get_obj_by_type(t, HWLOC_OBJ_CORE, (unsigned)i);
        if (hwloc_bitmap_intersects(core->cpuset, set))
            add(topology, hwloc_bitmap_first(core->cpuset));
    }
    if (CPU_COUNT_S(sizeof topology->allowed.at, topology->allowed.at) == 0)
        for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
            add(topology, cpu);
    hwloc_bitmap_free(set);
}

/* How efficient the kind of each allowed core is. False where that is not known of one. */
static bool read_efficiencies(hwloc_topology_t t, const struct plb_topology *topology, int n, int *efficiency)
{
    hwloc_bitmap_t cpu = hwloc_bitmap_alloc();
    bool known = true;
    for (int i = 0; i < n && known; i++) {
        hwloc_bitmap_only(cpu, (unsigned)topology->order[i]);
        int kind = hwloc_cpukinds_get_by_cpuset(t, cpu, 0);
        efficiency[i] = -1;
        if (kind >= 0)
            hwloc_cpukinds_get_info(t, (unsigned)kind, NULL, &efficiency[i], NULL, NULL, 0);
        known = efficiency[i] >= 0;
    }
    hwloc_bitmap_free(cpu);
    return known;
}

/* The kinds of the allowed cores, as far as there are any among them: the most efficient one, in hwloc's word
 * the quickest, first. The last kind has all that are slower. */
static void read_kinds(hwloc_topology_t t, struct plb_topology *topology, int n)
{
    int efficiency[PLB_MOST_CPUS], highest = INT_MAX;
    if (!read_efficiencies(t, topology, n, efficiency))
        return;
    for (int kind = 0; kind < PLB_CORE_KINDS; kind++) {
        int next = -1;
        for (int i = 0; i < n; i++)
            if (efficiency[i] < highest) {
                topology->kind[i] = (unsigned char)kind;
                next = efficiency[i] > next ? efficiency[i] : next;
            }
        if (next < 0)
            break;
        topology->kinds = kind + 1;
        highest = next;
    }
}

/* The NUMA nodes of the allowed cores. */
static void read_nodes(hwloc_topology_t t, struct plb_topology *topology, int n)
{
    topology->nodes = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE);
    for (int i = 0; i < n; i++) {
        const struct hwloc_obj *pu = hwloc_get_pu_obj_by_os_index(t, (unsigned)topology->order[i]);
        topology->node[i] = (short)(pu != NULL && pu->nodeset != NULL ? hwloc_bitmap_first(pu->nodeset) : -1);
    }
}

/* Bytes of the last-level cache above a core, for each of the cores that share it. */
static double cache_of(hwloc_topology_t t, hwloc_obj_t core)
{
    hwloc_obj_t last = NULL;
    for (hwloc_obj_t o = core; o != NULL; o = o->parent)
        if (hwloc_obj_type_is_dcache(o->type))
            last = o;
    int cores = last != NULL ? hwloc_get_nbobjs_inside_cpuset_by_type(t, last->cpuset, HWLOC_OBJ_CORE) : 0;
    return cores > 0 ? (double)last->attr->cache.size / cores : 0.0;
}

void plb_topology_read(struct plb_topology *topology)
{
    *topology = (struct plb_topology){.cpu = "cpu", .host_cores = 1, .cores = 1, .kinds = 1};
    gethostname(topology->host, sizeof topology->host - 1);
    hwloc_topology_t t;
    if (hwloc_topology_init(&t) != 0)
        return;
    if (hwloc_topology_load(t) == 0) {
        int all = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE);
        read_allowed(t, topology);
        int allowed = CPU_COUNT_S(sizeof topology->allowed.at, topology->allowed.at);
        read_kinds(t, topology, allowed);
        read_nodes(t, topology, allowed);
        topology->host_cores = all > 0 ? all : 1;
        topology->cache = cache_of(t, hwloc_get_obj_by_type(t, HWLOC_OBJ_CORE, 0));
        topology->cores = allowed > 0 ? allowed : 1;
        print(&topology->allowed, topology->where, sizeof topology->where);
        hwloc_obj_t package = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0);
        const char *model = package != NULL ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
        if (model != NULL)
            snprintf(topology->cpu, sizeof topology->cpu, "%s", model);
    }
    hwloc_topology_destroy(t);
}

bool plb_topology_share(const struct plb_topology *topology, int index, int parts, struct plb_cores *cores)
{
    int n = CPU_COUNT_S(sizeof topology->allowed.at, topology->allowed.at);
    *cores = (struct plb_cores){0};
    for (int i = index * n / parts; i < (index + 1) * n / parts; i++)
        put(cores, topology->order[i]);
    return n >= parts;
}

int plb_topology_share_of_kind(const struct plb_topology *topology, int index, int parts, int kind,
                               struct plb_cores *cores)
{
    int n = CPU_COUNT_S(sizeof topology->allowed.at, topology->allowed.at), count = 0;
    *cores = (struct plb_cores){0};
    for (int i = index * n / parts; i < (index + 1) * n / parts; i++)
        if (topology->kind[i] == kind) {
            put(cores, topology->order[i]);
            count++;
        }
    return count;
}

const char *plb_topology_kind_name(int kind)
{
    static const char *const names[PLB_CORE_KINDS] = {"P cores", "E cores", "E2 cores", "E3 cores"};
    return names[kind];
}

/* Reads a list such as "0-3,8" from a file. False where there is none. */
static bool read_list(const char *path, struct plb_cores *cores)
{
    FILE *file = fopen(path, "re");
    int first, last, any = 0;
    char next = ',';
    *cores = (struct plb_cores){0};
    while (file != NULL && next == ',' && fscanf(file, "%d", &first) == 1 && first >= 0) {
        last = first;
        if (fscanf(file, "%c", &next) == 1 && next == '-' && fscanf(file, "%d%c", &last, &next) < 1)
            last = first;
        for (int cpu = first; cpu <= last && cpu < PLB_MOST_CPUS; cpu++, any++)
            put(cores, cpu);
    }
    if (file != NULL)
        fclose(file);
    return any > 0;
}

bool plb_topology_near(const struct plb_topology *topology, const char *root, const char *pci,
                       struct plb_cores *cores)
{
    char path[PATH_MAX], id[32];
    size_t n = 0;
    for (; pci[n] != '\0' && n < sizeof id - 1; n++)
        id[n] = (char)tolower((unsigned char)pci[n]);
    id[n] = '\0';
    snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s/local_cpulist", root, id);
    if (!read_list(path, cores))
        return false;
    CPU_AND_S(sizeof cores->at, cores->at, cores->at, topology->allowed.at);
    return CPU_COUNT_S(sizeof cores->at, cores->at) > 0;
}

int plb_topology_node(const struct plb_topology *topology, const struct plb_cores *cores)
{
    int n = CPU_COUNT_S(sizeof topology->allowed.at, topology->allowed.at), node = -1;
    if (topology->nodes > 1)
        for (int i = 0; i < n; i++) {
            if (!has(cores, topology->order[i]))
                continue;
            if (node >= 0 && topology->node[i] != node)
                return -1;
            node = topology->node[i];
        }
    return node;
}

bool plb_cores_of_thread(struct plb_cores *cores)
{
    *cores = (struct plb_cores){0};
    return sched_getaffinity(0, sizeof cores->at, cores->at) == 0;
}

void plb_cores_bind(const struct plb_cores *cores, char *where, int size)
{
    if (sched_setaffinity(0, sizeof cores->at, cores->at) == 0)
        print(cores, where, size);
}

static void bind_own(const struct plb_own_cores *c, bool all)
{
    char where[1];
    if (c != NULL && c->bound && pthread_equal(c->thread, pthread_self()))
        plb_cores_bind(all ? &c->all : &c->own, where, sizeof where);
}

void plb_own_cores_leave(const struct plb_own_cores *cores)
{
    bind_own(cores, true);
}

void plb_own_cores_return(const struct plb_own_cores *cores)
{
    bind_own(cores, false);
}
