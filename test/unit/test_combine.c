/* Results that a PU holds back: which tasks become one, how long that lasts, and that no unit counts twice or
 * is forgotten. No thread runs, and seconds are numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "node/pu/combine.h"
#include "node/pu/launch.h"
#include "stub_device.h"

#define UNITS 100000
#define GRAIN 10

static struct {
    struct plb_cost_map map;
    struct plb_dataset set;
    struct plb_node_shared shared;
    struct plb_held_result held;
    struct plb_slot slots[4];
    double sums[4];
    struct plb_outbox out;
} w;

static void receive(const struct plb_message *m)
{
    struct plb_outbox box = {0};
    assert_true(plb_worker_receive(w.shared.worker, m, &box));
    plb_outbox_fini(&box);
}

static int begin(void **state)
{
    static const struct plb_worker_pu pu = {1.0, {INT64_MAX, INFINITY}, false};
    struct plb_error err = {.status = PLB_OK};
    (void)state;
    memset(&w, 0, sizeof w);
    assert_int_equal(plb_cost_map_init(&w.map, UNITS, NULL, NULL, &err), PLB_OK);
    w.set = (struct plb_dataset){.n = 1, .on_rank0 = true, .units = UNITS};
    w.set.at[0] = (struct plb_data){.mode = PLB_REDUCE, .bytes = sizeof(double), .type = PLB_FLOAT64};
    w.shared.config.data = &w.set;
    w.shared.combines = plb_combines(&w.set, 0);
    pthread_mutex_init(&w.shared.lock, NULL);
    pthread_cond_init(&w.shared.wake, NULL);
    w.shared.worker = plb_worker_new(
        &(struct plb_worker_config){.n_nodes = 1, .n_pus = 1, .pus = &pu, .maps = &w.map, .n_phases = 1});
    w.held = (struct plb_held_result){.shared = &w.shared};
    for (int s = 0; s < 4; s++) {
        w.slots[s].tag = s;
        w.slots[s].buffer[0] = &w.sums[s];
    }
    receive(&(struct plb_message){.type = PLB_PASS, .pass = 1});
    return 0;
}

static int end(void **state)
{
    (void)state;
    plb_worker_free(w.shared.worker);
    plb_cost_map_fini(&w.map);
    plb_outbox_fini(&w.out);
    pthread_cond_destroy(&w.shared.wake);
    pthread_mutex_destroy(&w.shared.lock);
    return 0;
}

static void grant(int64_t first, int64_t count)
{
    receive(&(struct plb_message){
        .type = PLB_BLOCK, .pass = 1, .block = {.range = {first, count}, .id = first + 1, .grain = GRAIN}});
}

/* The PU takes a task into a free slot, and leaves the number of its units there. */
static struct plb_flight take(void)
{
    struct plb_flight flight = {.slot = NULL};
    assert_true(plb_worker_take(w.shared.worker, 0, &flight.task));
    for (int s = 0; s < 4 && flight.slot == NULL; s++)
        if (w.slots[s].state == PLB_SLOT_FREE)
            flight.slot = &w.slots[s];
    assert_non_null(flight.slot);
    flight.slot->state = PLB_SLOT_RUNNING;
    flight.slot->task = flight.task;
    *(double *)flight.slot->buffer[0] = (double)flight.task.range.count;
    return flight;
}

/* The task ends after these seconds. */
static void finish(struct plb_flight *flight, double seconds, const struct plb_taken *taken)
{
    const struct plb_device_times times = {.execute_s = seconds};
    pthread_mutex_lock(&w.shared.lock);
    flight->folded = plb_combine_fold(&w.held, flight);
    plb_combine_end(&w.held, flight, &times, taken);
    if (!plb_combine_takes(&w.held, flight)) /* as the PU's thread does */
        flight->slot->state = PLB_SLOT_FINISHED;
    pthread_mutex_unlock(&w.shared.lock);
}

static void run(double seconds)
{
    const struct plb_taken none = {NULL, NULL};
    struct plb_flight flight = take();
    finish(&flight, seconds, &none);
}

/* The next report: a DONE of these units in so many tasks, whose array has one for each unit. Its slot is
 * free then. */
static void reported(int at, int64_t first, int64_t count, int64_t tasks)
{
    assert_true(at < w.out.n);
    const struct plb_message *m = &w.out.at[at];
    assert_int_equal(m->type, PLB_DONE);
    assert_int_equal(m->done.range.first, first);
    assert_int_equal(m->done.range.count, count);
    assert_int_equal(m->done.tasks, tasks);
    struct plb_slot *slot = &w.slots[m->done.slot];
    assert_int_equal(slot->state, PLB_SLOT_FINISHED);
    assert_int_equal(slot->task.range.first, first);
    assert_true(*(double *)slot->buffer[0] == (double)count);
    slot->state = PLB_SLOT_FREE;
}

static int collected(void)
{
    w.out.n = 0;
    plb_worker_collect(w.shared.worker, 0.0, &w.out);
    return w.out.n;
}

static void neighbours_become_one_result(void **state)
{
    (void)state;
    grant(0, 10000);
    for (int i = 0; i < 30; i++)
        run(1e-5);
    assert_int_equal(collected(), 0);
    plb_combine_report(&w.held, NULL); /* the PU finds no task */
    assert_int_equal(collected(), 1);
    reported(0, 0, 300, 30);
    assert_true(fabs(w.out.at[0].done.execute_s - 30e-5) < 1e-12);
    plb_combine_report(&w.held, NULL);
    assert_int_equal(collected(), 0);
    for (int s = 0; s < 4; s++)
        assert_int_equal(w.slots[s].state, PLB_SLOT_FREE);
}

/* As long as a report may wait: 5 ms. */
static void a_result_is_held_for_a_while(void **state)
{
    (void)state;
    grant(0, 10000);
    run(2e-3);
    assert_int_equal(collected(), 0);
    run(2e-3);
    assert_int_equal(collected(), 1);
    reported(0, 0, 20, 2);
    run(4e-3);
    assert_int_equal(collected(), 1);
    reported(0, 20, 10, 1);
}

/* Half of what the PU still has before it. */
static void near_the_end_results_do_not_wait(void **state)
{
    (void)state;
    int reports = 0;
    int64_t units = 0, last = 0;
    grant(0, 400);
    for (int i = 0; i < 40; i++) {
        run(1e-5);
        for (int k = 0, n = collected(); k < n; k++) {
            last = w.out.at[k].done.range.count;
            reported(k, units, last, last / GRAIN);
            units += last;
            reports++;
        }
    }
    assert_int_equal(units, 400);
    assert_int_equal(last, GRAIN);
    assert_true(reports > 4 && reports < 20);
}

/* Ten nodes send arrays of a megabyte each: rank 0's link needs 80 ms for one of each. A result may have four
 * times that, also at the end, since nothing is gained by more of them. */
static void large_arrays_are_held_longer(void **state)
{
    (void)state;
    static const struct plb_worker_pu pu = {1.0, {INT64_MAX, INFINITY}, false};
    static const struct plb_sizes sizes = {.task_bytes = 1e6};
    int reports = 0;
    int64_t units = 0, last = 0;
    plb_worker_free(w.shared.worker);
    w.shared.worker = plb_worker_new(&(struct plb_worker_config){
        .n_nodes = 10, .n_pus = 1, .pus = &pu, .sizes = &sizes, .maps = &w.map, .n_phases = 1});
    receive(&(struct plb_message){.type = PLB_PASS, .pass = 1});
    grant(0, 10000);
    for (int i = 0; i < 1000; i++) {
        run(2e-3);
        for (int k = 0, n = collected(); k < n; k++) {
            last = w.out.at[k].done.range.count;
            assert_true(last >= 50 * GRAIN && last <= 160 * GRAIN);
            reported(k, units, last, last / GRAIN);
            units += last;
            reports++;
        }
    }
    assert_int_equal(units, 10000);
    assert_in_range(reports, 7, 8);
}

/* A result of other units than the next ones, and one that is only compared, stay by themselves. */
static void what_is_no_neighbour_stays_apart(void **state)
{
    (void)state;
    grant(0, 1000);
    run(1e-5);
    grant(5000, 1000);
    receive(&(struct plb_message){
        .type = PLB_AUDIT, .pass = 1, .block = {.range = {50000, 20}, .id = 77, .grain = 20}});
    run(1e-5);
    assert_int_equal(collected(), 1);
    assert_true(w.out.at[0].done.audit);
    reported(0, 50000, 20, 1);
    int64_t units = 0;
    for (int i = 0; i < 100; i++) { /* the last one is of the other block */
        run(1e-7);
        for (int k = 0, n = collected(); k < n; k++) {
            int64_t own = w.out.at[k].done.range.count;
            reported(k, units, own, own / GRAIN);
            units += own;
        }
    }
    assert_int_equal(units, 1000);
    plb_combine_report(&w.held, &(struct plb_slice){.range = {5010, 10}, .block = 5001, .pass = 1});
    assert_int_equal(collected(), 0); /* the next task goes on */
    plb_combine_report(&w.held, &(struct plb_slice){.range = {5020, 10}, .block = 5001, .pass = 1});
    assert_int_equal(collected(), 1);
    reported(0, 5000, 10, 1);
}

/* A task that was taken before counts as the next one, wherever it comes from. */
static void tasks_that_wait_in_slots_go_on(void **state)
{
    (void)state;
    grant(0, 10000);
    struct plb_flight one = take(), two = take(), three = take();
    finish(&one, 1e-5, &(struct plb_taken){&two.task, &three.task});
    assert_int_equal(collected(), 0);
    struct plb_slice other = three.task;
    finish(&two, 1e-5, &(struct plb_taken){&other, &other});
    assert_int_equal(collected(), 0);
    other.range.first += 10;
    finish(&three, 1e-5, &(struct plb_taken){&other, &other});
    assert_int_equal(collected(), 1);
    reported(0, 0, 30, 3);
}

/* Units that follow, but of another block: the ledger would take both for one of them. */
static void a_next_task_of_another_block_stays_apart(void **state)
{
    (void)state;
    grant(0, 10000);
    struct plb_flight one = take(), two = take(), three = take();
    two.task.block++;
    finish(&one, 1e-5, &(struct plb_taken){&two.task, &three.task});
    assert_int_equal(collected(), 1);
    reported(0, 0, 10, 1);
}

static void a_failed_device_gives_back_what_it_held(void **state)
{
    (void)state;
    grant(0, 10000);
    run(1e-5);
    run(1e-5);
    struct plb_flight next = take();
    plb_combine_give_back(&w.held);
    plb_combine_give_back(&w.held);
    assert_int_equal(collected(), 1);
    assert_int_equal(w.out.at[0].type, PLB_FAIL);
    assert_int_equal(w.out.at[0].fail.range.first, 0);
    assert_int_equal(w.out.at[0].fail.range.count, 20);
    assert_true(w.out.at[0].fail.text[0]
                != '\0'); /* else it were the kernel that failed, and the run ended */
    pthread_mutex_lock(&w.shared.lock);
    assert_false(plb_combine_fold(&w.held, &next));
    pthread_mutex_unlock(&w.shared.lock);
}

static void a_result_of_an_old_pass_is_dropped(void **state)
{
    (void)state;
    grant(0, 10000);
    run(1e-5);
    receive(&(struct plb_message){.type = PLB_PASS, .pass = 2});
    plb_combine_report(&w.held, NULL);
    assert_int_equal(collected(), 0);
    assert_int_equal(w.slots[0].state, PLB_SLOT_FREE);
}

/* An entry that sets its array instead of adding to it: each call finds the neutral element. */
static int count(const struct plb_task *task)
{
    double *sum = task->data[0];
    if (*sum != 0.0)
        return 1;
    *sum = (double)task->count;
    return 0;
}

static void each_task_of_a_burst_has_an_array(void **state)
{
    (void)state;
    static const struct plb_device_driver driver = {.name = "stub", .entry = stub_entry, .ops = {STUB_OPS}};
    const struct plb_device_config config = {.threads = 1};
    const struct plb_phase phase = {.name = "count", .cpu = count};
    struct plb_executor e;
    struct plb_error err = {.status = PLB_OK};
    struct plb_slot slot = {0}, later = {0};
    struct plb_slice task = {.range = {40, 70}, .more = 6};
    assert_int_equal(plb_executor_open(&e, &driver, &config, &w.set, &err), PLB_OK);
    assert_int_equal(plb_launch(&e, 0, &phase, &task, &slot, &later), 0);
    assert_true(*(double *)slot.buffer[0] == 70.0);
    plb_slot_fini(&slot, &e);
    plb_slot_fini(&later, &e);
    plb_executor_close(&e);
}

/* Outputs that travel cannot be folded. */
static void outputs_that_travel_are_sent_task_by_task(void **state)
{
    (void)state;
    struct plb_dataset set = w.set;
    set.on_rank0 = false;
    assert_true(plb_combines(&set, 0));
    set.n = 2;
    set.at[1] = (struct plb_data){.mode = PLB_PARTITION, .unit_bytes = 8};
    assert_true(plb_combines(&set, 0));
    set.at[1].mode = PLB_OUTPUT;
    assert_false(plb_combines(&set, 0));
    assert_true(plb_combines(&set, PLB_BUFFER(1))); /* it may stay */
    set.on_rank0 = true;
    assert_true(plb_combines(&set, 0));
    set.at[0].mode = PLB_REPLICATE;
    assert_false(plb_combines(&set, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(neighbours_become_one_result, begin, end),
        cmocka_unit_test_setup_teardown(a_result_is_held_for_a_while, begin, end),
        cmocka_unit_test_setup_teardown(near_the_end_results_do_not_wait, begin, end),
        cmocka_unit_test_setup_teardown(large_arrays_are_held_longer, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_neighbour_stays_apart, begin, end),
        cmocka_unit_test_setup_teardown(tasks_that_wait_in_slots_go_on, begin, end),
        cmocka_unit_test_setup_teardown(a_next_task_of_another_block_stays_apart, begin, end),
        cmocka_unit_test_setup_teardown(a_failed_device_gives_back_what_it_held, begin, end),
        cmocka_unit_test_setup_teardown(a_result_of_an_old_pass_is_dropped, begin, end),
        cmocka_unit_test_setup_teardown(each_task_of_a_burst_has_an_array, begin, end),
        cmocka_unit_test_setup_teardown(outputs_that_travel_are_sent_task_by_task, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
