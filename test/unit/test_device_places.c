/* Buffers that stay in the memory of a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "device_places.h"

static void units_are_brought_once(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 0, 1e9);
    assert_int_equal(brought(&f, 0, 0, 64), 64 * 8 + list_bytes(0, 64));
    assert_int_equal(brought(&f, 1, 0, 64), 0);
    assert_int_equal(brought(&f, 2, 16, 32), 0);
    assert_int_equal(brought(&f, 0, 32, 64), 32 * 8 + list_bytes(64, 32));
    assert_int_equal(brought(&f, 0, 512, 8), 8 * 8 + list_bytes(512, 8));
    assert_int_equal(brought(&f, 1, 0, UNITS),
                     (UNITS - 96 - 8) * 8 + list_bytes(0, UNITS) - list_bytes(0, 96) - list_bytes(512, 8));
    assert_int_equal(f.e.places.out, (64 + 64 + 32 + 64 + 8 + UNITS) * 8);
    end(&f);
}

/* Each lane waits for what others bring of its halo; the youngest task is awaited first. */
static void lanes_wait_for_what_others_bring(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 1, 1e9);
    const int64_t before = f.e.places.in;
    assert_int_equal(submit(&f, 0, 64, 64), 0);
    assert_int_equal(submit(&f, 1, 128, 64), 0);
    assert_int_equal(submit(&f, 2, 128, 64), 0);
    assert_true(device.follows > 0);
    assert_int_equal(f.e.places.in - before, (128 + 2) * 8 + list_bytes(64, 128));
    is_right(&f, 2, 128, 64);
    is_right(&f, 1, 128, 64);
    is_right(&f, 0, 64, 64);
    assert_int_equal(brought(&f, 0, 64, 128), 0);
    end(&f);
}

/* A device that cannot wait so brings halos again, to the task's own memory. */
static void a_device_that_cannot_wait_brings_them_again(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &alone, 1, 1e9);
    const int64_t before = f.e.places.in;
    assert_int_equal(submit(&f, 0, 64, 64), 0);
    assert_int_equal(submit(&f, 1, 128, 64), 0);
    assert_int_equal(f.e.places.in - before, 2 * (64 + 2) * 8 + list_bytes(64, 128));
    is_right(&f, 1, 128, 64);
    is_right(&f, 0, 64, 64);
    assert_int_equal(brought(&f, 1, 128, 64), 64 * 8); /* of `in` alone: nobody else brought the lists */
    assert_int_equal(brought(&f, 1, 128, 64), 0);
    end(&f);
}

static void inputs_that_change_are_brought_again(void **state)
{
    (void)state;
    struct fixture f;
    struct plb_error err = {.status = PLB_OK};
    struct plb_renewal renewal = {.stale = PLB_BUFFER(IN), .fed = PLB_BUFFER(IN)};
    start(&f, &late, 1, 1e9);
    brought(&f, 0, 0, 64);
    for (int u = 0; u < UNITS; u++)
        in[u] = 3.0 * u;
    plb_executor_follow(&f.e, &renewal);
    assert_int_equal(plb_executor_renew(&f.e, &err), PLB_OK);
    assert_int_equal(brought(&f, 0, 0, 64), (64 + 1) * 8);
    end(&f);
}

/* There is memory for half of the units: those from the first task on. */
static void as_many_units_stay_as_there_is_memory_for(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 1, 0.5 * (double)(UNITS * 8 + list_bytes(0, UNITS)));
    assert_true(device.taken < sizeof offsets + UNITS * 4 + (size_t)list_bytes(0, UNITS) / 2 + 1000);
    for (int pass = 0; pass < 2; pass++) {
        int64_t bytes = brought(&f, 0, 128, 64);
        assert_true(pass == 0 ? bytes > 64 * 8 : bytes == 0);
        bytes = brought(&f, 1, 576, 64); /* some of them */
        assert_true(pass == 0 || bytes > 0);
        assert_int_equal(brought(&f, 2, 0, 64), (64 + 1) * 8 + list_bytes(0, 64));
        assert_int_equal(brought(&f, 0, 960, 64), (64 + 1) * 8 + list_bytes(960, 64));
    }
    end(&f);
}

static void an_entry_that_finds_no_memory_gets_that_of_inputs(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 1, 1e9);
    brought(&f, 0, 0, 64);
    device.full = true;
    assert_int_equal(submit(&f, 0, 0, 64), PLB_DEVICE_FULL);
    assert_true(f.e.full);
    plb_device_lanes_free(&f.e.places);
    assert_int_equal(brought(&f, 0, 0, 64), 0);
    assert_true(plb_device_places_give_up(&f.e.places));
    assert_false(plb_device_places_give_up(&f.e.places));
    assert_int_equal(brought(&f, 0, 0, 64), (64 + 1) * 8 + list_bytes(0, 64));
    assert_int_equal(brought(&f, 0, 0, 64), (64 + 1) * 8 + list_bytes(0, 64));
    end(&f);
}

/* The first task is at the end: units before it have places, too. */
static void places_end_with_the_input(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 1, 0.5 * (double)(UNITS * 8 + list_bytes(0, UNITS)));
    for (int pass = 0; pass < 2; pass++) {
        int64_t bytes = brought(&f, 0, 960, 64);
        assert_true(pass == 0 ? bytes > 64 * 8 : bytes == 0);
        bytes = brought(&f, 1, 528, 64);
        assert_true(pass == 0 ? bytes > 64 * 8 : bytes == 0);
        assert_int_equal(brought(&f, 2, 0, 64), (64 + 1) * 8 + list_bytes(0, 64));
    }
    end(&f);
}

/* Fed inputs, which are copied in each pass, get what others leave: here nothing. */
static void fed_inputs_come_last(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 0, 0.0);
    f.set.named = PLB_BUFFER(IN);
    plb_device_places_open(&f.e.places, (double)list_bytes(0, UNITS));
    brought(&f, 0, 0, 64);
    assert_int_equal(brought(&f, 0, 0, 64), 64 * 8);
    end(&f);
}

/* A device that has no piece as large as the input. */
static void a_part_has_a_place_where_the_device_has_no_larger_piece(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 0, 0.0);
    device.limit = device.taken + 7000; /* and 8192 are wanted */
    plb_device_places_open(&f.e.places, 1e9);
    device.limit = SIZE_MAX;
    brought(&f, 0, 0, 64);
    assert_true(brought(&f, 0, 0, 64) < 64 * 8);
    end(&f);
}

/* A place for inputs that nobody can have is none. */
static void without_memory_nothing_stays(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 0, -1e6);
    assert_true(brought(&f, 0, 0, 64) > 0 && brought(&f, 0, 0, 64) > 0);
    end(&f);
}

/* late_launch looks at the alignment. */
static void units_that_are_not_aligned_are_copied_on_the_device(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 1, 1e9);
    brought(&f, 0, 0, 64);
    assert_int_equal(brought(&f, 1, 3, 8), 0);
    assert_int_equal(brought(&f, 1, 60, 7), (68 - 65) * 8 + list_bytes(64, 3));
    end(&f);
}

/* The same of a device that cannot copy there. */
static void units_that_are_not_aligned_come_with_their_task(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &outside, 1, 1e9);
    brought(&f, 0, 0, 64);
    assert_int_equal(brought(&f, 1, 3, 8), (8 + 2) * 8); /* lists are aligned to their elements alone */
    end(&f);
}

static void an_entry_that_changes_what_stays_is_found(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 1, 1e9);
    struct plb_device_times times;
    f.e.guards_inputs = true;
    brought(&f, 0, 0, 64);
    writes = true;
    assert_int_equal(submit(&f, 0, 8, 64), 0);
    assert_int_equal(plb_executor_wait(&f.e, 0, &times), 1);
    assert_non_null(strstr(f.e.why, "it changed its buffer 0"));
    assert_non_null(strstr(f.e.why, "or `next` did"));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_brought_once),
        cmocka_unit_test(lanes_wait_for_what_others_bring),
        cmocka_unit_test(a_device_that_cannot_wait_brings_them_again),
        cmocka_unit_test(inputs_that_change_are_brought_again),
        cmocka_unit_test(as_many_units_stay_as_there_is_memory_for),
        cmocka_unit_test(an_entry_that_finds_no_memory_gets_that_of_inputs),
        cmocka_unit_test(places_end_with_the_input),
        cmocka_unit_test(fed_inputs_come_last),
        cmocka_unit_test(a_part_has_a_place_where_the_device_has_no_larger_piece),
        cmocka_unit_test(without_memory_nothing_stays),
        cmocka_unit_test(units_that_are_not_aligned_are_copied_on_the_device),
        cmocka_unit_test(units_that_are_not_aligned_come_with_their_task),
        cmocka_unit_test(an_entry_that_changes_what_stays_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
