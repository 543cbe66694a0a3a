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
#include "node/resident.h"

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
                                .owner = true,
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
                 {change_factor, "it changed its buffer 0, which is an input, and for reading alone"},
                 {change_units, "it changed its buffer 1, which is an input, and for reading alone"},
                 {change_halo, "it changed its buffer 1, which is an input, and for reading alone"},
                 {change_block, "it changed its constant block, which is for reading alone"}};
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

static int open_apart(const struct plb_device_config *config, struct plb_device **device,
                      struct plb_error *err)
{
    (void)config;
    (void)err;
    *device = NULL;
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

static int copy(struct plb_device *d, int lane, void *to, const void *from, size_t bytes)
{
    (void)d;
    (void)lane;
    memcpy(to, from, bytes);
    return 0;
}

static int launch(struct plb_device *d, int lane, const struct plb_phase *phase, const struct plb_task *task)
{
    (void)d;
    (void)lane;
    return phase->cpu(task);
}

static int await(struct plb_device *d, int lane, struct plb_device_times *times)
{
    (void)d;
    (void)lane;
    *times = (struct plb_device_times){0};
    return 0;
}

static plb_entry_fn entry_of(const struct plb_phase *phase)
{
    return phase->cpu;
}

static const struct plb_device_driver apart = {.name = "apart",
                                               .entry = entry_of,
                                               .ops = {.lanes = 1,
                                                       .open = open_apart,
                                                       .close = close_apart,
                                                       .host_memory = not_on_host,
                                                       .memory = endless,
                                                       .alloc = take,
                                                       .free = let_go,
                                                       .copy_in = copy,
                                                       .copy_out = copy,
                                                       .launch = launch,
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
            struct plb_phase phase = {.name = "look", .cpu = changes > 0 ? change_factor : read_only};
            const struct plb_device_config config = {.threads = 1};
            factor = 3.0;
            assert_int_equal(plb_executor_open(&e, &apart, &config, &set, &err), PLB_OK);
            assert_int_equal(plb_resident_update(&e, -1, &err), PLB_OK);
            e.guards_inputs = guards;
            plb_executor_cancel(&e, 0, changes > 1);
            assert_int_equal(plb_executor_submit(&e, 0, &phase, (struct plb_range){10, 5}, NULL), 0);
            assert_int_equal(plb_resident_check(&e, 0), guards && changes == 1);
            assert_int_equal(strstr(e.why, "it changed its buffer 0") != NULL, guards && changes == 1);
            assert_true(factor == 3.0);
            plb_executor_close(&e);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_that_changes_its_input_is_seen),
        cmocka_unit_test(a_replicated_buffer_on_a_device_is_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
