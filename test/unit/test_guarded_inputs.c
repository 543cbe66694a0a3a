/* Entries that change what they may only read, on a device that works in host memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/driver.h"
#include "node/executor.h"

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
    struct plb_dataset set = {.n = 3,
                              .owner = true,
                              .units = UNITS,
                              .host = {&factor, in, out},
                              .args_bytes = sizeof block,
                              .at = {{.mode = PLB_REPLICATE, .bytes = sizeof factor},
                                     {.mode = PLB_PARTITION, .unit_bytes = sizeof *in, .before = 1},
                                     {.mode = PLB_OUTPUT, .unit_bytes = sizeof *out}}};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_that_changes_its_input_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
