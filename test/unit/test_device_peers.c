/* Two devices of a rank that copy inputs from each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "device_passes.h"

enum { HALF = UNITS / 2 };

static struct plb_peers peers;

/* A pass begins for one device, which has so many units from `first` on, and their results. The input is what
 * the results were. */
static void renew(struct fixture *f, int pass, int64_t first, int64_t count)
{
    struct plb_renewal renewal = {0};
    struct plb_error err = {.status = PLB_OK};
    struct plb_message begin = {.type = PLB_PASS, .pass = pass},
                       counted = {.type = PLB_COUNTED, .pass = pass};
    begin.begin = (struct plb_pass){.n_feeds = 1, .feeds = {{OUT, IN, 1}}};
    counted.counted = (struct plb_counted){.n = 1, .at = {{first, count}}};
    plb_renewal_begin(&renewal, &begin, true, false, NULL);
    plb_renewal_counted(&renewal, &counted);
    plb_executor_follow(&f->e, &renewal);
    assert_int_equal(plb_executor_renew(&f->e, &err), PLB_OK);
    plb_renewal_fini(&renewal);
}

/* Each device has executed its half in pass 1, and begins pass 2 if asked. */
static void start_both(struct fixture f[2], bool both)
{
    pthread_mutex_init(&peers.lock, NULL);
    for (number = 0; number < 2; number++) {
        start(&f[number], &late, 1, 1e9);
        plb_peers_join(&peers, &f[number].e.places);
        begin_pass(&f[number], 1, false, 0, UNITS);
        brought(&f[number], 0, 0, UNITS); /* lists are there */
        begin_pass(&f[number], 2, false, 0, UNITS);
    }
    number = 0;
    for (int i = 0; i < 2; i++)
        brought(&f[i], 0, i * HALF, HALF);
    memcpy(in, out, sizeof in);
    for (int i = 0; i < (both ? 2 : 1); i++)
        renew(&f[i], 3, i * HALF, HALF);
}

static void end_both(struct fixture f[2])
{
    for (int i = 0; i < 2; i++)
        end(&f[i]);
    assert_null(peers.first);
    pthread_mutex_destroy(&peers.lock);
}

/* A task that finds wrong inputs on the host; those of other devices are right. Returns the bytes that came
 * from these. */
static int64_t from_peers(struct fixture *f, int64_t first, int64_t count, int64_t wrong_first,
                          int64_t wrong_count)
{
    double right[UNITS];
    const int64_t before = f->e.places.from_peers;
    memcpy(right, in, sizeof in);
    for (int64_t u = wrong_first; u < wrong_first + wrong_count; u++)
        in[u] = -1.0;
    assert_int_equal(submit(f, 0, first, count), 0);
    late_sync(f->e.device, 0);
    memcpy(in, right, sizeof in);
    is_right(f, 0, first, count);
    return f->e.places.from_peers - before;
}

static void halos_and_stolen_units_come_from_the_other_device(void **state)
{
    (void)state;
    struct fixture f[2];
    start_both(f, true);
    const int64_t all = f[0].e.places.in;
    assert_int_equal(from_peers(&f[0], 0, HALF, HALF, 1), 8);
    assert_int_equal(f[0].e.places.in - all, 8);
    assert_int_equal(from_peers(&f[1], HALF, HALF, HALF - 1, 1), 8);
    assert_int_equal(from_peers(&f[1], HALF - 64, 64, HALF - 65, 64), 64 * 8); /* but for the halo behind */
    assert_int_equal(from_peers(&f[1], HALF - 64, 64, 0, 0), 0);
    end_both(f);
}

/* Some units are at the other device, and some on the host alone. */
static void what_no_device_has_comes_from_the_host(void **state)
{
    (void)state;
    struct fixture f[2];
    start_both(f, false);
    renew(&f[1], 3, HALF + 8, 8);
    const int64_t all = f[0].e.places.in;
    assert_int_equal(from_peers(&f[0], HALF, 64, HALF + 8, 8), 8 * 8);
    assert_int_equal(f[0].e.places.in - all, (64 + 1) * 8);
    end_both(f);
}

/* The other device has the inputs of the pass before. */
static void nothing_comes_from_another_pass(void **state)
{
    (void)state;
    struct fixture f[2];
    start_both(f, false);
    assert_int_equal(from_peers(&f[0], 0, HALF, 0, 0), 0);
    renew(&f[1], 3, HALF, HALF);
    assert_int_equal(from_peers(&f[0], HALF, 64, HALF + 1, 63), 64 * 8);
    end_both(f);
}

static void devices_that_are_apart_copy_from_the_host(void **state)
{
    (void)state;
    struct fixture f[2];
    apart = true;
    start_both(f, true);
    assert_int_equal(from_peers(&f[0], 0, HALF, 0, 0), 0);
    assert_int_equal(from_peers(&f[0], HALF, 64, 0, 0), 0);
    apart = false;
    end_both(f);
}

/* A device begins further passes while another one still copies what it had: its results do not go there. */
static void what_is_being_copied_is_not_overwritten(void **state)
{
    (void)state;
    struct fixture f[2];
    double expected[64];
    start_both(f, true);
    assert_int_equal(submit(&f[1], 0, HALF - 64, 64), 0); /* of the other device's units, from there */
    for (int64_t i = 0, u = HALF - 64; i < 64; i++, u++) {
        expected[i] = in[u] + in[u - 1] + in[u + 1];
        for (int64_t e = offsets[u]; e < offsets[u + 1]; e++)
            expected[i] += list[e];
    }
    brought(&f[0], 0, 0, HALF);
    memcpy(in, out, sizeof in);
    renew(&f[0], 4, 0, HALF);
    brought(&f[0], 0, 0, HALF); /* its results would go to where the other one reads */
    memcpy(in, out, sizeof in);
    renew(&f[0], 5, 0, HALF);
    assert_int_equal(brought(&f[0], 0, 0, HALF), (HALF + 1) * 8);
    struct plb_device_times times;
    assert_int_equal(plb_executor_wait(&f[1].e, 0, &times), 0);
    assert_memory_equal(out + HALF - 64, expected, sizeof expected);
    for (int pass = 6; pass < 8; pass++) { /* nobody reads there any more */
        memcpy(in, out, sizeof in);
        renew(&f[0], pass, 0, HALF);
        assert_int_equal(brought(&f[0], 0, 0, HALF), pass == 6 ? (HALF + 1) * 8 : 8);
    }
    end_both(f);
}

/* The same of a device that has missed a pass: its next inputs do not go there. */
static void inputs_do_not_go_where_others_read(void **state)
{
    (void)state;
    struct fixture f[2];
    struct plb_device_times times;
    start_both(f, true);
    const double expected = in[0] + in[1];
    assert_int_equal(submit(&f[1], 0, 0, 64), 0);
    for (int u = 0; u < UNITS; u++)
        in[u] = -u;
    renew(&f[0], 5, 0, HALF);
    assert_int_equal(brought(&f[0], 0, 0, 64), (64 + 1) * 8);
    assert_int_equal(brought(&f[0], 0, 0, 64), (64 + 1) * 8);
    assert_int_equal(plb_executor_wait(&f[1].e, 0, &times), 0);
    assert_true(out[0] == expected);
    assert_int_equal(brought(&f[0], 0, 0, 64), (64 + 1) * 8);
    assert_int_equal(brought(&f[0], 0, 0, 64), 0);
    end_both(f);
}

/* A device that has failed in some lane offers nothing more, and one that is alone never does. */
static void who_offers_nothing(void **state)
{
    (void)state;
    struct fixture f[2];
    start_both(f, true);
    plb_device_places_end(&f[1].e.places, 0, false);
    assert_int_equal(from_peers(&f[0], HALF, 64, 0, 0), 0);
    end(&f[1]);
    renew(&f[0], 4, 0, HALF);
    assert_int_equal(f[0].e.places.at[IN].offered.n, 0);
    end(&f[0]);
    pthread_mutex_destroy(&peers.lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halos_and_stolen_units_come_from_the_other_device),
        cmocka_unit_test(what_no_device_has_comes_from_the_host),
        cmocka_unit_test(nothing_comes_from_another_pass),
        cmocka_unit_test(devices_that_are_apart_copy_from_the_host),
        cmocka_unit_test(what_is_being_copied_is_not_overwritten),
        cmocka_unit_test(inputs_do_not_go_where_others_read),
        cmocka_unit_test(who_offers_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
