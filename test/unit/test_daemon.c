/* A node with stub devices and a stub wire: what its threads may do at the same time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "node/daemon.h"
#include "stub_device.h"

#define UNITS 100
#define DEADLOCK 60 /* seconds after which a test that hangs is ended */
#define PATIENT 10  /* seconds that the page-locking of one PU waits for a task of the other */

/* The other end of the wire, and what the stub devices have seen. */
static struct {
    struct plb_node *node;
    double in[UNITS], out[UNITS];
    int gets, puts;
    bool takes_lock; /* the wire takes the node's lock */
    pthread_mutex_t lock;
    pthread_cond_t executed;
    int tasks;      /* that a device was asked to run */
    size_t largest; /* bytes of inputs and outputs of a task */
    int pins;
    bool in_vain; /* a pin has waited for a task until the end of its patience */
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER, .executed = PTHREAD_COND_INITIALIZER};

/* ------------------------------------------------------------------ devices */

/* Notes a task that a device is asked to run. */
static void note(const struct plb_task *task)
{
    size_t bytes = task->bytes[0] + task->bytes[1];
    pthread_mutex_lock(&seen.lock);
    seen.tasks++;
    seen.largest = bytes > seen.largest ? bytes : seen.largest;
    pthread_cond_broadcast(&seen.executed);
    pthread_mutex_unlock(&seen.lock);
}

/* The first call returns when another PU has executed a task, or its patience is at an end. */
static const char *slow_pin(const struct plb_device *d, void *memory, size_t bytes)
{
    (void)d;
    (void)memory;
    (void)bytes;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENT;
    pthread_mutex_lock(&seen.lock);
    int waited = 0;
    while (seen.pins == 0 && seen.tasks == 0 && waited == 0)
        waited = pthread_cond_timedwait(&seen.executed, &seen.lock, &end);
    seen.in_vain = seen.in_vain || waited == ETIMEDOUT;
    seen.pins++;
    pthread_mutex_unlock(&seen.lock);
    return NULL;
}

static void no_unpin(void *memory)
{
    (void)memory;
}

static const struct plb_device_driver quick = {.name = "quick", .entry = stub_entry, .ops = {STUB_OPS}};
static const struct plb_device_driver pinning = {
    .name = "pinning", .entry = stub_entry, .ops = {STUB_OPS, .pin = slow_pin, .unpin = no_unpin}};

/* --------------------------------------------------------------------- wire */

/* plb_node_outlook takes the node's lock: it hangs where the caller holds it. */
static void take_lock(void)
{
    if (seen.takes_lock)
        plb_node_outlook(seen.node);
}

/* Both ends of a transfer at once. */
static void stub_get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    const struct plb_range *range = context; /* of the only task on its way */
    (void)from, (void)tag;
    (void)pending;
    take_lock();
    assert_true(bytes <= sizeof seen.in);
    memcpy(data, seen.in + range->first, bytes);
    seen.gets++;
}

static void stub_put(void *context, int to, int tag, const void *data, size_t bytes, int *pending)
{
    const struct plb_range *range = context;
    (void)to, (void)tag;
    (void)pending;
    take_lock();
    assert_true(bytes <= sizeof seen.out);
    memcpy(seen.out + range->first, data, bytes);
    seen.puts++;
}

/* --------------------------------------------------------------------- node */

static int twice(const struct plb_task *task)
{
    const double *in = task->data[0];
    double *out = task->data[1];
    for (int64_t i = 0; i < task->count; i++)
        out[i] = 2.0 * in[i];
    return 0;
}

/* Fails once nobody wants its results. */
static int until_told(const struct plb_task *task)
{
    while (!plb_task_cancelled(task))
        plb_sleep_until(plb_now() + 1e-3);
    return 1;
}

static atomic_bool open_gate;

/* Waits until a test lets it end; fails where it is cancelled before. */
static int until_open(const struct plb_task *task)
{
    while (!atomic_load(&open_gate) && !plb_task_cancelled(task))
        plb_sleep_until(plb_now() + 1e-3);
    return plb_task_cancelled(task) ? 1 : twice(task);
}

static const struct plb_kernel kernel = {.name = "twice", PLB_KERNEL_HEAD, .unit = "units", .cpu = twice};
static const struct plb_kernel told_kernel = {
    .name = "told", PLB_KERNEL_HEAD, .unit = "units", .cpu = until_told};
static const struct plb_kernel gated_kernel = {
    .name = "gated", PLB_KERNEL_HEAD, .unit = "units", .cpu = until_open};
static struct plb_dataset equal = {.n = 2,
                                   .units = UNITS,
                                   .at = {{.name = "in", .mode = PLB_PARTITION, .unit_bytes = sizeof(double)},
                                          {.name = "out", .mode = PLB_OUTPUT, .unit_bytes = sizeof(double)}}};
static const struct plb_cost_map map = {.units = UNITS, .bucket = 1, .n = UNITS, .per_work = 1.0};

/* How a test's node is. */
struct setup {
    struct plb_dataset *set;
    const struct plb_kernel *kernel; /* NULL: the usual one */
    struct plb_range *range;         /* the wire moves the data of this range */
    bool takes_lock;                 /* see seen.takes_lock */
    bool migrates;
    double memory; /* bytes of each PU */
};

static void receive(const struct plb_message *m)
{
    struct plb_outbox out = {0};
    assert_true(plb_node_receive(seen.node, m, &out));
    assert_int_equal(out.n, 0);
    plb_outbox_fini(&out);
}

/* A node of rank 1 that has these devices, in its first pass. */
static void start(const struct plb_device_driver *const *drivers, int n, const struct setup *setup)
{
    struct plb_node_pu pus[2];
    struct plb_error err = {.status = PLB_OK};
    struct plb_outbox box = {0};
    struct plb_node_config config = {.rank = 1,
                                     .n_nodes = 2,
                                     .kernel = setup->kernel != NULL ? setup->kernel : &kernel,
                                     .data = setup->set,
                                     .maps = &map,
                                     .wire = {.context = setup->range, .get = stub_get, .put = stub_put},
                                     .migration = {.on = setup->migrates}};
    for (int p = 0; p < n; p++)
        pus[p] = (struct plb_node_pu){.driver = drivers[p],
                                      .device.config.threads = 1,
                                      .info = {.node = 1, .local = p, .power = 1.0, .memory = setup->memory}};
    for (int i = 0; i < UNITS; i++)
        seen.in[i] = i;
    memset(seen.out, 0, sizeof seen.out);
    seen.gets = seen.puts = seen.tasks = seen.pins = 0;
    seen.largest = 0;
    seen.in_vain = false;
    seen.takes_lock = setup->takes_lock;
    stub_device.before = note;
    alarm(DEADLOCK);
    assert_int_equal(plb_node_start(&config, pus, n, &seen.node, &err), PLB_OK);
    plb_outbox_add(&box, PLB_PASS, 0, 1, 1);
    receive(&box.at[0]);
    plb_outbox_fini(&box);
}

static void grant(int pu, struct plb_range range)
{
    struct plb_outbox box = {0};
    struct plb_message *m = plb_outbox_add(&box, PLB_BLOCK, 0, 1, 1);
    m->pu = pu;
    m->block = (struct plb_block){.range = range, .id = pu, .grain = range.count};
    receive(m);
    plb_outbox_fini(&box);
}

static void give(struct plb_range range)
{
    struct plb_outbox box = {0};
    struct plb_message *m = plb_outbox_add(&box, PLB_GIFT, 0, 1, 1);
    m->gifts = (struct plb_gifts){.n = 1, .thief = 1, .at[0] = {.range = range, .block = 7, .hop = 1}};
    receive(m);
    plb_outbox_fini(&box);
}

/* Nothing is left to grant, and PU 0 works best in tasks of `least` units or more. */
static void say_empty(int64_t least)
{
    struct plb_outbox box = {0};
    plb_outbox_add(&box, PLB_EMPTY, 0, 1, 1)->empty.least[0] = least;
    receive(&box.at[0]);
    plb_outbox_fini(&box);
}

/* Steps until so many units are reported. */
static void await_units(int64_t units)
{
    struct plb_outbox out = {0};
    while (units > 0) {
        plb_node_step(seen.node, &out);
        for (int i = 0; i < out.n; i++)
            units -= out.at[i].type == PLB_DONE ? out.at[i].done.range.count : 0;
        out.n = 0;
        plb_node_wait(seen.node, 1e-3);
    }
    plb_outbox_fini(&out);
}

static void stop(void)
{
    plb_node_stop(seen.node);
    plb_node_free(seen.node);
    alarm(0);
}

/* -------------------------------------------------------------------- tests */

static void the_wire_is_used_without_the_lock(void **state)
{
    (void)state;
    struct plb_range range = {20, 30};
    struct setup setup = {.set = &equal, .range = &range, .takes_lock = true, .memory = 1e9};
    start((const struct plb_device_driver *const[]){&quick}, 1, &setup);
    grant(0, range);
    await_units(range.count);
    assert_true(seen.gets == 1 && seen.puts == 1);
    for (int i = 0; i < UNITS; i++)
        assert_true(seen.out[i] == (i >= 20 && i < 50 ? 2.0 * i : 0.0));
    stop();
}

static void pages_are_locked_without_the_lock(void **state)
{
    (void)state;
    struct plb_range all = {0, UNITS};
    struct setup setup = {.set = &equal, .range = &all, .memory = 1e9};
    start((const struct plb_device_driver *const[]){&quick, &pinning}, 2, &setup);
    grant(0, (struct plb_range){0, 10});
    grant(1, (struct plb_range){10, 10});
    await_units(20);
    assert_true(seen.pins > 0);
    assert_false(seen.in_vain);
    stop();
}

/* The first half of the units is heavy, the other half light, and the PU has memory for three tasks of four
 * heavy units. Whatever brings the units, no task has more bytes; light ones come in larger numbers. */
static void a_task_fits_the_memory_of_its_pu(void **state)
{
    (void)state;
    enum { LIGHT = 1, HEAVY = 20 };
    int64_t offsets[UNITS + 1] = {0};
    struct plb_range all = {0, UNITS};
    for (int u = 0; u < UNITS; u++)
        offsets[u + 1] = offsets[u] + (u < UNITS / 2 ? HEAVY : LIGHT);
    struct plb_dataset unequal = {
        .n = 3,
        .units = UNITS,
        .host = {NULL, NULL, offsets},
        .at = {{.name = "in", .mode = PLB_PARTITION_INDEXED, .offsets = 2, .element_bytes = sizeof(double)},
               {.name = "out", .mode = PLB_OUTPUT, .unit_bytes = sizeof(double)},
               {.name = "offsets", .mode = PLB_REPLICATE, .bytes = sizeof offsets}}};
    size_t four = 4 * (HEAVY + 1) * sizeof(double);
    struct setup setup = {.set = &unequal,
                          .range = &all,
                          .migrates = true,
                          .memory = (double)sizeof offsets + PLB_TASKS_IN_MEMORY * (double)four};
    start((const struct plb_device_driver *const[]){&quick}, 1, &setup);
    grant(0, (struct plb_range){0, 20});
    await_units(20);
    assert_int_equal(seen.largest, four);
    give((struct plb_range){20, 15});
    await_units(15);
    assert_int_equal(seen.largest, four);
    seen.tasks = 0;
    grant(0, (struct plb_range){UNITS / 2, 40});
    await_units(40);
    assert_int_equal(seen.tasks, 1);
    say_empty(10);
    give((struct plb_range){35, 15});
    await_units(15);
    assert_int_equal(seen.largest, four);
    stop();
}

/* The node executes a task of ten units that does not end by itself. */
static void start_task(const struct plb_kernel *endless, struct plb_outbox *out)
{
    static struct plb_range all = {0, UNITS};
    struct setup setup = {.set = &equal, .kernel = endless, .range = &all, .memory = 1e9};
    start((const struct plb_device_driver *const[]){&quick}, 1, &setup);
    grant(0, (struct plb_range){0, 10});
    while (!plb_node_works(seen.node, 1, 2)) {
        plb_node_step(seen.node, out);
        plb_node_wait(seen.node, 1e-3);
    }
}

static void await_rest(void)
{
    while (plb_node_works(seen.node, 1, 2))
        plb_node_wait(seen.node, 1e-3);
}

/* An entry that was told that nobody wants its results may return any number: that is no failure. */
static void a_task_that_was_told_does_not_fail(void **state)
{
    (void)state;
    struct plb_outbox out = {0};
    start_task(&told_kernel, &out);
    plb_node_rest(seen.node, true);
    await_rest();
    plb_node_step(seen.node, &out);
    for (int i = 0; i < out.n; i++)
        assert_true(out.at[i].type != PLB_FAIL && out.at[i].type != PLB_DONE);
    plb_outbox_fini(&out);
    stop();
}

/* The run is to end: what runs is reported, and what waits does not start. */
static void a_rest_lets_a_task_end(void **state)
{
    (void)state;
    struct plb_outbox out = {0};
    atomic_store(&open_gate, false);
    start_task(&gated_kernel, &out);
    grant(0, (struct plb_range){10, 10});
    while (seen.gets < 2) /* the next task is ready */
        plb_node_step(seen.node, &out);
    out.n = 0;
    plb_node_rest(seen.node, false);
    grant(0, (struct plb_range){20, 10});
    atomic_store(&open_gate, true);
    await_units(10);
    for (int i = 0; i < 20; i++, plb_node_wait(seen.node, 1e-3))
        plb_node_step(seen.node, &out);
    assert_int_equal(out.n, 0);
    assert_int_equal(seen.tasks, 1);
    assert_false(plb_node_works(seen.node, 1, 2));
    plb_outbox_fini(&out);
    stop();
}

/* In the middle of a pass: its PU is wanted. */
static void a_task_that_nobody_wants_is_told(void **state)
{
    (void)state;
    struct plb_outbox out = {0};
    start_task(&told_kernel, &out);
    plb_outbox_add(&out, PLB_CANCEL, 0, 1, 1)->cancel.range = (struct plb_range){0, 10};
    receive(&out.at[out.n - 1]);
    await_rest();
    plb_outbox_fini(&out);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_that_was_told_does_not_fail),
        cmocka_unit_test(a_rest_lets_a_task_end),
        cmocka_unit_test(a_task_that_nobody_wants_is_told),
        cmocka_unit_test(pages_are_locked_without_the_lock),
        cmocka_unit_test(the_wire_is_used_without_the_lock),
        cmocka_unit_test(a_task_fits_the_memory_of_its_pu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
