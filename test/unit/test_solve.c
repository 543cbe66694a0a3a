/* The solver: shares solved by hand, an independent water-filling oracle for lines, and for random
 * systems what every answer must satisfy: all work shared, equal finish times, nothing to gain. */
#include <stdlib.h>
#include <string.h>

#include "config/ini.h"
#include "model/solve.h"
#include "numbers.h"

#define MOST 10000
static const enum plb_solver solvers[] = {PLB_SOLVER_AUTO, PLB_SOLVER_SLSQP, PLB_SOLVER_BISECTION};

/* a + b x at every size. */
static struct plb_model line_model(double a, double b)
{
    struct plb_model m = {
        .execute = {
            .terms = 1u << PLB_TERM_ONE | 1u << PLB_TERM_X, .scale = 1, .low = 1e-30, .high = 1e30, .r2 = 1}};
    m.execute.a[PLB_TERM_ONE] = a;
    m.execute.a[PLB_TERM_X] = b;
    return m;
}

static struct plb_model random_model(uint64_t *s)
{
    static const unsigned terms[] = {PLB_TERM_X, PLB_TERM_X2, PLB_TERM_X3, PLB_TERM_EXP, PLB_TERM_XEXP};
    double speed = exp(6 * uniform(s)), high = exp(8 * uniform(s));
    struct plb_model m = {
        .execute = {.scale = high, .low = high * (0.01 + 0.5 * uniform(s)), .high = high, .r2 = 1}};
    for (int k = 0; k < 2; k++) {
        unsigned term = terms[(int)(5 * uniform(s))];
        m.execute.terms |= 1u << term;
        m.execute.a[term] = high / speed * (0.1 + uniform(s));
    }
    if (uniform(s) < 0.7) {
        m.execute.terms |= 1u << PLB_TERM_ONE;
        m.execute.a[PLB_TERM_ONE] = 2 * uniform(s);
    }
    if (uniform(s) < 0.5) {
        m.transfer_s = 0.1 * uniform(s);
        m.transfer_s_per_work = 0.1 * uniform(s);
    }
    return m;
}

/* All work shared, used PUs finish together at the stated time, unused ones could only slow it. */
static void sound(const struct plb_model *m, int n, double total, const double *x,
                  const struct plb_solution *s, int seed)
{
    double sum = 0.0, shortest = INFINITY, longest = 0.0;
    for (int p = 0; p < n; p++) {
        if (!(x[p] >= 0.0))
            fail_msg("seed %d: x[%d] = %g", seed, p, x[p]);
        sum += x[p];
        if (x[p] > 0.0) {
            shortest = fmin(shortest, plb_model_time(&m[p], x[p]));
            longest = fmax(longest, plb_model_time(&m[p], x[p]));
        }
    }
    if (!(fabs(sum - total) <= 1e-9 * total))
        fail_msg("seed %d: shares sum to %.15g, not %.15g", seed, sum, total);
    if (!(longest - shortest <= 1e-6 * longest))
        fail_msg("seed %d, %d PUs, solver %d: finish times from %.12g to %.12g", seed, n, s->used, shortest,
                 longest);
    if (!(fabs(s->seconds - longest) <= 1e-6 * longest))
        fail_msg("seed %d: T = %.12g, but the last finishes at %.12g", seed, s->seconds, longest);
    for (int p = 0; p < n; p++)
        if (x[p] == 0.0 && plb_model_known(&m[p])
            && plb_model_time(&m[p], 1e-9 * total) < longest * (1 - 1e-6))
            fail_msg("seed %d: PU %d could have helped", seed, p);
}

static void proportional_curves_give_shares_by_rate(void **state)
{
    (void)state;
    struct plb_model m[] = {line_model(0, 1), line_model(0, 0.5), line_model(0, 0.2)}; /* 1 : 2 : 5 */
    for (int s = 0; s < 3; s++) {
        double x[3];
        struct plb_solution got;
        assert_true(plb_solve(m, 3, 400, solvers[s], x, &got));
        near(x[0], 50, 1e-9);
        near(x[1], 100, 1e-9);
        near(x[2], 250, 1e-9);
        near(got.seconds, 50, 1e-9);
    }
}

static void lines_are_solved_as_by_hand_and_a_hindrance_gets_nothing(void **state)
{
    (void)state;
    /* 1 + 2 x = 3 + y, x + y = 10: x = 4, y = 6, T = 9; 20 + x and an unknown could only slow it */
    struct plb_model m[] = {line_model(1, 2), line_model(20, 1), line_model(3, 0.5), {.transfer_s = 0}};
    m[2].transfer_s_per_work = 0.5;
    for (int s = 0; s < 3; s++) {
        double x[4];
        struct plb_solution got;
        assert_true(plb_solve(m, 4, 10, solvers[s], x, &got));
        near(x[0], 4, 1e-8);
        near(x[1], 0, 0);
        near(x[2], 6, 1e-8);
        near(x[3], 0, 0);
        near(got.seconds, 9, 1e-8);
    }
}

static void no_model_is_false_and_leaves_x_alone(void **state)
{
    (void)state;
    struct plb_model m[2] = {{.transfer_s = 1}, {.transfer_s = 2}};
    double x[2] = {7, 8};
    struct plb_solution got = {.seconds = 5};
    for (int s = 0; s < 3; s++) {
        assert_false(plb_solve(m, 2, 10, solvers[s], x, &got));
        assert_false(plb_solve(m, 0, 10, solvers[s], x, &got));
        near(x[0], 7, 0);
        near(x[1], 8, 0);
    }
}

static void one_pu_gets_all(void **state)
{
    (void)state;
    struct plb_model m = line_model(2, 3);
    for (int s = 0; s < 3; s++) {
        double x;
        struct plb_solution got;
        assert_true(plb_solve(&m, 1, 10, solvers[s], &x, &got));
        near(x, 10, 1e-12);
        near(got.seconds, 32, 1e-12);
    }
}

/* Where sizes do not matter, E is a constant: there is no x with E(x) = T but at T itself. */
static void flat_curves_are_shared_out(void **state)
{
    (void)state;
    struct plb_model flat = {
        .execute = {.terms = 1u << PLB_TERM_ONE, .a = {4}, .scale = 1, .low = 1, .high = 100}};
    struct plb_model same[] = {flat, flat}, mixed[] = {line_model(0, 1), flat};
    for (int s = 0; s < 3; s++) {
        double x[2];
        struct plb_solution got;
        assert_true(plb_solve(same, 2, 50, solvers[s], x, &got));
        near(x[0] + x[1], 50, 1e-9);
        near(got.seconds, 4, 1e-6);
        assert_true(plb_solve(mixed, 2, 10, solvers[s], x, &got)); /* x = 4 in T = 4, the rest flat */
        near(x[0], 4, 1e-6);
        near(x[1], 6, 1e-6);
        near(got.seconds, 4, 1e-6);
    }
}

/* At the height of a flat stretch any x of it is an inverse, whichever the search came upon. */
static void flat_curves_among_others_leave_no_one_behind(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 2000; seed++) {
        uint64_t s = (uint64_t)seed;
        struct plb_model m[12];
        double x[12];
        int n = 2 + (int)(11 * uniform(&s));
        for (int p = 0; p < n; p++)
            m[p] = random_model(&s);
        double high = exp(8 * uniform(&s)), total = high * exp(2 * uniform(&s) - 1);
        m[0] = (struct plb_model){.execute = {.terms = 1u << PLB_TERM_ONE,
                                              .a = {exp(4 * uniform(&s) - 2)},
                                              .scale = 1,
                                              .low = 1,
                                              .high = high}};
        struct plb_solution got;
        assert_true(plb_solve(m, n, total, PLB_SOLVER_BISECTION, x, &got));
        sound(m, n, total, x, &got, seed);
    }
}

static int by_intercept(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Water filling: with the k least intercepts in use T = (X + Σ a/b) / Σ 1/b; k grows while a < T. */
static void random_lines_agree_with_water_filling(void **state)
{
    (void)state;
    static double ab[200][2], x[200];
    static struct plb_model m[200];
    for (int seed = 1; seed <= 500; seed++) {
        uint64_t s = (uint64_t)seed;
        int n = 1 + (int)(200 * uniform(&s) * uniform(&s));
        double total = exp(10 * uniform(&s)), spread = 3 * total / n;
        for (int p = 0; p < n; p++) {
            ab[p][0] = spread * uniform(&s);
            ab[p][1] = exp(4 * uniform(&s) - 2);
        }
        qsort(ab, (size_t)n, sizeof *ab, by_intercept);
        double offset = 0, rate = 0, t = INFINITY;
        for (int p = 0; p < n && ab[p][0] < t; p++) {
            offset += ab[p][0] / ab[p][1];
            rate += 1 / ab[p][1];
            t = (total + offset) / rate;
        }
        for (int p = 0; p < n; p++)
            m[p] = line_model(ab[p][0], ab[p][1]);
        for (int k = seed % 20 == 0 ? 0 : 2; k < 3; k++) {
            struct plb_solution got;
            assert_true(plb_solve(m, n, total, solvers[k], x, &got));
            near(got.seconds, t, 1e-7);
            for (int p = 0; p < n; p++)
                if (fabs(x[p] - fmax(0, (t - ab[p][0]) / ab[p][1])) > 1e-7 * total)
                    fail_msg("seed %d, PU %d: %.12g", seed, p, x[p]);
        }
    }
}

static void random_systems_are_solved(void **state)
{
    (void)state;
    static struct plb_model m[200];
    static double x[200];
    for (int k = 0; k < 3; k++)
        for (int seed = 1; seed <= 500; seed++) {
            uint64_t s = (uint64_t)seed;
            int most = solvers[k] == PLB_SOLVER_SLSQP && seed % 50 != 0 ? 30 : 200; /* SLSQP is slow */
            int n = 1 + (int)(most * uniform(&s));
            double total = exp(12 * uniform(&s));
            for (int p = 0; p < n; p++)
                m[p] = random_model(&s);
            struct plb_solution got;
            assert_true(plb_solve(m, n, total, solvers[k], x, &got));
            sound(m, n, total, x, &got, seed);
        }
}

static void auto_uses_slsqp_up_to_its_limit(void **state)
{
    (void)state;
    struct plb_model m[PLB_SLSQP_LIMIT + 2];
    double x[PLB_SLSQP_LIMIT + 2];
    struct plb_solution got;
    for (int p = 0; p < PLB_SLSQP_LIMIT + 2; p++)
        m[p] = line_model(0.1 * p, 1 + p % 5);
    for (int n = 2; n <= PLB_SLSQP_LIMIT + 2; n++) {
        assert_true(plb_solve(m, n, 1000, PLB_SOLVER_AUTO, x, &got));
        assert_int_equal(got.used, n <= PLB_SLSQP_LIMIT ? PLB_SOLVER_SLSQP : PLB_SOLVER_BISECTION);
        assert_true(plb_solve(m, n, 1000, PLB_SOLVER_BISECTION, x, &got));
        assert_int_equal(got.used, PLB_SOLVER_BISECTION);
    }
    assert_true(plb_solve(m, PLB_SLSQP_LIMIT + 2, 1000, PLB_SOLVER_SLSQP, x, &got));
    assert_int_equal(got.used, PLB_SOLVER_SLSQP);
}

/* From equal shares SLSQP ends elsewhere now and then; then the answer is the bisection's. */
static void the_two_solvers_agree_or_slsqp_is_refused(void **state)
{
    (void)state;
    int used = 0, refused = 0;
    for (int seed = 1; seed <= 2000; seed++) {
        uint64_t s = (uint64_t)seed;
        struct plb_model m[PLB_SLSQP_LIMIT];
        double a[PLB_SLSQP_LIMIT], b[PLB_SLSQP_LIMIT], total = 10000;
        int n = 2 + seed % (PLB_SLSQP_LIMIT - 1);
        for (int p = 0; p < n; p++)
            m[p] = random_model(&s);
        struct plb_solution one, two;
        assert_true(plb_solve(m, n, total, PLB_SOLVER_SLSQP, a, &one));
        assert_true(plb_solve(m, n, total, PLB_SOLVER_BISECTION, b, &two));
        used += one.used == PLB_SOLVER_SLSQP;
        refused += one.refused;
        assert_false(two.refused || (one.refused && one.used == PLB_SOLVER_SLSQP));
        near(one.seconds, two.seconds, 1e-6);
        for (int p = 0; p < n; p++)
            if (!(fabs(a[p] - b[p]) <= 1e-6 * total))
                fail_msg("seed %d, PU %d: %.12g and %.12g", seed, p, a[p], b[p]);
    }
    print_message("%d of 2000 answers refused\n", refused);
    assert_true(used > 1500 && refused > 0 && refused < 40);
}

/* On flat curves every share is an answer: the one that is found shows where the search began. */
static void slsqp_starts_from_equal_shares(void **state)
{
    (void)state;
    struct plb_curve flat = {.terms = 1u << PLB_TERM_ONE, .a = {4}, .scale = 1, .low = 1, .high = 100};
    struct plb_model m[] = {{.execute = flat}, {.execute = flat}};
    double x[2];
    struct plb_solution got;
    m[1].execute.high = 10; /* beyond that it rises */
    assert_true(plb_solve(m, 2, 20, PLB_SOLVER_BISECTION, x, &got));
    assert_true(x[0] > 1.5 * x[1]);
    assert_true(plb_solve(m, 2, 20, PLB_SOLVER_AUTO, x, &got));
    assert_int_equal(got.used, PLB_SOLVER_SLSQP);
    near(x[0], 10, 1e-6);
    near(x[1], 10, 1e-6);
}

static void no_move_of_one_percent_helps(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 200; seed++) {
        uint64_t s = (uint64_t)seed;
        struct plb_model m[8];
        double x[8];
        int n = 2 + seed % 7;
        for (int p = 0; p < n; p++)
            m[p] = random_model(&s);
        struct plb_solution got;
        assert_true(plb_solve(m, n, exp(10 * uniform(&s)), PLB_SOLVER_AUTO, x, &got));
        for (int from = 0; from < n; from++)
            for (int to = 0; to < n; to++) {
                double makespan = 0;
                for (int p = 0; p < n; p++) {
                    double moved = from == to || x[from] == 0 ? 0
                                 : p == from                  ? -0.01 * x[from]
                                 : p == to                    ? 0.01 * x[from]
                                                              : 0;
                    makespan = fmax(makespan, plb_model_time(&m[p], x[p] + moved));
                }
                if (makespan < got.seconds * (1 - 1e-7))
                    fail_msg("seed %d: a move from %d to %d gives %.12g, not %.12g", seed, from, to, makespan,
                             got.seconds);
            }
    }
}

static void unlike_rates_and_totals_of_any_size_are_solved(void **state)
{
    (void)state;
    struct plb_model m[25];
    double x[25], totals[] = {1e-9, 1, 1e6, 1e18}, rates = 0;
    for (int p = 0; p < 25; p++) {
        m[p] = line_model(0, pow(10, 12 - p)); /* rates 1e-12 .. 1e12 */
        rates += pow(10, p - 12);
    }
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            struct plb_solution got;
            assert_true(plb_solve(m, 25, totals[i], solvers[k], x, &got));
            near(got.seconds, totals[i] / rates, 1e-6);
            for (int p = 13; p < 25; p++)
                near(x[p], totals[i] * pow(10, p - 12) / rates, 1e-6);
            for (int p = 0; p < 13; p++) /* nearly nothing, and nothing is fine */
                assert_true(x[p] >= 0 && x[p] <= totals[i] * pow(10, p - 12) / rates * (1 + 1e-6));
        }
}

static void ten_thousand_pus_are_solved(void **state)
{
    (void)state;
    static struct plb_model m[MOST];
    static double x[MOST];
    uint64_t s = 5;
    for (int p = 0; p < MOST; p++)
        m[p] = random_model(&s);
    struct plb_solution got;
    assert_true(plb_solve(m, MOST, 1e8, PLB_SOLVER_AUTO, x, &got));
    assert_int_equal(got.used, PLB_SOLVER_BISECTION);
    sound(m, MOST, 1e8, x, &got, 5);
}

static void solvers_have_names(void **state)
{
    (void)state;
    const char *const names[] = {
        [PLB_SOLVER_AUTO] = "auto", [PLB_SOLVER_SLSQP] = "slsqp", [PLB_SOLVER_BISECTION] = "bisection"};
    for (int i = 0; i < 3; i++) {
        double index = -1.0;
        assert_true(plb_parse_choice(names[i], PLB_SOLVER_CHOICES, &index) && index == i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proportional_curves_give_shares_by_rate),
        cmocka_unit_test(lines_are_solved_as_by_hand_and_a_hindrance_gets_nothing),
        cmocka_unit_test(no_model_is_false_and_leaves_x_alone),
        cmocka_unit_test(one_pu_gets_all),
        cmocka_unit_test(flat_curves_are_shared_out),
        cmocka_unit_test(flat_curves_among_others_leave_no_one_behind),
        cmocka_unit_test(random_lines_agree_with_water_filling),
        cmocka_unit_test(random_systems_are_solved),
        cmocka_unit_test(auto_uses_slsqp_up_to_its_limit),
        cmocka_unit_test(the_two_solvers_agree_or_slsqp_is_refused),
        cmocka_unit_test(slsqp_starts_from_equal_shares),
        cmocka_unit_test(no_move_of_one_percent_helps),
        cmocka_unit_test(unlike_rates_and_totals_of_any_size_are_solved),
        cmocka_unit_test(ten_thousand_pus_are_solved),
        cmocka_unit_test(solvers_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
