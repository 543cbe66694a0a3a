/* Shares of the cores, cores near a device, and how often hwloc is asked. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/memory.h"
#include "host/topology.h"
#include "node/describe.h"
#include "node/pu/open_pu.h"
#include "lone_rank.h"
#include "numa_policy.h"
#include "root.h"
#include "skip.h"
#include "stub_device.h"

/* Takes the place of hwloc's own, which it calls and counts. */
struct hwloc_topology;
int hwloc_topology_init(struct hwloc_topology **topology);
static int inits;
int hwloc_topology_init(struct hwloc_topology **topology)
{
    int (*real)(struct hwloc_topology **);
    *(void **)&real = dlsym(RTLD_NEXT, "hwloc_topology_init");
    inits++;
    return real(topology);
}

/* A topology of six cores: a package with 0, 4 and 8, and one with 2, 6 and 1030. */
static struct plb_topology six(void)
{
    struct plb_topology t = {.host = "six", .host_cores = 6, .cores = 6};
    static const short cpus[] = {0, 4, 8, 2, 6, 1030};
    for (size_t i = 0; i < 6; i++) {
        CPU_SET_S((size_t)cpus[i], sizeof t.allowed.at, t.allowed.at);
        t.order[i] = cpus[i];
    }
    return t;
}

static bool in(const struct plb_cores *cores, size_t cpu)
{
    return CPU_ISSET_S(cpu, sizeof cores->at, cores->at);
}

static int size(const struct plb_cores *cores)
{
    return CPU_COUNT_S(sizeof cores->at, cores->at);
}

static void shares_are_all_cores_once(void **state)
{
    (void)state;
    struct plb_topology t = six();
    for (int parts = 1; parts <= 6; parts++) {
        struct plb_cores all = {0}, cores;
        int sum = 0;
        for (int i = 0; i < parts; i++) {
            assert_true(plb_topology_share(&t, i, parts, &cores));
            assert_in_range(size(&cores), 6 / parts, (6 + parts - 1) / parts);
            CPU_OR_S(sizeof all.at, all.at, all.at, cores.at);
            sum += size(&cores);
        }
        assert_int_equal(sum, 6);
        assert_true(CPU_EQUAL_S(sizeof all.at, all.at, t.allowed.at));
    }
    struct plb_cores cores;
    assert_false(plb_topology_share(&t, 0, 7, &cores));
}

/* Writes what the system says of the device's cores, or nothing. */
static void say_near(const char *root, const char *list)
{
    char command[400];
    snprintf(command, sizeof command,
             "d='%s/sys/bus/pci/devices/0000:3b:00.0'; mkdir -p \"$d\"; printf -- '%s' >\"$d/local_cpulist\"",
             root, list);
    assert_int_equal(system(command), 0);
}

static void finds_the_cores_near_a_device(void **state)
{
    struct plb_topology t = six();
    struct plb_cores cores;
    assert_false(plb_topology_near(&t, *state, "0000:3B:00.0", &cores));
    say_near(*state, "1-4,8\\n");
    assert_true(plb_topology_near(&t, *state, "0000:3B:00.0", &cores));
    assert_int_equal(size(&cores), 3);
    assert_true(in(&cores, 2) && in(&cores, 4) && in(&cores, 8));
    say_near(*state, "0,1000-1100");
    assert_true(plb_topology_near(&t, *state, "0000:3b:00.0", &cores));
    assert_true(size(&cores) == 2 && in(&cores, 0) && in(&cores, 1030));
    static const char *const unusable[] = {"", "\\n", "x", "1,3", "-5", "5-"};
    for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++) {
        say_near(*state, unusable[i]);
        assert_false(plb_topology_near(&t, *state, "0000:3b:00.0", &cores));
    }
}

static void a_share_follows_the_hardware(void **state)
{
    (void)state;
    struct plb_topology t = six();
    struct plb_cores cores;
    assert_true(plb_topology_share(&t, 0, 2, &cores));
    assert_true(size(&cores) == 3 && in(&cores, 0) && in(&cores, 4) && in(&cores, 8));
    assert_true(plb_topology_share(&t, 1, 3, &cores));
    assert_true(size(&cores) == 2 && in(&cores, 8) && in(&cores, 2));
}

/* Two packages whose CPUs the system numbers by turns, as on many machines. */
static void the_order_is_that_of_the_hardware(void **state)
{
    (void)state;
    struct plb_topology t;
    struct plb_cores cores;
    setenv("HWLOC_SYNTHETIC", "pack:2 core:3 pu:1(indexes=0,2,4,1,3,5)", 1);
    plb_topology_read(&t);
    unsetenv("HWLOC_SYNTHETIC");
    assert_int_equal(t.cores, 6);
    assert_true(plb_topology_share(&t, 1, 2, &cores));
    assert_true(size(&cores) == 3 && in(&cores, 1) && in(&cores, 3) && in(&cores, 5));
}

/* Two nodes, whose CPUs the system numbers by turns: where the memory of a device near these cores is. */
static void a_device_is_near_a_node(void **state)
{
    struct plb_topology t;
    struct plb_cores cores;
    setenv("HWLOC_SYNTHETIC", "pack:2 [numa] core:3 pu:1(indexes=0,2,4,1,3,5)", 1);
    plb_topology_read(&t);
    setenv("HWLOC_SYNTHETIC", "pack:2 core:3 pu:1(indexes=0,2,4,1,3,5)", 1);
    struct plb_topology alike;
    plb_topology_read(&alike);
    unsetenv("HWLOC_SYNTHETIC");
    static const struct near {
        const char *list;
        int node;
    } near[] = {{"0,2,4", 0}, {"1,3,5", 1}, {"3", 1}, {"0-5", -1}};
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        say_near(*state, near[i].list);
        assert_true(plb_topology_near(&t, *state, "0000:3b:00.0", &cores));
        assert_int_equal(plb_topology_node(&t, &cores), near[i].node);
        assert_int_equal(plb_topology_node(&alike, &cores), -1); /* there is one node */
    }
}

/* Whole pages alone: others lie in the rest. */
static void pages_come_from_a_node(void **state)
{
    (void)state;
    enum { PAGE = 4096, PAGES = 8 };
    char *memory = plb_reserve(PAGES * PAGE, false);
    if (prefers_node_0(memory) < 0)
        skip_since("the system does not tell where pages come from");
    plb_memory_prefer(memory, PAGES * PAGE, -1);
    plb_memory_prefer(memory, PAGES * PAGE, 1024);
    for (int i = 0; i < PAGES; i++)
        assert_int_equal(prefers_node_0(memory + i * PAGE), 0);
    plb_memory_prefer(memory + 1, 2 * PAGE, 0);
    for (int i = 0; i < PAGES; i++)
        assert_int_equal(prefers_node_0(memory + i * PAGE), i == 1);
    plb_shared_free(memory, PAGES * PAGE);
}

static double cache_of(const char *machine)
{
    struct plb_topology t;
    setenv("HWLOC_SYNTHETIC", machine, 1);
    plb_topology_read(&t);
    unsetenv("HWLOC_SYNTHETIC");
    return t.cache;
}

static void cores_share_their_last_cache(void **state)
{
    (void)state;
    assert_true(cache_of("pack:2 l3:2(size=16777216) l2:4(size=1048576) core:1 pu:2") == 4.0 * (1 << 20));
    assert_true(cache_of("pack:1 l2:3(size=1048576) core:2 pu:1") == 0.5 * (1 << 20));
    assert_true(cache_of("pack:1 core:2 pu:1") == 0.0);
}

/* The bytes of a task that a rank's CPU with two threads wishes, on a machine with 4 MB of cache per core. */
static double task_bytes(bool streams, int rank)
{
    const struct plb_kernel kernel = {.name = "none", .cpu = no_entry, .streams = streams};
    const struct plb_rank_site place = {.rank = rank, .local_size = 2, .gather = gather_alone};
    const struct plb_cluster_spec none = {.n_nodes = 0};
    const struct plb_pu_settings settings = {.wanted = PLB_PUS_CPU};
    struct plb_node_pu *pus = NULL;
    setenv("HWLOC_SYNTHETIC", "pack:1 l3:2(size=8388608) core:2 pu:1", 1);
    int n = plb_pus_describe(&place, &none, &kernel, &settings, &pus);
    unsetenv("HWLOC_SYNTHETIC");
    assert_int_equal(n, 1);
    assert_int_equal(pus[0].info.threads, 2);
    double bytes = pus[0].info.task_bytes;
    free(pus);
    return bytes;
}

static void tasks_of_a_kernel_that_streams_fit_the_cache(void **state)
{
    (void)state;
    assert_true(task_bytes(true, 1) == 2.0 * (1 << 20)); /* a quarter of the cache of two cores */
    assert_true(task_bytes(true, 0) == 0.0);             /* its data does not travel */
    assert_true(task_bytes(false, 1) == 0.0);
}

static void *bind_to_the_last(void *where)
{
    struct plb_topology t;
    struct plb_cores cores;
    plb_topology_read(&t);
    assert_true(plb_topology_share(&t, t.cores - 1, t.cores, &cores));
    plb_cores_bind(&cores, where, 24);
    cpu_set_t now[PLB_MOST_CPUS / CPU_SETSIZE];
    assert_int_equal(sched_getaffinity(0, sizeof now, now), 0);
    assert_true(CPU_EQUAL_S(sizeof now, now, cores.at));
    return NULL;
}

static void binds_the_calling_thread(void **state)
{
    (void)state;
    char where[24] = "";
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, bind_to_the_last, where), 0);
    pthread_join(thread, NULL);
    assert_true(where[0] >= '0' && where[0] <= '9');
}

static const struct plb_device_driver stub_driver = {.name = "stub", .entry = stub_entry, .ops = {STUB_OPS}};

/* Several threads open their PUs; only the rank's own look at the host asks hwloc. */
static void a_rank_asks_hwloc_once(void **state)
{
    (void)state;
    struct plb_topology t;
    inits = 0;
    plb_topology_read(&t);
    assert_int_equal(inits, 1);
    struct plb_dataset data = {.units = 1};
    struct plb_kernel kernel = {.name = "none"};
    struct plb_node_config config = {.kernel = &kernel, .data = &data};
    for (int i = 0; i < 3; i++) {
        struct plb_executor e;
        struct plb_error err = {.status = PLB_OK};
        struct plb_node_pu pu = {.driver = &stub_driver};
        pu.bound = plb_topology_share(&t, 0, 1, &pu.cores);
        assert_true(plb_pu_open(&e, &pu, &config, &err));
        assert_true(pu.info.cores[0] != '\0');
        plb_executor_close(&e);
    }
    assert_int_equal(inits, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_all_cores_once),
        TEST_IN_ROOT(finds_the_cores_near_a_device),
        cmocka_unit_test(a_share_follows_the_hardware),
        cmocka_unit_test(the_order_is_that_of_the_hardware),
        TEST_IN_ROOT(a_device_is_near_a_node),
        cmocka_unit_test(pages_come_from_a_node),
        cmocka_unit_test(cores_share_their_last_cache),
        cmocka_unit_test(tasks_of_a_kernel_that_streams_fit_the_cache),
        cmocka_unit_test(binds_the_calling_thread),
        cmocka_unit_test(a_rank_asks_hwloc_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
