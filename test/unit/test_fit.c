/* Fits of time curves: recovery of the basis, what is left out, what happens with hardly any data,
 * and the promise on which the solver rests: positive and never decreasing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/fit.h"
#include "numbers.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define BIT(term) (1u << (term))

static const double sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 32, 48, 64, 128};
#define HIGH 128.0

struct shape {
    const char *name;
    unsigned terms;
    double a[PLB_TERMS]; /* one x xx xxx exp ln xexp xln, of u = x/128 */
};

static double shape_at(const struct shape *s, double x)
{
    double u = x / HIGH;
    double f[PLB_TERMS] = {1, u, u * u, u * u * u, exp(u), log(u), u * exp(u), u * log(u)};
    double sum = 0.0;
    for (int i = 0; i < PLB_TERMS; i++)
        sum += s->a[i] * f[i];
    return sum;
}

static void every_term_and_pair_is_recovered_from_exact_points(void **state)
{
    (void)state;
    static const struct shape shapes[] = {
        {"1", 0x01, {3}},
        {"x", 0x02, {0, 2}},
        {"x^2", 0x04, {0, 0, 5}},
        {"x^3", 0x08, {0, 0, 0, 7}},
        {"e^u", 0x10, {0, 0, 0, 0, 2}},
        {"x e^u", 0x40, {0, 0, 0, 0, 0, 0, 4}},
        {"1 + x", 0x03, {0.01, 2}},
        {"1 + x^2", 0x05, {0.1, 0, 3}},
        {"1 + x^3", 0x09, {0.1, 0, 0, 3}},
        {"1 + ln u", 0x21, {6, 0, 0, 0, 0, 1}},
        {"x + ln u", 0x23, {6, 2, 0, 0, 0, 1}},
        {"x + x^2", 0x06, {0, 1, 4}},
        {"x + x ln u", 0x82, {0, 7, 0, 0, 0, 0, 0, 1}},
        {"1 + x e^u", 0x41, {0.2, 0, 0, 0, 0, 0, 1}},
        {"x^2 + x e^u", 0x44, {0, 0, 3, 0, 0, 0, 1}},
        {"1 + x + x ln u (x ln x)", 0x83, {0.5, 7, 0, 0, 0, 0, 0, 1}},
        {"1 + x + x^3", 0x0b, {0.2, 1, 0, 3}},
    };
    for (int s = 0; s < COUNT(shapes); s++) {
        double t[COUNT(sizes)];
        struct plb_curve c;
        for (int i = 0; i < COUNT(sizes); i++)
            t[i] = shape_at(&shapes[s], sizes[i]);
        assert_true(plb_fit_curve(sizes, t, NULL, COUNT(sizes), &c));
        if (c.terms != shapes[s].terms)
            fail_msg("%s: terms %x, expected %x", shapes[s].name, c.terms, shapes[s].terms);
        near(c.low, 1.0, 0.0);
        near(c.high, HIGH, 0.0);
        near(c.r2, 1.0, 1e-9);
        for (double x = 1.0; x <= HIGH; x += 0.7)
            near(plb_curve_time(&c, x), shape_at(&shapes[s], x), 1e-8);
    }
}

static void residuals_are_relative_and_r2_is_unweighted(void **state)
{
    (void)state;
    /* Least squares of ((a + b x)/t - 1): [21 27; 27 41]/16 · (a, b) = (28, 44)/16, so
     * a = -40/132, b = 168/132. R² = 1 - (5136/17424)/(42/9). */
    struct plb_curve c;
    assert_true(plb_fit_curve((double[]){1, 2, 3}, (double[]){1, 2, 4}, NULL, 3, &c));
    near(plb_curve_time(&c, 1), 128.0 / 132.0, 1e-10);
    near(plb_curve_time(&c, 2), 296.0 / 132.0, 1e-10);
    near(plb_curve_time(&c, 3), 464.0 / 132.0, 1e-10);
    near(c.r2, 0.936835858585858, 1e-6);
}

static void a_weight_counts_as_that_many_points(void **state)
{
    (void)state;
    /* The data above, the third point four times: [1.5 2.25; 2.25 4.25] · (a, b) = (2.5, 5). */
    struct plb_curve c;
    assert_true(plb_fit_curve((double[]){1, 2, 3}, (double[]){1, 2, 4}, (double[]){1, 1, 4}, 3, &c));
    near(plb_curve_time(&c, 1), 20.0 / 21.0, 1e-10);
    near(plb_curve_time(&c, 2), 50.0 / 21.0, 1e-10);
    near(plb_curve_time(&c, 3), 80.0 / 21.0, 1e-10);
}

static void unusable_points_are_left_out(void **state)
{
    (void)state;
    double x[] = {10, NAN, 20, 5, INFINITY, 40, 0, 30, -7, 80, 60, 70, 90, 50};
    double t[] = {11, 1, 21, NAN, 9, 41, 3, INFINITY, 2, 81, 0, -4, 91, 700};
    double w[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
    struct plb_curve c;
    assert_true(plb_fit_curve(x, t, w, COUNT(x), &c));
    near(c.low, 10, 0);
    near(c.high, 90, 0);
    for (double at = 10; at <= 90; at += 1.0)
        near(plb_curve_time(&c, at), 1 + at, 1e-9);
}

static void no_point_leaves_the_curve_alone(void **state)
{
    (void)state;
    struct plb_curve c, before;
    memset(&c, 0x5a, sizeof c);
    memcpy(&before, &c, sizeof c);
    assert_false(plb_fit_curve(NULL, NULL, NULL, 0, &c));
    assert_false(plb_fit_curve((double[]){NAN, 0}, (double[]){1, 1}, NULL, 2, &c));
    assert_memory_equal(&c, &before, sizeof c);
}

static void one_point_is_proportional(void **state)
{
    (void)state;
    struct plb_curve c;
    assert_true(plb_fit_curve((double[]){8}, (double[]){2}, NULL, 1, &c));
    near(plb_curve_time(&c, 8), 2, 1e-12);
    near(plb_curve_time(&c, 1), 0.25, 1e-12);
    near(plb_curve_time(&c, 80), 20, 1e-12);
    near(c.r2, 1, 1e-12);
}

static void two_points_are_a_line(void **state)
{
    (void)state;
    struct plb_curve c;
    assert_true(plb_fit_curve((double[]){4, 2}, (double[]){6, 5}, NULL, 2, &c));
    near(plb_curve_time(&c, 3), 5.5, 1e-10); /* 4 + x/2 */
    near(plb_curve_time(&c, 0.5), 4.25, 1e-10);
    near(plb_curve_time(&c, 14), 11, 1e-10);
}

static void a_line_that_would_start_below_zero_bends_to_the_origin(void **state)
{
    (void)state;
    struct plb_curve c; /* 2 x - 1 */
    assert_true(plb_fit_curve((double[]){1, 2}, (double[]){1, 3}, NULL, 2, &c));
    near(plb_curve_time(&c, 1.5), 2, 1e-9);
    near(plb_curve_time(&c, 0.5), 0.5, 1e-9);
    near(plb_curve_time(&c, 0.01), 0.01, 1e-9);
}

static void two_points_that_fall_are_proportional(void **state)
{
    (void)state;
    struct plb_curve c; /* a = (Σ x/t)/(Σ x²/t²) = (1/4 + 2/2)/(1/16 + 1) */
    assert_true(plb_fit_curve((double[]){1, 2}, (double[]){4, 2}, NULL, 2, &c));
    near(plb_curve_time(&c, 1), 20.0 / 17.0, 1e-10);
    near(plb_curve_time(&c, 2), 40.0 / 17.0, 1e-10);
}

static void points_of_one_size_are_proportional(void **state)
{
    (void)state;
    struct plb_curve c; /* a = (10 + 5)/(100 + 25); R² about zero: 1 - (0.04 + 0.64)/5 */
    assert_true(plb_fit_curve((double[]){10, 10}, (double[]){1, 2}, NULL, 2, &c));
    near(plb_curve_time(&c, 10), 1.2, 1e-12);
    near(plb_curve_time(&c, 5), 0.6, 1e-12);
    near(c.r2, 0.864, 1e-12);
    double x[20], t[20];
    for (int i = 0; i < 20; i++)
        x[i] = 7, t[i] = 3;
    assert_true(plb_fit_curve(x, t, NULL, 20, &c));
    near(plb_curve_time(&c, 14), 6, 1e-12);
    near(c.r2, 1, 1e-12);
}

/* Fails with the seed where a curve is not positive or decreases on [low/10, 100 high]. */
static void sound(const struct plb_curve *c, int seed)
{
    double before = 0.0, ratio = pow(1000.0 * c->high / c->low, 1.0 / 1500.0), x = c->low / 10.0;
    for (int i = 0; i <= 1500; i++, x *= ratio) {
        double t = plb_curve_time(c, x);
        if (!(t > 0.0) || !isfinite(t) || t < before * (1.0 - 1e-12))
            fail_msg("seed %d, terms %x: %.17g at %g after %.17g", seed, c->terms, t, x, before);
        if (plb_curve_slope(c, x) < -1e-9 * t / x)
            fail_msg("seed %d, terms %x: slope %g at %g", seed, c->terms, plb_curve_slope(c, x), x);
        before = t;
    }
}

static void sum_all(const double *x, const double *t, int n, struct plb_curve *c)
{
    struct plb_sample samples[64];
    struct plb_model model;
    for (int i = 0; i < n; i++)
        samples[i] = (struct plb_sample){.work = x[i], .execute_s = t[i], .tasks = 1};
    assert_true(plb_fit_all_terms(samples, n, &model));
    *c = model.execute;
}

static void decreasing_times_never_give_a_decreasing_curve(void **state)
{
    (void)state;
    for (int n = 2; n <= 40; n++) {
        double x[40], t[40];
        for (int i = 0; i < n; i++)
            x[i] = 1 + 3 * i, t[i] = 50.0 / x[i];
        struct plb_curve c;
        assert_true(plb_fit_curve(x, t, NULL, n, &c));
        sound(&c, n);
        sum_all(x, t, n, &c);
        sound(&c, n);
    }
}

static void curves_are_positive_and_never_decrease(void **state)
{
    (void)state;
    const char *more = getenv("PLB_FIT_SEEDS");
    for (int seed = 1; seed <= (more != NULL ? atoi(more) : 1000); seed++) {
        uint64_t s = (uint64_t)seed;
        double x[64], t[64], span = 1.0 + 9.0 * uniform(&s), noise = uniform(&s);
        int n = 1 + (int)(64.0 * uniform(&s)), shape = (int)(6.0 * uniform(&s));
        for (int i = 0; i < n; i++) {
            double e = uniform(&s);
            x[i] = exp(span * uniform(&s));
            double clean[] = {x[i],        10 + x[i],  5 + log(x[i]),
                              x[i] * x[i], 1e4 / x[i], 20 + 0.1 * x[i] + 9 * sin(x[i])};
            t[i] = clean[shape] * exp(noise * (2.0 * e - 1.0));
        }
        struct plb_curve c;
        assert_true(plb_fit_curve(x, t, NULL, n, &c));
        sound(&c, seed);
        sum_all(x, t, n, &c);
        sound(&c, seed);
    }
}

static void noise_of_three_percent_predicts_within_ten(void **state)
{
    (void)state;
    for (int n = 4; n <= 128; n++)
        for (int seed = 1; seed <= 10; seed++) {
            uint64_t s = (uint64_t)(1000 * n + seed);
            double x[128], t[128];
            for (int i = 0; i < n; i++) {
                x[i] = i < 4 ? 125 << i : 125 + 875 * uniform(&s); /* as training does */
                t[i] = (0.2 + 0.003 * x[i]) * (1.0 + 0.03 * (2.0 * uniform(&s) - 1.0));
            }
            struct plb_curve c;
            assert_true(plb_fit_curve(x, t, NULL, n, &c));
            for (double at = 125; at <= 1000; at += 5)
                near(plb_curve_time(&c, at), 0.2 + 0.003 * at, 0.10);
        }
}

static void of_more_than_512_points_the_most_recent_count(void **state)
{
    (void)state;
    static double x[700], t[700];
    for (int i = 0; i < 700; i++) {
        x[i] = 1 + i % 50;
        t[i] = i < 188 ? 100 * x[i] : 3 + 2 * x[i];
    }
    struct plb_curve c;
    assert_true(plb_fit_curve(x, t, NULL, 700, &c));
    near(plb_curve_time(&c, 10), 23, 1e-9);
    near(plb_curve_time(&c, 50), 103, 1e-9);
}

static void the_transfer_line_stays_above_zero(void **state)
{
    (void)state;
    double a, b;
    plb_fit_line((double[]){1, 2, 4}, (double[]){5, 7, 11}, 3, &a, &b); /* 3 + 2 x */
    near(a, 3, 1e-12);
    near(b, 2, 1e-12);
    plb_fit_line((double[]){1, 2}, (double[]){1, 3}, 2, &a, &b); /* -1 + 2 x, so (1 + 6)/(1 + 4) x */
    near(a, 0, 0);
    near(b, 1.4, 1e-12);
    plb_fit_line((double[]){1, 2}, (double[]){3, 1}, 2, &a, &b);
    near(a, 2, 1e-12);
    near(b, 0, 0);
    plb_fit_line((double[]){5, 5}, (double[]){1, 2}, 2, &a, &b);
    near(5 * b + a, 1.5, 1e-12);
    plb_fit_line((double[]){NAN, 3, -1, INFINITY, 9}, (double[]){1, 6, 4, 1, NAN}, 5, &a, &b);
    near(3 * b + a, 6, 1e-12);
    plb_fit_line((double[]){2, 4}, (double[]){0, 0}, 2, &a, &b);
    near(a, 0, 0);
    near(b, 0, 0);
    a = b = 9;
    plb_fit_line(NULL, NULL, 0, &a, &b);
    near(a, 0, 0);
    near(b, 0, 0);
}

/* Reports of a PU that needs 8 ms per unit, with 3 % noise. Between the two groups of sizes, and far beyond
 * what was measured, nothing is known that a straight line would not say. */
static void noise_makes_no_shape(void **state)
{
    (void)state;
    double x[] = {417, 417, 470, 246, 249, 1822, 1771, 241},
           t[] = {3.378, 3.391, 3.692, 2.042, 2.065, 15.57, 14.13, 1.987};
    double narrow_x[] = {3846, 3846, 5327, 6138, 6445}, narrow_t[] = {1.486, 1.490, 2.150, 2.310, 2.352};
    struct plb_curve c;
    assert_true(plb_fit_curve(x, t, NULL, 8, &c));
    assert_true(fabs(plb_curve_time(&c, 938.0) / (938.0 * 8e-3) - 1.0) < 0.1);
    assert_true(plb_fit_curve(narrow_x, narrow_t, NULL, 5, &c));
    assert_true(plb_curve_time(&c, 103728.0) > 0.6 * 103728.0 * 0.375e-3);
    assert_true(plb_curve_time(&c, 103728.0) < 1.5 * 103728.0 * 0.375e-3);
}

/* Equation 1 to the letter: eight terms, also through fewer points than that. */
static void all_terms_are_in_one_sum(void **state)
{
    (void)state;
    static const struct shape every = {"all", 0xff, {0.3, 1, 0.5, 0.2, 0.1, 0.02, 0.3, 0.1}};
    double t[COUNT(sizes)];
    struct plb_curve c;
    for (int i = 0; i < COUNT(sizes); i++)
        t[i] = shape_at(&every, sizes[i]);
    sum_all(sizes, t, COUNT(sizes), &c);
    assert_int_equal(c.terms, every.terms);
    for (double x = 1.0; x <= HIGH; x += 0.7)
        near(plb_curve_time(&c, x), shape_at(&every, x), 1e-3);
    double four[] = {125, 250, 500, 1000}, seconds[] = {1.0, 1.9, 3.9, 7.7}; /* after training */
    sum_all(four, seconds, 4, &c);
    assert_int_equal(c.terms, every.terms);
    for (int i = 0; i < 4; i++)
        near(plb_curve_time(&c, four[i]), seconds[i], 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_makes_no_shape),
        cmocka_unit_test(every_term_and_pair_is_recovered_from_exact_points),
        cmocka_unit_test(residuals_are_relative_and_r2_is_unweighted),
        cmocka_unit_test(a_weight_counts_as_that_many_points),
        cmocka_unit_test(unusable_points_are_left_out),
        cmocka_unit_test(no_point_leaves_the_curve_alone),
        cmocka_unit_test(one_point_is_proportional),
        cmocka_unit_test(two_points_are_a_line),
        cmocka_unit_test(a_line_that_would_start_below_zero_bends_to_the_origin),
        cmocka_unit_test(two_points_that_fall_are_proportional),
        cmocka_unit_test(points_of_one_size_are_proportional),
        cmocka_unit_test(decreasing_times_never_give_a_decreasing_curve),
        cmocka_unit_test(curves_are_positive_and_never_decrease),
        cmocka_unit_test(noise_of_three_percent_predicts_within_ten),
        cmocka_unit_test(of_more_than_512_points_the_most_recent_count),
        cmocka_unit_test(the_transfer_line_stays_above_zero),
        cmocka_unit_test(all_terms_are_in_one_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
