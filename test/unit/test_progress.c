/* The progress line: when it is shown, and what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/progress.h"

/* A look at the progress of 100 rows. */
struct step {
    int64_t done;
    double seconds;
    const struct plb_awaited *awaited;
};

/* The lines that progress writes to stderr for these steps. */
static void captured(bool quiet, const struct step *steps, int n, char *text, size_t size)
{
    int saved = dup(STDERR_FILENO);
    FILE *f = tmpfile();
    fflush(stderr);
    dup2(fileno(f), STDERR_FILENO);
    struct plb_progress p;
    bool stalled;
    plb_progress_init(&p, "rows", quiet ? PLB_PROGRESS_OFF : PLB_PROGRESS_LINE);
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

/* Passes of 0.9 s each: the sixth is the first one that is shown. */
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
    assert_string_equal(text, "plbrun:  80 %  80 of 100 rows of pass 6, 88.89 rows/s, 225.0 ms left\n");
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
        cmocka_unit_test(progress_names_who_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
