/* The beliefs that a balancer sees: priors, fits, and when each PU is expected to end. */
#include "master_fixture.h"
#include "core/grant/balancer_view.h"
#include "model/belief.h"

/* The view as the last question showed it, and what is answered. */
static struct {
    const struct plb_view *view;
    double answer;
    int64_t fits_at_done;
} script;

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    (void)params;
    script.view = view;
    return &script;
}

static double grant(void *state, const struct plb_view *view, int pu)
{
    (void)state;
    return view->pus[pu].outstanding == 0 ? script.answer : PLB_WAIT_OWN;
}

static void done(void *state, const struct plb_view *view, int pu, const struct plb_sample *sample)
{
    (void)state;
    (void)pu;
    (void)sample;
    script.fits_at_done = view->stats->fits;
}

static void fini(void *state)
{
    (void)state;
}

/* Three PUs of powers 1, 2 and 4, each with a block of 10 units, since 10 s on the master's clock. An empty
 * task of the last one lasts `start_s` seconds. */
static void start_asking_of(struct fixture *f, bool beliefs, double start_s)
{
    static struct plb_balancer balancer = {PLB_BALANCER_HEAD, .name = "asks", .init = init,
                                           .grant = grant,    .done = done,   .fini = fini};
    struct plb_error err = {.status = PLB_OK};
    struct plb_master_config config = {.balancer = &balancer, .n_nodes = 3};
    balancer.beliefs = beliefs;
    memset(f, 0, sizeof *f);
    f->nodes = 3;
    for (int n = 0; n < 3; n++)
        f->pus[n] = (struct plb_pu_info){.node = n, .power = 1 << n, .memory = INFINITY};
    f->pus[2].start_s = start_s;
    assert_int_equal(plb_cost_map_init(&f->map, 1000, NULL, NULL, &err), PLB_OK);
    script.answer = 10.0;
    f->master = plb_master_new(&config, f->pus, 3);
    begin(f, 0, 0, 10.0, 3);
}

static void start_asking(struct fixture *f, bool beliefs)
{
    start_asking_of(f, beliefs, 0.0);
}

static const struct plb_pu *pu(int p)
{
    return &script.view->pus[p];
}

static void priors_follow_powers_and_what_others_show(void **state)
{
    (void)state;
    struct fixture f;
    start_asking(&f, true);
    for (int p = 0; p < 3; p++) {
        assert_false(plb_belief_reported(pu(p)->belief));
        assert_float_equal(plb_model_time(&pu(p)->belief->model, 8.0), 8.0 / (1 << p), 1e-9);
    }
    finish(&f, 1); /* 10 units in a second, power 2: 5 units a second for a power of 1 */
    assert_true(plb_belief_reported(pu(1)->belief));
    assert_float_equal(plb_model_time(&pu(1)->belief->model, 10.0), 1.0, 1e-6);
    assert_float_equal(plb_model_time(&pu(0)->belief->model, 5.0), 1.0, 1e-6);
    assert_float_equal(plb_model_time(&pu(2)->belief->model, 20.0), 1.0, 1e-6);
    stop(&f);
}

static void priors_begin_with_what_an_empty_task_costs(void **state)
{
    (void)state;
    struct fixture f;
    start_asking_of(&f, true, 0.25);
    assert_float_equal(pu(1)->belief->start_s, 0.0, 0.0);
    assert_float_equal(pu(2)->belief->start_s, 0.25, 0.0);
    assert_float_equal(plb_model_time(&pu(2)->belief->model, 8.0), 0.25 + 8.0 / 4.0, 1e-9);
    assert_float_equal(pu(2)->end, 0.25 + 2.5, 1e-9);
    finish(&f, 1); /* 5 units a second for a power of 1 */
    assert_float_equal(plb_model_time(&pu(2)->belief->model, 20.0), 0.25 + 1.0, 1e-6);
    finish(&f, 2);
    assert_true(plb_belief_reported(pu(2)->belief));
    assert_float_equal(pu(2)->belief->start_s, 0.25, 0.0);
    stop(&f);
}

static void the_rate_of_a_lost_pu_is_shown_no_more(void **state)
{
    (void)state;
    struct fixture f;
    start_asking(&f, true);
    finish(&f, 1);
    lose(&f, 1);
    finish(&f, 0); /* 10 units a second with a power of 1 */
    assert_float_equal(plb_model_time(&pu(2)->belief->model, 40.0), 1.0, 1e-6);
    stop(&f);
}

static void ends_follow_grants_and_reports(void **state)
{
    (void)state;
    struct fixture f;
    start_asking(&f, true);
    assert_float_equal(pu(2)->begun, 0.0, 0.0);
    assert_float_equal(pu(2)->end, 2.5, 1e-9);
    finish(&f, 2); /* at 11, and has 10 units more */
    assert_float_equal(pu(2)->begun, 1.0, 1e-9);
    assert_float_equal(pu(2)->end, 2.0, 1e-6);
    script.answer = PLB_WAIT;
    finish(&f, 0);
    assert_float_equal(pu(0)->begun, 1.0, 1e-9);
    assert_float_equal(pu(0)->end, 1.0, 1e-9); /* nothing to do */
    stop(&f);
}

static void units_that_others_execute_bring_the_end_nearer(void **state)
{
    (void)state;
    struct fixture f;
    start_asking(&f, true);
    struct plb_message block = block_of(&f, 0);
    move(&f, block, 0, 1, 6, 4, 1);
    report(&f, block, 1, 6, 4);
    assert_float_equal(pu(0)->begun, 0.0, 0.0);
    assert_float_equal(pu(0)->end, 3.0, 1e-6); /* 6 of 10, at the rate that PU 1 has shown */
    stop(&f);
}

static void each_report_is_fitted_once_before_done(void **state)
{
    (void)state;
    struct fixture f;
    start_asking(&f, true);
    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < 3; i++)
            finish(&f, p); /* fewer than four reports are a line, which costs next to nothing */
        assert_true(plb_belief_reported(pu(p)->belief));
        assert_int_equal(script.fits_at_done, p);
        finish(&f, p);
        assert_int_equal(script.fits_at_done, p + 1);
    }
    begin(&f, 0, 0, 20.0, 3); /* nothing to fit again */
    assert_int_equal(script.view->stats->fits, 2);
    assert_true(plb_belief_reported(pu(0)->belief));
    stop(&f);
}

static void nothing_is_fitted_when_nothing_is_left_to_grant(void **state)
{
    (void)state;
    struct fixture f;
    start_asking(&f, true);
    finish(&f, 0);
    assert_true(plb_belief_reported(pu(0)->belief));
    script.answer = 1000.0;
    finish(&f, 1);
    assert_float_equal(script.view->remaining, 0.0, 0.0);
    finish(&f, 2);
    assert_false(plb_belief_reported(pu(2)->belief));
    stop(&f);
}

static void who_does_not_ask_pays_nothing(void **state)
{
    (void)state;
    struct fixture f;
    start_asking(&f, false);
    finish(&f, 0);
    assert_null(pu(0)->belief);
    assert_float_equal(pu(0)->end, 0.0, 0.0);
    assert_int_equal(script.view->stats->fits, 0);
    stop(&f);
}

/* Of the later units a tenth. */
static double declining(const void *context, int64_t first, int64_t count)
{
    (void)context;
    return first < 50 ? (double)count : 0.1 * (double)count;
}

/* Whether it is worth its watts again is asked by the same costs as of the others. */
static void what_units_cost_counts_for_a_pu_that_is_left_out(void **state)
{
    struct plb_cost_map even, other;
    struct plb_error err = {.status = PLB_OK};
    struct plb_pus pus;
    struct plb_task_limit limits[2] = {{INT64_MAX, INFINITY}, {INT64_MAX, INFINITY}};
    struct plb_history histories[2] = {0};
    struct plb_balancer_view v;
    (void)state;
    assert_int_equal(plb_cost_map_init(&even, 100, NULL, NULL, &err), PLB_OK);
    assert_int_equal(plb_cost_map_init(&other, 100, declining, NULL, &err), PLB_OK);
    plb_pus_init(&pus, 2);
    for (int p = 0; p < 2; p++)
        plb_pus_add(&pus, &(struct plb_pu_info){.node = p, .power = 1.0}, PLB_PU_SERVED);
    struct plb_ledger *ledger = plb_ledger_new(2, 2);
    plb_ledger_begin(ledger, &even, NULL);
    plb_balancer_view_init(&v, &(struct plb_view_facts){.pus = &pus, .limits = limits}, ledger, histories, 1);
    plb_balancer_view_begin(&v, 0, &even);
    for (int p = 0; p < 2; p++) {
        plb_history_add(&histories[p], &(struct plb_sample){.work = 10.0, .execute_s = 1.0, .tasks = 1});
        plb_history_place(&histories[p], (struct plb_range){10 * p, 10});
        plb_balancer_view_sampled(&v, p);
    }
    plb_pus_become(&pus, 1, PLB_PU_LEFT_OUT);
    plb_balancer_view_turn(&v, 1);
    assert_float_equal(plb_estimate_rate(v.pus[1].estimate), 10.0, 1e-6);
    for (int p = 0; p < 2; p++)
        plb_history_recount(&histories[p], &other, 1.0);
    plb_balancer_view_recount(&v, 0.0);
    assert_true(plb_cost_work(&other, 0, 10) > 15.0);
    for (int p = 0; p < 2; p++)
        assert_float_equal(plb_estimate_rate(v.pus[p].estimate), plb_cost_work(&other, 10 * p, 10), 1e-6);
    plb_balancer_view_fini(&v);
    for (int p = 0; p < 2; p++)
        plb_history_fini(&histories[p]);
    plb_ledger_free(ledger);
    plb_pus_fini(&pus);
    plb_cost_map_fini(&even);
    plb_cost_map_fini(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_units_cost_counts_for_a_pu_that_is_left_out),
        cmocka_unit_test(priors_follow_powers_and_what_others_show),
        cmocka_unit_test(priors_begin_with_what_an_empty_task_costs),
        cmocka_unit_test(the_rate_of_a_lost_pu_is_shown_no_more),
        cmocka_unit_test(ends_follow_grants_and_reports),
        cmocka_unit_test(units_that_others_execute_bring_the_end_nearer),
        cmocka_unit_test(each_report_is_fitted_once_before_done),
        cmocka_unit_test(nothing_is_fitted_when_nothing_is_left_to_grant),
        cmocka_unit_test(who_does_not_ask_pays_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
