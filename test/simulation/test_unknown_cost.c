/* Jobs whose costs nobody tells, in virtual time: what learning them wins, and that it costs nothing where
 * they were told. */
#include "random_law.h"
#include "small_cluster.h"

#define PASSES 3
#define SEEDS 12

/* A job on three PUs, each so many times as fast as the one before. */
struct job {
    const char *balancer;
    struct law law;
    bool told, learns;
    double speeds;
};

/* Makespan over the bound of so many passes, with this seed. */
static double ratio(const struct job *job, int passes, uint64_t seed)
{
    struct fixture f;
    struct plb_cost_map truly;
    int phases[PASSES] = {0};
    double rates = 0.0;
    set_up(&f, 3, job->balancer);
    plb_cost_map_fini(&f.maps[0]);
    assert_int_equal(plb_cost_map_init(&truly, job->law.units, law_sum, &job->law, &f.err), PLB_OK);
    assert_int_equal(
        plb_cost_map_init(&f.maps[0], job->law.units, job->told ? law_sum : NULL, &job->law, &f.err), PLB_OK);
    for (int p = 0; p < 3; p++) {
        f.pus[p].rate = 1000.0 * pow(job->speeds, p);
        f.pus[p].half = 1e-4 * f.pus[p].rate;
        f.pus[p].noise = 0.03;
        rates += f.pus[p].rate;
    }
    f.s.master.units = job->law.units;
    f.s.master.phases = 1;
    f.s.master.migration = true;
    f.s.master.learn_costs = job->learns;
    f.s.master.backups = f.s.migration.backups = true;
    f.s.migration = (struct plb_migration){.on = true, .threshold = 1.0, .seed = seed};
    f.s.true_maps = &truly;
    f.s.seed = seed;
    f.s.passes = passes;
    f.s.phases = phases;
    run(&f);
    double bound = truly.per_work * (double)truly.units / rates;
    double over = f.result.makespan_s / bound;
    plb_cost_map_fini(&truly);
    tear_down(&f);
    return over;
}

/* The geometric mean over the seeds, of the first pass or of those after it. */
static double mean_ratio(const struct job *job, bool later)
{
    double logs = 0.0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double first = ratio(job, 1, seed);
        logs += log(later ? (ratio(job, PASSES, seed) - first) / (PASSES - 1) : first);
    }
    return exp(logs / SEEDS);
}

static void check(const struct job *job, bool later, double most, double least_without)
{
    struct job without = *job;
    without.learns = false;
    double with = mean_ratio(job, later), blind = mean_ratio(&without, later);
    if (with > most || blind < least_without)
        fail_msg("%s, %s, %s pass: %g, and %g without learning", job->balancer, law_names[job->law.kind],
                 later ? "later" : "first", with, blind);
}

static void test_the_first_pass_wins_where_neighbours_cost_the_same(void **state)
{
    (void)state;
    check(&(struct job){"sure", {LAW_HUMP, 1, 1000, 100}, false, true, 3.0}, false, 1.03, 1.0);
    check(&(struct job){"greedy", {LAW_RAMP, 1, 2000, 1}, false, true, 3.0}, false, 1.06, 1.065);
}

/* As rows of Mandelbrot's set: a long task of cheap ones would hold dear ones, and nobody could help. */
static void test_cheap_units_first_foretell_nothing(void **state)
{
    (void)state;
    check(&(struct job){"sure", {LAW_STEP, 1, 1000, 500}, false, true, 3.0}, false, 1.02, 1.0);
    check(&(struct job){"factoring", {LAW_STEP, 1, 1000, 500}, false, true, 3.0}, false, 1.02, 1.0);
}

/* A PU that has met cheap units is not a quick one: it must not take all that another one has left, and then
 * refuse to give any of it. */
static void test_unlike_units_do_not_look_like_unlike_pus(void **state)
{
    (void)state;
    static const char *const balancers[] = {"sure", "greedy", "factoring"};
    for (int b = 0; b < 3; b++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            double over = ratio(&(struct job){balancers[b], {LAW_BAND, 1, 1000, 1000}, false, true, 1.0}, 1,
                                seed);
            if (over > 1.05)
                fail_msg("%s, seed %d: %g", balancers[b], (int)seed, over);
        }
}

static void test_the_next_pass_knows_what_the_first_has_seen(void **state)
{
    (void)state;
    check(&(struct job){"sure", {LAW_HUMP, 1, 2000, 100}, false, true, 3.0}, true, 1.01, 1.1);
    check(&(struct job){"sure", {LAW_RAMP, 1, 2000, 1}, false, true, 3.0}, true, 1.03, 1.05);
    check(&(struct job){"sure", {LAW_POWER, 1, 2048, 1}, false, true, 3.0}, true, 1.2, 1.3);
    check(&(struct job){"greedy", {LAW_HUMP, 1, 2000, 10}, false, true, 3.0}, true, 1.045, 1.07);
    check(&(struct job){"greedy", {LAW_HUMP, 1, 2000, 100}, false, true, 3.0}, true, 1.06, 1.09);
}

/* Nothing is bent by the noise of times: in the mean, since one run may end 2 % sooner or later by luck. */
static void test_told_costs_that_are_right_stay(void **state)
{
    (void)state;
    static const enum law_kind laws[] = {LAW_EQUAL, LAW_RAMP, LAW_SCATTER};
    static const char *const balancers[] = {"plb-hac", "sure", "factoring"};
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < 3; b++) {
            struct job job = {balancers[b], {laws[k], 1, 2000, 8}, true, true, 3.0}, without = job;
            without.learns = false;
            double with = 0.0, told = 0.0;
            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                with += ratio(&job, 1, seed) / SEEDS;
                told += ratio(&without, 1, seed) / SEEDS;
            }
            if (fabs(with / told - 1.0) > 0.01)
                fail_msg("%s, %s: %g, told %g", balancers[b], law_names[laws[k]], with, told);
        }
}

static void test_the_same_seed_gives_the_same_run(void **state)
{
    (void)state;
    struct job job = {"sure", {LAW_HUMP, 1, 1000, 100}, false, true, 3.0};
    assert_true(ratio(&job, PASSES, 5) == ratio(&job, PASSES, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_pass_wins_where_neighbours_cost_the_same),
        cmocka_unit_test(test_cheap_units_first_foretell_nothing),
        cmocka_unit_test(test_unlike_units_do_not_look_like_unlike_pus),
        cmocka_unit_test(test_the_next_pass_knows_what_the_first_has_seen),
        cmocka_unit_test(test_told_costs_that_are_right_stay),
        cmocka_unit_test(test_the_same_seed_gives_the_same_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
