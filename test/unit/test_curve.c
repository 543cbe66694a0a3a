/* Curves as they are, whoever made them: values and slopes inside and beyond the measured sizes, what is
 * plausible, and how a curve is printed. */
#include <stdio.h>

#include "model/curve.h"
#include "model/solve.h"
#include "numbers.h"

#define BIT(term) (1u << (term))
#define LINE (BIT(PLB_TERM_ONE) | BIT(PLB_TERM_X))

static void beyond_the_measured_sizes_the_slope_is_clamped(void **state)
{
    (void)state;
    struct plb_curve cubic = {
        .terms = BIT(PLB_TERM_X3), .a = {[PLB_TERM_X3] = 80}, .scale = 10, .low = 1, .high = 10};
    near(plb_curve_time(&cubic, 10), 80, 1e-12); /* mean slope 8, own slope 24, held at 16 */
    near(plb_curve_time(&cubic, 15), 160, 1e-12);
    near(plb_curve_slope(&cubic, 15), 16, 1e-12);
    near(plb_curve_time(&cubic, 0.5), 0.04, 1e-12); /* 0.08 at 1: the chord is above the tangent */
    struct plb_curve flat = {.terms = BIT(PLB_TERM_ONE), .a = {16}, .scale = 1, .low = 2, .high = 8};
    near(plb_curve_time(&flat, 16), 18, 1e-12); /* mean slope 2, own slope 0, held at 1/4 */
    near(plb_curve_time(&flat, 0.1), 16, 1e-12);
    struct plb_curve line = {.terms = LINE, .a = {5, 1}, .scale = 1, .low = 2, .high = 8};
    near(plb_curve_time(&line, 100), 105, 1e-12);
    near(plb_curve_time(&line, 0.25), 5.25, 1e-12);
    near(plb_curve_time(&line, 0), 0, 0);
    near(plb_curve_time(&line, -3), 0, 0);
}

static void a_printed_line_reads_back(void **state)
{
    (void)state;
    char text[160], tiny[8];
    struct plb_curve c = {.terms = LINE, .a = {2.1e-5, 3.4e-5}, .scale = 100, .low = 1, .high = 100};
    assert_ptr_equal(plb_curve_print(&c, text, sizeof text), text);
    double a, b;
    char x;
    assert_int_equal(sscanf(text, "%lf + %lf %c", &a, &b, &x), 3);
    near(a, 2.1e-5, 5e-3);
    near(b, 3.4e-7, 5e-3);
    assert_int_equal(x, 'x');
    plb_curve_print(&c, tiny, sizeof tiny);
    assert_memory_equal(tiny, text, 7);
    assert_int_equal(tiny[7], '\0');
    struct plb_curve e = {.terms = BIT(PLB_TERM_X3) | BIT(PLB_TERM_XLN),
                          .a = {[PLB_TERM_X3] = 16, [PLB_TERM_XLN] = 6},
                          .scale = 2,
                          .high = 2};
    assert_string_equal(plb_curve_print(&e, text, sizeof text), "2 x^3 + 3 x ln u (u = x/2)");
}

static void the_best_rate_is_at_a_measured_size(void **state)
{
    (void)state;
    struct plb_model m = {.execute = {.terms = LINE, .a = {1, 2}, .scale = 1, .low = 1, .high = 10}};
    near(plb_model_best_rate(&m), 10.0 / 21.0, 1e-9);
    m.transfer_s = 4;
    m.transfer_s_per_work = 0.5;
    near(plb_model_best_rate(&m), 10.0 / 30.0, 1e-9);
    near(plb_model_time(&m, 2), 10, 1e-12);
    near(plb_model_slope(&m, 2), 2.5, 1e-12);
    struct plb_model square = {
        .execute = {.terms = BIT(PLB_TERM_X2), .a = {0, 0, 1}, .scale = 1, .low = 2, .high = 10}};
    near(plb_model_best_rate(&square), 0.5, 1e-9);
    struct plb_model unknown = {.transfer_s = 1};
    assert_false(plb_model_known(&unknown));
    near(plb_model_best_rate(&unknown), 0, 0);
}

/* A block above the grain is several tasks: 10 units take 3 s, 30 take 9. */
static void a_block_above_the_grain_is_several_tasks(void **state)
{
    (void)state;
    struct plb_model m = {.execute = {.terms = LINE, .a = {1, 0.2}, .scale = 1, .low = 1, .high = 10}};
    near(plb_model_time(&m, 30.0), 7.0, 1e-9);
    m.grain = 10.0;
    near(plb_model_time(&m, 10.0), 3.0, 1e-9);
    near(plb_model_time(&m, 30.0), 9.0, 1e-9);
    near(plb_model_slope(&m, 30.0), 0.3, 1e-9);
    near(plb_model_work(&m, 9.0, 1000.0), 30.0, 1e-9);
    m.busy_s = 2.0;
    near(plb_model_time(&m, 30.0), 11.0, 1e-9);
    near(plb_model_work(&m, 9.0, 1000.0), 70.0 / 3.0, 1e-9);
}

/* On [1, 10], u = x / 10. */
static void a_plausible_curve_is_positive_and_never_falls(void **state)
{
    (void)state;
    static const struct {
        unsigned terms;
        double a[PLB_TERMS];
        bool plausible;
    } curves[] = {
        {LINE, {1, 2}, true},
        {LINE, {-0.5, 2}, false},                     /* -0.3 at x = 1 */
        {LINE, {9, -2}, false},                       /* falls */
        {LINE | BIT(PLB_TERM_X2), {1, -1, 2}, false}, /* falls up to x = 2.5 */
        {LINE | BIT(PLB_TERM_X2), {1, -0.3, 2}, true},
        {BIT(PLB_TERM_X) | BIT(PLB_TERM_X2) | BIT(PLB_TERM_X3), {0, 3.1, -6, 4}, true},
        {BIT(PLB_TERM_X) | BIT(PLB_TERM_X2) | BIT(PLB_TERM_X3), {0, 2.9, -6, 4}, false}, /* about x = 5 */
    };
    for (int i = 0; i < (int)(sizeof curves / sizeof *curves); i++) {
        struct plb_curve c = {.terms = curves[i].terms, .scale = 10, .low = 1, .high = 10};
        for (int k = 0; k < PLB_TERMS; k++)
            c.a[k] = curves[i].a[k];
        if (plb_curve_plausible(&c) != curves[i].plausible)
            fail_msg("curve %d is%s plausible", i, curves[i].plausible ? " not" : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_the_measured_sizes_the_slope_is_clamped),
        cmocka_unit_test(a_printed_line_reads_back),
        cmocka_unit_test(the_best_rate_is_at_a_measured_size),
        cmocka_unit_test(a_block_above_the_grain_is_several_tasks),
        cmocka_unit_test(a_plausible_curve_is_positive_and_never_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
