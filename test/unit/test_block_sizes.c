/* Finish times of busy PUs, on literals. */
#include "model/finish.h"
#include "model/fit.h"
#include "numbers.h"

/* a + b x at every size. */
static struct plb_model line_model(double a, double b)
{
    return (struct plb_model){.execute = {.terms = 1u << PLB_TERM_ONE | 1u << PLB_TERM_X,
                                          .a = {a, b},
                                          .scale = 1.0,
                                          .low = 1e-9,
                                          .high = 1e9}};
}

static void busy_pus_get_less_and_all_end_together(void **state)
{
    (void)state;
    struct plb_model models[3] = {line_model(0.0, 1.0), line_model(0.0, 2.0), {.grain = 0.0}};
    double busy[3] = {4.0, 0.0, 0.0}, x[3];
    struct plb_solution s;
    assert_true(plb_solve_busy(models, busy, 3, 10.0, PLB_SOLVER_BISECTION, x, &s));
    near(s.seconds, 28.0 / 3.0, 1e-9); /* T - 4 + T / 2 = 10 */
    near(x[0], 16.0 / 3.0, 1e-9);
    near(x[1], 14.0 / 3.0, 1e-9);
    near(x[2], 0.0, 0.0);
}

static void a_late_pu_will_take_a_while_yet(void **state)
{
    (void)state;
    struct plb_pu pu = {.outstanding = 1, .begun = 3.0, .end = 9.0};
    near(plb_busy(&pu, 3.0), 6.0, 1e-12);
    near(plb_busy(&pu, 7.0), 2.0, 1e-12);
    near(plb_busy(&pu, 8.0), 1.25, 1e-12); /* a quarter of what has passed is more than 1 s */
    near(plb_busy(&pu, 83.0), 20.0, 1e-12);
    pu.outstanding = 0;
    near(plb_busy(&pu, 83.0), 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busy_pus_get_less_and_all_end_together),
        cmocka_unit_test(a_late_pu_will_take_a_while_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
