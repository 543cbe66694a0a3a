/* The promise of the emulated device beyond those of every device: it is as slow as described. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/driver.h"
#include "device/empty_task.h"
#include "skip.h"

/* CPU seconds of the latest task: waiting uses some as well, which do not count. */
static double spun;

static int spin(const struct plb_task *task)
{
    volatile double x = 0.0;
    double began = plb_thread_seconds();
    for (int64_t i = 0; i < task->count; i++)
        x = x + 1.0;
    spun = plb_thread_seconds() - began;
    return 0;
}

static struct plb_device *open_pu(const struct plb_device_ops *ops, double slowdown, double bandwidth,
                                  double latency, double slow_by)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_device_config config = {.threads = 1};
    struct plb_device *d;
    config.spec = (struct plb_pu_spec){.name = "p",
                                       .kind = PLB_CPU,
                                       .memory = INFINITY,
                                       .slowdown = slowdown,
                                       .copy_bandwidth = bandwidth,
                                       .copy_latency = latency,
                                       .n_slow = 1,
                                       .slow_by = {slow_by}};
    assert_int_equal(ops->open(&config, &d, &err), PLB_OK);
    return d;
}

/* The wall time of a task over the CPU time that it used, with a `slow` line from second 0 on. */
static double stretched(double slowdown, double slow_by)
{
    const struct plb_device_ops *ops = &plb_driver_emulated()->ops;
    struct plb_device *d = open_pu(ops, slowdown, INFINITY, 0.0, slow_by);
    struct plb_device_times times;
    struct plb_phase phase = {.name = "test", .cpu = spin};
    void *data[1] = {NULL};
    struct plb_task task = {.first = 0, .count = 3000000, .data = data, .threads = 1};
    ops->launch(d, 0, &phase, &task);
    ops->wait(d, 0, &times);
    ops->close(d);
    return times.execute_s / spun;
}

/* Emulation stretches CPU time; that it does so by at least the factor is its definition. */
static void an_emulated_pu_is_slower(void **state)
{
    (void)state;
    assert_true(stretched(5.0, 1.0) >= 4.9);
}

/* Factor 0, a PU that hangs, counts in simulations alone. */
static void it_obeys_slow_lines(void **state)
{
    (void)state;
    assert_true(stretched(2.0, 4.0) >= 7.8);
    assert_true(stretched(2.0, 0.0) >= 1.9);
}

/* Two looks at the CPU clock are a part of the task: 20 ns at least, a hundred thousand times slower. */
static void an_empty_task_is_slower_too(void **state)
{
    (void)state;
    const struct plb_device_ops *ops = &plb_driver_emulated()->ops;
    struct plb_device *d = open_pu(ops, 1e5, INFINITY, 0.0, 1.0);
    double seconds;
    assert_int_equal(plb_device_empty_task(ops, d, &seconds), 0);
    assert_true(seconds >= 2e-3);
    ops->close(d);
}

static void a_modelled_copy_takes_its_time(void **state)
{
    (void)state;
    const struct plb_device_ops *ops = &plb_driver_emulated()->ops;
    struct plb_device *d = open_pu(ops, 1.0, 1e7, 0.001, 1.0);
    struct plb_device_times times;
    static char host[100000];
    void *memory = ops->alloc(d, sizeof host);
    ops->copy_in(d, 0, memory, host, sizeof host);
    ops->wait(d, 0, &times);
    assert_true(times.transfer_s >= 0.011); /* 1 ms + 100 kB at 10 MB/s */
    ops->free(d, memory);
    ops->close(d);
}

/* A PU's task on a core that a busy thread has, too. */
static atomic_bool ended;

static void *keep_busy(void *unused)
{
    while (!atomic_load(&ended))
        continue;
    return unused;
}

static int spin_long(const struct plb_task *task)
{
    double until = plb_thread_seconds() + 0.2;
    (void)task;
    while (plb_thread_seconds() < until)
        continue;
    return 0;
}

static struct plb_device_times beside_a_busy_thread(const struct plb_device_ops *ops, struct plb_device *d)
{
    struct plb_device_times times;
    struct plb_phase phase = {.name = "test", .cpu = spin_long};
    void *data[1] = {NULL};
    struct plb_task task = {.first = 0, .count = 1, .data = data, .threads = 1};
    pthread_t busy;
    cpu_set_t before, one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    atomic_store(&ended, false);
    assert_int_equal(pthread_create(&busy, NULL, keep_busy, NULL), 0);
    ops->launch(d, 0, &phase, &task);
    ops->wait(d, 0, &times);
    atomic_store(&ended, true);
    pthread_join(busy, NULL);
    sched_setaffinity(0, sizeof before, &before);
    return times;
}

static void a_pu_tells_that_others_had_its_core(void **state)
{
    (void)state;
    struct plb_error err = {.status = PLB_OK};
    struct plb_device_config config = {.threads = 1};
    struct plb_device_times times;
    struct plb_device *d;
    if (access("/proc/thread-self/schedstat", R_OK) != 0)
        skip_since("this system does not count waits for cores");
    for (int i = 0; plb_device_drivers[i] != NULL; i++) {
        const struct plb_device_ops *ops = &plb_device_drivers[i]->ops;
        if (strcmp(plb_device_drivers[i]->name, "cpu") != 0)
            continue;
        assert_int_equal(ops->open(&config, &d, &err), PLB_OK);
        times = beside_a_busy_thread(ops, d);
        assert_true(times.cpu_s > 0.1 && times.waited_s > 0.01);
        ops->close(d);
    }
    const struct plb_device_ops *ops = &plb_driver_emulated()->ops;
    d = open_pu(ops, 1.0, INFINITY, 0.0, 1.0);
    times = beside_a_busy_thread(ops, d);
    assert_true(times.cpu_s > 0.1 && times.waited_s > 0.01);
    ops->close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_emulated_pu_is_slower),
        cmocka_unit_test(it_obeys_slow_lines),
        cmocka_unit_test(an_empty_task_is_slower_too),
        cmocka_unit_test(a_modelled_copy_takes_its_time),
        cmocka_unit_test(a_pu_tells_that_others_had_its_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
