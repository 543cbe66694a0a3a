/* The arithmetic of plb-hec and plb-hac, on views and samples written by hand: no master, no clock. */
#include "policy.h"

/* PU 0 needs 1 ms per unit, PU 1 4 ms. Paper IV.B: blocks of b, then 2, 4, 8 times b · t_f / t_k. */
static void hec_trains_with_1_2_4_8(void **state)
{
    (void)state;
    struct fixture f;
    double now = 0.0;
    start(&f, "plb-hec", 10000.0, 20.0);
    set(&f, "steps", 4.0);
    for (int round = 0; round < 4; round++) {
        double multiplier = ldexp(20.0, round), slow = round == 0 ? 20.0 : multiplier / 4.0;
        near(grant(&f, 0), multiplier);
        assert_true(grant(&f, 0) == 0.0); /* one block per round */
        near(grant(&f, 1), slow);
        finish(&f, 0, multiplier, multiplier * 1e-3, now += 0.01);
        assert_true(grant(&f, 0) == 0.0); /* the barrier: PU 1 is still at it */
        finish(&f, 1, slow, slow * 4e-3, now += 0.1);
    }
    /* 10000 - 300 - 90 = 9610 left, in four steps, 4 : 1; the same sizes until the data end */
    for (int step = 0; step < 4; step++) {
        near(grant(&f, 0), 9610.0 / 4.0 * 0.8);
        near(grant(&f, 1), 9610.0 / 4.0 * 0.2);
        assert_true(grant(&f, 0) == 0.0); /* none ahead: it asks when it has finished */
        finish(&f, 0, 1922.0, 1.922, now += 1.922);
        finish(&f, 1, 480.5, 1.922, now);
    }
    assert_int_equal(f.stats.solves, 1);
    near(f.stats.profile_end, 0.44);
    stop(&f);
}

/* Brings plb-hec through rounds of training with PUs of 1 and 4 ms per unit, both `off` by a part in turns.
 * PU 0 has a transfer of `transfer` seconds in every other round. Returns its block after these. */
static double hec_trained(struct fixture *f, int rounds, double off, double transfer, double *now)
{
    start(f, "plb-hec", 10000.0, 20.0);
    for (int round = 0; round < rounds; round++) {
        double a = grant(f, 0), b = grant(f, 1), by = round % 2 ? 1.0 + off : 1.0 - off;
        double sent = transfer * (round % 2);
        f->transfer_s = sent;
        finish(f, 0, a, a * 1e-3 * by, *now += 0.01);
        f->transfer_s = 0.0;
        finish(f, 1, b, b * 4e-3 * by, *now += 0.1);
    }
    return grant(f, 0);
}

/* The threshold is 10 % of a block's time. Detected by PU 1, which gets another block; PU 0 waits for it. */
static void hec_rebalances_above_the_threshold(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct fixture f;
        double now = 0.0, a = hec_trained(&f, 4, 0.0, 0.0, &now), b = grant(&f, 1), step = a * 1e-3;
        finish(&f, 0, a, step, now += step);
        near(grant(&f, 0), a);
        finish(&f, 1, b, step * (late ? 1.11 : 1.09), now + step * 0.1);
        near(grant(&f, 1), b);
        finish(&f, 0, a, step, now += step);
        near(grant(&f, 0), late ? 0.0 : a);
        if (late) {
            finish(&f, 1, b, step * 1.11, now += step);
            double slower = grant(&f, 1);
            assert_true(slower > 0.0 && slower < 0.99 * b); /* sizes by curves that know of the late blocks */
        }
        assert_int_equal(f.stats.solves, late ? 2 : 1);
        stop(&f);
    }
}

/* A block is later, but reports scatter by 10 %: that explains it, unless `scatter` is off. */
static void hec_expects_what_the_scatter_explains(void **state)
{
    (void)state;
    for (int off = 0; off < 2; off++) {
        struct fixture f;
        double now = 0.0, a = hec_trained(&f, 4, 0.1, 0.0, &now), b = grant(&f, 1), step = a * 1e-3;
        set(&f, "scatter", off ? 0.0 : 1.0);
        assert_int_equal(f.stats.solves, 1);
        finish(&f, 0, a, step * 0.9, now += step);
        near(grant(&f, 0), a);
        finish(&f, 1, b, b * 4e-3 * 1.3, now + step * 0.2);
        near(grant(&f, 1), b);
        finish(&f, 0, a, step, now += step);
        near(grant(&f, 0), off ? 0.0 : a);
        stop(&f);
    }
}

/* Execution times are on a line, transfers are not: R² of G is poor, and a fifth round follows. */
static void hec_judges_transfers_too(void **state)
{
    (void)state;
    for (int poor = 0; poor < 2; poor++) {
        struct fixture f;
        double now = 0.0;
        hec_trained(&f, 4, 0.0, poor ? 0.01 : 0.0, &now);
        assert_int_equal(f.stats.solves, poor ? 0 : 1);
        stop(&f);
    }
}

/* plb-hac with PUs of 1 and 4 ms per unit through its training, both idle at *now; ten virtual steps. A PU
 * has its second block at once; the one synchronisation ends training. */
static void hac_trained(struct fixture *f, double total, double *now)
{
    start(f, "plb-hac", total, 10.0);
    set(f, "steps", 10.0);
    near(grant(f, 0), 10.0);
    near(grant(f, 1), 10.0);
    finish(f, 0, 10.0, 0.01, *now += 0.01);
    near(grant(f, 0), 20.0); /* PU 1 is still at its first */
    finish(f, 0, 20.0, 0.02, *now += 0.02);
    assert_true(grant(f, 0) == 0.0);
    finish(f, 1, 10.0, 0.04, *now += 0.01);
    near(grant(f, 1), 5.0);
    assert_true(grant(f, 0) == 0.0);
    finish(f, 1, 5.0, 0.02, *now += 0.02);
}

/* Two blocks, the second of 2 · x · t_f / t_k; then shares of a tenth of all work with equal times. */
static void hac_solves_after_two_points(void **state)
{
    (void)state;
    struct fixture f;
    double now = 0.0;
    hac_trained(&f, 10000.0, &now);
    near(f.view.remaining, 10000.0 - 10.0 - 10.0 - 20.0 - 5.0);
    near(grant(&f, 0), 800.0);
    near(grant(&f, 1), 200.0);
    assert_true(grant(&f, 0) == 0.0); /* none ahead: it asks when it has finished */
    assert_int_equal(f.stats.solves, 1);
    near(f.stats.profile_end, now);
    stop(&f);
}

/* A PU that is quicker than the virtual step goes on with the newest size, without waiting or solving. The
 * step ends with the last PU, and the next to ask solves with all points so far. */
static void hac_solves_once_in_a_virtual_step(void **state)
{
    (void)state;
    struct fixture f;
    double now = 0.0;
    hac_trained(&f, 100000.0, &now);
    double a = grant(&f, 0), b = grant(&f, 1);
    for (int i = 0; i < 3; i++) {
        finish(&f, 0, a, a * 1e-3, now += a * 1e-3);
        near(grant(&f, 0), a);
        assert_int_equal(f.stats.solves, 1);
    }
    finish(&f, 1, b, 4.0 * b * 4e-3, now); /* it has become four times slower */
    double next = grant(&f, 1);
    assert_int_equal(f.stats.solves, 2);
    assert_true(next < 0.9 * b);
    stop(&f);
}

/* PU 0 ends a block of 8 s half a second early, or 0.3 s: the threshold is 0.4 s. Then a block of its regular
 * size follows. The work in the gap does not end its virtual step. */
static void hac_fills_a_gap(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        struct fixture f;
        double now = 0.0, gap = early ? 0.5 : 0.3;
        hac_trained(&f, 100000.0, &now);
        double a = grant(&f, 0), b = grant(&f, 1);
        near(a, 8000.0);
        finish(&f, 0, a, 8.0 - gap, now += 8.0 - gap);
        double filler = grant(&f, 0);
        near(filler, early ? 500.0 : a);
        if (early) {
            finish(&f, 0, filler, 0.5, now += 0.5);
            near(grant(&f, 0), a);
            assert_int_equal(f.stats.solves, 1);
        }
        near(b, 2000.0);
        stop(&f);
    }
}

/* By Algorithm 1: a block of 8 s that took at most 0.9 of that, whatever 0.4 s say. */
static void hac_fills_a_gap_by_a_ratio(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        struct fixture f;
        double now = 0.0, took = early ? 7.0 : 7.4;
        hac_trained(&f, 100000.0, &now);
        set(&f, "gap_ratio", 0.9);
        double a = grant(&f, 0);
        grant(&f, 1);
        finish(&f, 0, a, took, now += took);
        near(grant(&f, 0), early ? 1000.0 : a);
        stop(&f);
    }
}

/* Blocks of 800 and 200 units, or at least 300, or 450: 200 rounds to none of these. */
static void hac_has_a_least_block(void **state)
{
    (void)state;
    const double least[] = {300.0, 450.0}, sizes[][2] = {{800.0, 300.0}, {800.0, 0.0}};
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        double now = 0.0;
        hac_trained(&f, 10000.0, &now);
        set(&f, "least_block", least[i]);
        near(grant(&f, 0), sizes[i][0]);
        near(grant(&f, 1), sizes[i][1]);
        stop(&f);
    }
}

/* From 70 % on blocks shrink by a tenth with every virtual step, to a sixteenth where nothing says more. */
static void hac_shrinks_blocks_in_the_tail(void **state)
{
    (void)state;
    struct fixture f;
    double now = 0.0, size = 0.0;
    hac_trained(&f, 100000.0, &now);
    double regular = grant(&f, 0), slow = grant(&f, 1);
    finish(&f, 1, slow, 8.0, now += 8.0);
    finish(&f, 0, regular, 8.0, now);
    for (int step = 1; step <= 40; step++) {
        f.view.remaining = 29000.0;
        size = grant(&f, 0);
        near(size, fmax(pow(0.9, step), 1.0 / 16.0) * regular);
        double other = grant(&f, 1);
        finish(&f, 1, other, 4e-3 * other, now += 1e-3 * size);
        finish(&f, 0, size, 1e-3 * size, now);
    }
    near(size, regular / 16.0);
    stop(&f);
}

/* PU p has these two samples already, from an earlier run or an earlier pass. */
static void known_before(struct fixture *f, int p, double seconds_per_unit, bool from_profile)
{
    struct plb_sample two[2];
    for (int i = 0; i < 2; i++)
        two[i] = (struct plb_sample){
            100.0 + 100.0 * i, (100.0 + 100.0 * i) * seconds_per_unit, 0.0, 1, 0.0, true};
    if (from_profile)
        plb_history_load(&f->histories[p], two, 1);
    else
        report(f, p, &two[0]);
    report(f, p, &two[1]);
    if (from_profile)
        f->pus[p].from_profile = 2;
}

static void restart(struct fixture *f)
{
    f->balancer->fini(f->state);
    f->state = f->balancer->init(&f->view, f->params);
}

/* 1000 and 250 units/s are known: no training. */
static void nobody_trains_where_all_is_known(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        struct fixture f;
        bool hec = which == 2, from_profile = which == 1;
        start(&f, hec ? "plb-hec" : "plb-hac", 10000.0, 0.0);
        for (int twice = 0; twice < (hec ? 2 : 1); twice++) {
            known_before(&f, 0, 1e-3, from_profile);
            known_before(&f, 1, 4e-3, from_profile);
        }
        set(&f, "steps", 4.0);
        restart(&f);
        near(grant(&f, 0), 2000.0);
        near(grant(&f, 1), 500.0);
        assert_int_equal(f.stats.solves, 1);
        assert_true(f.stats.profile_end == 0.0);
        stop(&f);
    }
}

/* Both PUs have reports that scatter. The sizes end at the same time by the curves that were asked for. */
static void sizes_are_by_few_terms_or_by_all(void **state)
{
    (void)state;
    for (int all = 0; all < 2; all++)
        for (int hac = 0; hac < 2; hac++) {
            struct fixture f;
            double now = 0.0, seconds[2][PUS];
            start(&f, hac ? "plb-hac" : "plb-hec", 10000.0, 20.0);
            set_choice(f.balancer, f.params, "terms", all ? "all" : "few");
            for (int round = 0; round < (hac ? 2 : 4); round++)
                for (int p = 0; p < PUS; p++) {
                    double x = grant(&f, p);
                    finish(&f, p, x, x * (p ? 4e-3 : 1e-3) * ((round + p) % 2 ? 1.04 : 0.96), now += 1.0);
                }
            for (int p = 0; p < PUS; p++) {
                double x = grant(&f, p);
                assert_true(x > 0.0);
                for (int terms = 0; terms < 2; terms++) {
                    struct plb_model m = plb_belief_curves(&f.pus[p], (enum plb_terms)terms);
                    seconds[terms][p] = plb_model_time(&m, x);
                }
            }
            near(seconds[all][0], seconds[all][1]);
            assert_true(fabs(seconds[!all][0] / seconds[!all][1] - 1.0) > 1e-3);
            stop(&f);
        }
}

static void static_shares_by_profile(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "static", 10000.0, 0.0);
    assert_int_equal(f.balancer->basis(f.params), PLB_BY_POWER);
    set_choice(f.balancer, f.params, "static.source", "profile");
    assert_int_equal(f.balancer->basis(f.params), PLB_BY_PROFILE);
    known_before(&f, 0, 1e-3, true);
    known_before(&f, 1, 4e-3, true);
    restart(&f);
    near(grant(&f, 0), 8000.0); /* by power each would get half */
    near(grant(&f, 1), 2000.0);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hec_trains_with_1_2_4_8),
        cmocka_unit_test(hec_rebalances_above_the_threshold),
        cmocka_unit_test(hec_expects_what_the_scatter_explains),
        cmocka_unit_test(hec_judges_transfers_too),
        cmocka_unit_test(hac_solves_after_two_points),
        cmocka_unit_test(hac_solves_once_in_a_virtual_step),
        cmocka_unit_test(hac_fills_a_gap),
        cmocka_unit_test(hac_fills_a_gap_by_a_ratio),
        cmocka_unit_test(hac_has_a_least_block),
        cmocka_unit_test(hac_shrinks_blocks_in_the_tail),
        cmocka_unit_test(nobody_trains_where_all_is_known),
        cmocka_unit_test(sizes_are_by_few_terms_or_by_all),
        cmocka_unit_test(static_shares_by_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
