/* Who works for least energy, by the samples of two PUs: the quicker one is the cheaper one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>

#include "core/grant/selection.h"
#include "model/estimate.h"

enum { PUS = 2 };

struct pair {
    struct plb_pu_info infos[PUS];
    enum plb_pu_state states[PUS];
    struct plb_pus all;
    struct plb_pu pus[PUS];
    struct plb_sample samples[PUS][20];
    struct plb_estimate estimates[PUS];
    struct plb_view view;
    struct plb_selection *selection;
};

static void begin_pass(struct pair *p, bool unknown)
{
    const struct plb_goal goal = {.objective = PLB_OBJECTIVE_ENERGY};
    double total = unknown ? 100.0 : 1e5; /* units, of which each is a task, or many */
    *p = (struct pair){
        .view = {.total = total, .remaining = total, .next = 1.0, .n_pus = PUS, .living = PUS}};
    p->view.pus = p->pus;
    p->all = (struct plb_pus){.infos = p->infos, .states = p->states, .n = PUS, .room = PUS};
    for (int i = 0; i < PUS; i++) {
        p->states[i] = PLB_PU_SERVED;
        p->infos[i] = (struct plb_pu_info){.node = i, .static_watts = 5.0, .dynamic_watts = 50.0};
        p->pus[i].samples = p->samples[i];
        p->pus[i].estimate = &p->estimates[i];
        p->pus[i].power = 1.0;
        plb_estimate_prior(&p->estimates[i], 1.0, 0.0);
    }
    p->selection = plb_selection_new(&goal, &p->all, PUS, false);
    plb_selection_begin(p->selection, &p->view, unknown);
}

static void begin(struct pair *p)
{
    begin_pass(p, false);
}

/* PU i has done a task of so much work. */
static void report(struct pair *p, int i, double work, double execute_s, double transfer_s)
{
    struct plb_sample sample = {.work = work, .execute_s = execute_s, .transfer_s = transfer_s, .tasks = 1};
    p->samples[i][p->pus[i].n_samples++] = sample;
    plb_estimate_add(&p->estimates[i], &sample);
    p->view.now += execute_s + transfer_s;
    plb_selection_reported(p->selection, &p->view, i);
    if (plb_selection_due(p->selection, &p->view))
        plb_selection_decide(p->selection, &p->view, p->view.total);
}

static void expect(struct pair *p, bool first_out, bool second_out)
{
    assert_int_equal(p->states[0], first_out ? PLB_PU_LEFT_OUT : PLB_PU_SERVED);
    assert_int_equal(p->states[1], second_out ? PLB_PU_LEFT_OUT : PLB_PU_SERVED);
    plb_selection_free(p->selection);
}

static void the_dearer_one_is_left_out(void **state)
{
    struct pair p;
    (void)state;
    begin(&p);
    report(&p, 0, 1000.0, 1.0, 0.0);
    report(&p, 1, 1000.0, 0.1, 0.0);
    expect(&p, true, false);
}

/* It would never be measured again. */
static void a_first_transfer_that_is_long_leaves_nobody_out(void **state)
{
    struct pair p;
    (void)state;
    begin(&p);
    report(&p, 0, 1000.0, 1.0, 0.0);
    report(&p, 1, 1000.0, 0.1, 2.0);
    expect(&p, true, false);
}

/* It may be as quick as the others. */
static void a_pu_that_has_not_reported_is_not_left_out(void **state)
{
    struct pair p;
    (void)state;
    begin(&p);
    report(&p, 1, 1000.0, 0.1, 0.0);
    expect(&p, false, false);
}

/* The same where costs are unknown. */
static void a_first_transfer_is_no_dear_unit(void **state)
{
    struct pair p;
    (void)state;
    begin_pass(&p, true);
    report(&p, 1, 1.0, 0.1, 0.0);
    report(&p, 0, 1.0, 0.1, 2.0);
    expect(&p, false, false);
}

/* Units of PU 1 take 0.05 or 0.15 s, and the first one of PU 0 0.3 s. It may have been such a unit. When all
 * of its units take as long, it is dear. */
static void a_pu_with_a_dear_unit_is_left_out_once_it_is_surely_dear(void **state)
{
    for (int sure = 0; sure <= 1; sure++) {
        struct pair p;
        (void)state;
        begin_pass(&p, true);
        for (int i = 0; i < 4; i++)
            report(&p, 1, 1.0, i % 2 ? 0.15 : 0.05, 0.0);
        report(&p, 0, 1.0, 0.3, 0.0);
        for (int i = 0; i < 12 && sure; i++)
            report(&p, 1, 1.0, i % 2 ? 0.15 : 0.05, 0.0);
        for (int i = 0; i < 9 && sure; i++)
            report(&p, 0, 1.0, 0.3, 0.0);
        expect(&p, sure, false);
    }
}

/* It gets one unit after the other, and one that seems quick as much as it has done. */
static void a_pu_that_is_not_known_gets_few_units(void **state)
{
    for (int quick = 0; quick <= 1; quick++) {
        struct pair p;
        (void)state;
        begin_pass(&p, true);
        for (int i = 0; i < 4; i++)
            report(&p, 1, 1.0, i % 2 ? 0.15 : 0.05, 0.0);
        report(&p, 0, quick ? 2.0 : 1.0, quick ? 0.02 : 0.3, 0.0);
        p.pus[0].outstanding = 1;
        assert_true(plb_selection_has_enough(p.selection, &p.view, 0) == !quick);
        assert_true(plb_selection_most(p.selection, &p.view, 0, 50.0) == (quick ? 2.0 : 1.0));
        plb_selection_free(p.selection);
    }
}

/* By units that were alike PU 0 was three times dearer. Then others differ by as much. */
static void a_pu_that_was_left_out_by_chance_comes_back(void **state)
{
    const double seconds[] = {0.02, 0.5, 0.01, 0.3, 0.02, 0.6};
    struct pair p;
    (void)state;
    begin_pass(&p, true);
    for (int i = 0; i < 12; i++)
        report(&p, 1, 1.0, 0.1, 0.0);
    report(&p, 0, 1.0, 0.3, 0.0);
    assert_int_equal(p.states[0], PLB_PU_LEFT_OUT);
    for (int i = 0; i < 6; i++)
        report(&p, 1, 1.0, seconds[i], 0.0);
    expect(&p, false, false);
}

/* A start of 50 ms is nearly all of the first unit of PU 1, which is ten times as quick. Its time beyond
 * starts is too short to tell. */
static void a_pu_whose_first_unit_is_all_start_is_not_left_out(void **state)
{
    struct pair p;
    (void)state;
    begin(&p);
    plb_estimate_prior(&p.estimates[1], 1.0, 0.05);
    report(&p, 0, 1000.0, 1.0, 0.0);
    report(&p, 1, 1.0, 0.0501, 0.0);
    assert_int_equal(p.states[1], PLB_PU_SERVED);
    report(&p, 1, 10.0, 0.051, 0.0);
    assert_int_equal(p.states[1], PLB_PU_SERVED);
    report(&p, 1, 10000.0, 1.05, 0.0);
    expect(&p, true, false);
}

/* PU 1 is ten times as quick, but not in its first 30 ms. */
static void a_slow_beginning_leaves_nobody_out(void **state)
{
    struct pair p;
    (void)state;
    begin(&p);
    report(&p, 0, 1000.0, 1.0, 0.0);
    report(&p, 1, 1.0, 0.03, 0.0);
    assert_int_equal(p.states[1], PLB_PU_SERVED);
    report(&p, 1, 200.0, 0.02, 0.0);
    report(&p, 1, 2000.0, 0.2, 0.0);
    report(&p, 1, 2000.0, 0.2, 0.0);
    expect(&p, true, false);
}

static void where_the_chosen_one_is_lost_the_other_works(void **state)
{
    struct pair p;
    (void)state;
    begin(&p);
    report(&p, 0, 1000.0, 1.0, 0.0);
    report(&p, 1, 1000.0, 0.1, 0.0);
    p.pus[1].lost = true;
    plb_selection_lost(p.selection, 1);
    p.states[1] = PLB_PU_LOST;
    assert_true(plb_selection_due(p.selection, &p.view));
    plb_selection_decide(p.selection, &p.view, p.view.total);
    assert_int_equal(p.states[0], PLB_PU_SERVED);
    assert_int_equal(p.states[1], PLB_PU_LOST);
    plb_selection_free(p.selection);
}

/* PU 1 joins, and its memory is too small for any task: it is no PU that a cap may leave out, which would
 * count it a second time as one that does not live. */
static void a_pu_that_can_hold_nothing_is_not_left_out(void **state)
{
    const struct plb_goal goal = {.power_cap = 30.0};
    struct plb_pu_info infos[PUS] = {{.node = 0, .static_watts = 5.0, .dynamic_watts = 10.0},
                                     {.node = 1, .static_watts = NAN, .dynamic_watts = NAN}};
    struct plb_sample sample = {.work = 1000.0, .execute_s = 1.0, .tasks = 1};
    struct plb_estimate estimates[PUS] = {{.rate = 1.0}, {.rate = 1.0}};
    struct plb_pu pus[PUS] = {{.samples = &sample, .n_samples = 1, .estimate = &estimates[0]},
                              {.samples = &sample, .estimate = &estimates[1]}};
    struct plb_view view = {.total = 1e5, .remaining = 1e5, .n_pus = 1, .living = 1, .pus = pus};
    (void)state;
    plb_estimate_add(&estimates[0], &sample);
    enum plb_pu_state states[PUS] = {PLB_PU_SERVED};
    struct plb_pus all = {.infos = infos, .states = states, .n = 1, .room = PUS};
    struct plb_selection *selection = plb_selection_new(&goal, &all, PUS, false);
    plb_selection_begin(selection, &view, false);
    view.n_pus = 2;
    all.n = 2;
    states[1] = PLB_PU_REFUSED;
    pus[1].lost = true;
    plb_selection_joined(selection, &view);
    plb_selection_decide(selection, &view, view.total);
    assert_int_equal(states[1], PLB_PU_REFUSED);
    plb_selection_free(selection);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pu_that_can_hold_nothing_is_not_left_out),
        cmocka_unit_test(the_dearer_one_is_left_out),
        cmocka_unit_test(a_first_transfer_that_is_long_leaves_nobody_out),
        cmocka_unit_test(a_pu_that_has_not_reported_is_not_left_out),
        cmocka_unit_test(a_first_transfer_is_no_dear_unit),
        cmocka_unit_test(a_pu_with_a_dear_unit_is_left_out_once_it_is_surely_dear),
        cmocka_unit_test(a_pu_that_is_not_known_gets_few_units),
        cmocka_unit_test(a_pu_that_was_left_out_by_chance_comes_back),
        cmocka_unit_test(a_pu_whose_first_unit_is_all_start_is_not_left_out),
        cmocka_unit_test(a_slow_beginning_leaves_nobody_out),
        cmocka_unit_test(where_the_chosen_one_is_lost_the_other_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
