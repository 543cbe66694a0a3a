/* Who works for least time, energy or energy times delay: the paper's twelve rows, and random clusters of 2
 * to 4 PUs against a refined grid of all shares. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/energy/objective.h"
#include "numbers.h"
#include "plb/kernel.h"
#include "share_grid.h"

/* A machine and a benchmark of Stafford et al. 2017, Table 1: the CPU's speed is 1, W = 1. The last two are
 * α that the printed parameters give for least energy and least energy times delay. -1: α_opt. */
static const struct row {
    const char *name;
    double ratio, static_c, static_g, dynamic_c, dynamic_g, optimum, energy, edp;
} rows[] = {
    {"Kepler 324 Binomial", 3.3559, 50, 16.5, 70, 27.5, 0.23, 0, 0},
    {"Kepler 324 NBody", 3.1370, 50, 16.5, 50, 27.5, 0.24, 0, -1},
    {"Kepler 324 Mandelbrot", 0.8916, 50, 16.5, 70, 44, 0.53, -1, -1},
    {"Kepler 324 Taylor", 0.9375, 50, 16.5, 50, 29.5, 0.52, -1, -1},
    {"Kepler 758 Binomial", 7.9220, 50, 48, 70, 98.5, 0.11, 0, 0},
    {"Kepler 758 NBody", 7.9012, 50, 48, 50, 105.5, 0.11, 0, -1},
    {"Kepler 758 Mandelbrot", 2.0711, 50, 48, 70, 115, 0.33, -1, -1},
    {"Kepler 758 Taylor", 2.2083, 50, 48, 50, 103.5, 0.31, -1, -1},
    {"GTX950 Binomial", 9.7893, 41, 12.5, 18, 54, 0.09, 0, -1},
    {"GTX950 NBody", 17.7458, 33, 12, 9, 76, 0.05, 0, -1},
    {"GTX950 Mandelbrot", 0.9730, 40, 10, 7, 48, 0.51, -1, -1},
    {"GTX950 Taylor", 0.7175, 32, 12, 10.55, 46, 0.58, 1, -1},
};

static const struct plb_aim no_limit[] = {{PLB_OBJECTIVE_TIME, INFINITY, INFINITY},
                                          {PLB_OBJECTIVE_ENERGY, INFINITY, INFINITY},
                                          {PLB_OBJECTIVE_EDP, INFINITY, INFINITY}};

static void the_papers_twelve_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct plb_power_pu pus[] = {{1, r->dynamic_c, 0}, {r->ratio, r->dynamic_g, 0}};
        double watts = r->static_c + r->static_g, x[2], expected[] = {-1, r->energy, r->edp};
        struct plb_power_job job = {pus, &watts, 2, 1, PLB_STATIC_JOB, 1};
        for (int o = 0; o < 3; o++) {
            struct plb_aim_answer got;
            assert_true(plb_objective_lines(&job, &no_limit[o], x, &got));
            double alpha = expected[o] < 0 ? 1 / (1 + r->ratio) : expected[o];
            if (fabs(x[0] - alpha) > 1e-12 || !got.exact || got.state != PLB_AIM_MET)
                fail_msg("%s, objective %d: share %.15g, expected %.15g", r->name, o, x[0], alpha);
            if (o == 0 && fabs(x[0] - r->optimum) > 0.00501)
                fail_msg("%s: share %g, the paper prints %g", r->name, x[0], r->optimum);
        }
    }
}

/* The paper's own sentence (eq. 6): sharing saves energy only within this range of speed ratios. */
static void sharing_saves_energy_within_the_papers_range_only(void **state)
{
    (void)state;
    struct plb_power_pu pus[] = {{1, 60, 0}, {1, 90, 1}};
    double watts[] = {20, 10}, x[2], low = 90.0 / (30 + 60), high = (30.0 + 90) / 60;
    struct plb_power_job job = {pus, watts, 2, 2, PLB_STATIC_JOB, 7};
    struct plb_aim_answer got;
    pus[1].speed = low * 0.999; /* too slow for its watts */
    assert_true(plb_objective_lines(&job, &no_limit[1], x, &got));
    near(x[0], 7, 1e-12);
    near(x[1], 0, 0);
    pus[1].speed = low * 1.001;
    assert_true(plb_objective_lines(&job, &no_limit[1], x, &got));
    near(x[0] / x[1], 1 / pus[1].speed, 1e-12);
    pus[1].speed = high * 0.999;
    assert_true(plb_objective_lines(&job, &no_limit[1], x, &got));
    near(x[0] / x[1], 1 / pus[1].speed, 1e-12);
    near(got.joules, 7 / (1 + pus[1].speed) * (30 + 150), 1e-12); /* eq. 7 */
    near(got.watts, 180, 1e-12);
    pus[1].speed = high * 1.001; /* so fast that the other one wastes energy */
    assert_true(plb_objective_lines(&job, &no_limit[1], x, &got));
    near(x[0], 0, 0);
    near(x[1], 7, 1e-12);
}

/* Section 2.3: the best of 0, 1, α_opt, and of α_left and α_right where they lie within their ranges. They
 * are maxima there, so the answer is the same. */
static double of_five_points(double s_g, double fixed, double d_c, double d_g)
{
    double opt = 1 / (1 + s_g), best = INFINITY, share = 0.0;
    double left = (2 * (fixed + d_g) - s_g * d_c) / (2 * (fixed + d_g) - 2 * s_g * d_c);
    double right = d_g / (2 * (d_g - s_g * (fixed + d_c)));
    double points[] = {0, 1, opt, left > 0 && left < opt ? left : 0, right > opt && right < 1 ? right : 1};
    for (int i = 0; i < 5; i++) {
        double a = points[i], t = fmax(a, (1 - a) / s_g);
        double edp = t * (fixed * t + d_c * a + d_g * (1 - a) / s_g);
        if (edp < best) {
            best = edp;
            share = a;
        }
    }
    return share;
}

static void the_papers_five_points_have_the_same_best(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i += 4) {
        double s_g = exp(6 * plb_random_real(1, i) - 3), fixed = 1 + 100 * plb_random_real(1, i + 1);
        double d_c = 200 * plb_random_real(1, i + 2), d_g = 200 * plb_random_real(1, i + 3), x[2];
        struct plb_power_pu pus[] = {{1, d_c, 0}, {s_g, d_g, 0}};
        struct plb_power_job job = {pus, &fixed, 2, 1, PLB_STATIC_JOB, 1};
        struct plb_aim_answer got;
        assert_true(plb_objective_lines(&job, &no_limit[2], x, &got));
        near(x[0], of_five_points(s_g, fixed, d_c, d_g), 1e-9);
    }
}

/* T and E of shares; E is INFINITY where the cap is broken. Independent of the code under test. */
static void cost(const struct plb_power_job *job, const struct plb_aim *aim, const double *x, double *seconds,
                 double *joules)
{
    double busy[FEW] = {0}, watts = 0.0;
    *seconds = *joules = 0.0;
    for (int i = 0; i < job->n; i++) {
        double t = x[i] / job->pus[i].speed;
        *seconds = fmax(*seconds, t);
        *joules += t * job->pus[i].dynamic_watts;
        busy[job->pus[i].node] = fmax(busy[job->pus[i].node], t);
        watts += t > 0.0 ? job->pus[i].dynamic_watts : 0.0;
    }
    for (int k = 0; k < job->n_nodes; k++) {
        bool counts = job->rule == PLB_STATIC_JOB || busy[k] > 0.0;
        watts += counts ? job->static_watts[k] : 0.0;
        *joules += job->static_watts[k] * (job->rule == PLB_STATIC_BUSY ? busy[k] : counts ? *seconds : 0.0);
    }
    if (watts > aim->power_cap * (1 + 1e-9))
        *joules = INFINITY;
}

#define LATE 1e30

struct question {
    const struct plb_power_job *job;
    const struct plb_aim *aim;
};

static double value_of(const void *context, const double *x)
{
    const struct question *q = context;
    const struct plb_aim *aim = q->aim;
    double seconds, joules;
    cost(q->job, aim, x, &seconds, &joules);
    if (isinf(joules))
        return INFINITY;
    if (seconds > aim->deadline_s * (1 + 1e-9))
        return LATE * (1 + seconds); /* so that the grid moves to where the deadline is met */
    return aim->objective == PLB_OBJECTIVE_TIME   ? seconds
         : aim->objective == PLB_OBJECTIVE_ENERGY ? joules
                                                  : seconds * joules;
}

static double between(uint64_t *s, double low, double high)
{
    return low * pow(high / low, uniform(s));
}

/* A cluster, a rule, an objective and limits: half of them with a deadline, half with a cap. */
static void random_job(uint64_t *s, struct plb_power_pu *pus, double *watts, struct plb_power_job *job,
                       struct plb_aim *aim)
{
    int n = 2 + (int)(3 * uniform(s)), nodes = 1 + (int)(n * uniform(s));
    double rate = 0.0, most = 0.0;
    for (int i = 0; i < n; i++) {
        pus[i] = (struct plb_power_pu){between(s, 1, 30), between(s, 10, 300),
                                       i < nodes ? i : (int)(nodes * uniform(s))};
        rate += pus[i].speed;
        most += pus[i].dynamic_watts;
    }
    for (int i = 0; i < nodes; i++)
        most += watts[i] = uniform(s) < 0.2 ? 0.0 : between(s, 5, 200);
    *job = (struct plb_power_job){
        pus, watts, n, nodes, (enum plb_static_rule)(3 * uniform(s)), between(s, 1, 1e4)};
    aim->objective = (enum plb_objective)(3 * uniform(s));
    aim->deadline_s = uniform(s) < 0.5 ? INFINITY : job->work / rate * between(s, 0.95, 8);
    aim->power_cap = uniform(s) < 0.5 ? INFINITY : most * between(s, 0.2, 1.1);
}

static void judge(const struct plb_power_job *job, const struct plb_aim *aim, const double *x,
                  const struct plb_aim_answer *got, int seed)
{
    struct question q = {job, aim};
    double seconds, joules, sum = 0.0, least = brute_force(value_of, &q, job->work, job->n);
    if (got->state != PLB_AIM_MET) {
        if (least < LATE)
            fail_msg("seed %d: state %d, but a grid finds %g", seed, got->state, least);
        return;
    }
    for (int i = 0; i < job->n; i++)
        sum += x[i];
    near(sum, job->work, 1e-9);
    cost(job, aim, x, &seconds, &joules);
    if (isinf(joules) || seconds > aim->deadline_s * (1 + 1e-9))
        fail_msg("seed %d: a limit is broken", seed);
    near(got->seconds, seconds, 1e-9);
    near(got->joules, joules, 1e-9);
    double value = value_of(&q, x);
    if (!(value <= least * (1 + 1e-9)) || !(least <= value * 1.001) || !got->exact)
        fail_msg("seed %d, %d PUs, rule %d, objective %d: %.12g, a grid finds %.12g", seed, job->n, job->rule,
                 aim->objective, value, least);
    near(got->bound, value, 1e-9);
}

static void a_thousand_random_clusters_agree_with_a_grid(void **state)
{
    (void)state;
    int met = 0;
    for (int seed = 0; seed < 1000; seed++) {
        uint64_t s = (uint64_t)seed * 7919 + 3;
        struct plb_power_pu pus[FEW];
        struct plb_power_job job;
        struct plb_aim aim;
        struct plb_aim_answer got;
        double watts[FEW], x[FEW];
        random_job(&s, pus, watts, &job, &aim);
        assert_true(plb_objective_lines(&job, &aim, x, &got));
        judge(&job, &aim, x, &got, seed);
        met += got.state == PLB_AIM_MET;
    }
    assert_true(met > 500);
}

/* 15 PUs under a cap are more than are tried in all sets. The bound holds, and the answer is near it. */
static void many_pus_under_a_cap_stay_near_the_bound(void **state)
{
    (void)state;
    for (int seed = 0; seed < 100; seed++) {
        uint64_t s = (uint64_t)seed;
        struct plb_power_pu pus[15];
        double watts = between(&s, 1, 100), x[15], most = 0.0, best = 0.0;
        for (int i = 0; i < 15; i++) {
            pus[i] = (struct plb_power_pu){between(&s, 1, 10), between(&s, 10, 100), 0};
            most += pus[i].dynamic_watts;
        }
        struct plb_power_job job = {pus, &watts, 15, 1, PLB_STATIC_JOB, 1000};
        struct plb_aim aim = {PLB_OBJECTIVE_TIME, INFINITY, watts + most * (0.2 + 0.6 * uniform(&s))};
        for (int sets = 1; sets < 1 << 15; sets++) {
            double sum = watts, rate = 0.0;
            for (int i = 0; i < 15; i++)
                if (sets & 1 << i) {
                    sum += pus[i].dynamic_watts;
                    rate += pus[i].speed;
                }
            if (sum <= aim.power_cap)
                best = fmax(best, rate);
        }
        struct plb_aim_answer got;
        assert_true(plb_objective_lines(&job, &aim, x, &got));
        assert_int_equal(got.state, PLB_AIM_MET);
        assert_true(!got.exact && got.watts <= aim.power_cap * (1 + 1e-9));
        /* the bound lets one PU more work in part, and its speed is 10 at most */
        if (!(got.bound <= 1000 / best * (1 + 1e-9) && got.seconds >= 1000 / best * (1 - 1e-9)
              && 1000 / got.seconds >= 1000 / got.bound - 10))
            fail_msg("seed %d: %g s, bound %g, optimum %g", seed, got.seconds, got.bound, 1000 / best);
    }
}

static void the_front_is_the_polyline_from_fastest_to_least_energy(void **state)
{
    (void)state;
    /* joules per unit 1, 2, 9, and 6 static watts: corners at rates 10, 15, 17 */
    struct plb_power_pu pus[] = {{2, 18, 0}, {10, 10, 0}, {5, 10, 0}, {0, 1, 0}};
    double watts = 6;
    struct plb_power_job job = {pus, &watts, 4, 1, PLB_STATIC_JOB, 510};
    struct plb_front_point front[4];
    assert_int_equal(plb_objective_front(&job, front), 3);
    near(front[0].seconds, 30, 1e-12);
    near(front[0].joules, 30 * 44, 1e-12);
    near(front[1].seconds, 34, 1e-12);
    near(front[1].joules, 34 * 26, 1e-12);
    near(front[2].seconds, 51, 1e-12);
    near(front[2].joules, 51 * 16, 1e-12);
    assert_int_equal(front[0].working, 3);
    assert_int_equal(front[2].working, 1);
    watts = 60; /* now the second one pays for itself */
    assert_int_equal(plb_objective_front(&job, front), 2);
    assert_int_equal(front[1].working, 2);
    pus[0].speed = pus[1].speed = pus[2].speed = 0;
    assert_int_equal(plb_objective_front(&job, front), 0);
}

static void a_deadline_lies_on_the_line_between_two_corners(void **state)
{
    (void)state;
    struct plb_power_pu pus[] = {{2, 18, 0}, {10, 10, 0}, {5, 10, 0}};
    double watts = 6, x[3];
    struct plb_power_job job = {pus, &watts, 3, 1, PLB_STATIC_JOB, 510};
    struct plb_aim aim = {PLB_OBJECTIVE_ENERGY, 40, INFINITY};
    struct plb_aim_answer got;
    assert_true(plb_objective_lines(&job, &aim, x, &got));
    near(x[1], 400, 1e-12);
    near(x[2], 110, 1e-12);
    near(x[0], 0, 0);
    near(got.seconds, 40, 1e-12);
    near(got.joules, 40 * 16 + 22 * 10, 1e-12);
    aim.deadline_s = 29; /* all three need 30 s */
    assert_true(plb_objective_lines(&job, &aim, x, &got));
    assert_int_equal(got.state, PLB_AIM_LATE);
    near(got.seconds, 30, 1e-12);
    aim = (struct plb_aim){PLB_OBJECTIVE_TIME, INFINITY, 15.9};
    assert_true(plb_objective_lines(&job, &aim, x, &got));
    assert_int_equal(got.state, PLB_AIM_OVER);
    pus[0].speed = pus[1].speed = pus[2].speed = 0;
    assert_true(plb_objective_lines(&job, &aim, x, &got));
    assert_int_equal(got.state, PLB_AIM_NO_PU);
}

/* 300 nodes: more than are tried in all sets. At a deadline one node at most is on for a part of its time. */
static void many_nodes_at_a_deadline_miss_the_bound_by_one_nodes_watts(void **state)
{
    (void)state;
    enum { N = 300 };
    static struct plb_power_pu pus[N];
    static double watts[N], x[N];
    for (int seed = 0; seed < 50; seed++) {
        uint64_t s = (uint64_t)seed;
        double rate = 0.0;
        for (int i = 0; i < N; i++) {
            pus[i] = (struct plb_power_pu){between(&s, 1, 10), between(&s, 10, 100), i};
            watts[i] = between(&s, 20, 40);
            rate += pus[i].speed;
        }
        struct plb_power_job job = {pus, watts, N, N, PLB_STATIC_OFF_WHEN_IDLE, 1000};
        struct plb_aim aim = {PLB_OBJECTIVE_ENERGY, 1000 / rate * between(&s, 1.1, 5), INFINITY};
        struct plb_aim_answer got;
        assert_true(plb_objective_lines(&job, &aim, x, &got));
        assert_int_equal(got.state, PLB_AIM_MET);
        assert_true(got.bound <= got.joules && got.joules <= got.bound + 40 * got.seconds);
        double sum = 0.0, joules = 0.0;
        for (int i = 0; i < N; i++) {
            sum += x[i];
            joules += x[i] / pus[i].speed * pus[i].dynamic_watts
                    + (x[i] > 0.0 ? watts[i] * got.seconds : 0.0);
        }
        near(sum, 1000, 1e-9);
        near(got.joules, joules, 1e-9);
    }
}

static void ten_thousand_pus_are_shared_out(void **state)
{
    (void)state;
    enum { N = 10000 };
    static struct plb_power_pu pus[N];
    static double watts[N], x[N];
    static struct plb_front_point front[N];
    uint64_t s = 1;
    for (int i = 0; i < N; i++) {
        pus[i] = (struct plb_power_pu){between(&s, 1, 100), between(&s, 10, 400), i};
        watts[i] = between(&s, 1, 10);
    }
    struct plb_power_job job = {pus, watts, N, N, PLB_STATIC_BUSY, 1e9};
    struct plb_aim_answer got;
    clock_t begin = clock();
    assert_true(plb_objective_lines(&job, &no_limit[2], x, &got));
    int corners = plb_objective_front(&job, front);
    print_message("10,000 PUs: answer and front in %.2g s\n", (double)(clock() - begin) / CLOCKS_PER_SEC);
    assert_true(corners > 1 && got.exact);
    double least = INFINITY;
    for (int i = 0; i < corners; i++) {
        least = fmin(least, front[i].seconds * front[i].joules);
        assert_true(i == 0
                    || (front[i].seconds > front[i - 1].seconds && front[i].joules < front[i - 1].joules));
    }
    near(got.seconds * got.joules, least, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_twelve_rows),
        cmocka_unit_test(sharing_saves_energy_within_the_papers_range_only),
        cmocka_unit_test(the_papers_five_points_have_the_same_best),
        cmocka_unit_test(a_thousand_random_clusters_agree_with_a_grid),
        cmocka_unit_test(many_pus_under_a_cap_stay_near_the_bound),
        cmocka_unit_test(the_front_is_the_polyline_from_fastest_to_least_energy),
        cmocka_unit_test(a_deadline_lies_on_the_line_between_two_corners),
        cmocka_unit_test(many_nodes_at_a_deadline_miss_the_bound_by_one_nodes_watts),
        cmocka_unit_test(ten_thousand_pus_are_shared_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
