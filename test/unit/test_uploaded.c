/* Partitioned inputs that stay on a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "late_device.h"
#include "node/pu/resident.h"

enum { UNITS = 1024, ELEMENTS = 3 * UNITS };

static double in[UNITS], out[UNITS], wrong;
static int64_t offsets[UNITS + 1];
static int32_t list[ELEMENTS];

/* ------------------------------------------------------------------- a fixture */

struct fixture {
    struct plb_executor e;
    struct plb_dataset set;
};

static void start(struct fixture *f, const struct plb_device_driver *driver, int64_t halo, double room)
{
    struct plb_error err = {.status = PLB_OK};
    f->set = (struct plb_dataset){.n = 4, .owner = true, .units = UNITS, .host = {in, out, offsets, list}};
    f->set.at[IN] = (struct plb_data){
        .mode = PLB_PARTITION, .unit_bytes = sizeof *in, .before = halo, .after = halo};
    f->set.at[OUT] = (struct plb_data){.mode = PLB_OUTPUT, .unit_bytes = sizeof *out};
    f->set.at[OFFSETS] = (struct plb_data){.mode = PLB_REPLICATE, .bytes = sizeof offsets};
    f->set.at[LIST] = (struct plb_data){
        .mode = PLB_PARTITION_INDEXED, .offsets = OFFSETS, .element_bytes = sizeof *list};
    f->set.writes_all = true;
    writes = false;
    for (int u = 0; u < UNITS; u++) {
        in[u] = u;
        offsets[u + 1] = offsets[u] + u % 3;
    }
    for (int e = 0; e < ELEMENTS; e++)
        list[e] = 7 * e % 101;
    assert_int_equal(
        plb_executor_open(&f->e, driver, &(struct plb_device_config){.threads = 1}, &f->set, &err), PLB_OK);
    assert_int_equal(plb_resident_update(&f->e, -1, &err), PLB_OK);
    plb_uploaded_open(&f->e.uploaded, &f->e.copies, &f->set, room);
}

static void end(struct fixture *f)
{
    plb_executor_close(&f->e);
}

static int submit(struct fixture *f, int lane, int64_t first, int64_t count)
{
    static const struct plb_phase phase = {.name = "sum", .cpu = no_entry};
    f->e.warm[lane][0] = no_entry;
    return plb_executor_submit(&f->e, lane, &phase, (struct plb_range){first, count}, NULL);
}

/* Waits for a task, and compares its results. */
static void is_right(struct fixture *f, int lane, int64_t first, int64_t count)
{
    struct plb_device_times times;
    assert_int_equal(plb_resident_wait(&f->e, lane, &times), 0);
    for (int64_t u = first; u < first + count; u++) {
        bool halo = f->set.at[IN].before > 0;
        double y = in[u] + ((halo || u > first) && u > 0 ? in[u - 1] : 0.0)
                 + ((halo || u + 1 < first + count) && u + 1 < UNITS ? in[u + 1] : 0.0);
        for (int64_t e = offsets[u]; e < offsets[u + 1]; e++)
            y += list[e];
        wrong += out[u] != y;
    }
    assert_true(wrong == 0.0);
}

/* A task alone; returns the bytes that it brought. */
static int64_t brought(struct fixture *f, int lane, int64_t first, int64_t count)
{
    const int64_t before = f->e.copies.in;
    assert_int_equal(submit(f, lane, first, count), 0);
    is_right(f, lane, first, count);
    return f->e.copies.in - before;
}

static int64_t list_bytes(int64_t first, int64_t count)
{
    return (offsets[first + count] - offsets[first]) * (int64_t)sizeof *list;
}

/* ----------------------------------------------------------------------- tests */

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
    assert_int_equal(f.e.copies.out, (64 + 64 + 32 + 64 + 8 + UNITS) * 8);
    end(&f);
}

/* Each lane waits for what others bring of its halo; the youngest task is awaited first. */
static void lanes_wait_for_what_others_bring(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 1, 1e9);
    const int64_t before = f.e.copies.in;
    assert_int_equal(submit(&f, 0, 64, 64), 0);
    assert_int_equal(submit(&f, 1, 128, 64), 0);
    assert_int_equal(submit(&f, 2, 128, 64), 0);
    assert_true(device.follows > 0);
    assert_int_equal(f.e.copies.in - before, (128 + 2) * 8 + list_bytes(64, 128));
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
    const int64_t before = f.e.copies.in;
    assert_int_equal(submit(&f, 0, 64, 64), 0);
    assert_int_equal(submit(&f, 1, 128, 64), 0);
    assert_int_equal(f.e.copies.in - before, 2 * (64 + 2) * 8 + list_bytes(64, 128));
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
    struct plb_parts parts = {0};
    start(&f, &late, 1, 1e9);
    brought(&f, 0, 0, 64);
    for (int u = 0; u < UNITS; u++)
        in[u] = 3.0 * u;
    plb_resident_follow(&f.e, &parts);
    assert_int_equal(plb_resident_update(&f.e, PLB_BUFFER(IN), &err), PLB_OK);
    assert_int_equal(brought(&f, 0, 0, 64), (64 + 1) * 8);
    plb_parts_fini(&parts);
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
    plb_executor_shrink(&f.e);
    assert_int_equal(brought(&f, 0, 0, 64), 0);
    assert_true(plb_uploaded_close(&f.e.uploaded, &f.e.copies));
    assert_false(plb_uploaded_close(&f.e.uploaded, &f.e.copies));
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
    f.set.fed = PLB_BUFFER(IN);
    plb_uploaded_open(&f.e.uploaded, &f.e.copies, &f.set, (double)list_bytes(0, UNITS));
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
    plb_uploaded_open(&f.e.uploaded, &f.e.copies, &f.set, 1e9);
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
static void units_that_are_not_aligned_come_with_their_task(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 1, 1e9);
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
    assert_int_equal(plb_resident_wait(&f.e, 0, &times), 1);
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
        cmocka_unit_test(units_that_are_not_aligned_come_with_their_task),
        cmocka_unit_test(an_entry_that_changes_what_stays_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
