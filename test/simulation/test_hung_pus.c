/* PUs that hang in a task while nobody but their node can notice it, under every balancer: no backups, and
 * the process of the node goes on. Every unit's result is accepted exactly once (watch.h), and a PU that is
 * only slow is never given up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "watch.h"

#define SEEDS 12

static struct plb_fault fault;

/* The scenario of a seed with this balancer: three passes of one phase, and no faults yet. */
static void prepare(struct scenario *s, uint64_t seed, const struct plb_balancer *b)
{
    make_scenario(s, seed);
    s->simulation.n_faults = 0;
    s->simulation.faults = &fault;
    s->simulation.stuck_s = INFINITY;
    s->simulation.hung_after = 0.1 * s->bound;
    s->simulation.master.backups = s->simulation.migration.backups = false;
    s->simulation.passes = MAX_PASSES;
    for (int i = 0; i < MAX_PASSES; i++)
        s->phases[i] = 0;
    for (int p = 0; p < s->cluster.n_pus; p++)
        s->pus[p].n_slow = 0; /* some would die */
    memset(s->params, 0, sizeof s->params);
    default_params(b, s->params);
    s->simulation.master.balancer = b;
}

/* Runs it, and says how it was. The result's master is to be freed. */
static void run(struct scenario *s, const char *what, struct plb_simulated *result)
{
    static struct watch w;
    struct plb_error err = {.status = PLB_OK};
    start_watch(&w, s);
    if (plb_simulate(&s->simulation, result, &err) != PLB_OK)
        wrong(&w, "%.250s", err.text);
    end_watch(&w, result);
    if (w.wrong[0] != '\0')
        fail_msg("seed %llu, %s, %s: %s", (unsigned long long)s->simulation.seed,
                 s->simulation.master.balancer->name, what, w.wrong);
    assert_int_equal(result->stress.given_up_slow, 0);
}

/* The PU that has executed most units: it has measured something in the first pass. */
static int busiest(const struct plb_master *master)
{
    int best = 0;
    for (int p = 1; p < plb_master_pus(master); p++)
        if (plb_master_totals(master, p)->units > plb_master_totals(master, best)->units)
            best = p;
    return best;
}

static void a_pu_that_hangs_in_the_second_pass_is_given_up(void **state)
{
    (void)state;
    static struct scenario s;
    struct plb_simulated result;
    for (int b = 0; plb_balancers[b] != NULL; b++) {
        int64_t given_up = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            prepare(&s, seed, plb_balancers[b]);
            run(&s, "no PU hangs", &result);
            int pu = busiest(result.master);
            int node = 0;
            while (pu >= s.nodes[node].first_pu + s.nodes[node].n_pus)
                node++;
            plb_master_free(result.master);
            fault = (struct plb_fault){
                .kind = PLB_HANGS, .node = node, .pu = pu, .at = 0.5 * result.makespan_s};
            s.simulation.n_faults = s.cluster.n_pus > 1;
            run(&s, "the busiest PU hangs", &result);
            assert_true(result.stress.given_up <= 1);
            given_up += result.stress.given_up;
            plb_master_free(result.master);
            free_scenario(&s);
        }
        assert_true(given_up > SEEDS / 2);
    }
}

/* Nobody looks: the run never ends. */
static void it_holds_the_run_up_where_nobody_looks(void **state)
{
    (void)state;
    static struct scenario s;
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulated result;
    prepare(&s, 1, plb_balancers[0]);
    s.simulation.hung_after = 0.0;
    fault = (struct plb_fault){.kind = PLB_HANGS, .node = 0, .pu = 0, .at = 0.5 * s.bound};
    s.simulation.n_faults = 1;
    assert_int_equal(plb_simulate(&s.simulation, &result, &err), PLB_EFAILED);
    assert_non_null(strstr(err.text, "stopped making progress"));
    plb_master_free(result.master);
    free_scenario(&s);
}

/* Sixteen times slower from some moment on, and with noise. The costs are those that were told. */
static void a_slow_pu_is_never_given_up(void **state)
{
    (void)state;
    static struct scenario s;
    struct plb_simulated result;
    for (int b = 0; plb_balancers[b] != NULL; b++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            prepare(&s, seed, plb_balancers[b]);
            for (int p = 0; p < s.cluster.n_pus; p++) {
                s.simulation.cost_error = 0.0;
                s.pus[p].noise = 0.4;
                s.pus[p].n_slow = (p + (int)seed) % 2;
                s.pus[p].slow_at[0] = 0.3 * (1 + p % 3) * s.bound;
                s.pus[p].slow_by[0] = 16.0;
            }
            run(&s, "PUs become slow", &result);
            plb_master_free(result.master);
            free_scenario(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pu_that_hangs_in_the_second_pass_is_given_up),
        cmocka_unit_test(it_holds_the_run_up_where_nobody_looks),
        cmocka_unit_test(a_slow_pu_is_never_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
