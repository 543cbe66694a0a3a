/* Times as users type them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "config/duration.h"

static void each_form_is_read(void **state)
{
    static const struct {
        const char *text;
        double seconds;
    } forms[] = {
        {"90", 90.0},          {"1.5", 1.5},          {"0", 0.0},       {"90s", 90.0},
        {"30m", 1800.0},       {"30min", 1800.0},     {"2h", 7200.0},   {"1.5d", 129600.0},
        {"1h30m", 5400.0},     {"1:30:00", 5400.0},   {"0:00:07", 7.0}, {"36:00:00", 129600.0},
        {"2-12:00:00", 216e3}, {"1d2h3m4s", 93784.0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        double seconds = -1.0;
        if (!plb_parse_duration(forms[i].text, &seconds))
            fail_msg("%s is refused", forms[i].text);
        assert_true(seconds == forms[i].seconds);
    }
}

static void other_texts_are_refused(void **state)
{
    static const char *const texts[] = {"",         "h",         "2x",      "-1",      "-1h",    "1e3",
                                        "inf",      "nan",       "0x10",    "1.2.3",   "2 h",    "1h30",
                                        "1:30",     "1:60:00",   "1:00:60", "1:2:3:4", ":30:00", "1::00",
                                        "1:30:00h", "a-1:00:00", "2hm",     "1-2"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double seconds;
        if (plb_parse_duration(texts[i], &seconds))
            fail_msg("'%s' is read as %g s", texts[i], seconds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_is_read),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
