/* Units that are executed anew: which records of them count, and what a stream has written of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app/stream/forgotten.h"

/* Units 2 and 3 were forgotten when the records ended at byte 100, and unit 3 once more at byte 200. */
static struct plb_forgotten *make_list(void)
{
    struct plb_forgotten *list = calloc(2, sizeof *list);
    assert_non_null(list);
    list[0] = (struct plb_forgotten){.records = 100, .mark = 5};
    list[1] = (struct plb_forgotten){.records = 200, .mark = 1};
    plb_rangeset_add(&list[0].units, (struct plb_range){2, 2});
    plb_rangeset_add(&list[1].units, (struct plb_range){3, 1});
    return list;
}

/* How many of units 1 to 4 are left of a record at this byte. */
static int64_t left(const struct plb_forgotten *list, int64_t at)
{
    struct plb_rangeset units = {0};
    plb_rangeset_add(&units, (struct plb_range){1, 4});
    plb_forgotten_remove(list, 2, at, &units);
    int64_t n = units.units;
    plb_rangeset_fini(&units);
    return n;
}

static void older_records_do_not_count(void **state)
{
    (void)state;
    struct plb_forgotten *list = make_list();
    assert_int_equal(left(list, 60), 2);
    assert_int_equal(left(list, 150), 3);
    assert_int_equal(left(list, 250), 4);
    plb_forgotten_free(list, 2);
}

/* First 5 of 6 units were written, then units 2 and 3 forgotten, one more written, and 3 forgotten. */
static void a_stream_has_written_the_rest(void **state)
{
    (void)state;
    static const int64_t order[] = {2, 1, 0, 3, 4, 5};
    static const bool ascending[] = {true, true, false, false, true, false},
                      ordered[] = {true, true, true, false, true, false};
    struct plb_forgotten *list = make_list();
    bool *written = plb_forgotten_written(list, 2, NULL, 6);
    assert_memory_equal(written, ascending, sizeof ascending);
    free(written);
    written = plb_forgotten_written(list, 2, order, 6);
    assert_memory_equal(written, ordered, sizeof ordered);
    free(written);
    plb_forgotten_free(list, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(older_records_do_not_count),
        cmocka_unit_test(a_stream_has_written_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
