/* A node with stub devices and a stub wire: what its threads may do at the same time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "node/daemon.h"

#define UNITS 100
#define DEADLOCK 60         /* seconds after which a test that hangs is ended */
#define PATIENT 10          /* seconds that the page-locking of one PU waits for a task of the other */

/* The other end of the wire, and what the stub devices have seen. */
static struct {
    struct plb_node *node;
    double in[UNITS], out[UNITS];
    int gets, puts;
    bool takes_lock;        /* the wire takes the node's lock */
    pthread_mutex_t lock;
    pthread_cond_t executed;
    int tasks;              /* that a device was asked to run */
    int pins;
    bool in_vain;           /* a pin has waited for a task until the end of its patience */
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER, .executed = PTHREAD_COND_INITIALIZER};

/* ------------------------------------------------------------------ devices */

struct plb_device { int unused; };
static struct plb_device device;

static int stub_open(const struct plb_device_config *config, struct plb_device **opened,
                     struct plb_error *err)
{
    (void)config;
    (void)err;
    *opened = &device;
    return PLB_OK;
}

static void stub_close(struct plb_device *d) { (void)d; }
static bool stub_host_memory(const struct plb_device *d) { (void)d; return true; }
static double stub_memory(const struct plb_device *d) { (void)d; return 1e9; }
static bool stub_done(struct plb_device *d, int lane) { (void)d; (void)lane; return true; }

static int stub_launch(struct plb_device *d, int lane, const struct plb_phase *phase,
                       const struct plb_task *task)
{
    (void)d;
    (void)lane;
    pthread_mutex_lock(&seen.lock);
    seen.tasks++;
    pthread_cond_broadcast(&seen.executed);
    pthread_mutex_unlock(&seen.lock);
    return phase->cpu(task);
}

static int stub_wait(struct plb_device *d, int lane, struct plb_device_times *times)
{
    (void)d;
    (void)lane;
    *times = (struct plb_device_times){.execute_s = 1e-3};
    return 0;
}

/* The first call returns when another PU has executed a task, or its patience is at an end. */
static void slow_pin(const struct plb_device *d, void *memory, size_t bytes)
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
}

static void no_unpin(void *memory) { (void)memory; }

static plb_entry_fn stub_entry(const struct plb_phase *phase) { return phase->cpu; }

#define STUB_OPS .lanes = 1, .open = stub_open, .close = stub_close, .host_memory = stub_host_memory, \
                 .memory = stub_memory, .launch = stub_launch, .done = stub_done, .wait = stub_wait
static const struct plb_device_driver quick = {.name = "quick", .entry = stub_entry, .ops = {STUB_OPS}};
static const struct plb_device_driver pinning = {.name = "pinning", .entry = stub_entry,
                                                 .ops = {STUB_OPS, .pin = slow_pin, .unpin = no_unpin}};

/* --------------------------------------------------------------------- wire */

/* plb_node_attention takes the node's lock: it hangs where the caller holds it. */
static void take_lock(void)
{
    if (seen.takes_lock)
        plb_node_attention(seen.node);
}

/* Both ends of a transfer at once. */
static void stub_get(void *context, int tag, void *data, size_t bytes, int *pending)
{
    const struct plb_range *range = context; /* of the only task on its way */
    (void)tag;
    (void)pending;
    take_lock();
    assert_true(bytes <= sizeof seen.in);
    memcpy(data, seen.in + range->first, bytes);
    seen.gets++;
}

static void stub_put(void *context, int tag, const void *data, size_t bytes, int *pending)
{
    const struct plb_range *range = context;
    (void)tag;
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

static const struct plb_kernel kernel = {PLB_KERNEL_HEAD, .name = "twice", .unit = "units", .cpu = twice};
static struct plb_dataset data = {.n = 2, .units = UNITS,
    .at = {{.name = "in", .mode = PLB_PARTITION, .unit_bytes = sizeof(double)},
           {.name = "out", .mode = PLB_OUTPUT, .unit_bytes = sizeof(double)}}};
static const struct plb_cost_map map = {.units = UNITS, .bucket = 1, .n = UNITS, .per_work = 1.0};

/* A node of rank 1 that has these devices; the wire moves the data of `range`. */
static void start(const struct plb_device_driver *const *drivers, int n, struct plb_range *range,
                  bool takes_lock)
{
    struct plb_node_pu pus[2];
    struct plb_error err = {.status = PLB_OK};
    struct plb_node_config config = {.rank = 1, .n_nodes = 2, .kernel = &kernel, .data = &data, .maps = &map,
                                     .wire = {range, stub_get, stub_put}};
    for (int p = 0; p < n; p++)
        pus[p] = (struct plb_node_pu){.driver = drivers[p], .device.config.threads = 1,
                                      .info = {.node = 1, .local = p, .power = 1.0, .memory = 1e9}};
    for (int i = 0; i < UNITS; i++)
        seen.in[i] = i;
    memset(seen.out, 0, sizeof seen.out);
    seen.gets = seen.puts = seen.tasks = seen.pins = 0;
    seen.in_vain = false;
    seen.takes_lock = takes_lock;
    alarm(DEADLOCK);
    assert_int_equal(plb_node_start(&config, pus, n, &seen.node, &err), PLB_OK);
    plb_node_pass(seen.node, 1, 0, 0);
}

static void grant(int pu, struct plb_range range)
{
    struct plb_outbox out = {0};
    struct plb_message m = {.type = PLB_BLOCK, .to = 1, .pu = pu, .pass = 1, .range = range,
                            .grain = range.count};
    plb_node_receive(seen.node, &m, &out);
    assert_int_equal(out.n, 0);
}

/* Steps until so many units are reported. */
static void await_units(int64_t units)
{
    struct plb_outbox out = {0};
    while (units > 0) {
        plb_node_step(seen.node, &out);
        for (int i = 0; i < out.n; i++)
            units -= out.at[i].type == PLB_DONE ? out.at[i].range.count : 0;
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
    start((const struct plb_device_driver *const[]){&quick}, 1, &range, true);
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
    start((const struct plb_device_driver *const[]){&quick, &pinning}, 2, &all, false);
    grant(0, (struct plb_range){0, 10});
    grant(1, (struct plb_range){10, 10});
    await_units(20);
    assert_true(seen.pins > 0);
    assert_false(seen.in_vain);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_locked_without_the_lock),
        cmocka_unit_test(the_wire_is_used_without_the_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
