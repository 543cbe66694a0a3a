/* Results that are in the memory of a device alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "node/memory/device_results.h"

enum { UNITS = 100, RATE = 0, IN = 1, OUT = 2, LEAD = 5 };

static int64_t places[2][UNITS + LEAD], a[UNITS], b[UNITS]; /* of the device, and buffers of the host */
static struct plb_dataset set;
static int64_t copied; /* units */
static bool fails;
static const struct plb_device *caller;

/* A device's memory is the host's. */
static int read_it(struct plb_device *device, const struct plb_device *own, void *to, const void *from,
                   size_t bytes)
{
    (void)device;
    caller = own;
    if (fails)
        return 1;
    memcpy(to, from, bytes);
    copied += (int64_t)(bytes / sizeof(int64_t));
    return 0;
}

static const struct plb_device_ops ops = {.read = read_it}, blind = {.lanes = 1};

static struct plb_node_device_results begin_test(int n, bool on_rank0)
{
    struct plb_node_device_results all = plb_device_results_new(n);
    set = (struct plb_dataset){.n = 3, .on_rank0 = on_rank0, .units = UNITS, .host = {NULL, a, b}};
    for (int i = 0; i < 3; i++)
        set.at[i].unit_bytes = 8;
    for (int p = 0; p < n; p++)
        plb_device_results_open(&all.of[p], &ops, (struct plb_device *)&places[p], &set, NULL);
    for (int64_t u = 0; u < UNITS; u++) {
        a[u] = b[u] = -1;
        places[0][u + LEAD] = u;
        places[1][u + LEAD] = 1000 + u;
    }
    copied = 0;
    fails = false;
    return all;
}

static void begin_pass(struct plb_node_device_results *all, int pass, bool now)
{
    struct plb_message m = {.type = PLB_PASS, .pass = pass};
    m.begin.n_feeds = 1;
    m.begin.feeds[0] = (struct plb_feed){OUT, IN, now};
    plb_device_results_begin(all, &m);
}

static void count(struct plb_node_device_results *all, int pass, int pu, int64_t first, int64_t units)
{
    struct plb_message m = {.type = PLB_COUNTED, .pass = pass, .pu = pu};
    m.counted = (struct plb_counted){.n = 1, .at = {{first, units}}};
    plb_device_results_counted(all, &m);
}

/* A task of a PU leaves results in a place of its device; b has them on the host. */
static void make(struct plb_node_device_results *all, int pass, int pu, int64_t first, int64_t units)
{
    const struct plb_device_units where = {
        .device = (const char *)places[pu], .lead = LEAD * 8, .host = (char *)b};
    plb_device_results_made(&all->of[pu], pass, IN, OUT, (struct plb_range){first, units}, &where);
}

/* Whether host memory has the PU's results of these units, and nothing of others. */
static void has(const int64_t *host, int pu, int64_t first, int64_t units)
{
    for (int64_t u = 0; u < UNITS; u++)
        assert_int_equal(host[u], u >= first && u < first + units ? 1000 * pu + u : -1);
}

static void results_are_copied_once_where_they_are_wanted(void **state)
{
    (void)state;
    struct plb_node_device_results all = begin_test(1, true);
    begin_pass(&all, 1, false);
    assert_true(plb_device_results_may_stay(&all.of[0], 1) && !plb_device_results_may_stay(&all.of[0], 2));
    make(&all, 1, 0, 10, 20);
    make(&all, 1, 0, 40, 5);
    assert_true(plb_device_results_bring(&all, -1, OUT, (struct plb_range){15, 10}));
    has(b, 0, 15, 10);
    assert_true(plb_device_results_bring(&all, 0, OUT, (struct plb_range){15, 10}));
    assert_true(plb_device_results_bring(&all, 0, RATE, (struct plb_range){0, UNITS}));
    assert_true(plb_device_results_bring_input(&all, IN, (struct plb_range){0, UNITS}, NULL));
    assert_int_equal(copied, 10);
    assert_true(plb_device_results_bring(&all, 0, OUT, (struct plb_range){0, UNITS}));
    assert_true(copied == 25 && b[10] == 10 && b[29] == 29 && b[30] == -1 && b[44] == 44);
    assert_true(all.of[0].out == 25 * 8 && all.of[0].left == 0);
    plb_device_results_free(&all);
}

static void results_that_counted_are_inputs(void **state)
{
    (void)state;
    struct plb_node_device_results all = begin_test(2, false);
    begin_pass(&all, 1, false);
    make(&all, 1, 0, 0, 50);
    make(&all, 1, 1, 40, 60);
    begin_pass(&all, 2, true);
    count(&all, 2, 0, 0, 30);
    count(&all, 1, 1, 0, UNITS); /* of another pass */
    count(&all, 2, 1, 60, 10);
    count(&all, 2, 2, 0, UNITS); /* there is no such PU */
    plb_device_results_settle(&all);
    assert_int_equal(all.of[0].left + all.of[1].left, 40);
#ifdef PLB_DEBUG
    assert_true(b[0] != -1 && b[30] == -1 && b[69] != -1); /* readers that forget to bring it see that */
    for (int64_t u = 0; u < UNITS; u++)
        b[u] = -1;
#endif
    assert_true(plb_device_results_bring_input(&all, IN, (struct plb_range){0, 60}, NULL));
    has(b, 0, 0, 30);
    assert_true(plb_device_results_bring_input(&all, IN, (struct plb_range){0, UNITS}, NULL));
    assert_true(copied == 40 && b[59] == -1 && b[60] == 1060 && b[69] == 1069 && b[70] == -1);
    plb_device_results_free(&all);
}

/* A thread goes back to its own device, if it is one of the same driver. */
static void readers_name_their_device(void **state)
{
    (void)state;
    struct plb_node_device_results all = begin_test(2, true);
    begin_pass(&all, 1, false);
    make(&all, 1, 0, 0, 3);
    begin_pass(&all, 2, true);
    count(&all, 2, 0, 0, 3);
    assert_true(plb_device_results_bring_input(&all, IN, (struct plb_range){0, 1}, &all.of[1]));
    assert_ptr_equal(caller, &places[1]);
    all.of[1].ops = &blind;
    assert_true(plb_device_results_bring_input(&all, IN, (struct plb_range){1, 1}, &all.of[1]));
    assert_null(caller);
    assert_true(copied == 2);
    plb_device_results_free(&all);
}

static void results_that_nobody_wants_are_dropped(void **state)
{
    (void)state;
    struct plb_node_device_results all = begin_test(1, true);
    begin_pass(&all, 2, false);
    make(&all, 1, 0, 0, 10); /* late */
    make(&all, 2, 0, 20, 10);
    make(&all, 2, 0, 30, 10);
    plb_device_results_unmade(&all.of[0], 1, (struct plb_range){20, 10});
    plb_device_results_unmade(&all.of[0], 2, (struct plb_range){30, 10});
    assert_int_equal(all.of[0].left, 10);
    begin_pass(&all, 3, true);
    begin_pass(&all, 4, true); /* without COUNTED: nothing was made in pass 3 */
    count(&all, 4, 0, 0, UNITS);
    assert_true(plb_device_results_bring_input(&all, IN, (struct plb_range){0, UNITS}, NULL) && copied == 0);
    struct plb_message again = {.type = PLB_PASS, .pass = 5, .begin = {.again = 1}};
    plb_device_results_begin(&all, &again);
    assert_false(plb_device_results_may_stay(&all.of[0], 5));
    struct plb_message wanted = {.type = PLB_PASS, .pass = 6, .begin = {.gathers = 1}};
    plb_device_results_begin(&all, &wanted);
    assert_false(plb_device_results_may_stay(&all.of[0], 6));
    plb_device_results_free(&all);
}

/* In pass 2 the inputs of units 0 to 9 are in the device's memory alone. */
static struct plb_node_device_results with_inputs(void)
{
    struct plb_node_device_results all = begin_test(1, true);
    begin_pass(&all, 1, false);
    make(&all, 1, 0, 0, 10);
    set.host[IN] = b;
    begin_pass(&all, 2, true);
    count(&all, 2, 0, 0, 10);
    return all;
}

/* In a pass that nothing feeds, the inputs are those of the pass before; rank 0's may have moved. */
static void inputs_stay_where_nothing_feeds_them(void **state)
{
    (void)state;
    struct plb_node_device_results all = with_inputs();
    for (int64_t u = 0; u < UNITS; u++)
        b[u] = -1;
    make(&all, 2, 0, 50, 10);
    set.host[IN] = a;
    begin_pass(&all, 3, false);
    assert_true(plb_device_results_bring_input(&all, IN, (struct plb_range){0, UNITS}, NULL));
    has(a, 0, 0, 10);
    has(b, 0, 0, 0);
    plb_device_results_free(&all);
}

static void a_device_that_fails_has_lost_them(void **state)
{
    (void)state;
    struct plb_node_device_results all = begin_test(2, true);
    begin_pass(&all, 1, false);
    make(&all, 1, 0, 0, 10);
    make(&all, 1, 1, 20, 10);
    fails = true;
    assert_false(plb_device_results_bring(&all, -1, OUT, (struct plb_range){0, 10}));
    fails = false;
    assert_false(plb_device_results_bring(&all, 0, OUT, (struct plb_range){9, 1}));
    assert_true(plb_device_results_bring(&all, 0, OUT, (struct plb_range){10, 50}));
    assert_true(plb_device_results_bring(&all, -1, OUT, (struct plb_range){10, 50}) && copied == 10);
    assert_true(all.of[0].lost && !all.of[1].lost && !plb_device_results_may_stay(&all.of[0], 1));
    assert_true(plb_device_results_lose(&all.of[0]) && !plb_device_results_lose(&all.of[1]));
    make(&all, 1, 1, 40, 10);
    assert_true(all.of[1].left == 0);
    begin_pass(&all, 2, true); /* the pass was given up */
    plb_device_results_settle(&all);
    assert_false(plb_device_results_lose(&all.of[0]));
    plb_device_results_free(&all);
}

static void all_are_brought_where_places_are_given_up(void **state)
{
    (void)state;
    struct plb_node_device_results all = with_inputs();
    plb_device_results_settle(&all);
    plb_device_results_bring_all(&all.of[0]);
    assert_true(copied == 10 && all.of[0].left == 0 && !all.of[0].lost);
    make(&all, 2, 0, 10, 10);
    begin_pass(&all, 3, true);
    plb_device_results_bring_all(&all.of[0]); /* of which nobody knows whether they count */
    assert_true(all.of[0].lost);
    plb_device_results_free(&all);
}

/* Its device is closed. */
static void a_pu_that_has_ended_has_none(void **state)
{
    (void)state;
    struct plb_node_device_results all = with_inputs();
    make(&all, 2, 0, 20, 10);
    plb_device_results_close(&all.of[0]);
    assert_true(plb_device_results_bring_input(&all, IN, (struct plb_range){0, UNITS}, NULL));
    assert_true(plb_device_results_bring(&all, -1, OUT, (struct plb_range){0, UNITS}));
    plb_device_results_bring_all(&all.of[0]);
    assert_true(copied == 0 && all.of[0].left == 0 && !plb_device_results_may_stay(&all.of[0], 2));
    plb_device_results_free(&all);
}

/* A driver that cannot read leaves nothing. */
static void no_results_stay_where_nobody_can_read(void **state)
{
    (void)state;
    struct plb_node_device_results all = plb_device_results_new(2);
    plb_device_results_open(&all.of[0], &blind, NULL, &set, NULL);
    begin_pass(&all, 1, false);
    assert_false(plb_device_results_may_stay(&all.of[0], 1) || plb_device_results_may_stay(&all.of[1], 1));
    plb_device_results_free(&all);
}

static struct plb_node_device_results shared;

static void *bring_halves(void *unused)
{
    for (int64_t u = 0; u < UNITS; u++)
        if (!plb_device_results_bring_input(&shared, IN, (struct plb_range){u, UNITS - u}, NULL))
            return unused;
    return NULL;
}

static void threads_bring_them_at_once(void **state)
{
    (void)state;
    pthread_t thread[3];
    void *status;
    shared = begin_test(1, false);
    begin_pass(&shared, 1, false);
    make(&shared, 1, 0, 0, UNITS);
    begin_pass(&shared, 2, true);
    count(&shared, 2, 0, 0, UNITS);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, bring_halves, &shared), 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], &status);
        assert_null(status);
    }
    has(b, 0, 0, UNITS);
    assert_int_equal(copied, UNITS);
    plb_device_results_free(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_copied_once_where_they_are_wanted),
        cmocka_unit_test(results_that_counted_are_inputs),
        cmocka_unit_test(readers_name_their_device),
        cmocka_unit_test(results_that_nobody_wants_are_dropped),
        cmocka_unit_test(inputs_stay_where_nothing_feeds_them),
        cmocka_unit_test(a_device_that_fails_has_lost_them),
        cmocka_unit_test(all_are_brought_where_places_are_given_up),
        cmocka_unit_test(a_pu_that_has_ended_has_none),
        cmocka_unit_test(no_results_stay_where_nobody_can_read),
        cmocka_unit_test(threads_bring_them_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
