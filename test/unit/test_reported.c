/* Parts of a task that its entry reports, on a node with a stub device: which of them count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "node/daemon.h"
#include "node/daemon_state.h"
#include "stub_device.h"

enum { UNITS = 10, PART = 4, OUT = 0, LOG = 1 };
#define DEADLOCK 60 /* seconds after which a test that hangs is ended */

static struct {
    struct plb_node *node;
    struct plb_outbox out;
    int64_t done;      /* units that were reported to rank 0 */
    bool left;         /* the PU drops out */
    atomic_int begun;  /* tasks */
    atomic_bool loses; /* the next page that is locked loses the task that runs */
    atomic_bool open;  /* the task may end */
    bool taken[7];     /* what plb_task_report or plb_task_shorten returned */
    int executed[UNITS];
} seen;

/* ------------------------------------------------------------------ entries */

static void await_gate(void)
{
    while (!atomic_load(&seen.open))
        plb_sleep_until(plb_now() + 1e-3);
}

static int reports_a_part(const struct plb_task *task)
{
    atomic_fetch_add(&seen.begun, 1);
    seen.taken[0] = plb_task_report(task, PART, 0.0);
    await_gate();
    return 0;
}

static int is_lost_when_it_reports(const struct plb_task *task)
{
    atomic_store(&seen.loses, true);
    plb_task_report(task, PART, 0.0);
    atomic_fetch_add(&seen.begun, 1);
    return 0;
}

static int reports_strange_times(const struct plb_task *task)
{
    double begin = plb_now();
    const double strange[] = {NAN, -1.0, INFINITY, 1e6};
    for (int i = 0; i < 4; i++)
        seen.taken[i] = plb_task_report(task, 1, strange[i]);
    plb_sleep_until(begin + 20e-3);
    seen.taken[4] = plb_task_report(task, 1, 20e-3);
    seen.taken[5] = plb_task_report(task, 2, plb_now() - begin); /* of which 20 ms were reported */
    seen.taken[6] = plb_task_report(task, 2, 0.0);
    atomic_fetch_add(&seen.begun, 1);
    await_gate();
    return 0;
}

static int reports_and_finds_no_memory(const struct plb_task *task)
{
    atomic_fetch_add(&seen.begun, 1);
    seen.taken[0] = plb_task_report(task, PART, 0.0);
    return PLB_DEVICE_FULL;
}

/* The first units are long: those behind them are left to others, be they in this task or in later ones. */
static int tasks_ahead(void)
{
    pthread_mutex_lock(&seen.node->shared.lock);
    int n = seen.node->runners[0].n_line;
    pthread_mutex_unlock(&seen.node->shared.lock);
    return n;
}

/* Asks until no task is ahead: one whose inputs are on their way stays at first. */
static int shortens(const struct plb_task *task)
{
    bool first = atomic_fetch_add(&seen.begun, 1) == 0;
    int64_t count = task->count;
    if (first) {
        seen.taken[0] = plb_task_shorten(task, PART, 1e6);
        do {
            plb_sleep_until(plb_now() + 1e-3);
            seen.taken[1] = plb_task_shorten(task, PART, 0.0);
        } while (tasks_ahead() > 0);
        seen.taken[2] = plb_task_shorten(task, UNITS + 1, 0.0);
        count = PART;
    }
    for (int64_t i = 0; i < count; i++)
        seen.executed[task->first + i]++;
    if (first)
        await_gate();
    return 0;
}

/* --------------------------------------------------------------------- node */

static const char *pin(const struct plb_device *d, void *memory, size_t bytes)
{
    (void)d, (void)memory, (void)bytes;
    if (atomic_exchange(&seen.loses, false)) {
        pthread_mutex_lock(&seen.node->shared.lock);
        seen.node->runners[0].running[0].lost = true;
        pthread_mutex_unlock(&seen.node->shared.lock);
    }
    return NULL;
}

static void unpin(void *memory)
{
    (void)memory;
}

static int one(const char **why)
{
    (void)why;
    return 1;
}

static const struct plb_device_driver real = {
    .name = "real", .entry = stub_entry, .count = one, .ops = {STUB_OPS, .pin = pin, .unpin = unpin}};
static const struct plb_device_driver emulates = {.name = "emulates", .entry = stub_entry, .ops = {STUB_OPS}};

static void no_put(void *context, int to, int tag, const void *data, size_t bytes, int *pending)
{
    (void)context, (void)to, (void)tag, (void)data, (void)bytes, (void)pending;
}

static void receive(struct plb_outbox *box)
{
    struct plb_outbox out = {0};
    assert_true(plb_node_receive(seen.node, &box->at[0], &out));
    plb_outbox_fini(&out);
    plb_outbox_fini(box);
}

/* A node of rank 1 executes tasks of `grain` units. */
static void start(const struct plb_device_driver *driver, plb_entry_fn entry, int64_t grain)
{
    static struct plb_kernel kernel = {.name = "reports", PLB_KERNEL_HEAD, .unit = "units"};
    static struct plb_dataset set = {.n = 2,
                                     .units = UNITS,
                                     .at = {{.name = "out", .mode = PLB_OUTPUT, .unit_bytes = sizeof(double)},
                                            {.name = "log", .mode = PLB_RECORDS}}};
    static const struct plb_cost_map map = {.units = UNITS, .bucket = 1, .n = UNITS, .per_work = 1.0};
    struct plb_node_pu pu = {
        .driver = driver, .device.config.threads = 1, .info = {.node = 1, .power = 1.0, .memory = 1e9}};
    struct plb_node_config config = {
        .rank = 1, .n_nodes = 2, .kernel = &kernel, .data = &set, .maps = &map, .wire.put = no_put};
    struct plb_error err = {.status = PLB_OK};
    struct plb_outbox box = {0}, next = {0};
    kernel.cpu = entry;
    seen.done = 0;
    seen.left = false;
    memset(seen.executed, 0, sizeof seen.executed);
    atomic_store(&seen.begun, 0);
    atomic_store(&seen.open, false);
    alarm(DEADLOCK);
    assert_int_equal(plb_node_start(&config, &pu, 1, &seen.node, &err), PLB_OK);
    plb_outbox_add(&box, PLB_PASS, 0, 1, 1);
    receive(&box);
    plb_outbox_add(&next, PLB_BLOCK, 0, 1, 1)->block = (struct plb_block){.range = {0, UNITS},
                                                                          .grain = grain};
    receive(&next);
}

static void step(void)
{
    plb_node_step(seen.node, &seen.out);
    for (int i = 0; i < seen.out.n; i++) {
        seen.left |= seen.out.at[i].type == PLB_FAIL || seen.out.at[i].type == PLB_LEAVE;
        seen.done += seen.out.at[i].type == PLB_DONE ? seen.out.at[i].done.range.count : 0;
    }
    seen.out.n = 0;
    plb_node_wait(seen.node, 1e-3);
}

static void await_begin(void)
{
    while (atomic_load(&seen.begun) == 0)
        step();
}

static void await_done(int64_t units)
{
    while (seen.done < units)
        step();
    assert_int_equal(seen.done, units);
}

static void stop(void)
{
    plb_node_stop(seen.node);
    plb_node_free(seen.node);
    plb_outbox_fini(&seen.out);
    alarm(0);
}

/* -------------------------------------------------------------------- tests */

static void a_part_counts_before_its_task_has_ended(void **state)
{
    (void)state;
    start(&real, reports_a_part, UNITS);
    await_done(PART);
    atomic_store(&seen.open, true);
    await_done(UNITS);
    assert_true(seen.taken[0]);
    stop();
}

/* The PU was given up while the part's results were copied: all units are executed elsewhere. */
static void a_part_of_a_task_that_is_lost_does_not_count(void **state)
{
    (void)state;
    start(&real, is_lost_when_it_reports, UNITS);
    await_begin();
    for (int i = 0; i < 20; i++)
        step();
    assert_false(atomic_load(&seen.loses));
    assert_int_equal(seen.done, 0);
    stop();
}

/* A time counts only where it can have passed since the task began, or since the last part. */
static void a_part_with_a_time_that_cannot_be_is_refused(void **state)
{
    (void)state;
    start(&real, reports_strange_times, UNITS);
    await_begin();
    for (int i = 0; i < 7; i++)
        assert_int_equal(seen.taken[i], i == 4 || i == 6);
    atomic_store(&seen.open, true);
    await_done(UNITS);
    stop();
}

/* Its memory has room for the rest alone, so that it cannot be executed from its first unit again. */
static void a_task_that_reported_a_part_is_not_tried_again(void **state)
{
    (void)state;
    start(&real, reports_and_finds_no_memory, UNITS);
    await_done(PART);
    while (!seen.left)
        step();
    assert_true(seen.taken[0]);
    assert_int_equal(atomic_load(&seen.begun), 1);
    stop();
}

/* A driver whose PUs a .cluster file lists waits after the entry, and the entry does not know how long. */
static void a_pu_that_is_emulated_takes_no_part(void **state)
{
    (void)state;
    start(&emulates, reports_a_part, UNITS);
    await_begin();
    atomic_store(&seen.open, true);
    await_done(UNITS);
    assert_false(seen.taken[0]);
    stop();
}

static double units_queued(void)
{
    pthread_mutex_lock(&seen.node->shared.lock);
    double units = plb_worker_queued(seen.node->shared.worker);
    pthread_mutex_unlock(&seen.node->shared.lock);
    return units;
}

static void units_behind_a_long_one_are_in_the_queue_again(void **state)
{
    (void)state;
    for (int64_t grain = PART; grain <= UNITS; grain += UNITS - PART) {
        start(&real, shortens, grain);
        await_begin();
        for (int i = 0; i < 10000 && (tasks_ahead() > 0 || units_queued() != UNITS - PART); i++)
            step(); /* a millisecond each */
        assert_int_equal(tasks_ahead(), 0);
        assert_true(units_queued() == UNITS - PART);
        atomic_store(&seen.open, true);
        await_done(UNITS);
        for (int i = 0; i < 3; i++)
            assert_int_equal(seen.taken[i], i == 1);
        for (int i = 0; i < UNITS; i++)
            assert_int_equal(seen.executed[i], 1);
        stop();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_counts_before_its_task_has_ended),
        cmocka_unit_test(a_part_of_a_task_that_is_lost_does_not_count),
        cmocka_unit_test(a_part_with_a_time_that_cannot_be_is_refused),
        cmocka_unit_test(a_task_that_reported_a_part_is_not_tried_again),
        cmocka_unit_test(a_pu_that_is_emulated_takes_no_part),
        cmocka_unit_test(units_behind_a_long_one_are_in_the_queue_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
