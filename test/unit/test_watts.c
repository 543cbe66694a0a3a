/* Watts from windows: the fit, domains of several ranks, turns, and meters that tell nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/measure/watts.h"
#include "model/energy/power_fit.h"
#include "numbers.h"

/* ---------------------------------------------------------------------------- the fit */

static void fit(const double rows[][4], int n_rows, double watts[3], double apart_s[3])
{
    double sums[PLB_POWER_SUMS(3)] = {0.0};
    for (int i = 0; i < n_rows; i++)
        plb_power_fit_add(sums, 3, rows[i], rows[i][3]);
    plb_power_fit(sums, 3, watts, apart_s);
}

/* 20 W all the time, 100 W and 7 W besides. */
static void unlike_windows_tell_watts_apart(void **state)
{
    (void)state;
    const double rows[][4] = {{1.0, 0.0, 0.0, 20.0}, {0.5, 0.5, 0.1, 60.7}, {2.0, 0.5, 1.5, 100.5}};
    double watts[3], apart_s[3];
    fit(rows, 3, watts, apart_s);
    near(watts[0], 20.0, 1e-3);
    near(watts[1], 100.0, 1e-3);
    near(watts[2], 7.0, 1e-2);
    for (int j = 0; j < 3; j++)
        assert_true(apart_s[j] > 0.05);
}

static void alike_windows_do_not(void **state)
{
    (void)state;
    const double rows[][4] = {{1.0, 1.0, 0.0, 120.0}, {2.0, 2.0, 0.0, 240.0}};
    double watts[3], apart_s[3];
    fit(rows, 2, watts, apart_s);
    near(watts[0] + watts[1], 120.0, 1e-3);
    assert_true(apart_s[0] < 1e-3 && apart_s[1] < 1e-3 && apart_s[2] < 1e-3);
}

/* Of two idle windows the longer one counts more: the joules of both are in the seconds of both. */
static void long_windows_count_more(void **state)
{
    (void)state;
    const double rows[][4] = {{1.0, 0.0, 0.0, 10.0}, {0.1, 0.0, 0.0, 2.1}};
    double watts[3], apart_s[3];
    fit(rows, 2, watts, apart_s);
    near(watts[0], 11.0, 1e-3);
}

/* The second would have -10 W: then the others are fitted without it. */
static void watts_are_not_negative(void **state)
{
    (void)state;
    const double rows[][4] = {{1.0, 0.0, 0.0, 20.0}, {1.0, 1.0, 0.0, 10.0}, {1.0, 0.0, 1.0, 50.0}};
    double watts[3], apart_s[3];
    fit(rows, 3, watts, apart_s);
    assert_true(watts[1] == 0.0);
    near(watts[0], 15.0, 1e-3);
    near(watts[0] + watts[2], 50.0, 1e-3);
}

/* -------------------------------------------------------------------------- the domains */

static struct plb_pu_info pu(int node, int local, const char *host, const char *name, int meter)
{
    struct plb_pu_info info = {.node = node,
                               .local = local,
                               .kind = meter & PLB_METERED_ALONE ? PLB_GPU : PLB_CPU,
                               .meter = (int16_t)meter,
                               .static_watts = (double)NAN,
                               .dynamic_watts = (double)NAN};
    snprintf(info.host, sizeof info.host, "%s", host);
    snprintf(info.name, sizeof info.name, "%s", name);
    return info;
}

/* The window that ends at `number`, of one PU. */
static bool hear(struct plb_watts *w, int first, int64_t number, double joules, double busy_s, double own)
{
    struct plb_window window = {.number = number, .seconds = PLB_WINDOW_SHORT, .joules = joules, .n = 1};
    window.at[0] = (struct plb_window_pu){(float)busy_s, (float)own};
    return plb_watts_heard(w, first, &window, (double)number * PLB_WINDOW_SHORT + 1e-3);
}

static enum plb_pu_state states[4];
static struct plb_pus pus = {.states = states};

/* PUs up to number n have come. */
static void come(int n)
{
    while (pus.n < n)
        states[pus.n++] = PLB_PU_NEW;
}

/* Learns the watts of n PUs, and of those that come up to `room`. */
static struct plb_watts *learn(struct plb_pu_info *infos, int n, int room)
{
    pus = (struct plb_pus){.infos = infos, .states = states, .room = room};
    come(n);
    return plb_watts_new(&pus, true);
}

static void assert_watts(const struct plb_watts *w, int p, double idle, double besides)
{
    double i, b;
    assert_int_equal(plb_watts_of(w, p, &i, &b), PLB_WATTS_MEASURED);
    near(i, idle, 1e-3);
    near(b, besides, 1e-3);
}

static void told_watts_are_not_learned(void **state)
{
    (void)state;
    struct plb_pu_info info = pu(0, 0, "a", "p", PLB_METERS_ITS_HOST);
    info.static_watts = info.dynamic_watts = 1.0;
    assert_null(learn(&info, 1, 1));
}

/* Two ranks of a host, of which the first reads: 10 W, and 30 or 50 W besides. A GPU on another host. */
static void turns_tell_all(void **state)
{
    (void)state;
    const double none = (double)NAN;
    struct plb_pu_info infos[] = {pu(0, 0, "a", "slow", PLB_METERS_ITS_HOST), pu(1, 0, "a", "quick", 0),
                                  pu(2, 0, "b", "gpu", PLB_METERED_ALONE)};
    struct plb_watts *w = learn(infos, 3, 3);
    assert_true(plb_watts_metered(infos, 3, 1));
    plb_watts_pass(w);
    assert_true(plb_watts_rests(w, 1));
    assert_false(plb_watts_rests(w, 0)); /* somebody begins */
    assert_true(plb_watts_rests(w, 1) && plb_watts_rests(w, 2));
    hear(w, 0, 1, 4.0, 0.1, none);
    assert_true(plb_watts_rests(w, 1)); /* the other rank of the host has not told yet */
    hear(w, 1, 1, none, 0.0, none);
    assert_false(plb_watts_rests(w, 1));
    assert_true(plb_watts_rests(w, 0));
    hear(w, 2, 1, none, 0.0, 0.5);
    assert_false(plb_watts_rests(w, 2));
    hear(w, 1, 2, none, 0.1, none);
    hear(w, 0, 2, 6.0, 0.0, none);
    assert_true(plb_watts_rests(w, 0) && plb_watts_rests(w, 1)); /* the GPU works meanwhile */
    hear(w, 2, 2, none, 0.1, 20.5);
    assert_true(plb_watts_settled(w, 2));
    hear(w, 0, 3, 1.0, 0.0, none);
    hear(w, 1, 3, none, 0.0, none);
    assert_false(plb_watts_rests(w, 0) || plb_watts_rests(w, 1) || plb_watts_rests(w, 2));
    assert_watts(w, 0, 5.0, 30.0);
    assert_watts(w, 1, 5.0, 50.0);
    assert_watts(w, 2, 5.0, 200.0);
    plb_watts_free(w);
}

/* A PU whose task goes on in its rest: the turn lasts on. */
static void a_turn_waits_for_the_rest(void **state)
{
    (void)state;
    struct plb_pu_info infos[] = {pu(0, 0, "a", "p", PLB_METERS_ITS_HOST),
                                  pu(1, 0, "b", "p", PLB_METERS_ITS_HOST)};
    struct plb_watts *w = learn(infos, 2, 2);
    plb_watts_pass(w);
    hear(w, 1, 1, 1.0, 0.0, (double)NAN);
    hear(w, 0, 1, 4.0, 0.1, (double)NAN);
    assert_true(plb_watts_rests(w, 0));
    hear(w, 0, 2, 3.7, 0.09, (double)NAN);
    assert_true(plb_watts_rests(w, 0));
    hear(w, 0, 3, 1.0, 0.0, (double)NAN);
    assert_false(plb_watts_rests(w, 0));
    assert_watts(w, 0, 10.0, 30.0);
    plb_watts_free(w);
}

/* Where a rank's window is missing, the joules until the next ones count for nothing. */
static void a_torn_window_is_left_out(void **state)
{
    (void)state;
    const double none = (double)NAN;
    struct plb_pu_info infos[] = {pu(0, 0, "a", "p", PLB_METERS_ITS_HOST), pu(1, 0, "a", "q", 0)};
    struct plb_watts *w = learn(infos, 2, 2);
    plb_watts_pass(w);
    hear(w, 0, 1, 4.0, 0.1, none);
    hear(w, 1, 1, none, 0.0, none);
    hear(w, 0, 2, 900.0, 0.0, none); /* the other one does not come */
    hear(w, 0, 3, 900.0, 0.0, none);
    hear(w, 1, 3, none, 0.0, none);
    assert_false(plb_watts_rests(w, 1));
    hear(w, 0, 4, 6.0, 0.0, none);
    hear(w, 1, 4, none, 0.1, none);
    assert_false(plb_watts_rests(w, 0)); /* they are alone: both work in the end */
    hear(w, 0, 5, 9.0, 0.1, none);
    hear(w, 1, 5, none, 0.1, none);
    assert_watts(w, 0, 5.0, 30.0);
    assert_watts(w, 1, 5.0, 50.0);
    plb_watts_free(w);
}

/* A counter that stands still, one that says nothing at all, and a loss meanwhile: nobody rests for ever. */
static void meters_that_tell_nothing(void **state)
{
    (void)state;
    double idle, besides;
    struct plb_pu_info infos[] = {pu(0, 0, "a", "p", PLB_METERS_ITS_HOST),
                                  pu(1, 0, "b", "p", PLB_METERS_ITS_HOST),
                                  pu(2, 0, "c", "p", PLB_METERS_ITS_HOST)};
    struct plb_watts *w = learn(infos, 3, 3);
    plb_watts_pass(w);
    hear(w, 1, 1, 0.0, 0.0, (double)NAN);
    hear(w, 1, 2, 0.0, 0.1, (double)NAN);
    assert_true(plb_watts_settled(w, 1));
    assert_int_equal(plb_watts_of(w, 1, &idle, &besides), PLB_WATTS_UNMEASURED);
    assert_true(plb_watts_rests(w, 2));
    assert_false(plb_watts_late(w, 1.0));
    assert_true(plb_watts_late(w, 10.0));
    assert_false(plb_watts_rests(w, 0) || plb_watts_rests(w, 1) || plb_watts_rests(w, 2));
    plb_watts_free(w);
    w = learn(infos, 3, 3);
    plb_watts_pass(w);
    states[0] = PLB_PU_LOST;
    plb_watts_lost(w);
    assert_false(plb_watts_rests(w, 0) || plb_watts_rests(w, 1) || plb_watts_rests(w, 2));
    plb_watts_free(w);
}

/* One PU works alone, so that nothing can be told apart. One that joins has its turn, and the first rests
 * then; one more on its host, like it, has none. */
static void a_pu_that_joins_has_a_turn(void **state)
{
    (void)state;
    const double none = (double)NAN;
    double idle, besides;
    struct plb_pu_info infos[] = {
        pu(0, 0, "a", "p", PLB_METERS_ITS_HOST), pu(1, 0, "b", "q", PLB_METERS_ITS_HOST),
        pu(2, 0, "b", "q", PLB_METERS_ITS_HOST), pu(3, 0, "b", "r", PLB_METERS_ITS_HOST)};
    struct plb_watts *w = learn(infos, 1, 4);
    plb_watts_pass(w);
    hear(w, 0, 10, 4.0, 0.1, none);
    assert_false(plb_watts_turning(w));
    come(2);
    plb_watts_joined(w, 10.0);
    assert_true(plb_watts_rests(w, 1));
    assert_false(plb_watts_rests(w, 0));
    hear(w, 0, 101, 4.0, 0.1, none);
    assert_true(plb_watts_rests(w, 1));
    hear(w, 1, 102, 2.0, 0.0, none);
    hear(w, 0, 102, 4.0, 0.1, none);
    assert_true(plb_watts_rests(w, 0));
    assert_false(plb_watts_rests(w, 1));
    hear(w, 0, 103, 1.0, 0.0, none);
    hear(w, 1, 103, 7.0, 0.1, none);
    assert_false(plb_watts_turning(w));
    near(plb_watts_shown(w), 10.0 + 70.0, 1e-6);
    assert_watts(w, 0, 10.0, 30.0);
    assert_watts(w, 1, 20.0, 50.0);
    come(3);
    plb_watts_joined(w, 12.0);
    assert_false(plb_watts_turning(w));
    assert_watts(w, 2, 10.0, 50.0); /* its part of what the host draws while nobody works */
    come(4);
    plb_watts_joined(w, 13.0);
    assert_true(plb_watts_rests(w, 1) && plb_watts_rests(w, 2));
    assert_false(plb_watts_rests(w, 3) || plb_watts_rests(w, 0));
    assert_int_equal(plb_watts_of(w, 3, &idle, &besides), PLB_WATTS_UNMEASURED);
    hear(w, 1, 140, none, 0.0, none);
    hear(w, 2, 140, none, 0.0, none);
    hear(w, 3, 140, 10.0, 0.1, none);
    assert_watts(w, 3, 20.0 / 3.0, 80.0);
    assert_watts(w, 1, 20.0 / 3.0, 50.0); /* kept, though there is a kind more */
    assert_false(plb_watts_turning(w));
    plb_watts_free(w);
}

static void windows_have_a_form(void **state)
{
    (void)state;
    struct plb_outbox box = {0};
    struct plb_message *m = plb_outbox_add(&box, PLB_WINDOW, 1, 0, 1);
    m->window = (struct plb_window){.seconds = 0.1, .joules = (double)NAN, .n = 1};
    assert_null(plb_message_check(m, m->size, 2));
    m->window.n = PLB_WINDOW_PUS + 1;
    assert_non_null(plb_message_check(m, m->size, 2));
    m->window.n = 1;
    m->window.at[0].busy_s = -1.0f;
    assert_non_null(plb_message_check(m, m->size, 2));
    m->window.at[0].busy_s = 0.0f;
    m->window.joules = INFINITY;
    assert_non_null(plb_message_check(m, m->size, 2));
    m->window.joules = 1.0;
    m->window.seconds = -0.1;
    assert_non_null(plb_message_check(m, m->size, 2));
    plb_outbox_fini(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unlike_windows_tell_watts_apart),
        cmocka_unit_test(alike_windows_do_not),
        cmocka_unit_test(long_windows_count_more),
        cmocka_unit_test(watts_are_not_negative),
        cmocka_unit_test(told_watts_are_not_learned),
        cmocka_unit_test(turns_tell_all),
        cmocka_unit_test(a_turn_waits_for_the_rest),
        cmocka_unit_test(a_torn_window_is_left_out),
        cmocka_unit_test(meters_that_tell_nothing),
        cmocka_unit_test(a_pu_that_joins_has_a_turn),
        cmocka_unit_test(windows_have_a_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
