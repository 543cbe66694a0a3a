/* The promises of every device: memory that keeps what is copied into it, results in order, times, and the
 * kernel's own status. Runs over all drivers that were built in, and all their kinds of PUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/empty_task.h"
#include "kinds.h"
#include "lanes.h"
#include "numa_policy.h"
#include "skip.h"

static int failing(const struct plb_task *task)
{
    return (int)task->count;
}

/* Runs `twice` on buffers where the device wants them. */
static void run_twice(const struct kind *k, struct plb_device *d, double *in, double *out, int64_t first)
{
    bool on_host = plb_device_on_host(k->ops, d);
    size_t bytes = N * sizeof(double);
    void *data[2] = {in, out};
    if (!on_host) {
        data[0] = k->ops->alloc(d, bytes);
        data[1] = k->ops->alloc(d, bytes);
        assert_true(data[0] != NULL && data[1] != NULL && (uintptr_t)data[0] % 64 == 0);
        assert_int_equal(k->ops->copy_in(d, 0, data[0], in, bytes), 0);
    }
    struct plb_phase phase = phase_of(twice, "twice");
    struct plb_task task = {.first = first, .count = N, .data = data, .threads = 1};
    assert_int_equal(k->ops->launch(d, 0, &phase, &task), 0);
    if (!on_host)
        assert_int_equal(k->ops->copy_out(d, 0, out, data[1], bytes), 0);
    struct plb_device_times times;
    assert_int_equal(k->ops->wait(d, 0, &times), 0);
    assert_true(times.execute_s > 0.0);
    assert_true(on_host ? times.transfer_s == 0.0 : times.transfer_s > 0.0);
    assert_int_equal(k->ops->wait(d, 0, &times), 0);
    assert_true(times.execute_s == 0.0 && times.transfer_s == 0.0); /* counted once */
    if (!on_host) {
        k->ops->free(d, data[0]);
        k->ops->free(d, data[1]);
    }
}

static void results_come_back(void **state)
{
    (void)state;
    static double in[N], out[N];
    for (int i = 0; i < N; i++)
        in[i] = i;
    for (int k = 0; k < n_kinds; k++) {
        struct plb_device *d = open_kind(&kinds[k]);
        memset(out, 0, sizeof out);
        for (int64_t first = 0; first < 3; first++) {
            run_twice(&kinds[k], d, in, out, first);
            for (int i = 0; i < N; i++)
                if (out[i] != 2.0 * i + (double)first)
                    fail_msg("%s: out[%d] is %g", kinds[k].name, i, out[i]);
        }
        kinds[k].ops->close(d);
    }
}

/* Memory that a device sets to zero is zero, to the last byte and no further. */
static void memory_becomes_zero(void **state)
{
    (void)state;
    static unsigned char bytes[300008];
    for (int k = 0; k < n_kinds; k++) {
        const struct plb_device_ops *ops = kinds[k].ops;
        struct plb_device *d = open_kind(&kinds[k]);
        void *own = plb_device_on_host(ops, d) ? NULL : ops->alloc(d, sizeof bytes);
        memset(bytes, 1, sizeof bytes);
        assert_int_equal(own == NULL ? 0 : ops->copy_in(d, 0, own, bytes, sizeof bytes), 0);
        assert_int_equal(ops->zero == NULL || ops->zero(d, 0, own != NULL ? own : bytes, 300001) == 0, 1);
        assert_int_equal(own == NULL ? 0 : ops->copy_out(d, 0, bytes, own, sizeof bytes), 0);
        assert_int_equal(ops->wait(d, 0, &(struct plb_device_times){0}), 0);
        for (size_t i = 0; i < sizeof bytes; i++)
            assert_int_equal(bytes[i], i >= 300001 || ops->zero == NULL);
        if (own != NULL)
            ops->free(d, own);
        ops->close(d);
    }
}

static void a_kernel_s_status_comes_back(void **state)
{
    (void)state;
    for (int k = 0; k < n_kinds; k++) {
        struct plb_device *d = open_kind(&kinds[k]);
        struct plb_device_times times;
        struct plb_phase phase = {.name = "test", .cpu = failing, .cuda = failing, .opencl = failing};
        void *data[1] = {NULL};
        struct plb_task task = {.first = 0, .count = 7, .data = data, .threads = 1};
        int launched = kinds[k].ops->launch(d, 0, &phase, &task), waited = kinds[k].ops->wait(d, 0, &times);
        assert_int_equal(launched != 0 ? launched : waited, 7);
        assert_true(kinds[k].ops->failure == NULL
                    || kinds[k].ops->failure(d)[0] == '\0'); /* not the device's doing */
        kinds[k].ops->close(d);
    }
}

/* The cost of a start: some time, and far less than a second. The device works as before. */
static void an_empty_task_is_measured(void **state)
{
    (void)state;
    static double in[N], out[N];
    for (int k = 0; k < n_kinds; k++) {
        struct plb_device *d = open_kind(&kinds[k]);
        double seconds = NAN;
        assert_int_equal(plb_device_empty_task(kinds[k].ops, d, &seconds), 0);
        if (!(seconds > 0.0 && seconds < 1.0))
            fail_msg("%s: an empty task takes %g s", kinds[k].name, seconds);
        run_twice(&kinds[k], d, in, out, 1);
        assert_true(out[N - 1] == 1.0);
        kinds[k].ops->close(d);
    }
}

/* Each call that a driver may leave out is there where another one needs it. */
static void nothing_is_lacking(void **state)
{
    (void)state;
    for (int k = 0; k < n_kinds; k++) {
        const struct plb_device_ops *ops = kinds[k].ops;
        if (ops->lanes > 1 && ops->done == NULL)
            fail_msg("%s: several lanes need done()", kinds[k].name);
        if (ops->read != NULL && ops->memory == NULL)
            fail_msg("%s: read() needs memory()", kinds[k].name);
        if (ops->alloc != NULL && (ops->free == NULL || ops->copy_in == NULL || ops->copy_out == NULL))
            fail_msg("%s: alloc() needs free(), copy_in() and copy_out()", kinds[k].name);
    }
}

/* A kernel that fails while it runs; on the fake CUDA runtime only where it is told to. */
static void an_asynchronous_error_is_found(void **state)
{
    (void)state;
    struct kind *k = kinds;
    while (k < kinds + n_kinds && k->ops->lanes == 1)
        k++;
    if (k == kinds + n_kinds || getenv("PLB_TEST_FAULT") == NULL)
        skip_since("no device here overlaps tasks, or none is told to fail");
    struct plb_device *d = open_kind(k);
    struct plb_phase phase = phase_of(NULL, "fault");
    void *data[1] = {NULL};
    struct plb_task task = {.count = 1, .data = data, .threads = 1};
    struct plb_device_times times;
    int launched = k->ops->launch(d, 0, &phase, &task);
    assert_int_not_equal(launched != 0 ? launched : k->ops->wait(d, 0, &times), 0);
    assert_true(k->ops->failure(d)[0] != '\0');
    if (strcmp(k->driver->name, "cuda") == 0)
        assert_non_null(strstr(k->ops->failure(d), "CUDA "));
    k->ops->close(d);
}

static void every_driver_that_can_is_tried(void **state)
{
    (void)state;
    bool cpu = false, emulated = false, extra = false;
    for (int k = 0; k < n_kinds; k++) {
        cpu |= kinds[k].driver->kind == PLB_CPU && kinds[k].driver->count != NULL;
        emulated |= kinds[k].driver->count == NULL;
        extra |= kinds[k].driver->object != NULL;
    }
    assert_true(cpu && emulated && extra == (entries != NULL));
}

/* With PLB_TEST_ENTRIES, a shared object with entries, the drivers that have an extra object are tried too.
 * An argument is the name of the only test to run. */
/* Pages that are locked come from the NUMA node near the device, where one is known. */
static void locked_pages_are_near(void **state)
{
    (void)state;
    int tried = 0;
    const size_t bytes = N * sizeof(double);
    for (int k = 0; k < n_kinds; k++)
        for (int known = 0; known < 2 && kinds[k].ops->pin != NULL; known++) {
            struct kind near = kinds[k];
            near.config.memory_node = known;
            struct plb_device *d = open_kind(&near);
            char *memory = plb_reserve(bytes, false);
            tried += prefers_node_0(memory) == 0;
            if (near.ops->pin(d, memory, bytes) == NULL)
                near.ops->unpin(memory);
            assert_true(prefers_node_0(memory) < 0 || prefers_node_0(memory) == known);
            plb_shared_free(memory, bytes);
            near.ops->close(d);
        }
    if (tried == 0)
        skip_since("no device here locks pages, or the system does not tell where they come from");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_driver_that_can_is_tried),
        cmocka_unit_test(results_come_back),
        cmocka_unit_test(a_kernel_s_status_comes_back),
        cmocka_unit_test(lanes_do_not_disturb_each_other),
        cmocka_unit_test(a_lane_finds_what_another_one_brings),
        cmocka_unit_test(tasks_of_unlike_sizes_overlap),
        cmocka_unit_test(overtaking_is_counted_once),
        cmocka_unit_test(an_empty_task_is_measured),
        cmocka_unit_test(nothing_is_lacking),
        cmocka_unit_test(an_asynchronous_error_is_found),
        cmocka_unit_test(memory_becomes_zero),
        cmocka_unit_test(tasks_alone_count),
        cmocka_unit_test(locked_pages_are_near),
    };
    const char *path = getenv("PLB_TEST_ENTRIES");
    entries = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
    if (path != NULL && entries == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    find_kinds();
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
