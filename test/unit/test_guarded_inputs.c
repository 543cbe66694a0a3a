/* Entries that change what they may only read, on devices with and without memory of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/driver.h"
#include "node/pu/executor.h"

extern const struct plb_device_driver plb_device_cpu;

enum { UNITS = 100, FACTOR = 0, IN, OUT };

static double factor, in[UNITS], out[UNITS];
static const char block[] = "constant";

static int read_only(const struct plb_task *task)
{
    double *to = task->data[OUT];
    const double *from = task->data[IN];
    for (int64_t i = 0; i < task->count; i++)
        to[i] = from[i] * *(const double *)task->data[FACTOR];
    return 0;
}

/* Also where the change is the same each time: the second task would not see it. */
static int change_factor(const struct plb_task *task)
{
    *(double *)task->data[FACTOR] = 4.0;
    return read_only(task);
}

static int change_units(const struct plb_task *task)
{
    ((double *)task->data[IN])[task->count - 1] = -1.0;
    return read_only(task);
}

static int change_halo(const struct plb_task *task)
{
    ((double *)task->data[IN])[-1] = -1.0;
    return read_only(task);
}

static int change_block(const struct plb_task *task)
{
    *(char *)task->args = 'C';
    return read_only(task);
}

static struct plb_dataset dataset(void)
{
    return (struct plb_dataset){.n = 3,
                                .on_rank0 = true,
                                .units = UNITS,
                                .host = {&factor, in, out},
                                .args_bytes = sizeof block,
                                .at = {{.mode = PLB_REPLICATE, .bytes = sizeof factor},
                                       {.mode = PLB_PARTITION, .unit_bytes = sizeof *in, .before = 1},
                                       {.mode = PLB_OUTPUT, .unit_bytes = sizeof *out}}};
}

static void an_entry_that_changes_its_input_is_seen(void **state)
{
    static const struct {
        plb_entry_fn entry;
        const char *why;
    } cases[] = {{read_only, ""},
                 {change_factor, "it changed its buffer 0, which is an input and read-only"},
                 {change_units, "it changed its buffer 1, which is an input and read-only"},
                 {change_halo, "it changed its buffer 1, which is an input and read-only"},
                 {change_block, "it changed its constant block, which is read-only"}};
    struct plb_executor e;
    struct plb_error err = {.status = PLB_OK};
    struct plb_dataset set = dataset();
    (void)state;
    const struct plb_device_config config = {.threads = 1};
    assert_int_equal(plb_executor_open(&e, &plb_device_cpu, &config, &set, &err), PLB_OK);
    for (int guards = 0; guards < 2; guards++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct plb_phase phase = {.name = "look", .cpu = cases[i].entry};
            factor = 3.0;
            for (int u = 0; u < UNITS; u++)
                in[u] = u;
            memcpy(set.args, block, sizeof block);
            e.guards_inputs = guards;
            int status = plb_executor_submit(&e, 0, &phase, (struct plb_range){10, 5}, NULL);
            assert_int_equal(status, guards && i > 0 ? 1 : 0);
            assert_string_equal(e.why, guards ? cases[i].why : "");
        }
    plb_executor_close(&e);
}

/* ------------------------------------------------- a device with memory of its own */

enum { LANES = 3, COPYING = 30, EXECUTING = 20 }; /* seconds */

/* Its clock moves on when somebody waits. Copies of several lanes overlap, launches do not. */
struct plb_device {
    double now, free;                        /* free: when the next launch can begin */
    bool used[LANES];                        /* a task, or copies alone, are in the lane */
    double begun[LANES], ended[LANES], last; /* last: the end of what was waited for */
};

static struct plb_device apart_device;

static int open_apart(const struct plb_device_config *config, struct plb_device **device,
                      struct plb_error *err)
{
    (void)config;
    (void)err;
    apart_device = (struct plb_device){.now = 0.0};
    *device = &apart_device;
    return PLB_OK;
}

static void close_apart(struct plb_device *d)
{
    (void)d;
}

static bool not_on_host(const struct plb_device *d)
{
    (void)d;
    return false;
}

static double endless(const struct plb_device *d)
{
    (void)d;
    return INFINITY;
}

static void *take(struct plb_device *d, size_t bytes)
{
    (void)d;
    return malloc(bytes);
}

static void let_go(struct plb_device *d, void *memory)
{
    (void)d;
    free(memory);
}

static void enqueue(struct plb_device *d, int lane, double free, double seconds)
{
    if (!d->used[lane])
        d->begun[lane] = d->ended[lane] = d->now;
    d->used[lane] = true;
    d->ended[lane] = fmax(fmax(d->ended[lane], d->now), free) + seconds;
}

static int copy(struct plb_device *d, int lane, void *to, const void *from, size_t bytes)
{
    enqueue(d, lane, 0.0, COPYING);
    memcpy(to, from, bytes);
    return 0;
}

static int launch(struct plb_device *d, int lane, const struct plb_phase *phase, const struct plb_task *task)
{
    enqueue(d, lane, d->free, EXECUTING);
    d->free = d->ended[lane];
    return phase->cpu(task);
}

static int finish(struct plb_device *d, int lane)
{
    d->now = fmax(d->now, d->used[lane] ? d->ended[lane] : 0.0);
    return 0;
}

static int await(struct plb_device *d, int lane, struct plb_device_times *times)
{
    double seconds = d->used[lane] ? fmax(d->ended[lane] - fmax(d->begun[lane], d->last), 0.0) : 0.0;
    finish(d, lane);
    if (times != NULL && d->used[lane])
        d->last = fmax(d->last, d->ended[lane]);
    d->used[lane] = false;
    if (times != NULL)
        *times = (struct plb_device_times){.execute_s = fmin(seconds, EXECUTING),
                                           .transfer_s = fmax(seconds - EXECUTING, 0.0)};
    return 0;
}

static plb_entry_fn entry_of(const struct plb_phase *phase)
{
    return phase->cpu;
}

static const struct plb_device_driver apart = {.name = "apart",
                                               .entry = entry_of,
                                               .ops = {.lanes = LANES,
                                                       .open = open_apart,
                                                       .close = close_apart,
                                                       .host_memory = not_on_host,
                                                       .memory = endless,
                                                       .alloc = take,
                                                       .free = let_go,
                                                       .copy_in = copy,
                                                       .copy_out = copy,
                                                       .launch = launch,
                                                       .sync = finish,
                                                       .wait = await}};

/* All later tasks on the device would read it. A task that nobody wants is not looked at. */
static void a_replicated_buffer_on_a_device_is_watched(void **state)
{
    (void)state;
    for (int guards = 0; guards < 2; guards++)
        for (int changes = 0; changes < 3; changes++) {
            struct plb_executor e;
            struct plb_error err = {.status = PLB_OK};
            struct plb_dataset set = dataset();
            struct plb_device_times times;
            struct plb_phase phase = {.name = "look", .cpu = changes > 0 ? change_factor : read_only};
            const struct plb_device_config config = {.threads = 1};
            factor = 3.0;
            assert_int_equal(plb_executor_open(&e, &apart, &config, &set, &err), PLB_OK);
            assert_int_equal(plb_executor_renew(&e, &err), PLB_OK);
            e.guards_inputs = guards;
            plb_executor_cancel(&e, 0, changes > 1);
            assert_int_equal(plb_executor_submit(&e, 0, &phase, (struct plb_range){10, 5}, NULL), 0);
            assert_int_equal(plb_executor_wait(&e, 0, &times), guards && changes == 1);
            assert_int_equal(strstr(e.why, "it changed its buffer 0") != NULL, guards && changes == 1);
            assert_true(factor == 3.0);
            plb_executor_close(&e);
        }
}

/* Tasks that end while the inputs of another one are looked at lose nothing of their time, and the look is
 * time of its task: together they take as long as the device was busy. */
static void the_look_at_inputs_is_time_of_its_task(void **state)
{
    (void)state;
    for (int guards = 0; guards < 2; guards++) {
        struct plb_executor e;
        struct plb_error err = {.status = PLB_OK};
        struct plb_dataset set = dataset();
        struct plb_phase phase = {.name = "look", .cpu = read_only};
        const struct plb_device_config config = {.threads = 1};
        double sum = 0.0;
        assert_int_equal(plb_executor_open(&e, &apart, &config, &set, &err), PLB_OK);
        assert_int_equal(plb_executor_renew(&e, &err), PLB_OK);
        e.guards_inputs = guards;
        const double began = e.device->now;
        for (int task = 0; task < 3 * LANES; task++) {
            struct plb_device_times times;
            if (task >= LANES) {
                assert_int_equal(plb_executor_wait(&e, task % LANES, &times), 0);
                assert_true(times.execute_s == EXECUTING);
                sum += times.execute_s + times.transfer_s;
            }
            if (task < 2 * LANES)
                assert_int_equal(
                    plb_executor_submit(&e, task % LANES, &phase, (struct plb_range){10, 5}, NULL), 0);
        }
        assert_true(sum == e.device->now - began);
        plb_executor_close(&e);
    }
}

/* The first unit of an entry in a lane, which is no task, takes no time from a task in another lane. */
static void a_warm_up_takes_no_time_from_a_task(void **state)
{
    struct plb_executor e;
    struct plb_error err = {.status = PLB_OK};
    struct plb_dataset set = dataset();
    struct plb_phase phase = {.name = "look", .cpu = read_only};
    const struct plb_device_config config = {.threads = 1};
    struct plb_device_times times;
    (void)state;
    assert_int_equal(plb_executor_open(&e, &apart, &config, &set, &err), PLB_OK);
    assert_int_equal(plb_executor_renew(&e, &err), PLB_OK);
    for (int lane = 0; lane < LANES; lane++)
        assert_int_equal(plb_executor_submit(&e, lane, &phase, (struct plb_range){10, 70}, NULL), 0);
    for (int lane = 0; lane < LANES; lane++) {
        assert_int_equal(plb_executor_wait(&e, lane, &times), 0);
        assert_true(times.execute_s == EXECUTING);
    }
    plb_executor_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_that_changes_its_input_is_seen),
        cmocka_unit_test(a_replicated_buffer_on_a_device_is_watched),
        cmocka_unit_test(the_look_at_inputs_is_time_of_its_task),
        cmocka_unit_test(a_warm_up_takes_no_time_from_a_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
