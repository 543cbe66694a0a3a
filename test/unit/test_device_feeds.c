/* Results that stay in the memory of a device, as inputs of the next pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "device_places.h"

/* A pass begins; now: the results of the last one are its input, and those of these units counted. */
static void begin_pass(struct fixture *f, int pass, bool now, int64_t first, int64_t count)
{
    static struct plb_renewal renewal;
    struct plb_error err = {.status = PLB_OK};
    struct plb_message begin = {.type = PLB_PASS, .pass = pass},
                       counted = {.type = PLB_COUNTED, .pass = pass};
    begin.begin = (struct plb_pass){.n_feeds = 1, .feeds = {{OUT, IN, now}}};
    counted.counted = (struct plb_counted){.n = 1, .at = {{first, count}}};
    for (int64_t u = 0; u < UNITS && now; u++) /* another PU's result differs */
        in[u] = out[u] + (u < first || u >= first + count ? 0.5 : 0.0);
    plb_renewal_begin(&renewal, &begin, true, false, NULL);
    plb_renewal_counted(&renewal, &counted);
    plb_executor_follow(&f->e, &renewal);
    assert_int_equal(plb_executor_renew(&f->e, &err), PLB_OK);
    plb_renewal_fini(&renewal);
}

/* All lists are here, so that only inputs are copied, of 8 bytes. */
static void start_fed(struct fixture *f, const struct plb_device_driver *driver)
{
    start(f, driver, 1, 1e9);
    begin_pass(f, 1, false, 0, UNITS);
    brought(f, 0, 0, UNITS);
    begin_pass(f, 2, true, UNITS - 1, 1);
    brought(f, 0, 0, UNITS);
    begin_pass(f, 3, false, 0, UNITS);
}

static void own_results_that_counted_are_here_in_the_next_pass(void **state)
{
    (void)state;
    struct fixture f;
    start_fed(&f, &late);
    assert_int_equal(brought(&f, 0, 64, 64), 0);
    assert_int_equal(brought(&f, 1, 128, 64), 0);
    for (int pass = 4; pass < 10; pass++) {
        begin_pass(&f, pass, true, 64, 128);
        assert_int_equal(brought(&f, 2, 64, 128), 2 * 8); /* the halo */
        assert_int_equal(brought(&f, 0, 192, 64), 64 * 8);
    }
    begin_pass(&f, 10, true, 0, UNITS);
    assert_int_equal(brought(&f, 0, 64, 192), 2 * 8);
    begin_pass(&f, 11, true, 100, 10); /* another PU's results of the others counted */
    assert_int_equal(brought(&f, 1, 64, 192), (192 + 2 - 10) * 8);
    end(&f);
}

/* The inputs of a pass that no results feed stay, and its results are those of the pass after it. */
static void inputs_that_nothing_feeds_now_stay(void **state)
{
    (void)state;
    struct fixture f;
    start_fed(&f, &late);
    assert_int_equal(brought(&f, 0, 0, 64), 0);
    begin_pass(&f, 4, false, 0, 64);
    assert_int_equal(brought(&f, 0, 0, 128), 0);
    begin_pass(&f, 5, true, 0, 128);
    assert_int_equal(brought(&f, 0, 0, 64), 0);
    assert_int_equal(brought(&f, 1, 64, 128), (64 + 1) * 8);
    end(&f);
}

/* Each result of a unit may be the one that counted: none of them is an input. */
static void units_that_were_executed_twice_are_copied(void **state)
{
    (void)state;
    struct fixture f;
    start_fed(&f, &late);
    brought(&f, 0, 0, 128);
    brought(&f, 1, 64, 32);
    brought(&f, 1, 64, 32); /* a third time */
    begin_pass(&f, 4, true, 0, 128);
    assert_int_equal(brought(&f, 0, 0, 64), 8);
    assert_int_equal(brought(&f, 0, 64, 64), (31 + 1) * 8);
    begin_pass(&f, 5, true, 0, 128);
    assert_int_equal(brought(&f, 0, 0, 64), 0);
    end(&f);
}

/* late_launch looks at the alignment. */
static void results_that_are_not_aligned_stay(void **state)
{
    (void)state;
    struct fixture f;
    start_fed(&f, &late);
    for (int pass = 4; pass < 8; pass++) {
        brought(&f, 0, 3, 50);
        brought(&f, 1, 53, 75);
        begin_pass(&f, pass, true, 3, 125);
        assert_int_equal(brought(&f, 2, 8, 64), 0);
        assert_int_equal(brought(&f, 1, 3, 1), 8);
        assert_int_equal(brought(&f, 0, 53, 75), 8);
        begin_pass(&f, pass, false, 0, UNITS);
    }
    end(&f);
}

/* The same of a device that cannot copy there. */
static void results_that_are_not_aligned_are_copied(void **state)
{
    (void)state;
    struct fixture f;
    start_fed(&f, &outside);
    brought(&f, 0, 3, 8);
    brought(&f, 0, 64, 64);
    begin_pass(&f, 4, true, 0, UNITS);
    assert_int_equal(brought(&f, 0, 0, 64), (64) * 8);
    brought(&f, 0, 0, 64);
    begin_pass(&f, 5, true, 0, UNITS);
    assert_int_equal(brought(&f, 0, 0, 64), (64 + 1) * 8); /* it ran twice */
    end(&f);
}

/* The results that are here are of the pass before the last one, or nobody knows of which. */
static void results_of_another_pass_are_copied(void **state)
{
    (void)state;
    struct fixture f;
    start_fed(&f, &late);
    struct plb_renewal renewal = {0};
    struct plb_message again = {.type = PLB_PASS, .pass = 4, .begin = {.again = 1}};
    struct plb_error err = {.status = PLB_OK};
    brought(&f, 0, 0, 128);
    begin_pass(&f, 5, true, 0, 128); /* the device has missed the fourth one */
    assert_int_equal(brought(&f, 0, 0, 64), (64 + 1) * 8);
    again.pass = 6;
    again.begin.n_feeds = 1;
    again.begin.feeds[0] = (struct plb_feed){OUT, IN, 0};
    plb_renewal_begin(&renewal, &again, true, false, NULL);
    plb_executor_follow(&f.e, &renewal);
    assert_int_equal(plb_executor_renew(&f.e, &err), PLB_OK);
    brought(&f, 0, 0, 64);
    begin_pass(&f, 7, true, 0, 128);
    assert_int_equal(brought(&f, 0, 0, 64), (64 + 1) * 8);
    plb_renewal_fini(&renewal);
    end(&f);
}

/* COUNTED of another pass says nothing of this one. */
static void what_counted_in_another_pass_is_copied(void **state)
{
    (void)state;
    struct fixture f;
    start_fed(&f, &late);
    brought(&f, 0, 0, 64);
    struct plb_renewal renewal = {0};
    struct plb_message pass = {.type = PLB_PASS, .pass = 4}, counted = {.type = PLB_COUNTED, .pass = 3};
    struct plb_error err = {.status = PLB_OK};
    pass.begin = (struct plb_pass){.n_feeds = 1, .feeds = {{OUT, IN, 1}}};
    counted.counted = (struct plb_counted){.n = 1, .at = {{0, 64}}};
    plb_renewal_begin(&renewal, &pass, true, false, NULL);
    plb_renewal_counted(&renewal, &counted);
    memcpy(in, out, sizeof in);
    plb_executor_follow(&f.e, &renewal);
    assert_int_equal(plb_executor_renew(&f.e, &err), PLB_OK);
    assert_int_equal(brought(&f, 0, 0, 64), (64 + 1) * 8);
    plb_renewal_fini(&renewal);
    end(&f);
}

/* A task that has failed has no results. */
static void results_of_a_lane_that_fails_are_copied(void **state)
{
    (void)state;
    struct fixture f;
    start_fed(&f, &late);
    assert_int_equal(submit(&f, 0, 0, 64), 0);
    is_right(&f, 0, 0, 64);
    plb_device_places_end(&f.e.places, 0, false);
    begin_pass(&f, 4, true, 0, 64);
    assert_int_equal(brought(&f, 0, 0, 64), (64 + 1) * 8);
    plb_device_places_end(&f.e.places, 1, false); /* it ran, and runs again */
    brought(&f, 0, 0, 64);
    begin_pass(&f, 5, true, 0, 64);
    assert_int_equal(brought(&f, 0, 0, 64), (64 + 1) * 8);
    end(&f);
}

/* Both places of an input get the half of what there is. */
static void two_places_share_the_memory(void **state)
{
    (void)state;
    struct fixture f;
    const double all = (double)(UNITS * 8 + list_bytes(0, UNITS));
    for (int fed = 0; fed < 2; fed++) {
        start(&f, &late, 1, 0.0);
        f.set.named = fed ? PLB_BUFFER(IN) : 0;
        plb_device_places_open(&f.e.places, all);
        const size_t before = device.taken;
        begin_pass(&f, 1, false, 0, UNITS);
        assert_true(device.taken <= before + (fed ? UNITS * 4 + 1000 : 1000));
        brought(&f, 0, 0, 256);
        brought(&f, 1, 768, 64); /* without a place */
        begin_pass(&f, 2, true, 0, UNITS);
        assert_int_equal(brought(&f, 0, 0, 256), 8);
        assert_true(brought(&f, 1, 768, 64) >= (64 + 2) * 8);
        begin_pass(&f, 3, true, 0, UNITS);
        assert_int_equal(brought(&f, 0, 0, 256), 8);
        assert_true(plb_device_places_give_up(&f.e.places));
        begin_pass(&f, 4, true, 0, UNITS);
        assert_true(brought(&f, 0, 0, 256) >= 257 * 8);
        end(&f);
    }
}

/* Of an input that setup has named, both places are planned: none is taken back. */
static void two_places_are_planned_where_setup_names_the_feed(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, &late, 1, 0.0);
    f.set.named = PLB_BUFFER(IN);
    plb_device_places_open(&f.e.places, (double)(list_bytes(0, UNITS) + UNITS * 8));
    assert_int_equal(f.e.places.at[IN].bytes, UNITS * 4);
    const char *memory = f.e.places.at[IN].memory;
    begin_pass(&f, 1, false, 0, UNITS);
    assert_ptr_equal(f.e.places.at[IN].memory, memory);
    assert_non_null(f.e.places.at[IN].results);
    brought(&f, 0, 0, 256);
    begin_pass(&f, 2, true, 0, UNITS);
    assert_int_equal(brought(&f, 0, 0, 256), 8);
    end(&f);
}

/* Every second unit is another PU's. Between two of them is less than a copy takes to start. */
static void parts_that_are_near_come_in_one_copy(void **state)
{
    (void)state;
    struct plb_device_driver driver = late;
    struct fixture f;
    for (int near = 0; near < 2; near++) {
        driver.ops.near = near ? 8 : 7;
        start_fed(&f, &driver);
        for (int64_t u = 0; u < 32; u++)
            brought(&f, 0, 2 * u, 1);
        begin_pass(&f, 4, true, 0, 64);
        const int copies = device.copies;
        assert_int_equal(brought(&f, 0, 0, 64), near ? 64 * 8 : (32 + 1) * 8);
        assert_int_equal(device.copies - copies, near ? 1 + 1 : 32 + 1); /* one of them out */
        assert_int_equal(brought(&f, 1, 0, 64), 0);
        end(&f);
    }
}

/* Such a message may come from another rank. */
static void impossible_feeds_have_no_place(void **state)
{
    (void)state;
    struct fixture f;
    const struct plb_feed not [] = {
        {OUT, 40, 1}, {40, IN, 1}, {IN, OUT, 1}, {OUT, LIST, 1}, {OUT, OFFSETS, 1}};
    start(&f, &late, 1, 1e9);
    for (int i = 0; i < 5; i++) {
        struct plb_renewal renewal = {.n_feeds = 1, .feeds = {not [i]}, .pass = i + 1};
        struct plb_error err = {.status = PLB_OK};
        plb_executor_follow(&f.e, &renewal);
        assert_int_equal(plb_executor_renew(&f.e, &err), PLB_OK);
        brought(&f, 0, 0, 64);
        assert_int_equal(brought(&f, 0, 0, 64), 0);
        plb_renewal_fini(&renewal);
    }
    for (int i = 0; i < 4; i++)
        assert_null(f.e.places.at[i].results);
    begin_pass(&f, 6, false, 0, UNITS);
    struct plb_renewal wrong_one = {.n_feeds = 1, .feeds = {{40, IN, 0}}, .pass = 7};
    struct plb_error err = {.status = PLB_OK};
    plb_executor_follow(&f.e, &wrong_one);
    assert_int_equal(plb_executor_renew(&f.e, &err), PLB_OK);
    assert_int_equal(f.e.places.at[IN].output, OUT);
    brought(&f, 0, 0, 64);
    plb_renewal_fini(&wrong_one);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_results_that_counted_are_here_in_the_next_pass),
        cmocka_unit_test(inputs_that_nothing_feeds_now_stay),
        cmocka_unit_test(units_that_were_executed_twice_are_copied),
        cmocka_unit_test(results_that_are_not_aligned_stay),
        cmocka_unit_test(results_that_are_not_aligned_are_copied),
        cmocka_unit_test(results_of_another_pass_are_copied),
        cmocka_unit_test(what_counted_in_another_pass_is_copied),
        cmocka_unit_test(results_of_a_lane_that_fails_are_copied),
        cmocka_unit_test(two_places_share_the_memory),
        cmocka_unit_test(two_places_are_planned_where_setup_names_the_feed),
        cmocka_unit_test(parts_that_are_near_come_in_one_copy),
        cmocka_unit_test(impossible_feeds_have_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
