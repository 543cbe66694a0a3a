/* Devices that fail, under every balancer: at any moment, one PU or all but one. Every unit's result is
 * accepted exactly once, from a PU that has executed it, and the run ends (watch.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "watch.h"

#define SEEDS 8

static struct plb_fault faults[MAX_NODES * MAX_PUS];

/* The scenario of a seed with this balancer, and with no faults yet. */
static void prepare(struct scenario *s, uint64_t seed, const struct plb_balancer *b)
{
    make_scenario(s, seed);
    s->simulation.n_faults = 0;
    s->simulation.faults = faults;
    for (int p = 0; p < s->cluster.n_pus; p++)
        s->pus[p].n_slow = 0; /* some would die */
    memset(s->params, 0, sizeof s->params);
    default_params(b, s->params);
    s->simulation.master.balancer = b;
}

static void breaks(struct scenario *s, int node, int pu, double at)
{
    faults[s->simulation.n_faults++] = (struct plb_fault){
        .kind = PLB_BREAKS, .node = node, .pu = s->nodes[node].first_pu + pu, .at = at};
}

/* Runs it. Returns how many PUs the master uses no more. */
static int run(struct scenario *s, const char *what)
{
    static struct watch w;
    struct plb_simulated result;
    simulate_watched(s, &w, what, &result);
    int failed = failed_pus(result.master);
    assert_int_equal(plb_master_counts(result.master)->losses, 0);
    plb_master_free(result.master);
    free_scenario(s);
    return failed;
}

static void one_device_fails_at_any_moment(void **state)
{
    (void)state;
    static const double moments[] = {-1.0, 0.0, 0.01, 0.3, 0.9, 1.0, 1.5};
    static struct scenario s;
    for (int b = 0; plb_balancers[b] != NULL; b++) {
        int failed = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            for (int k = 0; k < 7; k++) {
                prepare(&s, seed, plb_balancers[b]);
                int node = (int)seed % s.cluster.n_nodes;
                if (s.cluster.n_nodes > 1)
                    breaks(&s, node, k % s.nodes[node].n_pus, s.bound * moments[k]);
                failed += run(&s, "one device fails");
            }
        assert_true(failed > SEEDS);
    }
}

/* The last PU of the run is the first of a node, which holds the largest unit. */
static void all_devices_but_one_fail(void **state)
{
    (void)state;
    static struct scenario s;
    for (int b = 0; plb_balancers[b] != NULL; b++) {
        int failed = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            for (int k = 0; k < 3; k++) {
                prepare(&s, seed, plb_balancers[b]);
                int left = (int)seed % s.cluster.n_nodes;
                for (int n = 0; n < s.cluster.n_nodes; n++)
                    for (int p = n == left; p < s.nodes[n].n_pus; p++)
                        breaks(&s, n, p, s.bound * (k == 0 ? 0.2 : k == 1 ? 0.05 * (1 + n + p) : -1.0));
                failed += run(&s, "all devices but one fail");
            }
        assert_true(failed > SEEDS);
    }
}

static void the_last_device_ends_the_run(void **state)
{
    (void)state;
    static struct scenario s;
    for (int b = 0; plb_balancers[b] != NULL; b++) {
        prepare(&s, 2, plb_balancers[b]);
        s.cluster.n_nodes = s.cluster.n_pus = s.nodes[0].n_pus = 1;
        s.simulation.master.n_nodes = 1;
        breaks(&s, 0, 0, 0.1 * s.bound);
        simulate_to_no_pu(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_device_fails_at_any_moment),
        cmocka_unit_test(all_devices_but_one_fail),
        cmocka_unit_test(the_last_device_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
