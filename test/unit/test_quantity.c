/* Numbers of units as people read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/units.h"
#include "report/quantity.h"

static void one_unit_has_no_plural(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"rows", "1 row", "2 rows"},         {"entries", "1 entry", "2 entries"},
        {"boxes", "1 box", "2 boxes"},       {"classes", "1 class", "2 classes"},
        {"batches", "1 batch", "2 batches"}, {"vertices", "1 vertices", "2 vertices"},
        {"cases", "1 case", "2 cases"},      {"work", "1 work", "2 work"},
        {"mass", "1 mass", "2 mass"},        {"s", "1 s", "2 s"}};
    char text[PLB_UNITS_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(plb_units_print(1, cases[i][0], text), cases[i][1]);
        assert_string_equal(plb_units_print(2, cases[i][0], text), cases[i][2]);
    }
}

static void a_range_of_one_unit_has_one_end(void **state)
{
    (void)state;
    char text[PLB_RANGE_TEXT];
    assert_string_equal(plb_range_print(5, 1, "rows", text), "row 5");
    assert_string_equal(plb_range_print(5, 3, "rows", text), "rows 5 to 7");
    assert_string_equal(plb_range_print(0, 1, "vertices", text), "vertices 0");
}

static void joules_have_the_largest_unit_that_leaves_one(void **state)
{
    (void)state;
    char text[PLB_QUANTITY_TEXT];
    assert_string_equal(plb_joules_print(0.5, text), "0.5 J");
    assert_string_equal(plb_joules_print(1234.0, text), "1.23 kJ");
    assert_string_equal(plb_joules_print(5.678e6, text), "5.68 MJ");
    assert_string_equal(plb_joules_print(9e12, text), "9 TJ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_unit_has_no_plural),
                                       cmocka_unit_test(a_range_of_one_unit_has_one_end),
                                       cmocka_unit_test(joules_have_the_largest_unit_that_leaves_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
