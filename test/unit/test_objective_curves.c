/* Least time, energy or energy times delay where times are curves with start costs: cases solved by hand, and
 * random clusters of 2 to 4 PUs against a refined grid of all shares. */
#include <stdlib.h>
#include <string.h>

#include "model/energy/objective_curves.h"
#include "model/energy/pieces.h"
#include "numbers.h"
#include "share_grid.h"

static struct plb_model sum_of(double one, double x, enum plb_term term, double other)
{
    struct plb_model m = {.execute = {.scale = 100, .low = 1e-6, .high = 1e6, .r2 = 1}};
    m.execute.terms = 1u << PLB_TERM_ONE | 1u << PLB_TERM_X | 1u << term;
    m.execute.a[PLB_TERM_ONE] = one;
    m.execute.a[PLB_TERM_X] += x * 100;
    m.execute.a[term] += other;
    return m;
}

struct question {
    const struct plb_power_curves *job;
    const struct plb_aim *aim;
};

#define LATE 1e30

/* Independent of the code under test but for the curves themselves. */
static double value_of(const void *context, const double *x)
{
    const struct question *q = context;
    const struct plb_power_curves *job = q->job;
    double seconds = 0.0, joules = 0.0, watts = 0.0, idle = 0.0;
    for (int i = 0; i < job->n; i++) {
        double t = plb_model_time(&job->models[i], x[i]);
        seconds = fmax(seconds, t);
        joules += t * job->dynamic_watts[i];
        watts += x[i] > 0.0 ? job->dynamic_watts[i] : 0.0;
    }
    for (int k = 0; k < job->n_nodes; k++) {
        bool on = job->rule == PLB_STATIC_JOB;
        double busy = 0.0;
        for (int i = 0; i < job->n; i++)
            if (job->node[i] == k && x[i] > 0.0) {
                on = true;
                busy = fmax(busy, plb_model_time(&job->models[i], x[i]));
            }
        idle += on ? job->static_watts[k] : 0.0;
        joules += on ? job->static_watts[k] * (job->rule == PLB_STATIC_BUSY ? busy : seconds) : 0.0;
    }
    if (watts + idle > q->aim->power_cap * (1 + 1e-8))
        return INFINITY;
    if (seconds > q->aim->deadline_s * (1 + 1e-8))
        return LATE * (1 + seconds);
    return q->aim->objective == PLB_OBJECTIVE_TIME   ? seconds
         : q->aim->objective == PLB_OBJECTIVE_ENERGY ? joules
                                                     : seconds * joules;
}

static void marginal_energy_decides_between_two_parabolas(void **state)
{
    (void)state;
    /* x + x² and 2 (y + y²) joules, no static watts, x + y = 1: 1 + 2x = 2 (1 + 2y), so x = 5/6 */
    struct plb_model m[] = {sum_of(0, 1, PLB_TERM_X2, 1e4), sum_of(0, 1, PLB_TERM_X2, 1e4)};
    double watts[] = {1, 2}, none = 0, x[2];
    int node[] = {0, 0};
    struct plb_power_curves job = {m, watts, node, &none, 2, 1, PLB_STATIC_JOB, 1};
    struct plb_aim aim = {PLB_OBJECTIVE_ENERGY, INFINITY, INFINITY};
    struct plb_aim_answer got;
    assert_true(plb_objective_curves(&job, &aim, x, &got));
    near(x[0], 5.0 / 6, 1e-5);
    near(got.joules, 5.0 / 6 + 25.0 / 36 + 2 * (1.0 / 6 + 1.0 / 36), 1e-9);
    aim.deadline_s = 0.96; /* x + x² = 0.96 at 0.6 */
    assert_true(plb_objective_curves(&job, &aim, x, &got));
    near(x[0], 0.6, 1e-6);
    aim.deadline_s = 0.7; /* both need 0.75 */
    assert_true(plb_objective_curves(&job, &aim, x, &got));
    assert_int_equal(got.state, PLB_AIM_LATE);
    near(got.seconds, 0.75, 1e-6);
    aim = (struct plb_aim){PLB_OBJECTIVE_ENERGY, INFINITY, 0.5};
    assert_true(plb_objective_curves(&job, &aim, x, &got));
    assert_int_equal(got.state, PLB_AIM_OVER);
}

static void a_start_cost_keeps_a_pu_out(void **state)
{
    (void)state;
    /* 10 + x s at 10 W against 2 x s at 10 W: for 9 units the second one alone is better, for 11 the first */
    struct plb_model m[] = {sum_of(10, 1, PLB_TERM_X2, 0), sum_of(0, 2, PLB_TERM_X2, 0)};
    double watts[] = {10, 10}, none = 0, x[2];
    int node[] = {0, 0};
    struct plb_power_curves job = {m, watts, node, &none, 2, 1, PLB_STATIC_JOB, 9};
    struct plb_aim aim = {PLB_OBJECTIVE_ENERGY, INFINITY, INFINITY};
    struct plb_aim_answer got;
    assert_true(plb_objective_curves(&job, &aim, x, &got));
    near(x[0], 0, 0);
    near(got.joules, 180, 1e-9);
    job.work = 11;
    assert_true(plb_objective_curves(&job, &aim, x, &got));
    near(x[1], 0, 0);
    near(got.joules, 210, 1e-9);
}

static double between(uint64_t *s, double low, double high)
{
    return low * pow(high / low, uniform(s));
}

/* Lines, parabolas, x ln x, and concave curves with ln x, two in three with start costs. */
static void random_job(uint64_t *s, struct plb_model *m, double *watts, int *node, double *idle,
                       struct plb_power_curves *job, struct plb_aim *aim)
{
    static const enum plb_term terms[] = {PLB_TERM_X, PLB_TERM_X2, PLB_TERM_X3, PLB_TERM_XLN, PLB_TERM_LN};
    int n = 2 + (int)(3 * uniform(s)), nodes = 1 + (int)(n * uniform(s));
    double work = 100, most = 0.0, rate = 0.0;
    for (int i = 0; i < n; i++) {
        double per_unit = between(s, 0.01, 0.3);
        enum plb_term term = terms[(int)(5 * uniform(s))];
        double other = per_unit * work * between(s, 0.1, 1);
        m[i] = sum_of(uniform(s) < 0.33 ? 0.0 : per_unit * work * between(s, 0.01, 0.5), per_unit, term,
                      term == PLB_TERM_LN ? 0.2 * other : other);
        m[i].execute.low = work * 0.01;
        m[i].execute.high = work;
        if (term == PLB_TERM_LN) /* positive at its smallest size */
            m[i].execute.a[PLB_TERM_ONE] += other;
        if (term == PLB_TERM_XLN) { /* of x itself, which is 1 or more where the curve was measured */
            m[i].execute.scale = 1;
            m[i].execute.a[PLB_TERM_X] = per_unit;
            m[i].execute.a[term] = other / (work * log(work));
        }
        assert_true(plb_curve_plausible(&m[i].execute));
        watts[i] = between(s, 10, 300);
        node[i] = i < nodes ? i : (int)(nodes * uniform(s));
        most += watts[i];
        rate += work / plb_model_time(&m[i], work);
    }
    for (int i = 0; i < nodes; i++)
        most += idle[i] = uniform(s) < 0.2 ? 0.0 : between(s, 5, 200);
    *job = (struct plb_power_curves){m,   watts, node, idle, n, nodes, (enum plb_static_rule)(3 * uniform(s)),
                                     work};
    if (job->rule == PLB_STATIC_BUSY && nodes < n)
        job->rule = PLB_STATIC_OFF_WHEN_IDLE; /* several PUs of a node count so */
    aim->objective = (enum plb_objective)(3 * uniform(s));
    aim->deadline_s = uniform(s) < 0.5 ? INFINITY : work / rate * between(s, 0.8, 8);
    aim->power_cap = uniform(s) < 0.5 ? INFINITY : most * between(s, 0.2, 1.1);
}

static void random_clusters_are_within_a_thousandth_of_a_grid(void **state)
{
    (void)state;
    int met = 0;
    double worst = 0.0;
    for (int seed = 0; seed < 1000; seed++) {
        uint64_t s = (uint64_t)seed * 104729 + 11;
        struct plb_model m[FEW];
        double watts[FEW], idle[FEW], x[FEW], sum = 0.0;
        int node[FEW];
        struct plb_power_curves job;
        struct plb_aim aim;
        struct plb_aim_answer got;
        random_job(&s, m, watts, node, idle, &job, &aim);
        struct question q = {&job, &aim};
        assert_true(plb_objective_curves(&job, &aim, x, &got));
        double least = brute_force(value_of, &q, job.work, job.n);
        if (got.state != PLB_AIM_MET) {
            if (least < LATE)
                fail_msg("seed %d: state %d, but a grid finds %g", seed, got.state, least);
            continue;
        }
        for (int i = 0; i < job.n; i++)
            sum += x[i];
        near(sum, job.work, 1e-8);
        double value = value_of(&q, x);
        worst = fmax(worst, value / least);
        if (!(value <= least * 1.001))
            fail_msg("seed %d, %d PUs, rule %d, objective %d: %.9g, a grid finds %.9g", seed, job.n, job.rule,
                     aim.objective, value, least);
        met++;
    }
    print_message("%d answers, at worst %.6f of the grid's\n", met, worst);
    assert_true(met > 500);
}

/* The exact answer for PUs whose time is in proportion to their work, found in another way. */
static void straight_curves_agree_with_lines(void **state)
{
    (void)state;
    for (int seed = 0; seed < 200; seed++) {
        uint64_t s = (uint64_t)seed;
        struct plb_model m[FEW];
        struct plb_power_pu pus[FEW];
        double watts[FEW], idle[FEW], x[FEW];
        int node[FEW];
        struct plb_power_curves job;
        struct plb_aim aim;
        struct plb_aim_answer got, expected;
        random_job(&s, m, watts, node, idle, &job, &aim);
        for (int i = 0; i < job.n; i++) {
            double per_unit = between(&s, 0.01, 0.3);
            m[i] = sum_of(0, per_unit, PLB_TERM_X, 0);
            pus[i] = (struct plb_power_pu){1 / per_unit, watts[i], node[i]};
        }
        struct plb_power_job lines = {pus, idle, job.n, job.n_nodes, job.rule, job.work};
        assert_true(plb_objective_curves(&job, &aim, x, &got));
        assert_true(plb_objective_lines(&lines, &aim, x, &expected));
        assert_int_equal(got.state, expected.state);
        if (got.state != PLB_AIM_MET)
            continue;
        near(plb_objective_value(aim.objective, got.seconds, got.joules),
             plb_objective_value(aim.objective, expected.seconds, expected.joules), 1e-6);
    }
}

static void many_pus_are_no_worse_than_all_or_the_best_one(void **state)
{
    (void)state;
    enum { N = 40 };
    for (int seed = 0; seed < 10; seed++) {
        uint64_t s = (uint64_t)seed;
        struct plb_model m[N];
        double watts[N], idle = 20, x[N], single = INFINITY, fastest = 0.0;
        int node[N] = {0};
        for (int i = 0; i < N; i++) {
            double b = between(&s, 0.01, 1);
            m[i] = sum_of(between(&s, 0.1, 10), b, PLB_TERM_X2, b * uniform(&s));
            watts[i] = between(&s, 10, 300);
            single = fmin(single, (watts[i] + idle) * plb_model_time(&m[i], 1000));
        }
        struct plb_power_curves job = {m, watts, node, &idle, N, 1, PLB_STATIC_JOB, 1000};
        struct plb_aim aim = {PLB_OBJECTIVE_TIME, INFINITY, INFINITY};
        struct plb_aim_answer all, got;
        assert_true(plb_objective_curves(&job, &aim, x, &all));
        fastest = all.seconds;
        aim.objective = PLB_OBJECTIVE_ENERGY;
        assert_true(plb_objective_curves(&job, &aim, x, &got));
        assert_true(got.joules <= single * (1 + 1e-9) && got.joules < all.joules && got.seconds > fastest);
        aim.deadline_s = 1.5 * fastest;
        assert_true(plb_objective_curves(&job, &aim, x, &got));
        assert_int_equal(got.state, PLB_AIM_MET);
        assert_true(got.joules < all.joules && got.seconds <= 1.5 * fastest * (1 + 1e-8));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginal_energy_decides_between_two_parabolas),
        cmocka_unit_test(a_start_cost_keeps_a_pu_out),
        cmocka_unit_test(random_clusters_are_within_a_thousandth_of_a_grid),
        cmocka_unit_test(straight_curves_agree_with_lines),
        cmocka_unit_test(many_pus_are_no_worse_than_all_or_the_best_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
