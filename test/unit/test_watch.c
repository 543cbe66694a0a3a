/* Rows for PUs, and the same as JSON. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "report/progress/watch.h"

static const struct plb_watched_pu pus[] = {
    {.id = 0, .name = "first", .done = 600, .rate = 150.0, .held = 30, .first = 5, .last = 9, .ends_s = 1.5},
    {.id = 1, .node = 1, .name = "second", .gone = true, .done = 50, .rate = 10.0, .ends_s = (double)NAN},
    {.id = 2, .node = 1, .name = "third", .held = 1, .first = 7, .last = 7, .seconds = 2.0, .ends_s = NAN},
    {.id = 3, .node = 2, .name = "fourth", .done = 300, .rate = 75.0, .ends_s = NAN},
    {.id = 4,
     .node = 2,
     .name = "fifth, whose name is long",
     .done = 10,
     .rate = 1.0,
     .held = 9,
     .last = 8,
     .seconds = 9.0,
     .ends_s = -6.0,
     .late = true}};
static const struct plb_watched watched = {.unit = "rows",
                                           .pass = 2,
                                           .units = 4000,
                                           .done = 1000,
                                           .seconds = 4.0,
                                           .left_s = 12.0,
                                           .pus = pus,
                                           .n_pus = 5};

/* The rows, of so many at most; to be freed. */
static char *rows_of(int rows, int columns, int printed)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(plb_watch_print(&watched, rows, columns, "\n", out), printed);
    fclose(out);
    return text;
}

static void each_pu_has_a_row(void **state)
{
    (void)state;
    char *text = rows_of(6, 200, 6);
    assert_string_equal(
        text, " 25 %  1000 of 4000 rows, pass 2, 250 rows/s, 12.00 s left\n"
              "  0 first            ############        600       150/s  ends in 1.50 s: rows 5 to 9\n"
              "  1 second           #                    50        10/s  LOST\n"
              "  2 third                                  0         -/s  since 2.00 s: row 7\n"
              "  3 fourth           ######              300        75/s  idle\n"
              "  4 fifth, whose nam                      10         1/s  LATE by 6.00 s: rows 0 to 8\n");
    free(text);
}

/* Units that do not fit are left out, and no word is cut. */
static void a_row_of_80_characters_has_whole_words(void **state)
{
    (void)state;
    char *text = rows_of(6, 80, 6);
    assert_non_null(strstr(text, "150/s  ends in 1.50 s\n"));
    assert_non_null(strstr(text, "-/s  since 2.00 s: row 7\n"));
    assert_non_null(strstr(text, "1/s  LATE by 6.00 s\n"));
    free(text);
}

/* Late and lost ones are among the rows of a small terminal, and no row is longer than it is wide. */
static void a_small_terminal_shows_whom_to_look_at(void **state)
{
    (void)state;
    char *text = rows_of(5, 40, 5);
    assert_string_equal(text, " 25 %  1000 of 4000 rows, pass 2, 250 ro\n"
                              "  0 first            ############       \n"
                              "  1 second           #                  \n"
                              "  4 fifth, whose nam                    \n"
                              "    and 2 PUs more\n");
    free(text);
    text = rows_of(1, 200, 1);
    assert_null(strchr(text, '#'));
    free(text);
}

static void json_is_one_line(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    plb_watch_json(&watched, out);
    fclose(out);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    json_t *all = json_loads(text, 0, NULL);
    const json_t *rows = json_object_get(all, "pus");
    static const char *const does[] = {"works", "lost", "works", "idle", "late"};
    assert_int_equal(json_integer_value(json_object_get(all, "done")), 1000);
    assert_true(json_is_false(json_object_get(all, "again")));
    assert_true(json_number_value(json_object_get(all, "left_s")) == 12.0);
    for (size_t p = 0; p < 5; p++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(rows, p), "does")), does[p]);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(rows, 0), "last")), 9);
    assert_true(json_is_null(json_object_get(json_array_get(rows, 2), "ends_s")));
    assert_null(json_object_get(json_array_get(rows, 3), "first"));
    json_decref(all);
    free(text);
}

/* A name that is no UTF-8, as a .cluster file may have, leaves no PU out. */
static void any_name_and_unit_makes_json(void **state)
{
    (void)state;
    const struct plb_watched_pu odd = {.name = "caf\xe9 \"a\"", .ends_s = (double)NAN};
    const struct plb_watched w = {
        .again = true, .unit = "caf\xe9s", .units = 9, .left_s = (double)NAN, .pus = &odd, .n_pus = 1};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    plb_watch_json(&w, out);
    fclose(out);
    json_t *all = json_loads(text, 0, NULL), *row = json_array_get(json_object_get(all, "pus"), 0);
    assert_string_equal(json_string_value(json_object_get(all, "unit")), "caf?s");
    assert_true(json_is_true(json_object_get(all, "again")));
    assert_string_equal(json_string_value(json_object_get(row, "name")), "caf? \"a\"");
    json_decref(all);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pu_has_a_row),
        cmocka_unit_test(a_row_of_80_characters_has_whole_words),
        cmocka_unit_test(a_small_terminal_shows_whom_to_look_at),
        cmocka_unit_test(json_is_one_line),
        cmocka_unit_test(any_name_and_unit_makes_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
