/* The progress line: when it is shown, and what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <math.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/progress/progress.h"

/* A look at the progress of 100 rows. */
struct step {
    int64_t done;
    double seconds;
    const struct plb_awaited *awaited;
};

/* The lines that progress writes to stderr for these steps. */
static void captured_of(bool quiet, bool again, const struct step *steps, int n, char *text, size_t size)
{
    int saved = dup(STDERR_FILENO);
    FILE *f = tmpfile();
    fflush(stderr);
    dup2(fileno(f), STDERR_FILENO);
    struct plb_progress p;
    bool stalled;
    plb_progress_init(&p, "rows", quiet ? PLB_PROGRESS_OFF : PLB_PROGRESS_LINE);
    p.again = again;
    for (int i = 0, pass = 1; i < n; i++) {
        pass += i > 0 && steps[i].seconds < steps[i - 1].seconds;
        if (plb_progress_is_due(&p, steps[i].done, steps[i].seconds, &stalled))
            plb_progress_show(&p, pass, 100, stalled ? steps[i].awaited : NULL);
    }
    plb_progress_end(&p);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    fclose(f);
}

static void captured(bool quiet, const struct step *steps, int n, char *text, size_t size)
{
    captured_of(quiet, false, steps, n, text, size);
}

static void progress_is_a_line_every_few_seconds(void **state)
{
    (void)state;
    static const struct step steps[] = {{10, 1.0, NULL},                   /* too early */
                                        {50, 5.5, NULL},  {60, 6.0, NULL}, /* too soon after */
                                        {80, 11.0, NULL}, {5, 2.0, NULL},  /* another pass */
                                        {20, 5.0, NULL}};
    char text[1000];
    captured(false, steps, 6, text, sizeof text);
    assert_string_equal(text, "plbrun:  50 %  50 of 100 rows, 9.091 rows/s, 5.50 s left\n"
                              "plbrun:  80 %  80 of 100 rows, 7.273 rows/s, 2.75 s left\n"
                              "plbrun:  20 %  20 of 100 rows of pass 2, 4 rows/s, 20.00 s left\n");
    captured(true, steps, 6, text, sizeof text);
    assert_string_equal(text, "");
}

/* Passes of 0.9 s each: the sixth is the first one that is shown. It is over before the next line. */
static void short_passes_are_shown_too(void **state)
{
    (void)state;
    struct step steps[14];
    for (int i = 0; i < 14; i += 2) {
        steps[i] = (struct step){10, 0.4, NULL};
        steps[i + 1] = (struct step){70 + i, 0.9, NULL};
    }
    char text[1000];
    captured(false, steps, 14, text, sizeof text);
    assert_string_equal(text, "plbrun: pass 6, 900.0 ms a pass of 100 rows\n");
}

static void repeated_passes_say_so(void **state)
{
    (void)state;
    static const struct step steps[] = {{90, 4.0, NULL}, {50, 0.9, NULL}, {60, 0.9, NULL},
                                        {5, 0.5, NULL},  {5, 3.0, NULL},  {80, 8.0, NULL}};
    char text[1000];
    captured_of(false, true, steps, 1, text, sizeof text);
    captured_of(false, true, &steps[5], 1, text, sizeof text);
    assert_string_equal(text, "plbrun:  80 %  80 of 100 rows of pass 1 (again), 10 rows/s, 2.00 s left\n");
    captured_of(false, true, steps, 5, text, sizeof text);
    assert_string_equal(text, "plbrun: pass 3 (again), 2.45 s a pass of 100 rows\n");
}

/* A pass that has not done a unit takes as long as those before it. */
static void a_pass_begins_with_the_rate_of_those_before(void **state)
{
    (void)state;
    static const struct step steps[] = {{90, 9.9, NULL}, {0, 6.0, NULL}};
    char text[1000];
    captured(false, steps, 2, text, sizeof text);
    assert_string_equal(text, "plbrun:  90 %  90 of 100 rows, 9.091 rows/s, 1.10 s left\n"
                              "plbrun:   0 %  0 of 100 rows of pass 2, 10.1 rows/s, 9.90 s left\n");
}

/* Of 80 units a PU did 60, and it is lost: the others need four times as long for the rest. */
static void time_left_does_not_count_pus_that_are_gone(void **state)
{
    (void)state;
    struct plb_progress p;
    struct plb_watched w = {.unit = "rows", .pass = 1, .units = 100};
    bool stalled;
    plb_progress_init(&p, "rows", PLB_PROGRESS_JSON);
    p.out = tmpfile();
    plb_progress_is_due(&p, 80, 8.0, &stalled);
    plb_progress_watch(&p, &w);
    assert_true(fabs(w.left_s - 2.0) < 1e-9);
    p.gone = 0.75;
    plb_progress_watch(&p, &w);
    assert_true(fabs(w.left_s - 8.0) < 1e-9);
    plb_progress_end(&p);
}

/* Named only where nothing has been finished for 3 s, and where the PU is late. */
static void progress_names_who_is_waited_for(void **state)
{
    (void)state;
    static const struct plb_awaited late = {1, 19, 29, 15.0, 0.5}, slow = {1, 19, 29, 15.0, 10.0},
                                    first = {0, 0, 99, 20.0, 0.0}, one = {1, 19, 19, 15.0, 0.5};
    static const struct step steps[] = {{50, 5.0, &late},  {60, 9.0, &late},  {60, 11.0, &late},
                                        {60, 16.0, &late}, {60, 21.0, &slow}, {60, 26.0, &first},
                                        {60, 31.0, &one}};
    char text[1000];
    captured(false, steps, 7, text, sizeof text);
    assert_string_equal(text,
                        "plbrun:  50 %  50 of 100 rows, 10 rows/s, 5.00 s left\n"
                        "plbrun:  60 %  60 of 100 rows, 5.455 rows/s, 7.33 s left\n"
                        "plbrun:  60 %  60 of 100 rows, PU 1: rows 19 to 29 for 15.00 s, expected 500.0 ms\n"
                        "plbrun:  60 %  60 of 100 rows, 2.857 rows/s, 14.00 s left\n"
                        "plbrun:  60 %  60 of 100 rows, PU 0: rows 0 to 99 for 20.00 s\n"
                        "plbrun:  60 %  60 of 100 rows, PU 1: row 19 for 15.00 s, expected 500.0 ms\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_is_a_line_every_few_seconds),
        cmocka_unit_test(short_passes_are_shown_too),
        cmocka_unit_test(repeated_passes_say_so),
        cmocka_unit_test(a_pass_begins_with_the_rate_of_those_before),
        cmocka_unit_test(time_left_does_not_count_pus_that_are_gone),
        cmocka_unit_test(progress_names_who_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
