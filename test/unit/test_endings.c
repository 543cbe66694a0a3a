/* A warning about a lost rank says how the run goes on. */
#include "membership/endings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void units_are_re_executed_only_while_there_are_passes(void **state)
{
    (void)state;
    char text[100];
    plb_endings_say(text, sizeof text, "rows", true, false);
    assert_string_equal(text, "its rows are re-executed elsewhere");
    plb_endings_say(text, sizeof text, "rows", false, false);
    assert_string_equal(text, "the run cannot begin without it");
    plb_endings_say(text, sizeof text, "rows", false, true);
    assert_string_equal(text, "the run ends without it");
    plb_endings_say(text, sizeof text, "rows", true, true);
    assert_string_equal(text, "the run ends without it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_re_executed_only_while_there_are_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
