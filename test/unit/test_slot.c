/* The host memory of a slot, and when a device is closed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <unistd.h>

#include "base/clock.h"
#include "node/daemon.h"
#include "node/pu/slot.h"
#include "stub_device.h"

#define UNITS 1000
#define UNIT_BYTES 8192 /* more than a page */
#define DEADLOCK 30     /* seconds after which a test that hangs is ended */

static int pins;

static const char *pin(const struct plb_device *d, void *memory, size_t bytes)
{
    (void)d;
    (void)memory;
    (void)bytes;
    pins++;
    return NULL;
}

static void unpin(void *memory)
{
    (void)memory;
}

static void no_get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    (void)from, (void)context;
    (void)tag;
    (void)data;
    (void)bytes;
    (void)pending;
}

/* Tasks grow unit by unit, as blocks do. Locking pages takes the kernel's time. */
static void growing_tasks_lock_pages_three_times(void **state)
{
    (void)state;
    enum { MOST = 800, STEPS = 3 };
    static const struct plb_device_driver driver = {
        .name = "pins", .entry = stub_entry, .ops = {STUB_OPS, .pin = pin, .unpin = unpin}};
    static const struct plb_dataset set = {
        .n = 1, .units = UNITS, .at = {{.name = "in", .mode = PLB_PARTITION, .unit_bytes = UNIT_BYTES}}};
    const struct plb_device_config config = {.threads = 1};
    const struct plb_wire wire = {.get = no_get};
    struct plb_error err = {.status = PLB_OK};
    struct plb_page_locks locks = {.most = 0.0};
    struct plb_executor e;
    struct plb_slot slot = {.state = PLB_SLOT_FREE};
    assert_int_equal(plb_executor_open(&e, &driver, &config, &set, &err), PLB_OK);
    e.places.locks = &locks;
    e.limit = (struct plb_task_limit){INT64_MAX, (double)MOST * UNIT_BYTES};
    for (int64_t count = 1; count <= MOST; count++) {
        slot.task.range = (struct plb_range){0, count};
        plb_slot_bind(&slot, &set, &e, NULL);
        assert_true(plb_slot_pull(&slot, &set, &wire, false));
        assert_true(slot.bytes >= (size_t)count * UNIT_BYTES && slot.bytes <= (size_t)MOST * UNIT_BYTES);
        assert_true(slot.bytes <= (size_t)MOST / 16 * UNIT_BYTES + 1
                    || slot.bytes < (size_t)count * UNIT_BYTES * 4);
    }
    assert_int_equal(pins, STEPS);
    assert_true(slot.bytes == (size_t)MOST * UNIT_BYTES && locks.bytes == slot.bytes);
    plb_slot_fini(&slot, &e);
    assert_int_equal(locks.bytes, 0);
    plb_executor_close(&e);
}

static int received, sent;

static void count_get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    no_get(context, from, tag, data, bytes, pending);
    assert_int_equal(bytes, 3 * 24);
    received++;
}

static void count_put(void *context, int to, int tag, const void *data, size_t bytes, int *pending)
{
    no_get(context, to, tag, (void *)data, bytes, pending);
    assert_int_equal(bytes, 3 * 8);
    sent++;
}

/* One input and one output are whole on this rank: they are neither pulled nor sent, and take no memory. */
static void what_is_in_place_does_not_travel(void **state)
{
    (void)state;
    static const struct plb_device_driver driver = {.name = "stub", .entry = stub_entry, .ops = {STUB_OPS}};
    static const struct plb_dataset set = {.n = 4,
                                           .units = UNITS,
                                           .whole = PLB_BUFFER(0) | PLB_BUFFER(2),
                                           .at = {{.mode = PLB_PARTITION, .unit_bytes = 4096},
                                                  {.mode = PLB_PARTITION, .unit_bytes = 24},
                                                  {.mode = PLB_OUTPUT, .unit_bytes = 4096},
                                                  {.mode = PLB_OUTPUT, .unit_bytes = 8}}};
    const struct plb_device_config config = {.threads = 1};
    const struct plb_wire wire = {.get = count_get, .put = count_put};
    struct plb_error err = {.status = PLB_OK};
    struct plb_executor e;
    struct plb_slot slot = {.task.range = {100, 3}};
    assert_int_equal(plb_executor_open(&e, &driver, &config, &set, &err), PLB_OK);
    e.limit = (struct plb_task_limit){INT64_MAX, 1e6};
    plb_slot_bind(&slot, &set, &e, NULL);
    assert_true(plb_slot_pull(&slot, &set, &wire, false));
    assert_int_equal(slot.pulls, PLB_BUFFER(1));
    plb_slot_send(&slot, &set, &wire);
    assert_true(received == 1 && sent == 1);
    assert_true(slot.bytes <= 1024);
    assert_null(plb_slot_buffer(&slot, &set, 0, 101));
    assert_null(plb_slot_buffer(&slot, &set, 2, 101));
    assert_ptr_equal(plb_slot_buffer(&slot, &set, 1, 102), (char *)slot.buffer[1] + 48);
    assert_ptr_equal(plb_slot_buffer(&slot, &set, 3, 102), (char *)slot.buffer[3] + 16);
    plb_slot_fini(&slot, &e);
    plb_executor_close(&e);
}

/* Locked memory has a limit; beyond it, buffers are as good, and copies take longer. */
static void locked_memory_has_a_limit(void **state)
{
    (void)state;
    static const struct plb_device_ops ops = {STUB_OPS, .pin = pin, .unpin = unpin};
    static char memory[100];
    struct plb_page_locks locks = {.most = 250.0};
    pins = 0;
    assert_true(plb_page_lock(&locks, &ops, NULL, memory, 100));
    assert_true(plb_page_lock(&locks, &ops, NULL, memory, 100));
    assert_false(plb_page_lock(&locks, &ops, NULL, memory, 100));
    assert_true(pins == 2 && locks.bytes == 200);
    plb_page_unlock(&locks, &ops, memory, 100);
    assert_true(plb_page_lock(&locks, &ops, NULL, memory, 100));
    assert_true(pins == 3);
}

/* A kernel's library keeps a handle for the thread, which is released when the thread ends. */
static pthread_key_t handle;
static bool closed, handle_outlived;

static void release_handle(void *value)
{
    (void)value;
    handle_outlived = closed;
}

static void note_closed(struct plb_device *d)
{
    (void)d;
    closed = true;
}

static int keep_handle(const struct plb_task *task)
{
    (void)task;
    pthread_setspecific(handle, &handle);
    return 0;
}

static void a_device_is_closed_after_what_its_thread_keeps(void **state)
{
    (void)state;
    static const struct plb_device_driver driver = {.name = "stub",
                                                    .entry = stub_entry,
                                                    .ops = {.lanes = 1,
                                                            .open = stub_open,
                                                            .close = note_closed,
                                                            .memory = stub_memory,
                                                            .launch = stub_launch,
                                                            .wait = stub_wait,
                                                            .empty = {.name = "empty", .cpu = keep_handle}}};
    static const struct plb_kernel kernel = {
        .name = "k", PLB_KERNEL_HEAD, .unit = "units", .cpu = keep_handle};
    static const struct plb_dataset set = {
        .n = 1, .units = UNITS, .at = {{.name = "out", .mode = PLB_OUTPUT, .unit_bytes = 8}}};
    static const struct plb_cost_map map = {.units = UNITS, .bucket = 1, .n = UNITS, .per_work = 1.0};
    struct plb_error err = {.status = PLB_OK};
    struct plb_node *node;
    struct plb_node_pu pu = {.driver = &driver, .device.config.threads = 1};
    struct plb_node_config config = {
        .rank = 1, .n_nodes = 2, .kernel = &kernel, .data = &set, .maps = &map, .wire = {.get = no_get}};
    pu.info = (struct plb_pu_info){.node = 1, .power = 1.0, .memory = 1e9};
    assert_int_equal(pthread_key_create(&handle, release_handle), 0);
    alarm(DEADLOCK);
    handle_outlived = true;
    assert_int_equal(plb_node_start(&config, &pu, 1, &node, &err), PLB_OK);
    plb_node_stop(node);
    assert_true(plb_node_free(node));
    alarm(0);
    assert_true(closed);
    assert_false(handle_outlived);
    pthread_key_delete(handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing_tasks_lock_pages_three_times),
        cmocka_unit_test(what_is_in_place_does_not_travel),
        cmocka_unit_test(locked_memory_has_a_limit),
        cmocka_unit_test(a_device_is_closed_after_what_its_thread_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
