/* cpu: the cores of a rank as one PU. It works in host memory, and a launch is a call.
 *
 * open sets OpenMP's default for the calling thread. A kernel's library may count threads for the whole
 * process instead, so all PUs of a process must agree on that number. They do: a process has one CPU PU, or
 * emulated PUs with one thread each. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "device/core_time.h"
#include "device/driver.h"
#include "device/empty_task.h"

/* Bytes that a thread sets to zero at a time. Larger: fewer threads share the outputs of a small task.
 * Smaller: the threads are started for less than that costs, a few microseconds. At 10 GB/s this is about as
 * long. */
#define ZEROED ((size_t)1 << 16)

/* Of the cache that a CPU's threads have: the bytes of one task of a kernel that streams. Larger: what has
 * arrived is no longer there when the entry reads it, and slots take more memory. Smaller: more messages for
 * the same data. A triad of 1.6 GB on another rank, with 16 MB of cache: 0.36 s with tasks of 32 MB, 0.32 s
 * with 8 MB, 0.30 s with 4 MB, 0.35 s with 2 MB. */
#define CACHE_PART 0.25

enum { THREADS, CORE_KINDS };

static const struct plb_option options[] = {
    [THREADS] =
        {"threads", PLB_INT, "0", 0, 4096, NULL,
         "threads of each rank's CPU; 0 = its fair share of the cores, minus those that its GPUs need"},
    [CORE_KINDS] = {"core_kinds", PLB_FLAG, "yes", 0, 0, NULL,
                    "whether the fast and slow cores of a CPU that has both are separate PUs"},
    {0},
};

struct plb_device { /* in shared memory */
    double began;   /* plb_now() when the first task since the last wait was begun; 0: none was */
    int threads;    /* that entries run on; 0: in a child */
    struct plb_core_time cores;
};

/* ----------------------------------------------------------- describing it */

static plb_entry_fn cpu_entry(const struct plb_phase *phase)
{
    return phase->cpu;
}

static int cpu_count(const char **why)
{
    (void)why;
    return 1;
}

/* Warns where the user or the launcher gives the CPU fewer cores than threads. */
static void warn(const struct plb_device_site *here, int threads, int fair)
{
    const struct plb_topology *t = here->topology;
    int wanted = threads > 0 ? threads : fair;
    if (t->host_cores < wanted) {
        if (here->local_rank == 0) /* of each host one */
            plb_log(PLB_LOG_WARNING, "cluster.threads is %d and %s has %d core%s; lower it", wanted, t->host,
                    t->host_cores, t->host_cores == 1 ? "" : "s");
    } else if (t->cores < wanted
               && (threads > 0 || fair > here->cores_kept)) { /* also where no CPU is left */
        plb_log_here(PLB_LOG_WARNING,
                     "it may use %d of %d cores, but starts %d threads; start mpirun with --bind-to none",
                     t->cores, t->host_cores, wanted);
    }
}

/* The rank's cores, less those that it needs otherwise, are one PU. Ranks that share a host without a binding
 * share its cores evenly. */
static const char *cpu_describe(const struct plb_device_site *here, int device, struct plb_device_pu *pu)
{
    const struct plb_topology *t = here->topology;
    int threads = (int)here->options[THREADS];
    bool unbound = t->cores == t->host_cores;
    int fair = t->host_cores / here->local_size > 0 ? t->host_cores / here->local_size : 1;
    int own = (unbound ? fair : t->cores) - here->cores_kept;
    (void)device;
    warn(here, threads, fair);
    if (threads == 0 && own < 1)
        return "its CPU is not a PU, because its cores drive the GPUs and communicate; cluster.threads=N "
               "makes it one";
    pu->config.threads = threads > 0 ? threads : own;
    pu->cores = own;
    pu->power = pu->config.threads;
    if (here->streams && here->rank != 0) /* rank 0 has all data in its memory */
        pu->task_bytes = CACHE_PART * pu->config.threads * t->cache;
    pu->bind_index = here->local_rank;
    pu->bind_parts = unbound && here->local_size <= t->host_cores && threads <= fair ? here->local_size : 1;
    pu->by_kind = here->options[CORE_KINDS] != 0.0 && (!unbound || pu->bind_parts == here->local_size);
    snprintf(pu->name, sizeof pu->name, "%.47s", t->cpu);
    snprintf(pu->model, sizeof pu->model, "%.47s", t->cpu);
    return NULL;
}

/* --------------------------------------------------------------- running it */

static int cpu_open(const struct plb_device_config *config, struct plb_device **device, struct plb_error *err)
{
    (void)err;
    *device = plb_shared_alloc(sizeof **device);
    (*device)->threads = config->isolated ? 0 : config->threads;
    plb_core_time_init(&(*device)->cores);
    omp_set_num_threads(config->threads);
    return PLB_OK;
}

static void cpu_close(struct plb_device *device)
{
    plb_core_time_fini(&device->cores);
    plb_shared_free(device, sizeof *device);
}

/* All threads, as the entry does: one alone would take longer than a kernel that is limited by memory. */
static int cpu_zero(struct plb_device *device, int lane, void *memory, size_t bytes)
{
    (void)lane;
    if (device->began == 0.0)
        device->began = plb_now();
    size_t parts = (bytes + ZEROED - 1) / ZEROED;
#pragma omp parallel for schedule(static) if (parts > 1)
    for (size_t i = 0; i < parts; i++)
        memset((char *)memory + i * ZEROED, 0, i + 1 < parts ? ZEROED : bytes - i * ZEROED);
    return 0;
}

static int cpu_launch(struct plb_device *device, int lane, const struct plb_phase *phase,
                      const struct plb_task *task)
{
    (void)lane;
    if (device->began == 0.0)
        device->began = plb_now();
    return phase->cpu(task);
}

static int cpu_wait(struct plb_device *device, int lane, struct plb_device_times *times)
{
    struct plb_device_times unwanted;
    (void)lane;
    times = times != NULL ? times : &unwanted;
    *times = (struct plb_device_times){.execute_s = device->began > 0.0 ? plb_now() - device->began : 0.0};
    device->began = 0.0;
    if (device->threads > 0)
        plb_core_time_add(&device->cores, device->threads, times);
    return 0;
}

const struct plb_device_driver plb_device_cpu = {
    .name = "cpu",
    .kind = PLB_CPU,
    .options = options,
    .entry = cpu_entry,
    .count = cpu_count,
    .describe = cpu_describe,
    .isolates = true,
    .ops =
        {
            .lanes = 1,
            .open = cpu_open,
            .close = cpu_close,
            .zero = cpu_zero,
            .launch = cpu_launch,
            .empty = {.name = "empty", .cpu = plb_no_units},
            .wait = cpu_wait,
        },
};
