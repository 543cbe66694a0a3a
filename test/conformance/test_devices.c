/* What every device promises: memory that keeps what is copied into it, results in order, times, and
 * the kernel's own status. Runs over all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "device/device.h"

#define N 10000

struct kind {
    const char *name;
    const struct plb_device_ops *ops;
    struct plb_device_config config;
};

static const struct kind kinds[] = {
    {"cpu", &plb_device_cpu, {.threads = 1}},
    {"emulated", &plb_device_emulated, {.threads = 1, .slowdown = 1.0, .copy_bandwidth = INFINITY}},
    {"emulated, own memory", &plb_device_emulated, {.threads = 1, .own_memory = true, .slowdown = 2.0, .copy_bandwidth = 1e9, .copy_latency = 1e-4}},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

/* data[1][i] = 2 · data[0][i] + first; the range's first unit shows that the range arrives. */
static int twice(const struct plb_task *task)
{
    const double *in = task->data[0];
    double *out = task->data[1];
    for (int64_t i = 0; i < task->count; i++)
        out[i] = 2.0 * in[i] + (double)task->first;
    return 0;
}

static int failing(const struct plb_task *task)
{
    return (int)task->count;
}

static int spin(const struct plb_task *task)
{
    volatile double x = 0.0;
    for (int64_t i = 0; i < task->count; i++)
        x = x + 1.0;
    return 0;
}

static struct plb_device *open_kind(const struct kind *k)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_device *d;
    assert_int_equal(k->ops->open(&k->config, &d, &err), PLB_OK);
    return d;
}

/* Runs `twice` on buffers where the device wants them. */
static void run_twice(const struct kind *k, struct plb_device *d, double *in, double *out, int64_t first)
{
    bool on_host = k->ops->host_memory(d);
    size_t bytes = N * sizeof(double);
    void *data[2] = {in, out};
    if (!on_host) {
        data[0] = k->ops->alloc(d, bytes);
        data[1] = k->ops->alloc(d, bytes);
        assert_true(data[0] != NULL && data[1] != NULL && (uintptr_t)data[0] % 64 == 0);
        assert_int_equal(k->ops->copy_in(d, 0, data[0], in, bytes), 0);
    }
    struct plb_phase phase = {.name = "test", .cpu = twice};
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
    for (int k = 0; k < KINDS; k++) {
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

static void a_kernel_s_status_comes_back(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct plb_device *d = open_kind(&kinds[k]);
        struct plb_device_times times;
        struct plb_phase phase = {.name = "test", .cpu = failing};
        void *data[1] = {NULL};
        struct plb_task task = {.first = 0, .count = 7, .data = data, .threads = 1};
        int launched = kinds[k].ops->launch(d, 0, &phase, &task), waited = kinds[k].ops->wait(d, 0, &times);
        assert_int_equal(launched != 0 ? launched : waited, 7);
        kinds[k].ops->close(d);
    }
}

/* Emulation stretches CPU time; that it does so by at least the factor is its definition. */
static void an_emulated_pu_is_slower(void **state)
{
    (void)state;
    struct kind k = {"emulated", &plb_device_emulated, {.threads = 1, .slowdown = 5.0, .copy_bandwidth = INFINITY}};
    struct plb_device *d = open_kind(&k);
    struct plb_device_times times;
    struct plb_phase phase = {.name = "test", .cpu = spin};
    void *data[1] = {NULL};
    struct plb_task task = {.first = 0, .count = 3000000, .data = data, .threads = 1};
    double used = plb_thread_seconds();
    k.ops->launch(d, 0, &phase, &task);
    used = plb_thread_seconds() - used;
    k.ops->wait(d, 0, &times);
    assert_true(times.execute_s >= 4.9 * used);
    k.ops->close(d);
}

static void a_modelled_copy_takes_its_time(void **state)
{
    (void)state;
    struct kind k = {"emulated", &plb_device_emulated, {.threads = 1, .own_memory = true, .slowdown = 1.0, .copy_bandwidth = 1e7, .copy_latency = 0.001}};
    struct plb_device *d = open_kind(&k);
    struct plb_device_times times;
    static char host[100000];
    void *memory = k.ops->alloc(d, sizeof host);
    k.ops->copy_in(d, 0, memory, host, sizeof host);
    k.ops->wait(d, 0, &times);
    assert_true(times.transfer_s >= 0.011); /* 1 ms + 100 kB at 10 MB/s */
    k.ops->free(d, memory);
    k.ops->close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_back),
        cmocka_unit_test(a_kernel_s_status_comes_back),
        cmocka_unit_test(an_emulated_pu_is_slower),
        cmocka_unit_test(a_modelled_copy_takes_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
