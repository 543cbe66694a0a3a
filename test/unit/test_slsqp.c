/* The papers' formulation by SLSQP alone: its active set leaves out the PUs that could only slow the run, and
 * takes back those that help. */
#include "model/slsqp.h"
#include "model/solve.h"
#include "numbers.h"

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

/* No bisection says who takes part. */
static void finds_who_can_help(void **state)
{
    (void)state;
    uint64_t s = 1;
    for (int trial = 0; trial < 300; trial++) {
        struct plb_model m[8];
        double x[8], want[8], seconds, total = exp(12 * uniform(&s)) / 8;
        struct plb_solution bisection;
        for (int p = 0; p < 8; p++) /* starts of up to half of what the quickest alone would take */
            m[p] = line_model(uniform(&s) < 0.5 ? 0.0 : 0.5 * total * uniform(&s), exp(5 * uniform(&s)));
        assert_true(plb_slsqp(m, 8, total, x, &seconds));
        assert_true(plb_solve(m, 8, total, PLB_SOLVER_BISECTION, want, &bisection));
        near(seconds, bisection.seconds, 1e-6);
        for (int p = 0; p < 8; p++)
            if (fabs(x[p] - want[p]) > 1e-5 * total || (x[p] > 0.0) != (want[p] > 0.0))
                fail_msg("trial %d: x[%d] = %g, not %g", trial, p, x[p], want[p]);
    }
}

/* A line through an equal share says that all work takes 2 s, so a start of 3 s is too long. It takes 4 s. */
static void takes_back_who_could_start_in_time(void **state)
{
    (void)state;
    struct plb_model m[] = {line_model(0, 1), line_model(3, 2)};
    m[0].execute.terms = 1u << PLB_TERM_X2;
    m[0].execute.a[PLB_TERM_X2] = 0.25;
    double x[2], seconds;
    assert_true(plb_slsqp(m, 2, 4.0, x, &seconds));
    near(x[0], sqrt(60.0) - 4.0, 1e-6); /* 0.25 x² = 3 + 2 (4 - x) */
    near(seconds, 0.25 * x[0] * x[0], 1e-6);
}

/* A line through an equal share says that all work takes 3.6 s, so that a start of 3.4 s would do. */
static void drops_who_would_start_too_late(void **state)
{
    (void)state;
    struct plb_model m[] = {line_model(0, 1), line_model(3.4, 0.01)};
    m[0].execute.terms = 1u << PLB_TERM_X | 1u << PLB_TERM_X2;
    m[0].execute.a[PLB_TERM_X2] = -0.05; /* 4 units in 3.2 s */
    double x[2], seconds;
    assert_true(plb_slsqp(m, 2, 4.0, x, &seconds));
    near(x[0], 4.0, 1e-6);
    near(x[1], 0.0, 0.0);
    near(seconds, 3.2, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_who_can_help),
        cmocka_unit_test(takes_back_who_could_start_in_time),
        cmocka_unit_test(drops_who_would_start_too_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
