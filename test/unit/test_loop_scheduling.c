/* The arithmetic of the other balancers on views written by hand: two PUs, numbers from the papers'
 * formulas. */
#include "policy.h"

static void gss_gives_one_pth_of_what_remains(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "gss", 1000.0, 0.0);
    near(grant(&f, 0), 500.0); /* R / P, R = 1000, 500, 250, … */
    near(grant(&f, 1), 250.0);
    near(grant(&f, 0), 125.0);
    f.view.remaining = 1.0;
    f.pus[1].outstanding = 0;
    near(grant(&f, 1), 1.0); /* a unit at least */
    stop(&f);
}

static void factoring_halves_in_batches(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "factoring", 1000.0, 0.0);
    near(grant(&f, 0), 250.0); /* a batch of P chunks of R / 2P */
    near(grant(&f, 1), 250.0);
    near(grant(&f, 0), 125.0);
    near(grant(&f, 1), 125.0);
    stop(&f);
}

static void awf_weighs_recent_chunks_more(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "awf", 10000.0, 0.0);
    double a = grant(&f, 0), b = grant(&f, 1);
    near(a, 500.0); /* the first batch: a tenth, equally */
    near(b, 500.0);
    assert_true(grant(&f, 0) == 0.0);  /* nothing ahead before the speed is known */
    finish(&f, 0, a, 0.5, 0.5);        /* 1000/s */
    finish(&f, 1, b, 2.0, 2.0);        /* 250/s */
    double chunk = 9000.0 / 2.0 / 2.0; /* half of the rest, for two; weights 1.6 and 0.4 */
    near(grant(&f, 0), 1.6 * chunk);
    near(grant(&f, 1), 0.4 * chunk);
    finish(&f, 0, 1.6 * chunk, 1.6 * chunk / 250.0, 20.0); /* PU 0 is now as slow */
    /* π_0 = (1·0.5 + 2·14.4) / (1·500 + 2·3600): the second chunk counts twice */
    double rate0 = (500.0 + 2.0 * 3600.0) / (0.5 + 2.0 * 14.4), rate1 = 250.0;
    near(grant(&f, 0), 0.5 * (9000.0 - 2.0 * chunk) / 2.0 * 2.0 * rate0 / (rate0 + rate1));
    stop(&f);
}

/* The chunks of the second batch and the first one of the third, PU 0 first, with the weights that a form has
 * then. PU 1's report came after the batch began. */
static void awf_batches(double variant, double first, double second, double third)
{
    struct fixture f;
    start(&f, "awf", 10000.0, 0.0);
    f.balancer->fini(f.state);
    set(&f, "awf_variant", variant);
    f.state = f.balancer->init(&f.view, f.params);
    double a = grant(&f, 0), b = grant(&f, 1);
    finish(&f, 0, a, 0.5, 2.0); /* 1000/s, and 250/s with waiting */
    near(grant(&f, 0), first);
    finish(&f, 1, b, 2.0, 5.0); /* 250/s, and 100/s with waiting */
    near(grant(&f, 1), second);
    f.pus[0].outstanding = f.pus[1].outstanding = 0;
    f.view.remaining = 4000.0;
    near(grant(&f, 0), third); /* a third batch, of 1000 each but for weights */
    stop(&f);
}

static void awf_has_four_forms(void **state)
{
    (void)state;
    double chunk = 9000.0 / 2.0 / 2.0;
    awf_batches(0.0, chunk, chunk, 1600.0); /* b: PU 1 is not known when the second batch begins */
    awf_batches(1.0, chunk, 0.4 * chunk, 1600.0);
    awf_batches(2.0, chunk, chunk, 1000.0 * 500.0 / 350.0);
    awf_batches(3.0, chunk, chunk * 200.0 / 350.0, 1000.0 * 500.0 / 350.0);
}

/* By hand: PU 0 needs 0.5 and 1.5 s per unit in two chunks of 100, PU 1 twice that. Then μ = 1 and 2,
 * σ² = 100·0.25·2 = 50 and 200, D = 50 + 100 = 150. With R = 450, T = 450 / (1 + 1/2) = 300, and
 * D + 2T − √(D² + 4DT) = 150 + 600 − 450 = 300. */
static void af_goes_by_mean_and_variance(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "af", 2000.0, 0.0);
    near(grant(&f, 0), 100.0); /* the first batch: a tenth, equally */
    near(grant(&f, 1), 100.0);
    assert_true(grant(&f, 0) == 0.0); /* nothing ahead before the speed is known */
    finish(&f, 0, 100.0, 50.0, 50.0);
    finish(&f, 1, 100.0, 100.0, 100.0);
    near(grant(&f, 0), 600.0); /* no variance yet: half of the share, 1800 · 2/3 / 2 */
    near(grant(&f, 1), 200.0); /* 1200 · 1/3 / 2 */
    finish(&f, 0, 100.0, 150.0, 200.0);
    finish(&f, 1, 100.0, 300.0, 400.0);
    f.view.remaining = 450.0;
    near(grant(&f, 0), 150.0); /* 300 / (2 · 1) */
    f.view.remaining = 450.0;
    near(grant(&f, 1), 75.0); /* 300 / (2 · 2) */
    stop(&f);
}

/* Equal times: no variance, so a chunk is the whole share. Of it counts what the PU holds. */
static void af_counts_what_a_pu_holds(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "af", 2000.0, 0.0);
    for (int i = 0; i < 2; i++)
        for (int p = 0; p < 2; p++) {
            double work = grant(&f, p);
            finish(&f, p, work, 0.01 * work, 1.0 + i);
        }
    f.view.remaining = 1000.0;
    near(grant(&f, 0), 500.0);
    f.view.remaining = 1000.0;
    assert_true(grant(&f, 0) == 0.0); /* it holds its share */
    f.pus[0].done += 300.0;           /* now it holds 200 of 500 */
    near(grant(&f, 0), 300.0);
    stop(&f);
}

/* A lost PU's share goes to the other; a report without a time tells nothing. */
static void af_forgets_a_lost_pu(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "af", 2000.0, 0.0);
    for (int i = 0; i < 2; i++)
        for (int p = 0; p < 2; p++) {
            double work = grant(&f, p);
            finish(&f, p, work, 0.01 * work, 1.0 + i);
        }
    grant(&f, 0);
    finish(&f, 0, 1.0, (double)NAN, 3.0);
    lose(&f, 1);
    f.view.remaining = 1000.0;
    near(grant(&f, 0), 1000.0);
    stop(&f);
}

static void acosta_shares_by_relative_power(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "acosta", 2000.0, 0.0); /* 20 iterations of 100 units */
    near(grant(&f, 0), 50.0);
    near(grant(&f, 1), 50.0);
    finish(&f, 0, 50.0, 1.0, 1.0);
    assert_true(grant(&f, 0) == 0.0); /* the barrier */
    finish(&f, 1, 50.0, 4.0, 4.0);
    near(grant(&f, 0), 80.0); /* RP = 50 and 12.5 */
    near(grant(&f, 1), 20.0);
    finish(&f, 0, 80.0, 1.60, 6.0);
    finish(&f, 1, 20.0, 1.75, 6.0); /* within 10 %: sizes stay */
    near(grant(&f, 0), 80.0);
    near(grant(&f, 1), 20.0);
    stop(&f);
}

/* PU p's blocks of 10, 20, 40 … units at this speed. */
static void hdss_block(struct fixture *f, int p, double size, double speed)
{
    near(grant(f, p), size);
    assert_true(grant(f, p) == 0.0);
    finish(f, p, size, size / speed, f->view.now + 0.01);
}

static void hdss_doubles_until_the_speed_is_level(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "hdss", 100000.0, 10.0);
    for (int i = 0; i < 4; i++) {
        hdss_block(&f, 0, ldexp(10.0, i), 400.0);
        hdss_block(&f, 1, ldexp(10.0, i), 100.0);
    }
    /* both level: weights 400 and 100, blocks of R · w / Σ w / 2 */
    near(grant(&f, 0), (100000.0 - 300.0) * 0.8 / 2.0);
    double rest = f.view.remaining;
    near(grant(&f, 1), rest * 0.2 / 2.0);
    stop(&f);
}

static void hdss_goes_on_while_the_speed_grows(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "hdss", 100000.0, 10.0);
    for (int i = 0; i < 6; i++) /* speed(x) = 100 ln x: doubling adds 69 */
        hdss_block(&f, 0, ldexp(10.0, i), 100.0 * log(ldexp(10.0, i)));
    near(grant(&f, 0), 640.0);
    stop(&f);
}

/* With barriers: a PU that has finished its block waits for the other, and the phase ends for both together,
 * with no block ahead. */
static void hdss_waits_for_all_where_it_synchronises(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "hdss", 100000.0, 10.0);
    set(&f, "hdss.sync", 1.0);
    for (int i = 0; i < 4; i++) {
        double size = ldexp(10.0, i);
        near(grant(&f, 0), size);
        near(grant(&f, 1), size);
        finish(&f, 0, size, size / 400.0, f.view.now + 0.01);
        assert_true(grant(&f, 0) == 0.0);
        finish(&f, 1, size, size / 100.0, f.view.now + 0.03);
    }
    near(grant(&f, 0), (100000.0 - 300.0) * 0.8 / 2.0);
    assert_true(grant(&f, 0) == 0.0);
    double rest = f.view.remaining;
    near(grant(&f, 1), rest * 0.2 / 2.0);
    stop(&f);
}

/* The 20 % of work after which weights are fixed are used in the middle of a round: the round is ended. A PU
 * that is lost is not waited for. */
static void hdss_ends_its_rounds(void **state)
{
    (void)state;
    for (int loss = 0; loss < 2; loss++) {
        struct fixture f;
        start(&f, "hdss", 1000.0, 150.0);
        set(&f, "hdss.sync", 1.0);
        near(grant(&f, 0), 150.0);
        near(grant(&f, 1), 150.0);
        finish(&f, 0, 150.0, 0.5, 1.0);
        assert_true(grant(&f, 0) == 0.0);
        finish(&f, 1, 150.0, 1.5, 2.0);
        if (loss)
            lose(&f, 1);
        near(grant(&f, 0), 700.0 / 2.0 * (loss ? 1.0 : 0.75));
        stop(&f);
    }
}

static void greedy_has_none_ahead_where_asked(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "greedy", 640.0, 0.0);
    stop(&f);
    set(&f, "greedy.ahead", 0.0);
    f.state = f.balancer->init(&f.view, f.params);
    near(grant(&f, 0), 10.0);
    assert_true(grant(&f, 0) == 0.0);
    near(grant(&f, 1), 10.0);
    stop(&f);
}

static void greedy_gives_equal_pieces(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "greedy", 640.0, 0.0);
    near(grant(&f, 0), 10.0); /* 32 for each PU */
    near(grant(&f, 0), 10.0); /* one ahead while there are plenty */
    f.view.remaining = 40.0;
    assert_true(grant(&f, 0) == 0.0);
    near(grant(&f, 1), 10.0);
    stop(&f);
}

static void static_shares_by_power(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "static", 1000.0, 0.0);
    stop(&f);
    f.pus[0].power = 450.0;
    f.pus[1].power = 1344.0;
    f.state = f.balancer->init(&f.view, f.params);
    near(grant(&f, 0), 1000.0 * 450.0 / 1794.0);
    near(grant(&f, 1), 1000.0 * 1344.0 / 1794.0);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gss_gives_one_pth_of_what_remains),
        cmocka_unit_test(factoring_halves_in_batches),
        cmocka_unit_test(awf_weighs_recent_chunks_more),
        cmocka_unit_test(awf_has_four_forms),
        cmocka_unit_test(af_goes_by_mean_and_variance),
        cmocka_unit_test(af_counts_what_a_pu_holds),
        cmocka_unit_test(af_forgets_a_lost_pu),
        cmocka_unit_test(acosta_shares_by_relative_power),
        cmocka_unit_test(hdss_doubles_until_the_speed_is_level),
        cmocka_unit_test(hdss_goes_on_while_the_speed_grows),
        cmocka_unit_test(hdss_waits_for_all_where_it_synchronises),
        cmocka_unit_test(hdss_ends_its_rounds),
        cmocka_unit_test(greedy_gives_equal_pieces),
        cmocka_unit_test(greedy_has_none_ahead_where_asked),
        cmocka_unit_test(static_shares_by_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
