/* The bound of make bench-random: worked out by hand where that is easy, never above a run without noise, and
 * the files of a cluster give the very run that the bench sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

#include "fluid_bound.h"
#include "params.h"
#include "random_dump.h"
#include "random_notes.h"
#include "random_run.h"

/* Two PUs on nodes of their own, each with a unit per second; nothing else costs time. */
static void set_up(struct random_cluster *r, int64_t units)
{
    struct plb_error err = {.status = PLB_OK};
    memset(r, 0, sizeof *r);
    r->cluster = (struct plb_cluster_spec){.n_nodes = 2, .n_pus = 2, .nodes = r->nodes, .pus = r->pus};
    r->law = (struct law){.units = units};
    r->seconds = 0.5 * (double)units;
    for (int n = 0; n < 2; n++) {
        r->nodes[n] = (struct plb_node_spec){"n", 1e9, 0.0, n, 1};
        r->pus[n] = (struct plb_pu_spec){
            .name = "p", .power = 1.0, .rate = 1.0, .memory = INFINITY, .copy_bandwidth = INFINITY};
    }
    assert_int_equal(plb_cost_map_init(&r->by_law, units, NULL, NULL, &err), PLB_OK);
}

static void assert_bound(const struct random_cluster *r, double expected)
{
    double got = random_bound(r, &r->by_law);
    if (!(fabs(got - expected) <= 1e-6 * expected))
        fail_msg("got %.9g, expected %.9g", got, expected);
}

static void by_hand(void **state)
{
    (void)state;
    static struct random_cluster r;
    set_up(&r, 10);
    assert_bound(&r, 5.0);
    set_up(&r, 3); /* whole units */
    assert_bound(&r, 2.0);
    set_up(&r, 10); /* a start that lasts as long as two units: 4 + 6 */
    r.pus[1].overhead = 2.0;
    assert_bound(&r, 6.0);
    set_up(&r, 10); /* the same by a half-rate; too long a start is not begun */
    r.pus[1].half = 2.0;
    assert_bound(&r, 6.0);
    r.pus[1].half = 20.0;
    assert_bound(&r, 10.0);
    set_up(&r, 10); /* the way there and back */
    r.nodes[1].latency = 1.0;
    assert_bound(&r, 6.0);
    set_up(&r, 12); /* half as fast from second 4 on: 4 + 3 and 5 */
    r.pus[1] = r.pus[0];
    slow_down(&r.pus[1], 4.0, 2.0);
    assert_bound(&r, 7.0);
    set_up(&r, 12); /* it dies in second 4 */
    slow_down(&r.pus[1], 4.0, 0.0);
    assert_bound(&r, 8.0);
    set_up(&r, 10); /* a link that carries a unit in 5 s: one is there in time, a second one is not */
    r.nodes[1].bandwidth = 1.0;
    r.inputs.unit_bytes = r.sizes.unit_bytes = 5.0;
    assert_bound(&r, 9.0);
    set_up(&r, 10); /* refused for lack of memory */
    r.results.unit_bytes = r.sizes.unit_bytes = 1e-9;
    r.pus[1].memory = 2.9e-9;
    assert_bound(&r, 10.0);
}

static void notes_by_hand(void **state)
{
    (void)state;
    static struct random_cluster r;
    set_up(&r, 1000);
    r.power_error = 1.0;
    assert_int_equal(random_notes(&r, &r.by_law, 500.0), 0);
    r.pus[1].overhead = 60.0;
    assert_int_equal(random_notes(&r, &r.by_law, 500.0), 1u << NOTE_START | 1u << NOTE_GRAIN);
    set_up(&r, 1000);
    r.pus[1].rate = 1e-3; /* one unit lasts as long as the run on the other PU */
    assert_int_equal(random_notes(&r, &r.by_law, 999.0), 1u << NOTE_TRY);
}

/* Runs without noise, since the bound knows only its mean. */
static void no_run_is_shorter(void **state)
{
    (void)state;
    static struct random_cluster r;
    struct seeds range = seeds(60);
    int compared = 0;
    for (uint64_t i = range.first + 1; i <= range.end; i++) {
        make_random_cluster(&r, (int)i);
        for (int p = 0; p < r.cluster.n_pus; p++)
            r.pus[p].noise = 0.0;
        struct plb_cost_map costs = random_true_map(&r, 1);
        double bound = random_bound(&r, &costs);
        double fluid = fluid_bound(&r.cluster, costs.per_work * (double)costs.units, 0.0, false);
        if (!(bound >= fluid * (1.0 - 1e-6)))
            fail_msg("cluster %d: the bound of %g s is below the fluid one of %g s", r.number, bound, fluid);
        for (int b = 0; plb_balancers[b] != NULL; b++) {
            struct plb_error err = {.status = PLB_OK};
            struct plb_simulated result;
            int status = random_run(&r, plb_balancers[b], &costs, 1, &result, &err);
            plb_master_free(result.master);
            if (status == PLB_OK && result.makespan_s < bound * (1.0 - 1e-6))
                fail_msg("cluster %d with %s: %g s, and the bound is %g s", r.number, plb_balancers[b]->name,
                         result.makespan_s, bound);
            compared += status == PLB_OK;
        }
        plb_cost_map_fini(&costs);
        free_random_cluster(&r);
    }
    assert_true(compared > 0);
}

/* The makespan of plbrun --simulate for the files. */
static double makespan_of_files(const char *cluster, const char *conf, char *balancer, uint64_t seed)
{
    struct plb_job job;
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated result;
    if (plb_job_read(&job, conf, &balancer, 1, cluster, seed, &err) != PLB_OK
        || plb_job_setup(&job, true, &err) != PLB_OK)
        fail_msg("%s", err.text);
    struct plb_simulation s = plb_job_simulation(&job);
    if (plb_simulate(&s, &result, &err) != PLB_OK)
        fail_msg("%s", err.text);
    plb_master_free(result.master);
    plb_job_fini(&job);
    return result.makespan_s;
}

static void files_give_the_same_run(void **state)
{
    (void)state;
    static struct random_cluster r;
    const char *build = getenv("BUILD") != NULL ? getenv("BUILD") : "build";
    char *folder = realpath(build, NULL), kernel[1000], cluster[] = "/tmp/random.XXXXXX", conf[100];
    assert_non_null(folder);
    snprintf(kernel, sizeof kernel, "%s/test/kernels/random.so", folder);
    free(folder);
    close(mkstemp(cluster));
    snprintf(conf, sizeof conf, "%s.conf", cluster);
    for (int i = 1; i <= 40; i++) {
        struct plb_error err = {.status = PLB_OK};
        struct plb_simulated result;
        make_random_cluster(&r, i);
        struct plb_cost_map costs = random_true_map(&r, 2);
        assert_int_equal(random_dump_cluster(&r, cluster), 0);
        assert_int_equal(random_dump_conf(&r, kernel, conf), 0);
        assert_int_equal(random_run(&r, plb_balancer_find("greedy", "test", &err), &costs, 2, &result, &err),
                         PLB_OK);
        plb_master_free(result.master);
        double files = makespan_of_files(cluster, conf, "balance.balancer=greedy", 2);
        if (r.told && fabs(files / result.makespan_s - 1.0) > 1e-9)
            fail_msg("cluster %d: %.12g s, by its files %.12g s", i, result.makespan_s, files);
        plb_cost_map_fini(&costs);
        free_random_cluster(&r);
    }
    unlink(conf);
    unlink(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(notes_by_hand),
        cmocka_unit_test(no_run_is_shorter),
        cmocka_unit_test(files_give_the_same_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
