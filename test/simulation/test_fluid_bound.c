/* No simulated run is shorter than the fluid bound of its cluster: with every balancer, on clusters drawn
 * from seeds whose PUs change their speed, and on the clusters of the papers. None of the latter is shorter
 * than the optimum either. Without noise, which both leave out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "job/balancer_table.h"
#include "fluid_bound.h"
#include "params.h"
#include "plb/kernel.h"
#include "simulate/simulate.h"

#define NODES 3
#define PUS 2 /* of a node */
#define SEEDS 100
#define ROUNDING 1e-9

static double spread(uint64_t seed, uint64_t *draws, double low, double high) /* evenly in the logarithm */
{
    return low * pow(high / low, plb_random_real(seed, (*draws)++));
}

/* The makespan over the bound, and over the optimum. */
struct ratios {
    double fluid, optimum;
};

static struct ratios run(const struct plb_simulation *s)
{
    struct plb_simulated result;
    struct plb_error err = {.status = PLB_OK};
    double bound = fluid_bound(s->cluster, s->maps->per_work * (double)s->maps->units, 0.0, s->master_only);
    if (plb_simulate(s, &result, &err) != PLB_OK)
        fail_msg("%s: %s", s->master.balancer->name, err.text);
    plb_master_free(result.master);
    return (struct ratios){result.makespan_s / bound, result.makespan_s / result.optimum_s};
}

static void check(const struct plb_simulation *s, const char *what, bool by_optimum)
{
    struct ratios got = run(s);
    if (!(got.fluid >= 1.0 - ROUNDING))
        fail_msg("%s with %s: %.6f of the fluid bound", what, s->master.balancer->name, got.fluid);
    if (by_optimum && !(got.optimum >= 1.0 - ROUNDING))
        fail_msg("%s with %s: %.6f of the optimum", what, s->master.balancer->name, got.optimum);
}

/* Every balancer on one cluster. The optimum counts where no PU becomes faster than described. */
static void check_all(struct plb_simulation *s, const char *what, bool by_optimum)
{
    struct plb_param params[MAX_PARAMS];
    for (int b = 0; plb_balancers[b] != NULL; b++) {
        default_params(plb_balancers[b], params);
        s->master.balancer = plb_balancers[b];
        s->master.params = params;
        check(s, what, by_optimum);
    }
}

/* A GPU that slows down in steps, and a CPU: the case that a task's speed at its start gets most wrong. */
static void a_gpu_that_slows_down_in_steps(void **state)
{
    (void)state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_pu_spec pus[] = {
        {.name = "cpu",
         .kind = PLB_CPU,
         .power = 1.0,
         .rate = 1e3,
         .memory = INFINITY,
         .copy_bandwidth = INFINITY},
        {.name = "gpu",
         .kind = PLB_GPU,
         .power = 9.0,
         .rate = 9e3,
         .memory = INFINITY,
         .copy_bandwidth = INFINITY,
         .n_slow = 3,
         .slow_at = {2.0, 4.0, 6.0},
         .slow_by = {1.5, 2.0, 3.0}},
    };
    struct plb_node_spec node = {"n", 1e9, 0.0, 0, 2};
    struct plb_cluster_spec cluster = {.n_nodes = 1, .n_pus = 2, .nodes = &node, .pus = pus};
    struct plb_cost_map map;
    assert_int_equal(plb_cost_map_init(&map, 100000, NULL, NULL, &err), PLB_OK);
    struct plb_simulation s = {.cluster = &cluster, .maps = &map, .seed = 1, .master.n_nodes = 1};
    check_all(&s, "a GPU that slows down in steps", true);
    plb_cost_map_fini(&map);
}

static void draw_cluster(uint64_t seed, struct plb_cluster_spec *cluster)
{
    uint64_t draws = 0;
    for (int n = 0; n < NODES; n++)
        cluster->nodes[n] = (struct plb_node_spec){"n", spread(seed, &draws, 1e6, 1e10),
                                                   spread(seed, &draws, 1e-6, 1e-3), n * PUS, PUS};
    for (int p = 0; p < NODES * PUS; p++) {
        struct plb_pu_spec *pu = &cluster->pus[p];
        *pu = (struct plb_pu_spec){.name = "p",
                                   .power = spread(seed, &draws, 1.0, 100.0),
                                   .rate = spread(seed, &draws, 1e2, 1e4),
                                   .half = p & 1 ? spread(seed, &draws, 0.1, 100.0) : 0.0,
                                   .memory = INFINITY,
                                   .copy_bandwidth = INFINITY,
                                   .n_slow = (int)(plb_random_bits(seed, draws++) % 4)};
        for (int i = 0; i < pu->n_slow; i++) {
            pu->slow_at[i] = (i > 0 ? pu->slow_at[i - 1] : 0.0) + spread(seed, &draws, 1e-3, 3.0);
            pu->slow_by[i] = spread(seed, &draws, 0.1, 10.0);
        }
    }
}

static void every_balancer_on_clusters_that_change(void **state)
{
    (void)state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_node_spec nodes[NODES];
    struct plb_pu_spec pus[NODES * PUS];
    struct plb_cluster_spec cluster = {.n_nodes = NODES, .n_pus = NODES * PUS, .nodes = nodes, .pus = pus};
    struct plb_cost_map map;
    assert_int_equal(plb_cost_map_init(&map, 20000, NULL, NULL, &err), PLB_OK);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        char what[40];
        snprintf(what, sizeof what, "seed %d", (int)seed);
        draw_cluster(seed, &cluster);
        struct plb_sizes sizes = {.unit_bytes = seed & 1 ? 1e3 : 0.0};
        struct plb_simulation s = {
            .cluster = &cluster,
            .maps = &map,
            .seed = seed,
            .inputs = sizes,
            .master = {.n_nodes = NODES, .sizes = &sizes, .units = map.units, .migration = seed & 2},
            .migration.on = seed & 2};
        check_all(&s, what, false);
    }
    plb_cost_map_fini(&map);
}

/* The papers' clusters with their applications, as `plbrun --simulate` reads them. */
static void every_balancer_on_the_papers_clusters(void **state)
{
    (void)state;
    static const char *const clusters[] = {"plb-hec-a", "plb-hec-abcd", "plb-hac-ab", "plb-hac-abcde",
                                           "plb-hac-figure6"};
    static const char *const applications[] = {"mm", "grn", "black-scholes", "k-means"};
    static const char *const kernels[] = {"kernels/matmul", "papers/grn", "kernels/blackscholes",
                                          "papers/k-means"};
    const char *build = getenv("BUILD") != NULL ? getenv("BUILD") : "build";
    for (int i = 0; i < 5 * 4; i++) {
        struct plb_job job;
        struct plb_error err = {.status = PLB_OK};
        char cluster[100], conf[100], kernel[1000], *settings[] = {kernel};
        const char *application = applications[i % 4];
        snprintf(cluster, sizeof cluster, "hostfiles/%s.cluster", clusters[i / 4]);
        snprintf(conf, sizeof conf, "examples/papers/%s.conf", application);
        snprintf(kernel, sizeof kernel, "app.kernel=%s/%s.so", build, kernels[i % 4]);
        if (plb_job_read(&job, conf, settings, 1, cluster, 1, &err) != PLB_OK
            || plb_job_setup(&job, true, &err) != PLB_OK)
            fail_msg("%s: %s", conf, err.text);
        for (int p = 0; p < job.cluster.n_pus; p++)
            job.cluster.pus[p].noise = 0.0;
        struct plb_simulation s = plb_job_simulation(&job);
        char what[200];
        snprintf(what, sizeof what, "%s on %s", application, clusters[i / 4]);
        check_all(&s, what, true);
        plb_job_fini(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_that_slows_down_in_steps),
        cmocka_unit_test(every_balancer_on_clusters_that_change),
        cmocka_unit_test(every_balancer_on_the_papers_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
