/* The pure parts of plb-hac on literals: what samples say of starting a block, who ends one more
 * unit first, sizes in training, and sizes on the way to a common end. */
#include <string.h>

#include "model/block_size.h"
#include "model/finish.h"
#include "model/training.h"
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
    struct plb_estimate e = {0};
    assert_true(plb_estimate(&pu, 0.0, 1e3, &model, &e));
    near(plb_model_time(&model, 100.0), 0.6, 1e-6);
    near(e.start_s, 0.5, 2e-3); /* the report of 1 unit took 0.501 s; its work and some noise are taken off */
    near(e.least, 900.0, 0.25); /* 0.9 s of work beside 0.1 s of starting, by steps of a quarter */
    pu = reporter(samples, 6, 0.0, 1e-3);
    assert_true(plb_estimate(&pu, 0.0, 1e3, &model, &e));
    near(e.start_s, 0.0, 0.0);
    near(e.least, 0.0, 0.0);
    pu.n_samples = 0;
    assert_false(plb_estimate(&pu, 0.0, 0.0, &model, &e));
    assert_false(plb_model_known(&model));
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

static void a_quick_report_tries_a_pu_again(void **state)
{
    (void)state;
    struct plb_sample samples[3] = {
        {.work = 10.0, .execute_s = 100.0}, {.work = 5.0, .execute_s = 1.0}, {.work = 0.5, .execute_s = 0.1}};
    struct plb_pu pu = {.samples = samples, .n_samples = 3};
    near(plb_retry_block(&pu, 1.0, 2.1), 5.0, 0.0);
    near(plb_retry_block(&pu, 1.0, 1.9), 0.0, 0.0);  /* 1 s is more than half of what is left */
    near(plb_retry_block(&pu, 15.0, 2.1), 0.0, 0.0); /* the next unit is three times as large */
    near(plb_retry_block(&pu, 15.0, 6.1), 5.0, 0.0);
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

static void the_first_to_end_one_more_unit_gets_it(void **state)
{
    (void)state;
    struct plb_model models[4] = {
        line_model(0.0, 1.0), line_model(0.0, 2.0), {.grain = 0.0}, line_model(3.0, 0.5)};
    double busy[4] = {4.0, 1.0, 0.0, 0.0}, scratch[4]; /* ends of 2 units: 6, 5, never, 4 */
    assert_int_equal(plb_first_to_finish(models, busy, 4, 2.0), 3);
    near(plb_one_each(models, busy, 4, 2.0, 1, scratch), 4.0, 1e-12);
    near(plb_one_each(models, busy, 4, 2.0, 2, scratch), 5.0, 1e-12);
    near(plb_one_each(models, busy, 4, 2.0, 9, scratch), 6.0, 1e-12);
    near(plb_one_each(models + 2, busy, 1, 2.0, 1, scratch), 0.0, 0.0);
}

static void a_late_pu_will_take_a_while_yet(void **state)
{
    (void)state;
    struct plb_model m = line_model(1.0, 0.5);
    near(plb_busy_for(&m, 10.0, 0.0), 6.0, 1e-12);
    near(plb_busy_for(&m, 10.0, 4.0), 2.0, 1e-12);
    near(plb_busy_for(&m, 10.0, 5.0), 1.25, 1e-12); /* a quarter of what has passed is more than 1 s */
    near(plb_busy_for(&m, 10.0, 80.0), 20.0, 1e-12);
}

static void a_pu_alone_gets_two_sizes_and_then_regular_blocks(void **state)
{
    (void)state;
    struct plb_model m = line_model(0.0, 1.0), unknown = {.grain = 0.0};
    near(plb_first_block_alone(6400.0, false), 100.0, 1e-12);
    near(plb_first_block_alone(6400.0, true), 50.0, 1e-12);
    near(plb_next_block_alone(&unknown, 30.0, 6400.0, 6000.0), 100.0, 1e-12);
    near(plb_next_block_alone(&m, 30.0, 6400.0, 6000.0), 30.0, 1e-9);
    near(plb_next_block_alone(&m, 30.0, 6400.0, 76.0), 30.0, 1e-9);
    near(plb_next_block_alone(&m, 30.0, 6400.0, 74.0), 74.0, 1e-9); /* no rest that is hardly worth a start */
    near(plb_next_block_alone(&m, 0.1, 6400.0, 6000.0), 1.0, 1e-9);
}

/* 1 unit/s, 100 units are left to it of 1000, half of all PUs' speed is its own. */
static struct plb_block_question question(const struct plb_model *m, const struct plb_estimate *e)
{
    return (struct plb_block_question){.model = m,
                                       .estimate = e,
                                       .measured = true,
                                       .step_s = 20.0,
                                       .longest_s = 30.0,
                                       .left_s = 100.0,
                                       .rest = 100.0,
                                       .others = 0.5,
                                       .tail_factor = 0.1,
                                       .total = 1000.0,
                                       .remaining = 500.0,
                                       .next = 1.0};
}

static void blocks_are_a_step_then_halves_then_a_tenth(void **state)
{
    (void)state;
    struct plb_model m = line_model(0.0, 1.0);
    struct plb_estimate e = {0};
    struct plb_block_question q = question(&m, &e);
    near(plb_next_block(&q), 20.0, 1e-9);
    q.longest_s = 15.0;
    near(plb_next_block(&q), 15.0, 1e-9);
    q.extra = 40.0; /* twice the block at most */
    near(plb_next_block(&q), 30.0, 1e-9);
    q.extra = 4.0;
    near(plb_next_block(&q), 19.0, 1e-9);
    q = question(&m, &e);
    q.rest = 30.0; /* the block would be more than half of it */
    near(plb_next_block(&q), 15.0, 1e-9);
    q.rest = 3.0;
    near(plb_next_block(&q), 2.0, 1e-9); /* a tenth of a regular block */
    e.least = 2.7;
    near(plb_next_block(&q), 2.7, 1e-9);
    q.rest = 1.2; /* never beyond the end */
    near(plb_next_block(&q), 1.0, 1e-9);
    q = question(&m, &e);
    q.remaining = 20.5; /* no half unit is left over */
    near(plb_next_block(&q), 20.5, 1e-9);
    q = question(&m, &e);
    q.measured = false;
    near(plb_next_block(&q), 5.0, 1e-9);
}

static void a_start_that_costs_more_than_it_wins_is_spared(void **state)
{
    (void)state;
    struct plb_model m = line_model(0.0, 1.0);
    struct plb_estimate e = {.start_s = 9.9}; /* 0.5 · 0.4 · 100 s · 0.5 = 10 s */
    struct plb_block_question q = question(&m, &e);
    q.longest_s = plb_longest_block(&e, 30.0, 100);
    near(q.longest_s, 1980.0, 1e-9);
    near(plb_next_block(&q), 20.0, 1e-9);
    e.start_s = 10.1;
    near(plb_next_block(&q), 100.0, 1e-9); /* all it can do by T */
    q.others = 1.0;
    near(plb_next_block(&q), 20.0, 1e-9);
    near(plb_longest_block(&(struct plb_estimate){0}, 30.0, 100), 30.0, 0.0);
    near(plb_longest_block(&(struct plb_estimate){0}, 2.0, 100), 2.0, 0.0);
    near(plb_longest_block(&(struct plb_estimate){0}, 2.0, 10000), 25.0, 1e-9); /* the master: 1 % */
}

/* Two GPUs and a CPU beside them. */
struct trio {
    struct plb_pu pus[3];
    struct plb_balancer_stats stats;
    struct plb_view view;
    struct plb_training t;
};

static void open_trio(struct trio *f)
{
    memset(f, 0, sizeof *f);
    for (int p = 0; p < 3; p++)
        f->pus[p] = (struct plb_pu){.kind = p < 2 ? PLB_GPU : PLB_CPU, .power = p < 2 ? 10.0 : 1.0};
    f->view = (struct plb_view){.total = 10000.0,
                                .remaining = 10000.0,
                                .next = 1.0,
                                .n_pus = 3,
                                .living = 3,
                                .idle = 3,
                                .pus = f->pus,
                                .stats = &f->stats};
    assert_true(plb_training_init(&f->t, &f->view, 100.0, 0.1, false));
}

static void a_cpu_beside_gpus_starts_after_them(void **state)
{
    (void)state;
    struct trio f;
    open_trio(&f);
    assert_int_equal(f.t.needed, 2);
    assert_true(plb_training_block(&f.t, &f.view, 2) == PLB_WAIT);
    near(plb_training_block(&f.t, &f.view, 0), 100.0, 0.0);
    assert_false(plb_training_started(&f.t, 0));
    f.pus[0].outstanding = 1;
    assert_true(plb_training_block(&f.t, &f.view, 0) == PLB_WAIT_OWN); /* none ahead of the first */
    assert_true(plb_training_block(&f.t, &f.view, 2) == PLB_WAIT);
    assert_true(plb_training_started(&f.t, 1));
    near(plb_training_block(&f.t, &f.view, 2), 1.0, 1e-12); /* a tenth of its power, and ten times too high */
    f.view.next = 60.0; /* its share, were its power right, is 50: this may last too long */
    assert_true(plb_training_block(&f.t, &f.view, 2) == PLB_WAIT);
    plb_training_fini(&f.t);
}

static void trained_pus_work_for_the_same_time(void **state)
{
    (void)state;
    struct trio f;
    open_trio(&f);
    f.view.now = 10.0;
    static const double rates[] = {100.0, 300.0, 1.0};
    for (int p = 0; p < 3; p++) {
        plb_training_rate(&f.t, p, rates[p]);
        plb_training_block_end(&f.t, p);
    }
    near(f.t.rates, 401.0, 1e-12);
    near(plb_training_block(&f.t, &f.view, 0), 250.0, 1e-9); /* a tenth of 10000 by the GPUs' 400 units/s */
    near(plb_training_block(&f.t, &f.view, 1), 750.0, 1e-9);
    double seconds = 0.1 * 10000.0 / 401.0;
    near(plb_training_block(&f.t, &f.view, 2), seconds, 1e-9);
    f.view.now = 1.0; /* no longer than what has passed */
    near(plb_training_block(&f.t, &f.view, 2), 1.0, 1e-9);
    assert_int_equal(f.t.trained, 0);
    plb_training_block_end(&f.t, 0);
    plb_training_block_end(&f.t, 2);
    assert_int_equal(f.t.trained, 1);
    f.pus[1].lost = true;
    plb_training_count(&f.t, &f.view);
    assert_int_equal(f.t.needed, 1);
    assert_int_equal(f.t.trained, 1);
    near(f.t.rates, 101.0, 1e-12);
    plb_training_fini(&f.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_is_what_the_quickest_report_took_beyond_its_work),
        cmocka_unit_test(a_rate_is_finite_whatever_was_measured),
        cmocka_unit_test(a_quick_report_tries_a_pu_again),
        cmocka_unit_test(busy_pus_get_less_and_all_end_together),
        cmocka_unit_test(the_first_to_end_one_more_unit_gets_it),
        cmocka_unit_test(a_late_pu_will_take_a_while_yet),
        cmocka_unit_test(a_pu_alone_gets_two_sizes_and_then_regular_blocks),
        cmocka_unit_test(blocks_are_a_step_then_halves_then_a_tenth),
        cmocka_unit_test(a_start_that_costs_more_than_it_wins_is_spared),
        cmocka_unit_test(a_cpu_beside_gpus_starts_after_them),
        cmocka_unit_test(trained_pus_work_for_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
