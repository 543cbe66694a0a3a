/* Results that a task writes to a file itself: which ones, and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "node/pu/store.h"

#define UNITS 100
#define AT 24 /* byte of the file where the buffer begins */

static struct {
    struct plb_cost_map map;
    struct plb_dataset set;
    struct plb_node_shared shared;
    int64_t result[5], sent[5];
    char path[32];
} w;

static int begin(void **state)
{
    static const struct plb_worker_pu pu = {1.0, {INT64_MAX, 1e9}, false};
    struct plb_error err = {.status = PLB_OK};
    struct plb_outbox out = {0};
    (void)state;
    assert_int_equal(plb_cost_map_init(&w.map, UNITS, NULL, NULL, &err), PLB_OK);
    strcpy(w.path, "/tmp/plb-store-XXXXXX");
    w.set = (struct plb_dataset){.n = 2, .units = UNITS, .stored = PLB_BUFFER(1)};
    for (int i = 0; i < 2; i++)
        w.set.at[i] = (struct plb_data){.mode = PLB_OUTPUT, .unit_bytes = sizeof *w.result};
    w.set.file_at[1] = AT;
    w.set.fd[1] = mkstemp(w.path);
    w.shared.config.data = &w.set;
    pthread_mutex_init(&w.shared.lock, NULL);
    w.shared.worker = plb_worker_new(
        &(struct plb_worker_config){.n_nodes = 1, .n_pus = 1, .pus = &pu, .maps = &w.map, .n_phases = 1});
    assert_true(
        plb_worker_receive(w.shared.worker, &(struct plb_message){.type = PLB_PASS, .pass = 1}, &out));
    plb_outbox_fini(&out);
    return 0;
}

static int end(void **state)
{
    (void)state;
    close(w.set.fd[1]);
    unlink(w.path);
    plb_worker_free(w.shared.worker);
    plb_cost_map_fini(&w.map);
    pthread_mutex_destroy(&w.shared.lock);
    return 0;
}

/* Ends a task of units 10 to 14, whose results are `value`. Returns the results that it sends. */
static int64_t end_task(struct plb_running running, int64_t value)
{
    struct plb_slot slot = {.buffer = {w.sent, w.result}};
    running.task.range = slot.task.range = (struct plb_range){10, 5};
    struct plb_flight flight = {.slot = &slot, .task = running.task};
    for (int i = 0; i < 5; i++)
        w.result[i] = value;
    assert_true(plb_store(&w.shared, &running, &flight, 1) >= 0.0);
    return plb_slot_sent(&slot, &w.set);
}

/* The file has the value in these units, and nothing behind them. */
static bool has(int64_t value)
{
    int64_t found[6];
    ssize_t bytes = pread(w.set.fd[1], found, sizeof found, AT + 10 * (off_t)sizeof *found);
    for (int i = 0; i < 5; i++)
        if (bytes != 5 * (ssize_t)sizeof *found || found[i] != value)
            return false;
    return true;
}

static void a_result_is_stored_in_its_place(void **state)
{
    (void)state;
    assert_int_equal(end_task((struct plb_running){.task.pass = 1}, 7), PLB_BUFFER(0));
    assert_true(has(7));
}

/* An entry may leave anything once it was told that nobody wants its results. An audit compares with the
 * file. */
static void other_results_are_not(void **state)
{
    (void)state;
    const int64_t both = PLB_BUFFER(0) | PLB_BUFFER(1);
    assert_int_equal(end_task((struct plb_running){.task.pass = 1}, 7), PLB_BUFFER(0));
    assert_int_equal(end_task((struct plb_running){.task.pass = 1, .told = true}, 8), both);
    assert_int_equal(end_task((struct plb_running){.task = {.pass = 1, .audit = true}}, 9), both);
    assert_int_equal(end_task((struct plb_running){.task = {.pass = 1, .copy = true}}, 9), both);
    assert_int_equal(end_task((struct plb_running){.task.pass = 0}, 10), both); /* of an earlier pass */
    assert_true(has(7));
}

/* Where the rank has mapped rank 0's memory, the file stays as it is. */
static void a_result_is_copied_into_mapped_memory(void **state)
{
    (void)state;
    int64_t all[20] = {0};
    w.set.target[1] = all;
    assert_int_equal(end_task((struct plb_running){.task.pass = 1}, 7), PLB_BUFFER(0));
    for (int i = 0; i < 20; i++)
        assert_int_equal(all[i], i >= 10 && i < 15 ? 7 : 0);
    assert_false(has(7));
    assert_int_equal(end_task((struct plb_running){.task = {.pass = 1, .copy = true}}, 9),
                     PLB_BUFFER(0) | PLB_BUFFER(1));
    assert_int_equal(all[10], 7);
}

static void a_result_that_cannot_be_stored_is_sent(void **state)
{
    (void)state;
    int fd = w.set.fd[1];
    w.set.fd[1] = open("/dev/full", O_WRONLY);
    assert_int_equal(end_task((struct plb_running){.task.pass = 1}, 7), PLB_BUFFER(0) | PLB_BUFFER(1));
    close(w.set.fd[1]);
    w.set.fd[1] = fd;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_result_is_stored_in_its_place, begin, end),
        cmocka_unit_test_setup_teardown(other_results_are_not, begin, end),
        cmocka_unit_test_setup_teardown(a_result_is_copied_into_mapped_memory, begin, end),
        cmocka_unit_test_setup_teardown(a_result_that_cannot_be_stored_is_sent, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
