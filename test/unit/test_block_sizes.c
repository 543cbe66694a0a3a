/* Start costs from samples, and what busy PUs can still do: estimates and finish times on literals. */
#include "model/estimate.h"
#include "model/finish.h"
#include "model/fit.h"
#include "numbers.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* a + b x at every size. */
static struct plb_model line_model(double a, double b)
{
    return (struct plb_model){.execute = {.terms = 1u << PLB_TERM_ONE | 1u << PLB_TERM_X,
                                          .a = {a, b},
                                          .scale = 1.0,
                                          .low = 1e-9,
                                          .high = 1e9}};
}

/* A PU that needs start + work · per seconds for its blocks, by reports of these sizes. */
static struct plb_pu reporter(struct plb_sample *samples, int n, double start, double per)
{
    static const double sizes[] = {1.0, 10.0, 100.0, 1000.0, 20.0, 200.0};
    for (int i = 0; i < n; i++)
        samples[i] = (struct plb_sample){.work = sizes[i], .execute_s = start + per * sizes[i], .tasks = 1};
    return (struct plb_pu){.samples = samples, .n_samples = n, .grain = INFINITY, .power = 1.0};
}

static void a_start_is_what_the_quickest_report_took_beyond_its_work(void **state)
{
    (void)state;
    struct plb_sample samples[6];
    struct plb_pu pu = reporter(samples, 6, 0.5, 1e-3);
    struct plb_model model;
    assert_true(plb_fit_samples(samples, 6, 0.0, &model));
    near(plb_model_time(&model, 100.0), 0.6, 1e-6);
    near(plb_start_cost(&model, &pu), 0.5,
         2e-3); /* the report of 1 unit took 0.501 s; its work and some noise are taken off */
    pu = reporter(samples, 6, 0.0, 1e-3);
    assert_true(plb_fit_samples(samples, 6, 0.0, &model));
    near(plb_start_cost(&model, &pu), 0.0, 0.0);
    assert_false(plb_fit_samples(samples, 0, 0.0, &model));
    assert_false(plb_model_known(&model));
}

/* A task takes 50 ms whatever its size, a little less by chance where it is large. The latest is small. */
static void a_start_may_be_all(void **state)
{
    (void)state;
    static const double sizes[] = {1.0, 10.0, 100.0, 1000.0, 2000.0, 1500.0, 20.0, 2000.0, 1800.0, 5.0};
    struct plb_sample samples[COUNT(sizes)];
    struct plb_model model;
    for (int i = 0; i < COUNT(sizes); i++)
        samples[i] = (struct plb_sample){
            .work = sizes[i], .execute_s = sizes[i] < 2000.0 ? 0.0505 : 0.05, .tasks = 1};
    struct plb_pu pu = {.samples = samples, .n_samples = COUNT(sizes), .grain = INFINITY, .power = 1.0};
    assert_true(plb_fit_samples(samples, COUNT(sizes), 0.0, &model));
    near(plb_start_cost(&model, &pu), 0.05, 1e-3);
}

static void a_rate_is_finite_whatever_was_measured(void **state)
{
    (void)state;
    static const double strange[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    near(plb_sample_rate(&(struct plb_sample){.work = 10.0, .execute_s = 1.5, .transfer_s = 0.5}), 5.0,
         1e-12);
    for (int i = 0; i < COUNT(strange); i++) {
        double rate = plb_sample_rate(&(struct plb_sample){.work = 10.0, .execute_s = strange[i]});
        assert_true(isfinite(rate) && rate > 0.0);
    }
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
        cmocka_unit_test(a_start_is_what_the_quickest_report_took_beyond_its_work),
        cmocka_unit_test(a_start_may_be_all),
        cmocka_unit_test(a_rate_is_finite_whatever_was_measured),
        cmocka_unit_test(busy_pus_get_less_and_all_end_together),
        cmocka_unit_test(a_late_pu_will_take_a_while_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
