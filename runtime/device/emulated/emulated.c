/* emulated: a PU of any speed on any machine, with real results.
 *
 * The kernel's cpu entry runs on one thread. Then the PU waits until `slowdown` times the CPU seconds of the
 * entry have passed, or until the task is cancelled. So several emulated PUs on one core keep their ratio as
 * long as the sum of 1 / slowdown fits the cores, and nobody else uses them. Else a task may last longer: the
 * device says how long it waited for a core. `slow` lines count from the PU's first task on; one with factor
 * 0 counts in simulations alone. A PU that is no CPU, or has a copy bandwidth, has memory of its own.
 * Copies to and from it are real, and last at least as long as the given bandwidth and latency say. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/core_time.h"
#include "device/driver.h"
#include "device/empty_task.h"
#include "model/speed.h"

/* Seconds between two looks whether a task was cancelled. Larger: an obsolete task keeps its PU longer.
 * Smaller: a PU that waits uses more of a core (0.1 % now). */
#define LOOK 10e-3

struct plb_device { /* in shared memory */
    struct plb_pu_spec spec;
    double origin; /* of the seconds in `slow` lines, on the clock; 0: before the first task with units */
    struct plb_device_times times;
};

static plb_entry_fn emulated_entry(const struct plb_phase *phase)
{
    return phase->cpu;
}

static const char *emulated_describe(const struct plb_device_site *here, int device, struct plb_device_pu *pu)
{
    (void)device;
    pu->config.spec = *here->spec;
    pu->kind = here->spec->kind;
    pu->power = here->spec->power;
    pu->memory = here->spec->memory;
    pu->static_watts = here->spec->static_watts;
    pu->dynamic_watts = here->spec->dynamic_watts;
    snprintf(pu->name, sizeof pu->name, "%s", here->spec->name);
    snprintf(pu->model, sizeof pu->model, "%.47s", here->topology->cpu);
    return NULL;
}

static int emulated_open(const struct plb_device_config *config, struct plb_device **device,
                         struct plb_error *err)
{
    (void)err;
    *device = plb_shared_alloc(sizeof **device);
    (*device)->spec = config->spec;
    omp_set_num_threads(1);
    return PLB_OK;
}

static void emulated_close(struct plb_device *device)
{
    plb_shared_free(device, sizeof *device);
}

static bool emulated_host_memory(const struct plb_device *device)
{
    return device->spec.kind == PLB_CPU && !isfinite(device->spec.copy_bandwidth);
}

static void *emulated_alloc(struct plb_device *device, size_t bytes)
{
    (void)device;
    return aligned_alloc(64, (bytes / 64 + 1) * 64);
}

static void emulated_free(struct plb_device *device, void *memory)
{
    (void)device;
    free(memory);
}

static int copy(struct plb_device *device, int lane, void *to, const void *from, size_t bytes)
{
    (void)lane;
    double began = plb_now();
    memcpy(to, from, bytes);
    plb_sleep_until(began + device->spec.copy_latency + (double)bytes / device->spec.copy_bandwidth);
    device->times.transfer_s += plb_now() - began;
    return 0;
}

/* When a task ends that began at `began` and takes so many seconds at speed 1. */
static double end_of_task(const struct plb_device *device, double began, double seconds)
{
    double origin = device->origin > 0.0 ? device->origin : began;
    double end = origin + plb_speed_end(&device->spec, began - origin, seconds);
    return isfinite(end) ? end : began + seconds;
}

/* A task has computed, and should end at `end`. It is late by the time that it waited for a core, or less. */
static void count_cores(struct plb_device *device, double began, double end, double waited)
{
    device->times.cpu_s += end - began;
    device->times.waited_s += fmin(fmax(plb_now() - end, 0.0), waited);
}

/* Sleeps until plb_now() is `end`, or nobody wants the task any more. */
static void wait_until(double end, const struct plb_task *task)
{
    for (double now = plb_now(); now < end && !plb_task_cancelled(task); now = plb_now())
        plb_sleep_until(fmin(end, now + LOOK));
}

static int emulated_launch(struct plb_device *device, int lane, const struct plb_phase *phase,
                           const struct plb_task *task)
{
    (void)lane;
    double waited = plb_core_time_waited(), began = plb_now(), used = plb_thread_seconds();
    if (device->origin == 0.0 && task->count > 0)
        device->origin = began;
    int status = phase->cpu(task);
    used = plb_thread_seconds() - used;
    double end = end_of_task(device, began, device->spec.slowdown * used);
    count_cores(device, began, end, plb_core_time_waited() - waited);
    wait_until(end, task);
    device->times.execute_s += plb_now() - began;
    return status;
}

static int emulated_wait(struct plb_device *device, int lane, struct plb_device_times *times)
{
    (void)lane;
    if (times != NULL)
        *times = device->times;
    device->times = (struct plb_device_times){0};
    return 0;
}

const struct plb_device_driver plb_device_emulated = {
    .name = "emulated",
    .entry = emulated_entry,
    .describe = emulated_describe,
    .isolates = true,
    .ops =
        {
            .lanes = 1,
            .open = emulated_open,
            .close = emulated_close,
            .host_memory = emulated_host_memory,
            .alloc = emulated_alloc,
            .free = emulated_free,
            .copy_in = copy,
            .copy_out = copy,
            .launch = emulated_launch,
            .empty = {.name = "empty", .cpu = plb_no_units},
            .wait = emulated_wait,
        },
};
