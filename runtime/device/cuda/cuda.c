/* cuda: a GPU as one PU.
 *
 * The runtime library is opened when it is first wanted, so that one plbrun serves nodes with and without
 * GPUs. A lane is a stream; a lane's task leaves four events behind: begun, copied (inputs are there), executed
 * and ended. Kernels of two lanes may overlap, so what a task took is counted from where the task before it
 * (or one that it overtook) had got to: the sum over all tasks is the time that the device was busy, whatever was overlapped.
 *
 * Waiting sleeps (cudaEventBlockingSync): the two other lanes hide how late that wakes up, and the core is free
 * for others. Copies from and to pinned memory are asynchronous; from any other memory the driver stages them,
 * and the copy back then waits for the kernel. */
#include "device/cuda/cuda.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define range_begins(text) nvtxRangePushA(text)
#define range_ends() nvtxRangePop()
#define ranges_are_used() nvtxInitialize(NULL) /* before there are threads */
#else
#define ranges_are_used() (void)0
#define range_begins(text) (void)(text)
#define range_ends() (void)0
#endif

#define OLDEST_GENERATION 8 /* compute capability; what the kernels are built for */
#define KEPT_FREE 0.05      /* of the memory, for the libraries of kernels and whatever else */
#define MOST_GPUS 64

/* The functions of the runtime library that are used here, as pointers of their own types. */
#define CALLS(X) \
    X(cudaGetDeviceCount) X(cudaGetDeviceProperties) X(cudaDeviceGetPCIBusId) X(cudaSetDevice) X(cudaMemGetInfo) \
    X(cudaMalloc) X(cudaFree) X(cudaHostRegister) X(cudaHostUnregister) X(cudaMemcpyAsync) \
    X(cudaStreamCreateWithFlags) X(cudaStreamDestroy) X(cudaStreamSynchronize) \
    X(cudaEventCreateWithFlags) X(cudaEventDestroy) X(cudaEventRecord) X(cudaEventQuery) X(cudaEventSynchronize) X(cudaEventElapsedTime) \
    X(cudaGetLastError) X(cudaGetErrorString)
#define POINTER(name) __typeof__(&name) name##_;
static struct {
    CALLS(POINTER)
} cuda;
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)    /* after expansion: some names of the header are macros */

static struct {
    int n, at[MOST_GPUS];   /* usable ones, by the number that CUDA gives them */
    bool looked;
    char why[300];
} gpus;

/* The events that a task leaves behind. */
struct stamps {
    cudaEvent_t begun, copied, executed, ended;
    bool launched;
    bool settled;           /* `ended` was recorded after all else */
};

#define NONE (-1)
#define STAMPS (PLB_MAX_LANES + 1) /* for each lane, and for the task that ended last */

struct plb_device {
    int gpu;
    double memory;
    cudaStream_t streams[PLB_MAX_LANES];
    struct stamps stamps[STAMPS];
    int in_lane[PLB_MAX_LANES], last; /* which stamps, or NONE */
    char failure[80];
};

/* ------------------------------------------------------------- finding GPUs */

static bool load_library(void)
{
    char name[40];
    snprintf(name, sizeof name, "libcudart.so.%d", CUDART_VERSION / 1000);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(gpus.why, sizeof gpus.why, "no GPU is used: %s", dlerror());
        return false;
    }
    const char *missing = NULL;
    void *symbol;
#define RESOLVE(name)                                       \
    if ((symbol = dlsym(library, TEXT(name))) == NULL)      \
        missing = TEXT(name);                               \
    memcpy(&cuda.name##_, &symbol, sizeof symbol);
    CALLS(RESOLVE)
    if (missing != NULL)
        snprintf(gpus.why, sizeof gpus.why, "no GPU is used: %s has no %s", name, missing);
    return missing == NULL;
}

static void look(void)
{
    int n = 0;
    ranges_are_used();
    if (!load_library())
        return;
    cudaError_t status = cuda.cudaGetDeviceCount_(&n);
    cuda.cudaGetLastError_();
    if (status != cudaSuccess || n == 0) {
        if (status == cudaErrorInsufficientDriver)
            snprintf(gpus.why, sizeof gpus.why, "no GPU is used: there is no NVIDIA driver, or one that is older than CUDA %d.%d", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
        else
            snprintf(gpus.why, sizeof gpus.why, "no GPU is used: %s", status != cudaSuccess ? cuda.cudaGetErrorString_(status) : "none is visible");
        return;
    }
    snprintf(gpus.why, sizeof gpus.why, "%d GPU%s visible", n, n == 1 ? "" : "s");
    for (int i = 0; i < n && gpus.n < MOST_GPUS; i++) {
        struct cudaDeviceProp p;
        status = cuda.cudaGetDeviceProperties_(&p, i);
        cuda.cudaGetLastError_();
        if (status == cudaSuccess && p.major >= OLDEST_GENERATION)
            gpus.at[gpus.n++] = i;
        else if (status != cudaSuccess)
            snprintf(gpus.why, sizeof gpus.why, "GPU %d is not used: %s", i, cuda.cudaGetErrorString_(status));
        else
            snprintf(gpus.why, sizeof gpus.why, "a GPU is not used: %.60s is of generation %d.%d, and the kernels are built for %d.0 and later", p.name, p.major, p.minor, OLDEST_GENERATION);
    }
}

int plb_cuda_count(const char **why)
{
    if (!gpus.looked)
        look();
    gpus.looked = true;
    if (why != NULL)
        *why = gpus.why;
    return gpus.n;
}

void plb_cuda_describe(int gpu, struct plb_cuda_gpu *d)
{
    struct cudaDeviceProp p = {.name = "?"};
    *d = (struct plb_cuda_gpu){.multiprocessors = 1};
    if (cuda.cudaGetDeviceProperties_(&p, gpus.at[gpu]) != cudaSuccess || cuda.cudaDeviceGetPCIBusId_(d->pci, sizeof d->pci, gpus.at[gpu]) != cudaSuccess)
        return;
    snprintf(d->model, sizeof d->model, "%.43s", p.name);
    d->multiprocessors = p.multiProcessorCount;
    int length = snprintf(d->uuid, sizeof d->uuid, "GPU-");
    for (int i = 0; i < 16; i++)
        length += snprintf(d->uuid + length, sizeof d->uuid - (size_t)length, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", (unsigned char)p.uuid.bytes[i]);
}

/* ------------------------------------------------------------ opening a GPU */

/* 0, or the error's number, with its sentence in d->failure. */
static int check(struct plb_device *d, cudaError_t status)
{
    if (status == cudaSuccess)
        return 0;
    cuda.cudaGetLastError_();
    snprintf(d->failure, sizeof d->failure, "%.66s, CUDA %d", cuda.cudaGetErrorString_(status), (int)status);
    return (int)status;
}

static int create_stamps(struct plb_device *d, struct stamps *s)
{
    cudaEvent_t *events[] = {&s->begun, &s->copied, &s->executed, &s->ended};
    for (int i = 0; i < 4; i++)
        if (check(d, cuda.cudaEventCreateWithFlags_(events[i], cudaEventBlockingSync)) != 0)
            return -1;
    return 0;
}

static void cuda_close(struct plb_device *d)
{
    for (int i = 0; i < STAMPS; i++) {
        cudaEvent_t events[] = {d->stamps[i].begun, d->stamps[i].copied, d->stamps[i].executed, d->stamps[i].ended};
        for (int e = 0; e < 4; e++)
            if (events[e] != NULL)
                cuda.cudaEventDestroy_(events[e]);
    }
    for (int lane = 0; lane < PLB_MAX_LANES; lane++)
        if (d->streams[lane] != NULL)
            cuda.cudaStreamDestroy_(d->streams[lane]);
    free(d);
}

static int cuda_open(const struct plb_device_config *config, struct plb_device **device, struct plb_error *err)
{
    struct plb_device *d = plb_alloc(sizeof *d);
    size_t left = 0, total = 0;
    d->gpu = gpus.at[config->gpu];
    d->last = NONE;
    int status = check(d, cuda.cudaSetDevice_(d->gpu));
    if (status == 0)
        status = check(d, cuda.cudaMemGetInfo_(&left, &total));
    for (int lane = 0; lane < PLB_MAX_LANES && status == 0; lane++) {
        d->in_lane[lane] = NONE;
        status = check(d, cuda.cudaStreamCreateWithFlags_(&d->streams[lane], cudaStreamNonBlocking));
    }
    for (int i = 0; i < STAMPS && status == 0; i++)
        status = create_stamps(d, &d->stamps[i]);
    double share = (double)total / config->sharers;
    d->memory = (1.0 - KEPT_FREE) * ((double)left < share ? (double)left : share);
    if (status == 0) {
        *device = d;
        return PLB_OK;
    }
    plb_fail(err, PLB_EFAILED, "GPU %d cannot be used: %s; free it, or leave GPUs out with cluster.pus=cpu", d->gpu, d->failure);
    cuda_close(d);
    return PLB_EFAILED;
}

static bool cuda_host_memory(const struct plb_device *d)
{
    (void)d;
    return false;
}

static double cuda_memory(const struct plb_device *d)
{
    return d->memory;
}

static void *cuda_alloc(struct plb_device *d, size_t bytes)
{
    void *memory = NULL;
    int status = check(d, cuda.cudaMalloc_(&memory, bytes > 0 ? bytes : 1));
    if (status == (int)cudaErrorMemoryAllocation) /* no failure of the device */
        d->failure[0] = '\0';
    return status == 0 ? memory : NULL;
}

static void cuda_free(struct plb_device *d, void *memory)
{
    check(d, cuda.cudaFree_(memory));
}

static void cuda_pin(const struct plb_device *d, void *memory, size_t bytes)
{
    cuda.cudaSetDevice_(d->gpu); /* this may be any thread */
    if (cuda.cudaHostRegister_(memory, bytes, cudaHostRegisterPortable) != cudaSuccess)
        cuda.cudaGetLastError_();
}

static void cuda_unpin(void *memory)
{
    if (cuda.cudaHostUnregister_(memory) != cudaSuccess) /* nor could it be pinned */
        cuda.cudaGetLastError_();
}

/* ------------------------------------------------------------ running tasks */

/* The stamps of what is under way in a lane; new ones where nothing is. NULL where the GPU fails. */
static struct stamps *stamps_of(struct plb_device *d, int lane)
{
    if (d->in_lane[lane] != NONE)
        return &d->stamps[d->in_lane[lane]];
    for (int i = 0; i < STAMPS; i++) {
        bool taken = i == d->last;
        for (int other = 0; other < PLB_MAX_LANES; other++)
            taken = taken || d->in_lane[other] == i;
        if (taken)
            continue;
        d->failure[0] = '\0';
        d->stamps[i].launched = d->stamps[i].settled = false;
        if (check(d, cuda.cudaEventRecord_(d->stamps[i].begun, d->streams[lane])) != 0)
            return NULL;
        d->in_lane[lane] = i;
        return &d->stamps[i];
    }
    return NULL;
}

static int settle(struct plb_device *d, int lane, struct stamps *s)
{
    int status = check(d, cuda.cudaEventRecord_(s->ended, d->streams[lane]));
    s->settled = status == 0;
    return status;
}

static int copy(struct plb_device *d, int lane, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    struct stamps *s = stamps_of(d, lane);
    if (s == NULL)
        return -1;
    s->settled = false;
    range_begins("transfer");
    int status = bytes > 0 ? check(d, cuda.cudaMemcpyAsync_(to, from, bytes, kind, d->streams[lane])) : 0;
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

/* Between two events; an asynchronous error that nobody has asked about yet shows in the last error. */
static int cuda_launch(struct plb_device *d, int lane, const struct plb_phase *phase, const struct plb_task *given)
{
    struct plb_task task = *given;
    struct stamps *s = stamps_of(d, lane);
    char name[100];
    if (s == NULL)
        return -1;
    s->settled = false;
    task.stream = d->streams[lane];
    int status = check(d, cuda.cudaEventRecord_(s->copied, d->streams[lane]));
    if (status != 0)
        return status;
    snprintf(name, sizeof name, "task %.50s %lld+%lld", phase->name, (long long)task.first, (long long)task.count);
    d->failure[0] = '\0';
    range_begins(name);
    status = phase->cuda(&task);
    range_ends();
    int error = check(d, cuda.cudaGetLastError_());
    if (status == 0)
        status = error;
    if (status == 0)
        status = check(d, cuda.cudaEventRecord_(s->executed, d->streams[lane]));
    s->launched = status == 0;
    return status == 0 ? settle(d, lane, s) : status;
}

static bool cuda_done(struct plb_device *d, int lane)
{
    if (d->in_lane[lane] == NONE || cuda.cudaEventQuery_(d->stamps[d->in_lane[lane]].ended) != cudaErrorNotReady)
        return true;
    cuda.cudaGetLastError_(); /* that it is not ready counts as an error, which the next launch would find */
    return false;
}

/* Seconds from the later of two events to a third; the first may be NULL. */
static double since_later(cudaEvent_t earlier, cudaEvent_t begun, cudaEvent_t ended)
{
    float ms = 0.0f, less = INFINITY;
    cuda.cudaEventElapsedTime_(&ms, begun, ended);
    if (earlier != NULL)
        cuda.cudaEventElapsedTime_(&less, earlier, ended);
    ms = less < ms ? less : ms;
    return ms > 0.0f ? (double)ms * 1e-3 : 0.0;
}

/* Whether a task overtook another: nothing is counted from its end then. */
static bool ended_before(const struct stamps *s, const struct stamps *other)
{
    float ms = 0.0f;
    return cuda.cudaEventElapsedTime_(&ms, other->ended, s->ended) == cudaSuccess && ms < 0.0f;
}

static int cuda_wait(struct plb_device *d, int lane, struct plb_device_times *times)
{
    int at = d->in_lane[lane];
    *times = (struct plb_device_times){0};
    if (at == NONE)
        return 0;
    d->in_lane[lane] = NONE;
    const struct stamps *s = &d->stamps[at], *last = d->last != NONE ? &d->stamps[d->last] : NULL;
    int status = check(d, s->settled ? cuda.cudaEventSynchronize_(s->ended) : cuda.cudaStreamSynchronize_(d->streams[lane]));
    if (status != 0 || !s->settled)
        return status;
    double total = since_later(last != NULL ? last->ended : NULL, s->begun, s->ended);
    if (s->launched)
        times->execute_s = since_later(last != NULL && last->launched ? last->executed : NULL, s->copied, s->executed);
    times->execute_s = times->execute_s < total ? times->execute_s : total;
    times->transfer_s = total - times->execute_s;
    if (last == NULL || !ended_before(s, last))
        d->last = at;
    return 0;
}

static const char *cuda_failure(const struct plb_device *d)
{
    return d->failure;
}

const struct plb_device_ops plb_device_cuda = {
    .name = "cuda",
    .lanes = PLB_MAX_LANES,
    .open = cuda_open,
    .close = cuda_close,
    .host_memory = cuda_host_memory,
    .memory = cuda_memory,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .copy_in = cuda_copy_in,
    .copy_out = cuda_copy_out,
    .launch = cuda_launch,
    .done = cuda_done,
    .wait = cuda_wait,
    .failure = cuda_failure,
};
