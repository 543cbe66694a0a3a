/* Results that stay in the memory of a device and are copied to the host where others read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "device_places.h"

static bool fails;

static int late_read(struct plb_device *d, const struct plb_device *own, void *to, const void *from,
                     size_t bytes)
{
    (void)own;
    assert_true(is_there(d, from, bytes));
    if (!fails)
        memcpy(to, from, bytes);
    return fails;
}

static const struct plb_device_driver reads = {
    .entry = late_entry, .ops = {LATE, .follow = late_follow, .copy_within = late_copy, .read = late_read}};

static struct plb_node_device_results results;
static double now[UNITS], then[UNITS]; /* inputs and results of the pass, as they are to be */
static struct fixture f;
static bool idle; /* the device executes nothing in the pass that begins */

/* The next pass. feeds: results become inputs. On the host is what was brought there. */
static void begin_pass(int pass, bool feeds, int64_t first, int64_t count)
{
    static struct plb_renewal renewal;
    struct plb_error err = {.status = PLB_OK};
    struct plb_message begin = {.type = PLB_PASS, .pass = pass},
                       counted = {.type = PLB_COUNTED, .pass = pass, .counted = {{{first, count}}, 1}};
    begin.begin = (struct plb_pass){.n_feeds = 1, .feeds = {{OUT, IN, feeds}}};
    for (int64_t u = 0; u < UNITS && feeds; u++) {
        now[u] = then[u];
        in[u] = u < first || u >= first + count ? then[u] : out[u]; /* others have their results here */
    }
    for (int64_t u = 0; u < UNITS; u++) {
        then[u] = now[u] + (u > 0 ? now[u - 1] : 0.0) + (u + 1 < UNITS ? now[u + 1] : 0.0);
        for (int64_t e = offsets[u]; e < offsets[u + 1]; e++)
            then[u] += list[e];
        out[u] = -1e300;
    }
    plb_device_results_begin(&results, &begin);
    if (feeds)
        plb_device_results_counted(&results, &counted);
    plb_device_results_settle(&results);
    plb_renewal_begin(&renewal, &begin, true, false, NULL);
    plb_renewal_counted(&renewal, &counted);
    if (idle) /* it takes over what is new before its next task */
        return;
    plb_executor_follow(&f.e, &renewal);
    assert_int_equal(plb_executor_renew(&f.e, &err), PLB_OK);
    plb_renewal_fini(&renewal);
}

static int start_task(int lane, int pass, int64_t first, int64_t count)
{
    f.e.may_stay = plb_device_places_may_stay(&f.e.places, pass);
    return submit(&f, lane, first, count);
}

static void task(int lane, int pass, int64_t first, int64_t count)
{
    assert_int_equal(start_task(lane, pass, first, count), 0);
    assert_int_equal(plb_executor_wait(&f.e, lane, NULL), 0);
}

/* Whether the results of these units are right on the host. */
static void has(int64_t first, int64_t count)
{
    assert_true(plb_device_results_bring(&results, -1, OUT, (struct plb_range){first, count}));
    for (int64_t u = first; u < first + count; u++)
        assert_true(out[u] == then[u]);
}

static void begin_test(void)
{
    fails = false;
    start(&f, &reads, 1, 1e9);
    f.set.fed = f.set.named = PLB_BUFFER(IN);
    results = plb_device_results_new(1);
    plb_device_results_open(&results.of[0], &reads.ops, f.e.device, &f.set, NULL);
    f.e.places.all = &results;
    f.e.places.own = &results.of[0];
    memcpy(now, in, sizeof now);
    begin_pass(1, false, 0, UNITS);
}

static void end_test(void)
{
    end(&f);
    plb_device_results_free(&results);
}

static void results_are_not_copied_until_they_are_read(void **state)
{
    (void)state;
    begin_test();
    for (int pass = 1; pass < 9; pass++) {
        for (int64_t first = 0; first < UNITS; first += 256)
            task((int)(first / 256 % 3), pass, first, 256);
        assert_true(f.e.places.out == 0 && results.of[0].out == 0 && out[100] == -1e300);
        begin_pass(pass + 1, true, 0, UNITS);
    }
    task(0, 9, 0, 512);
    task(1, 9, 512, 512);
    has(0, UNITS);
    assert_true(f.e.places.out == 0 && results.of[0].out == UNITS * 8);
    end_test();
}

/* Parts that begin where the entry finds them elsewhere. */
static void results_that_are_not_aligned_stay(void **state)
{
    (void)state;
    begin_test();
    for (int pass = 1; pass < 5; pass++) {
        task(0, pass, 0, 3);
        task(1, pass, 3, 500);
        task(2, pass, 503, UNITS - 503);
        begin_pass(pass + 1, true, 0, UNITS);
    }
    task(0, 5, 3, 500);
    assert_int_equal(results.of[0].out + f.e.places.out, 0);
    has(3, 500);
    end_test();
}

/* A second result is copied to the host, and the device reads the first one as others do. */
static void the_first_of_two_results_stays(void **state)
{
    (void)state;
    begin_test();
    task(0, 1, 0, UNITS);
    task(1, 1, 64, 32);
    assert_true(f.e.places.out == 32 * 8 && !f.e.places.noted[1] && f.e.places.noted[0] == true);
    for (int64_t u = 64; u < 96; u++)
        out[u] = 5.0; /* it differs, and does not count */
    begin_pass(2, true, 0, UNITS);
    task(0, 2, 0, 256);
    has(0, 256);
    end_test();
}

static void a_task_that_fails_leaves_nothing(void **state)
{
    (void)state;
    begin_test();
    assert_int_equal(start_task(0, 1, 0, 64), 0);
    f.e.ops->wait(f.e.device, 0, NULL);
    plb_device_places_end(&f.e.places, 0, false);
    assert_true(results.of[0].left == 0 && !f.e.places.noted[0]);
    task(0, 1, 0, 64);
    assert_true(results.of[0].left == 0 && f.e.places.out == 64 * 8);
    end_test();
}

/* The device executes nothing in a pass whose inputs it alone has, and which the next one has, too. */
static void inputs_outlast_a_pass_without_tasks(void **state)
{
    (void)state;
    begin_test();
    task(0, 1, 0, UNITS);
    idle = true;
    begin_pass(2, true, 0, UNITS);
    idle = false;
    begin_pass(3, false, 0, UNITS);
    task(0, 3, 0, 512); /* where they were */
    task(0, 3, 512, 512);
    has(0, UNITS);
    end_test();
}

static void places_that_are_given_up_are_copied(void **state)
{
    (void)state;
    begin_test();
    task(0, 1, 0, UNITS);
    begin_pass(2, true, 0, UNITS);
    task(0, 2, 0, 512);
    assert_true(plb_device_places_give_up(&f.e.places));
    assert_true(results.of[0].left == 0 && results.of[0].out == (UNITS + 512) * 8);
    task(1, 2, 512, 512);
    has(0, UNITS);
    begin_pass(3, true, 0, UNITS);
    task(1, 3, 300, 100);
    has(300, 100);
    end_test();
}

static void a_task_whose_inputs_are_lost_does_not_start(void **state)
{
    (void)state;
    begin_test();
    task(0, 1, 0, UNITS);
    task(1, 1, 64, 32);
    begin_pass(2, true, 0, UNITS);
    fails = true;
    assert_int_equal(start_task(0, 2, 0, 256), PLB_INPUT_LOST);
    task(0, 2, 512, 256); /* it has its inputs, but results do not stay any more */
    assert_true(results.of[0].lost && f.e.places.out == (32 + 256) * 8);
    end_test();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_not_copied_until_they_are_read),
        cmocka_unit_test(results_that_are_not_aligned_stay),
        cmocka_unit_test(the_first_of_two_results_stays),
        cmocka_unit_test(a_task_that_fails_leaves_nothing),
        cmocka_unit_test(inputs_outlast_a_pass_without_tasks),
        cmocka_unit_test(places_that_are_given_up_are_copied),
        cmocka_unit_test(a_task_whose_inputs_are_lost_does_not_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
