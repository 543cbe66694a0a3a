/* The distribution of make bench-random: a number repeats its cluster, and the extremes occur. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "random_cluster.h"

#define CLUSTERS 500

static bool same(const struct random_cluster *a, const struct random_cluster *b)
{
    if (a->cluster.n_pus != b->cluster.n_pus || a->cluster.n_nodes != b->cluster.n_nodes
        || a->law.units != b->law.units || a->change != b->change || a->told != b->told
        || a->sizes.unit_bytes != b->sizes.unit_bytes || a->map.per_work != b->map.per_work
        || memcmp(a->nodes, b->nodes, sizeof a->nodes) != 0 || memcmp(a->pus, b->pus, sizeof a->pus) != 0)
        return false;
    for (int64_t i = 0; i < 10; i++)
        if (law_unit(&a->law, i * a->law.units / 10) != law_unit(&b->law, i * b->law.units / 10))
            return false;
    return true;
}

static void a_number_repeats_its_cluster(void **state)
{
    (void)state;
    static struct random_cluster a, b;
    for (int i = 1; i <= 50; i++) {
        make_random_cluster(&a, i);
        make_random_cluster(&b, i);
        assert_true(same(&a, &b));
        free_random_cluster(&b);
        make_random_cluster(&b, i + 1);
        assert_false(same(&a, &b));
        free_random_cluster(&a);
        free_random_cluster(&b);
    }
}

static void fresh_clusters_are_others(void **state)
{
    (void)state;
    static struct random_cluster fresh, seen;
    for (int i = 0; i < 20; i++) {
        make_random_cluster(&fresh, FRESH_CLUSTERS + i);
        make_random_cluster(&seen, 1 + i);
        assert_false(same(&fresh, &seen));
        free_random_cluster(&fresh);
        free_random_cluster(&seen);
    }
}

/* The least and the most of each aspect, and how many clusters have which kind of each. */
struct extremes {
    double pus[2], speeds[2], units[2], seconds[2], start[2], noise[2], load[2], latency[2];
    int laws[LAW_KINDS], changes[CHANGES], unknown, wrong, small, refused, true_powers, no_powers, one_node;
};

static void widen(double range[2], double value)
{
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

static void look_at(struct extremes *e, const struct random_cluster *r)
{
    widen(e->pus, r->cluster.n_pus);
    widen(e->speeds, r->speeds);
    widen(e->units, (double)r->law.units);
    widen(e->seconds, r->seconds);
    widen(e->start, r->start / r->seconds);
    widen(e->noise, r->noise);
    widen(e->load, r->load);
    widen(e->latency, r->latency);
    e->laws[r->law.kind]++;
    e->changes[r->change]++;
    e->unknown += !r->told;
    e->wrong += r->cost_error > 0.0;
    e->small += r->small_memory;
    e->true_powers += r->power_error == 1.0;
    e->no_powers += r->power_error == 0.0;
    e->one_node += r->cluster.n_nodes == 1;
    for (int p = 0; p < r->cluster.n_pus; p++)
        e->refused += r->pus[p].memory < PLB_TASKS_IN_MEMORY * r->sizes.unit_bytes;
}

/* From at most `low` to at least `high`, and not beyond the ends. */
static void assert_range(const double range[2], double least, double low, double high, double most)
{
    if (!(range[0] >= least && range[0] <= low && range[1] >= high && range[1] <= most))
        fail_msg("from %g to %g; expected from %g to %g at least, within %g and %g", range[0], range[1], low,
                 high, least, most);
}

static void the_extremes_occur(void **state)
{
    (void)state;
    static struct random_cluster r;
    struct extremes e = {.pus[0] = INFINITY,
                         .speeds[0] = INFINITY,
                         .units[0] = INFINITY,
                         .seconds[0] = INFINITY,
                         .start[0] = INFINITY,
                         .noise[0] = INFINITY,
                         .load[0] = INFINITY,
                         .latency[0] = INFINITY};
    for (int i = 1; i <= CLUSTERS; i++) {
        make_random_cluster(&r, i);
        look_at(&e, &r);
        free_random_cluster(&r);
    }
    assert_range(e.pus, 2, 2, 190, 200);
    assert_range(e.speeds, 1, 1, 8e3, 1e4);
    assert_range(e.units, 1, 2, 8e5, 1e6);
    assert_range(e.seconds, 0.1, 0.12, 250, 300);
    assert_range(e.start, 0, 0, 2, 3);
    assert_range(e.noise, 0, 0, 0.39, 0.4);
    assert_range(e.load, 0, 0, 2, 3);
    assert_range(e.latency, 1e-6, 1.2e-6, 0.15, 0.2);
    for (int i = 0; i <= LAW_FEW; i++)
        assert_true(e.laws[i] >= CLUSTERS / 20);
    for (int i = 0; i < CHANGES; i++)
        assert_true(e.changes[i] >= CLUSTERS / 40);
    int often[] = {e.unknown, e.wrong, e.small, e.true_powers, e.no_powers, e.one_node};
    for (int i = 0; i < 6; i++)
        assert_true(often[i] >= CLUSTERS / 20);
    assert_true(e.refused > 0);
}

/* All PUs together do the work in T; the fastest is not refused; deaths leave a third of the speed. */
static void a_cluster_can_do_its_job(void **state)
{
    (void)state;
    static struct random_cluster r;
    for (int i = 1; i <= CLUSTERS; i++) {
        double all = 0.0, left = 0.0;
        make_random_cluster(&r, i);
        for (int n = 0; n < r.cluster.n_nodes; n++) {
            double rate = 0.0;
            bool dies = false;
            for (int p = r.nodes[n].first_pu; p < r.nodes[n].first_pu + r.nodes[n].n_pus; p++) {
                const struct plb_pu_spec *pu = &r.pus[p];
                rate += pu->rate;
                assert_true(pu->power > 0.0 && pu->rate > 0.0 && pu->n_slow <= PLB_MAX_SLOW);
                for (int k = 0; k < pu->n_slow; k++) {
                    dies = dies || pu->slow_by[k] == 0.0;
                    assert_true(pu->slow_at[k] >= (k > 0 ? pu->slow_at[k - 1] : 0.0));
                }
            }
            all += rate;
            left += dies ? 0.0 : rate;
        }
        double work = r.by_law.per_work * (double)r.law.units;
        assert_true(fabs(work / all / r.seconds - 1.0) < 1e-9);
        assert_true(left >= all / 3.0 * (1.0 - 1e-9));
        assert_true(r.pus[fastest_pu(&r)].memory >= PLB_TASKS_IN_MEMORY * r.sizes.unit_bytes * (1.0 - 1e-9));
        free_random_cluster(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_repeats_its_cluster),
        cmocka_unit_test(fresh_clusters_are_others),
        cmocka_unit_test(the_extremes_occur),
        cmocka_unit_test(a_cluster_can_do_its_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
