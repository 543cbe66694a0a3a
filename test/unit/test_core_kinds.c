/* Quick and slow cores: what hwloc says of a machine, and the PUs that they become. */
#include <hwloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "node/core_kinds.h"
#include "node/describe.h"
#include "lone_rank.h"

#define KINDS 5

/* A machine whose CPUs are of these kinds, each CPU once, as hwloc's XML; efficiencies below 0: not known. */
struct machine {
    const char *synthetic, *cpus[KINDS];
    int efficiency[KINDS];
};

/* As many laptops have: two quick cores of two hardware threads, 0 to 3, and four slow ones. */
static const struct machine laptop = {"pack:1 core:6 pu:2", {"0-3", "4-11"}, {7, 2}};

static void read_machine(const struct machine *m, struct plb_topology *t)
{
    char file[] = "/tmp/core_kinds.XXXXXX";
    int fd = mkstemp(file);
    hwloc_topology_t made;
    assert_true(fd >= 0);
    assert_int_equal(hwloc_topology_init(&made), 0);
    assert_int_equal(hwloc_topology_set_synthetic(made, m->synthetic), 0);
    assert_int_equal(hwloc_topology_load(made), 0);
    for (int k = 0; k < KINDS && m->cpus[k] != NULL; k++) {
        hwloc_bitmap_t set = hwloc_bitmap_alloc();
        hwloc_bitmap_list_sscanf(set, m->cpus[k]);
        assert_int_equal(hwloc_cpukinds_register(made, set, m->efficiency[k], 0, NULL, 0), 0);
        hwloc_bitmap_free(set);
    }
    assert_int_equal(hwloc_topology_export_xml(made, file, 0), 0);
    hwloc_topology_destroy(made);
    setenv("HWLOC_XMLFILE", file, 1);
    if (t != NULL) {
        plb_topology_read(t);
        unsetenv("HWLOC_XMLFILE");
        unlink(file);
    }
    close(fd);
}

static void expect_list(const struct plb_cores *cores, const int *cpus, int n)
{
    assert_int_equal(CPU_COUNT_S(sizeof cores->at, cores->at), n);
    for (int i = 0; i < n; i++)
        assert_true(CPU_ISSET_S((size_t)cpus[i], sizeof cores->at, cores->at));
}

/* -------------------------------------------------------------------- tests */

static void kinds_are_in_the_order_of_their_speed(void **state)
{
    struct plb_topology t;
    struct plb_cores cores;
    (void)state;
    read_machine(&laptop, &t);
    assert_int_equal(t.kinds, 2);
    assert_int_equal(plb_topology_share_of_kind(&t, 0, 1, 0, &cores), 2);
    expect_list(&cores, (const int[]){0, 2}, 2);
    assert_int_equal(plb_topology_share_of_kind(&t, 0, 1, 1, &cores), 4);
    expect_list(&cores, (const int[]){4, 6, 8, 10}, 4);
    /* of three ranks, the first has the quick ones */
    assert_int_equal(plb_topology_share_of_kind(&t, 0, 3, 0, &cores), 2);
    assert_int_equal(plb_topology_share_of_kind(&t, 1, 3, 0, &cores), 0);
    const struct machine slow_first = {"pack:1 core:6 pu:1", {"0-2", "3-5"}, {1, 4}};
    read_machine(&slow_first, &t);
    assert_int_equal(t.kind[0], 1);
    assert_int_equal(t.kind[5], 0);
}

static void cores_are_alike_where_nothing_else_is_known(void **state)
{
    struct plb_topology t;
    (void)state;
    const struct machine alike[] = {{"pack:1 core:4 pu:1", {NULL}, {0}},
                                    {"pack:1 core:4 pu:1", {"0-3"}, {3}},
                                    {"pack:1 core:4 pu:1", {"0-1", "2-3"}, {-1, -1}},
                                    {"pack:1 core:4 pu:1", {"0-1"}, {3}}};
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        read_machine(&alike[i], &t);
        assert_int_equal(t.kinds, 1);
        assert_int_equal(t.kind[3], 0);
    }
}

static void the_slowest_of_many_kinds_are_one(void **state)
{
    struct plb_topology t;
    (void)state;
    read_machine(&(struct machine){"pack:1 core:5 pu:1", {"0", "1", "2", "3", "4"}, {1, 2, 3, 4, 5}}, &t);
    assert_int_equal(t.kinds, PLB_CORE_KINDS);
    for (int i = 0; i < 5; i++)
        assert_int_equal(t.kind[i], i == 0 ? 3 : 4 - i);
}

/* Threads of both kinds; none of the second: it is no part. */
static void expect_threads(const struct plb_topology *t, int threads, int quick, int slow)
{
    struct plb_core_part parts[PLB_CORE_KINDS];
    struct plb_device_pu cpu = {.config.threads = threads};
    assert_int_equal(plb_core_kinds(t, &cpu, parts), slow > 0 ? 2 : 1);
    assert_int_equal(parts[0].threads, quick);
    if (slow > 0)
        assert_int_equal(parts[1].threads, slow);
}

static void quick_cores_get_threads_first(void **state)
{
    struct plb_topology t;
    (void)state;
    read_machine(&laptop, &t);
    expect_threads(&t, 1, 1, 0);
    expect_threads(&t, 2, 2, 0);
    expect_threads(&t, 3, 2, 1);
    expect_threads(&t, 6, 2, 4);
    expect_threads(&t, 7, 3, 4);
    expect_threads(&t, 12, 4, 8);
    struct plb_core_part parts[PLB_CORE_KINDS];
    struct plb_device_pu cpu = {.config.threads = 2, .bind_index = 1, .bind_parts = 3};
    assert_int_equal(plb_core_kinds(&t, &cpu, parts), 0); /* its cores are alike */
    cpu.bind_index = 0;
    assert_int_equal(plb_core_kinds(&t, &cpu, parts), 0);
}

/* The PUs of a rank that is alone on the laptop: 2 quick cores, and 3 of 4 slow ones, since one communicates.
 */
static int describe(bool single, double wanted, struct plb_node_pu **pus)
{
    const struct plb_kernel kernel = {.name = "none", .cpu = no_entry, .single = single};
    const struct plb_rank_site place = {.local_size = 1, .gather = gather_alone};
    const struct plb_cluster_spec none = {.n_nodes = 0};
    struct plb_pu_settings settings = {.wanted = PLB_PUS_CPU};
    for (int i = 0; plb_device_drivers[i] != NULL; i++)
        if (strcmp(plb_device_drivers[i]->name, "cpu") == 0) {
            settings.options[plb_driver_first_option(plb_device_drivers[i])] = 5.0;
            settings.options[plb_driver_first_option(plb_device_drivers[i]) + 1] = wanted;
        }
    read_machine(&laptop, NULL);
    int n = plb_pus_describe(&place, &none, &kernel, &settings, pus);
    unlink(getenv("HWLOC_XMLFILE"));
    unsetenv("HWLOC_XMLFILE");
    return n;
}

static void each_kind_is_a_pu(void **state)
{
    struct plb_node_pu *pus;
    (void)state;
    assert_int_equal(describe(false, 1.0, &pus), 2);
    for (int p = 0; p < 2; p++) {
        assert_true(pus[p].bound);
        assert_int_equal(pus[p].info.threads, p == 0 ? 2 : 3);
        assert_true(pus[p].info.power == (p == 0 ? 2.0 : 3.0));
        assert_non_null(strstr(pus[p].info.name, p == 0 ? "P cores" : "E cores"));
        assert_non_null(strstr(pus[p].info.model, p == 0 ? "P cores" : "E cores"));
    }
    expect_list(&pus[0].cores, (const int[]){0, 2}, 2);
    expect_list(&pus[1].cores, (const int[]){4, 6, 8, 10}, 4);
    free(pus);
    assert_int_equal(describe(false, 0.0, &pus), 1);
    assert_false(pus[0].bound);
    assert_int_equal(pus[0].info.threads, 5);
    free(pus);
}

/* Of a kernel that runs on one thread, such as the programs of --run. */
static void each_thread_is_a_pu_of_its_kind(void **state)
{
    struct plb_node_pu *pus;
    (void)state;
    assert_int_equal(describe(true, 1.0, &pus), 5);
    for (int p = 0; p < 5; p++) {
        assert_int_equal(pus[p].info.threads, 1);
        assert_int_equal(pus[p].device.config.slot, p + 1);
        assert_int_equal(pus[p].device.config.cores, 1);
        assert_non_null(strstr(pus[p].info.name, p < 2 ? "P cores" : "E cores"));
    }
    free(pus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_in_the_order_of_their_speed),
        cmocka_unit_test(cores_are_alike_where_nothing_else_is_known),
        cmocka_unit_test(the_slowest_of_many_kinds_are_one),
        cmocka_unit_test(quick_cores_get_threads_first),
        cmocka_unit_test(each_kind_is_a_pu),
        cmocka_unit_test(each_thread_is_a_pu_of_its_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
