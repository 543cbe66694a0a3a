/* cuda: a GPU as one PU.
 *
 * A lane is a stream, and stamps are events (device/lanes.h).
 *
 * Waiting sleeps (cudaEventBlockingSync). The core is free for others, and the two other lanes hide that the
 * thread wakes up late. Copies from and to pinned memory are asynchronous. The CUDA driver stages any other
 * memory, and the copy back then waits for the kernel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device/cuda/library.h"
#include "device/cuda/options.h"
#include "device/cuda/process.h"
#include "device/cuda/ranges.h"
#include "device/driver.h"
#include "device/empty_task.h"
#include "device/lanes.h"

/* Part of the GPU's memory that plbrun leaves alone, for the libraries of kernels. Larger: jobs get less
 * memory. Smaller: a library finds none. An estimate, not a measurement. */
#define KEPT_FREE 0.05

/* Bytes of inputs and results in one task. Larger: the first copy in and the last copy out, which nothing
 * hides, last longer. Smaller: tasks are too short to be worth their start. At 25 GB/s this is about 5 ms of
 * copying. */
#define TASK_BYTES 128e6

/* The guessed power of a multiprocessor, where a CPU thread has 1. Larger: GPUs begin with larger blocks, and
 * static gives them more. Smaller: less. It counts until rates are measured. A guess, for want of a
 * measurement. */
#define THREADS_PER_MULTIPROCESSOR 4.0

/* The events that a task leaves behind. */
struct stamps {
    cudaEvent_t begun, copied, executed, ended;
    bool launched;
    bool settled; /* `ended` has been recorded, and nothing was enqueued after it */
};

struct plb_device {
    int gpu;         /* CUDA's number */
    int memory_node; /* the NUMA node near it; -1: not known */
    double memory;
    cudaMemPool_t pool; /* of what entries take by cudaMallocAsync; NULL: the GPU has none */
    cudaStream_t streams[PLB_MAX_LANES + 1]; /* by lane; the last one is for reads */
    struct stamps stamps[PLB_LANE_STAMPS];
    struct plb_lanes lanes;
    char failure[80];
};

/* --------------------------------------------------------- describing a GPU */

static plb_entry_fn cuda_entry(const struct plb_phase *phase)
{
    return phase->cuda;
}

static void cuda_identify(int device, char id[60])
{
    struct plb_cuda_gpu g;
    plb_cuda_describe(device, &g);
    snprintf(id, 60, "%s", g.uuid);
}

static const char *cuda_describe(const struct plb_device_site *here, int device, struct plb_device_pu *pu)
{
    struct plb_cuda_gpu g;
    double given = here->options[GPU_POWER];
    plb_cuda_describe(device, &g);
    pu->power = given > 0.0 ? given : THREADS_PER_MULTIPROCESSOR * g.multiprocessors / here->sharers;
    pu->task_bytes = TASK_BYTES;
    snprintf(pu->name, sizeof pu->name, "%s", g.model);
    snprintf(pu->model, sizeof pu->model, "%s", g.model);
    snprintf(pu->id, sizeof pu->id, "%s %s", g.pci, g.uuid);
    snprintf(pu->pci, sizeof pu->pci, "%s", g.pci);
    return NULL;
}

/* ------------------------------------------------------------ opening a GPU */

/* Returns 0 for success, else the number of the error, and puts its sentence into d->failure. */
static int check(struct plb_device *d, cudaError_t status)
{
    if (status == cudaSuccess)
        return 0;
    plb_cuda.cudaGetLastError_();
    const char *text = plb_cuda.cudaGetErrorString_(status);
    const int first = plb_cuda_ends(status) ? plb_cuda_end(d->gpu, text) : d->gpu;
    if (first == d->gpu)
        snprintf(d->failure, sizeof d->failure, "%.66s, CUDA %d", text, (int)status);
    else
        snprintf(d->failure, sizeof d->failure, "GPU %d made CUDA unusable in this process, CUDA error %d",
                 first, (int)status);
    return (int)status;
}

static int create_stamps(struct plb_device *d, struct stamps *s)
{
    cudaEvent_t *events[] = {&s->begun, &s->copied, &s->executed, &s->ended};
    for (int i = 0; i < 4; i++)
        if (check(d, plb_cuda.cudaEventCreateWithFlags_(events[i], cudaEventBlockingSync)) != 0)
            return -1;
    return 0;
}

static void cuda_close(struct plb_device *d)
{
    for (int i = 0; i < PLB_LANE_STAMPS; i++) {
        const struct stamps *s = &d->stamps[i];
        cudaEvent_t events[] = {s->begun, s->copied, s->executed, s->ended};
        for (int e = 0; e < 4; e++)
            if (events[e] != NULL)
                plb_cuda.cudaEventDestroy_(events[e]);
    }
    for (int i = 0; i <= PLB_MAX_LANES; i++)
        if (d->streams[i] != NULL)
            plb_cuda.cudaStreamDestroy_(d->streams[i]);
    free(d);
}

static int cuda_open(const struct plb_device_config *config, struct plb_device **device,
                     struct plb_error *err)
{
    struct plb_device *d = plb_alloc(sizeof *d);
    size_t left = 0, total = 0;
    d->gpu = plb_cuda_number(config->number);
    d->memory_node = config->memory_node - 1;
    plb_lanes_init(&d->lanes);
    int status = check(d, plb_cuda.cudaSetDevice_(d->gpu));
    if (status == 0)
        status = check(d, plb_cuda.cudaMemGetInfo_(&left, &total));
    for (int i = 0; i <= PLB_MAX_LANES && status == 0; i++)
        status = check(d, plb_cuda.cudaStreamCreateWithFlags_(&d->streams[i], cudaStreamNonBlocking));
    for (int i = 0; i < PLB_LANE_STAMPS && status == 0; i++)
        status = create_stamps(d, &d->stamps[i]);
    d->memory = (1.0 - KEPT_FREE) * (double)left
              / config->sharers; /* others may have taken the rest already */
    if (status == 0) {
        d->pool = plb_cuda_keep_pool(d->gpu, d->memory);
        plb_cuda_opened();
        *device = d;
        return PLB_OK;
    }
    plb_fail(err, PLB_EFAILED, "GPU %d cannot be opened: %s; free it, or leave GPUs out with cluster.pus=cpu",
             d->gpu, d->failure);
    cuda_close(d);
    return PLB_EFAILED;
}

static double cuda_memory(const struct plb_device *d)
{
    return d->memory;
}

static void *cuda_alloc(struct plb_device *d, size_t bytes)
{
    void *memory = NULL;
    int status = check(d, plb_cuda.cudaMalloc_(&memory, bytes > 0 ? bytes : 1));
    if (status == (int)cudaErrorMemoryAllocation) {
        plb_cuda_trim_pool(d->pool);
        status = check(d, plb_cuda.cudaMalloc_(&memory, bytes > 0 ? bytes : 1));
    }
    if (status == (int)cudaErrorMemoryAllocation) /* the executor tries again with less */
        d->failure[0] = '\0';
    return status == 0 ? memory : NULL;
}

static void cuda_free(struct plb_device *d, void *memory)
{
    check(d, plb_cuda.cudaFree_(memory));
}

static const char *cuda_pin(const struct plb_device *d, void *memory, size_t bytes)
{
    plb_memory_prefer(memory, bytes, d->memory_node); /* to lock a page is to touch it */
    return plb_cuda_pin(d->gpu, memory, bytes);
}

/* ------------------------------------------------------------ running tasks */

/* The stamps of the task in a lane, or new ones where the lane is empty. NULL where the GPU fails. */
static struct stamps *stamps_of(struct plb_device *d, int lane)
{
    if (d->lanes.of[lane] != PLB_NO_STAMPS)
        return &d->stamps[d->lanes.of[lane]];
    int at = plb_lanes_unused(&d->lanes);
    struct stamps *s = &d->stamps[at];
    d->failure[0] = '\0';
    s->launched = s->settled = false;
    if (check(d, plb_cuda.cudaEventRecord_(s->begun, d->streams[lane])) != 0)
        return NULL;
    d->lanes.of[lane] = at;
    return s;
}

static int settle(struct plb_device *d, int lane, struct stamps *s)
{
    int status = check(d, plb_cuda.cudaEventRecord_(s->ended, d->streams[lane]));
    s->settled = status == 0;
    return status;
}

static int copy(struct plb_device *d, int lane, void *to, const void *from, size_t bytes,
                enum cudaMemcpyKind kind)
{
    struct stamps *s = stamps_of(d, lane);
    if (s == NULL)
        return -1;
    s->settled = false;
    range_begins("transfer");
    int status = bytes > 0 ? check(d, plb_cuda.cudaMemcpyAsync_(to, from, bytes, kind, d->streams[lane])) : 0;
    range_ends();
    return status == 0 ? settle(d, lane, s) : status;
}

static int cuda_copy_in(struct plb_device *d, int lane, void *to, const void *from_host, size_t bytes)
{
    return copy(d, lane, to, from_host, bytes, cudaMemcpyHostToDevice);
}

static int cuda_copy_out(struct plb_device *d, int lane, void *to_host, const void *from, size_t bytes)
{
    return copy(d, lane, to_host, from, bytes, cudaMemcpyDeviceToHost);
}

static int cuda_read(struct plb_device *d, const struct plb_device *own, void *to_host, const void *from,
                     size_t bytes)
{
    const int back = own != NULL ? own->gpu : d->gpu;
    return plb_cuda_read(d->gpu, back, d->streams[PLB_MAX_LANES], to_host, from, bytes);
}

static int cuda_copy_within(struct plb_device *d, int lane, void *to, const void *from, size_t bytes)
{
    return copy(d, lane, to, from, bytes, cudaMemcpyDeviceToDevice);
}

static int cuda_follow(struct plb_device *d, int lane, int other)
{
    struct stamps *s = stamps_of(d, lane);
    if (s == NULL)
        return -1;
    s->settled = false;
    return check(d, plb_cuda.cudaStreamWaitEvent_(d->streams[lane], stamps_of(d, other)->copied, 0));
}

static int cuda_zero(struct plb_device *d, int lane, void *memory, size_t bytes)
{
    struct stamps *s = stamps_of(d, lane);
    if (s == NULL)
        return -1;
    s->settled = false;
    int status = bytes > 0 ? check(d, plb_cuda.cudaMemsetAsync_(memory, 0, bytes, d->streams[lane])) : 0;
    return status == 0 ? settle(d, lane, s) : status;
}

/* Whether an entry, or a library that it calls, has found no memory on the GPU. Tasks in other lanes may have
 * it.
 */
static bool found_no_memory(struct plb_device *d, int status, int error)
{
    const int full = (int)cudaErrorMemoryAllocation;
    if (error != full && (error != 0 || status != full))
        return false;
    plb_cuda_trim_pool(d->pool);
    d->failure[0] = '\0';
    return true;
}

/* Calls the entry between two events. An asynchronous error, which no call has returned yet, shows in the
 * last error. */
static int cuda_launch(struct plb_device *d, int lane, const struct plb_phase *phase,
                       const struct plb_task *given)
{
    struct plb_task task = *given;
    struct stamps *s = stamps_of(d, lane);
    char name[100];
    if (s == NULL)
        return -1;
    s->settled = false;
    task.stream = d->streams[lane];
    task.cancelled = NULL; /* the entry returns before the GPU begins */
    int status = check(d, plb_cuda.cudaEventRecord_(s->copied, d->streams[lane]));
    if (status != 0)
        return status;
    snprintf(name, sizeof name, "task %.50s %lld+%lld", phase->name, (long long)task.first,
             (long long)task.count);
    d->failure[0] = '\0';
    range_begins(name);
    status = phase->cuda(&task);
    range_ends();
    int error = check(d, plb_cuda.cudaGetLastError_());
    if (found_no_memory(d, status, error))
        return PLB_DEVICE_FULL;
    if (status == 0)
        status = error;
    if (status == 0)
        status = check(d, plb_cuda.cudaEventRecord_(s->executed, d->streams[lane]));
    s->launched = status == 0;
    return status == 0 ? settle(d, lane, s) : status;
}

static bool cuda_done(struct plb_device *d, int lane)
{
    int at = d->lanes.of[lane];
    if (at == PLB_NO_STAMPS || plb_cuda.cudaEventQuery_(d->stamps[at].ended) != cudaErrorNotReady)
        return true;
    plb_cuda.cudaGetLastError_(); /* "not ready" counts as an error, which the next launch would find */
    return false;
}

/* Seconds between two events; `unknown` where CUDA does not tell. */
static double between(cudaEvent_t begun, cudaEvent_t ended, double unknown)
{
    float ms = 0.0f;
    return plb_cuda.cudaEventElapsedTime_(&ms, begun, ended) == cudaSuccess ? (double)ms * 1e-3 : unknown;
}

static int cuda_sync(struct plb_device *d, int lane)
{
    int at = d->lanes.of[lane];
    if (at == PLB_NO_STAMPS)
        return 0;
    int status = check(d, d->stamps[at].settled ? plb_cuda.cudaEventSynchronize_(d->stamps[at].ended)
                                                : plb_cuda.cudaStreamSynchronize_(d->streams[lane]));
    if (status != 0) /* nothing of the lane uses host memory any more */
        plb_cuda.cudaStreamSynchronize_(d->streams[lane]);
    return status;
}

static int cuda_wait(struct plb_device *d, int lane, struct plb_device_times *times)
{
    int status = cuda_sync(d, lane), at = plb_lanes_take(&d->lanes, lane);
    if (times != NULL)
        *times = (struct plb_device_times){0};
    if (times == NULL || at == PLB_NO_STAMPS || status != 0 || !d->stamps[at].settled)
        return status;
    const struct stamps *s = &d->stamps[at];
    const struct stamps *last = d->lanes.last != PLB_NO_STAMPS ? &d->stamps[d->lanes.last] : NULL;
    struct plb_lane_spans spans = {between(s->begun, s->ended, 0.0), INFINITY, 0.0, INFINITY};
    if (last != NULL)
        spans.since_ended = between(last->ended, s->ended, INFINITY);
    if (s->launched)
        spans.execute = between(s->copied, s->executed, 0.0);
    if (last != NULL && last->launched)
        spans.since_executed = between(last->executed, s->executed, INFINITY);
    *times = plb_lanes_times(&d->lanes, at, &spans);
    return 0;
}

static const char *cuda_failure(const struct plb_device *d)
{
    return d->failure;
}

const struct plb_device_driver plb_device_cuda = {
    .name = "cuda",
    .kind = PLB_GPU,
    .object = "cuda",
    .options = options,
    .entry = cuda_entry,
    .count = plb_cuda_count,
    .unusable = plb_cuda_unusable,
    .identify = cuda_identify,
    .select = plb_cuda_select,
    .describe = cuda_describe,
    .ops =
        {
            .lanes = PLB_MAX_LANES,
            .near = PLB_GPU_NEAR,
            .open = cuda_open,
            .close = cuda_close,
            .memory = cuda_memory,
            .alloc = cuda_alloc,
            .free = cuda_free,
            .pin = cuda_pin,
            .unpin = plb_cuda_unpin,
            .follow = cuda_follow,
            .zero = cuda_zero,
            .copy_in = cuda_copy_in,
            .copy_out = cuda_copy_out,
            .read = cuda_read,
            .copy_within = cuda_copy_within,
            .launch = cuda_launch,
            .empty = {.name = "empty", .cuda = plb_no_units},
            .done = cuda_done,
            .sync = cuda_sync,
            .wait = cuda_wait,
            .failure = cuda_failure,
        },
};
