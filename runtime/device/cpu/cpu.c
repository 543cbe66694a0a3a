/* cpu: a pool of cores as one PU. Works in host memory; a launch is a call.
 *
 * The OpenMP default of the calling thread and OpenBLAS are set to the same thread count once, at
 * open: OpenBLAS keeps one count per process, so all PUs of a process must agree on it, and do
 * (a process has either one CPU PU or emulated ones with one thread each). */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "base/clock.h"
#include "device/device.h"

struct plb_device {
    struct plb_device_times times;
};

static int cpu_open(const struct plb_device_config *config, struct plb_device **device, struct plb_error *err)
{
    (void)err;
    *device = plb_alloc(sizeof **device);
    omp_set_num_threads(config->threads);
    openblas_set_num_threads(config->threads);
    return PLB_OK;
}

static void cpu_close(struct plb_device *device)
{
    free(device);
}

static bool cpu_host_memory(const struct plb_device *device)
{
    (void)device;
    return true;
}

static double cpu_memory(const struct plb_device *device)
{
    (void)device;
    return INFINITY;
}

static int cpu_launch(struct plb_device *device, int lane, const struct plb_phase *phase, const struct plb_task *task)
{
    (void)lane;
    double began = plb_now();
    int status = phase->cpu(task);
    device->times.execute_s += plb_now() - began;
    return status;
}

static bool cpu_done(struct plb_device *device, int lane)
{
    (void)device;
    (void)lane;
    return true;
}

static int cpu_wait(struct plb_device *device, int lane, struct plb_device_times *times)
{
    (void)lane;
    *times = device->times;
    device->times = (struct plb_device_times){0};
    return 0;
}

const struct plb_device_ops plb_device_cpu = {
    .name = "cpu",
    .lanes = 1,
    .open = cpu_open,
    .close = cpu_close,
    .host_memory = cpu_host_memory,
    .memory = cpu_memory,
    .launch = cpu_launch,
    .done = cpu_done,
    .wait = cpu_wait,
};
