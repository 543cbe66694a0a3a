/* opencl: a device of OpenCL as one PU.
 *
 * A lane is an in-order queue, and stamps are markers (device/lanes.h).
 *
 * Memory is shared virtual memory: plbrun hands out pointers into the middle of what it has allocated, and to
 * data before them (halos), which sub-buffers cannot do. Coarse-grained memory is enough, since the host
 * never touches it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device/driver.h"
#include "device/empty_task.h"
#include "device/lanes.h"
#include "device/opencl/library.h"
#include "device/opencl/options.h"

/* Part of the memory that plbrun leaves alone, for the programs of kernels. As with CUDA, an estimate. */
#define KEPT_FREE 0.05

/* Bytes of inputs and results in one task, as with CUDA: about 5 ms of copying at 25 GB/s. */
#define TASK_BYTES 128e6

/* The guessed power of a compute unit, where a CPU thread has 1: as a multiprocessor of CUDA. It counts until
 * rates are measured. */
#define THREADS_PER_UNIT 4.0

#define ALIGNMENT 128 /* bytes: that of the largest type of OpenCL */

/* The events that a task leaves behind: those of its own copies, and markers around what its entry enqueues.
 * It begins when the first one starts. NULL: none yet. */
struct stamps {
    cl_event begun, copied, executed, ended;
};

struct plb_device {
    const struct plb_opencl_device *device;
    double memory;
    cl_context context;
    cl_command_queue queues[PLB_MAX_LANES];
    struct stamps stamps[PLB_LANE_STAMPS];
    struct plb_lanes lanes;
    plb_entry_fn ran[PLB_MAX_LANES]; /* entries whose programs are built; a few are enough */
    int n_ran;
    char failure[80];
};

/* ------------------------------------------------------ describing a device */

static plb_entry_fn opencl_entry(const struct plb_phase *phase)
{
    return phase->opencl;
}

static void opencl_identify(int device, char id[60])
{
    const struct plb_opencl_device *d = plb_opencl_device(device);
    snprintf(id, 60, "%s %.12s %d", d->uuid[0] != '\0' ? d->uuid : d->pci, d->model, d->number);
}

static const char *opencl_describe(const struct plb_device_site *here, int device, struct plb_device_pu *pu)
{
    const struct plb_opencl_device *d = plb_opencl_device(device);
    const double wanted = here->options[OPENCL_DEVICES];
    if (wanted == OPENCL_NONE)
        return "no OpenCL device is used: cluster.opencl=none";
    if ((d->type & CL_DEVICE_TYPE_CPU) != 0 && wanted != OPENCL_ALL)
        return "the CPU is not used as an OpenCL device, because it is a PU already; cluster.opencl=all "
               "makes it one";
    pu->kind = d->kind;
    pu->power = THREADS_PER_UNIT * d->compute_units / here->sharers;
    if ((d->type & CL_DEVICE_TYPE_CPU) != 0)
        pu->power = (double)d->compute_units / here->sharers;
    pu->task_bytes = TASK_BYTES;
    snprintf(pu->name, sizeof pu->name, "%s", d->model);
    snprintf(pu->model, sizeof pu->model, "%s", d->model);
    opencl_identify(device, pu->id);
    snprintf(pu->pci, sizeof pu->pci, "%s", d->pci);
    return NULL;
}

/* --------------------------------------------------------- opening a device */

/* Returns 0 for success, else the number of the error, and puts its name into d->failure. */
static int check(struct plb_device *d, cl_int status)
{
    if (status != CL_SUCCESS)
        snprintf(d->failure, sizeof d->failure, "%s, OpenCL %d", plb_opencl_error(status), (int)status);
    return (int)status;
}

static void release(cl_event *event)
{
    if (*event != NULL)
        plb_opencl.clReleaseEvent_(*event);
    *event = NULL;
}

static void release_all(struct stamps *s)
{
    release(&s->begun);
    release(&s->copied);
    release(&s->executed);
    release(&s->ended);
}

static void opencl_close(struct plb_device *d)
{
    for (int i = 0; i < PLB_LANE_STAMPS; i++)
        release_all(&d->stamps[i]);
    for (int lane = 0; lane < PLB_MAX_LANES; lane++)
        if (d->queues[lane] != NULL)
            plb_opencl.clReleaseCommandQueue_(d->queues[lane]);
    if (d->context != NULL)
        plb_opencl.clReleaseContext_(d->context);
    free(d);
}

static int opencl_open(const struct plb_device_config *config, struct plb_device **device,
                       struct plb_error *err)
{
    static const cl_queue_properties timed[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    struct plb_device *d = plb_alloc(sizeof *d);
    cl_int status;
    d->device = plb_opencl_device(config->number);
    plb_lanes_init(&d->lanes);
    d->memory = (1.0 - KEPT_FREE) * d->device->memory / config->sharers;
    plb_opencl_keep_signals();
    d->context = plb_opencl.clCreateContext_(NULL, 1, &d->device->id, NULL, NULL, &status);
    for (int lane = 0; lane < PLB_MAX_LANES && status == CL_SUCCESS; lane++)
        d->queues[lane] = plb_opencl.clCreateCommandQueueWithProperties_(d->context, d->device->id, timed,
                                                                         &status);
    plb_opencl_restore_signals();
    if (check(d, status) == 0) {
        *device = d;
        return PLB_OK;
    }
    plb_fail(err, PLB_EFAILED,
             "the OpenCL device %s cannot be opened: %s; free it, or leave it out with cluster.opencl=none",
             d->device->model, d->failure);
    opencl_close(d);
    return PLB_EFAILED;
}

static double opencl_memory(const struct plb_device *d)
{
    return d->memory;
}

static void *opencl_alloc(struct plb_device *d, size_t bytes)
{
    if ((double)bytes > d->device->most)
        return NULL;
    return plb_opencl.clSVMAlloc_(d->context, CL_MEM_READ_WRITE, bytes > 0 ? bytes : 1, ALIGNMENT);
}

/* clSVMFree does not wait for what is in the queues. */
static void opencl_free(struct plb_device *d, void *memory)
{
    for (int lane = 0; lane < PLB_MAX_LANES; lane++)
        check(d, plb_opencl.clFinish_(d->queues[lane]));
    plb_opencl.clSVMFree_(d->context, memory);
}

/* ------------------------------------------------------------ running tasks */

/* The stamps of the task in a lane, or new ones where the lane is empty. */
static struct stamps *stamps_of(struct plb_device *d, int lane)
{
    if (d->lanes.of[lane] != PLB_NO_STAMPS)
        return &d->stamps[d->lanes.of[lane]];
    int at = plb_lanes_unused(&d->lanes);
    d->failure[0] = '\0';
    release_all(&d->stamps[at]);
    d->lanes.of[lane] = at;
    return &d->stamps[at];
}

/* Takes an event that was enqueued, where `status` says that it was, as one of a task. */
static int keep(struct plb_device *d, struct stamps *s, cl_event *as, cl_event event, cl_int status)
{
    if (check(d, status) != 0)
        return status;
    release(as);
    *as = event;
    if (s->begun == NULL && (status = check(d, plb_opencl.clRetainEvent_(event))) == 0)
        s->begun = event;
    return status;
}

static int mark(struct plb_device *d, int lane, struct stamps *s, cl_event *as)
{
    cl_event event = NULL;
    cl_int status = plb_opencl.clEnqueueMarkerWithWaitList_(d->queues[lane], 0, NULL, &event);
    return keep(d, s, as, event, status);
}

static int copy(struct plb_device *d, int lane, void *to, const void *from, size_t bytes)
{
    struct stamps *s = stamps_of(d, lane);
    cl_event event = NULL;
    if (bytes == 0)
        return mark(d, lane, s, &s->ended);
    cl_int status = plb_opencl.clEnqueueSVMMemcpy_(d->queues[lane], CL_FALSE, to, from, bytes, 0, NULL,
                                                   &event);
    status = keep(d, s, &s->ended, event, status);
    return status == 0 ? check(d, plb_opencl.clFlush_(d->queues[lane])) : status;
}

static int opencl_copy_in(struct plb_device *d, int lane, void *to, const void *from_host, size_t bytes)
{
    return copy(d, lane, to, from_host, bytes);
}

static int opencl_copy_out(struct plb_device *d, int lane, void *to_host, const void *from, size_t bytes)
{
    return copy(d, lane, to_host, from, bytes);
}

/* A queue is in order: what comes next waits for the marker. */
static int opencl_follow(struct plb_device *d, int lane, int other)
{
    const cl_event *copied = &stamps_of(d, other)->copied;
    struct stamps *s = stamps_of(d, lane);
    cl_event event = NULL;
    cl_int status = plb_opencl.clEnqueueMarkerWithWaitList_(d->queues[lane], 1, copied, &event);
    return keep(d, s, &s->ended, event, status);
}

static int opencl_zero(struct plb_device *d, int lane, void *memory, size_t bytes)
{
    static const cl_uchar zero = 0;
    struct stamps *s = stamps_of(d, lane);
    cl_event event = NULL;
    if (bytes == 0)
        return mark(d, lane, s, &s->ended);
    cl_int status = plb_opencl.clEnqueueSVMMemFill_(d->queues[lane], memory, &zero, sizeof zero, bytes, 0,
                                                    NULL, &event);
    return keep(d, s, &s->ended, event, status);
}

/* Calls the entry. The first call of one compiles its programs, and compilers take signals. */
static int call(struct plb_device *d, const struct plb_phase *phase, const struct plb_task *task)
{
    for (int i = 0; i < d->n_ran; i++)
        if (d->ran[i] == phase->opencl)
            return phase->opencl(task);
    plb_opencl_keep_signals();
    int status = phase->opencl(task);
    plb_opencl_restore_signals();
    if (d->n_ran < PLB_MAX_LANES)
        d->ran[d->n_ran++] = phase->opencl;
    return status;
}

/* The same. A CPU executes one task at a time (library.h); tasks would share its cores anyway. */
static int call_alone(struct plb_device *d, int lane, const struct plb_phase *phase,
                      const struct plb_task *task)
{
    if ((d->device->type & CL_DEVICE_TYPE_CPU) == 0)
        return call(d, phase, task);
    plb_opencl_begin_on_cpu();
    int status = call(d, phase, task);
    cl_int ended = plb_opencl.clFinish_(d->queues[lane]); /* also what an entry enqueued before it failed */
    plb_opencl_end_on_cpu();
    return status != 0 ? status : check(d, ended);
}

static int opencl_launch(struct plb_device *d, int lane, const struct plb_phase *phase,
                         const struct plb_task *given)
{
    struct plb_task task = *given;
    struct stamps *s = stamps_of(d, lane);
    task.stream = d->queues[lane];
    task.cancelled = NULL; /* the entry returns before the device begins */
    int status = mark(d, lane, s, &s->copied);
    if (status != 0)
        return status;
    d->failure[0] = '\0';
    status = call_alone(d, lane, phase, &task);
    if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE)
        return PLB_DEVICE_FULL;
    if (status == CL_DEVICE_NOT_AVAILABLE || status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY)
        check(d, status); /* the device's failure, and not the kernel's */
    if (status == 0)
        status = mark(d, lane, s, &s->executed);
    if (status == 0 && (status = check(d, plb_opencl.clRetainEvent_(s->executed))) == 0)
        status = keep(d, s, &s->ended, s->executed, CL_SUCCESS);
    return status == 0 ? check(d, plb_opencl.clFlush_(d->queues[lane])) : status;
}

static bool opencl_done(struct plb_device *d, int lane)
{
    int at = d->lanes.of[lane];
    cl_int state = CL_COMPLETE; /* or an error, which is below it */
    if (at == PLB_NO_STAMPS || d->stamps[at].ended == NULL)
        return true;
    plb_opencl.clGetEventInfo_(d->stamps[at].ended, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                               NULL);
    return state <= CL_COMPLETE;
}

static double time_of(cl_event event, cl_profiling_info what)
{
    cl_ulong ns = 0;
    plb_opencl.clGetEventProfilingInfo_(event, what, sizeof ns, &ns, NULL);
    return (double)ns * 1e-9;
}

static int opencl_sync(struct plb_device *d, int lane)
{
    int at = d->lanes.of[lane];
    if (at == PLB_NO_STAMPS)
        return 0;
    int status = check(d, plb_opencl.clFinish_(d->queues[lane]));
    cl_int state = CL_COMPLETE;
    if (status == 0 && d->stamps[at].ended != NULL) {
        plb_opencl.clGetEventInfo_(d->stamps[at].ended, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
                                   &state, NULL);
        status = check(d, state < CL_COMPLETE ? state : CL_SUCCESS);
    }
    return status;
}

static int opencl_wait(struct plb_device *d, int lane, struct plb_device_times *times)
{
    int status = opencl_sync(d, lane), at = plb_lanes_take(&d->lanes, lane);
    if (times != NULL)
        *times = (struct plb_device_times){0};
    if (times == NULL || at == PLB_NO_STAMPS || status != 0 || d->stamps[at].ended == NULL)
        return status;
    const struct stamps *s = &d->stamps[at];
    const struct stamps *last = d->lanes.last != PLB_NO_STAMPS ? &d->stamps[d->lanes.last] : NULL;
    double ended = time_of(s->ended, CL_PROFILING_COMMAND_END);
    struct plb_lane_spans spans = {ended - time_of(s->begun, CL_PROFILING_COMMAND_START), INFINITY, 0.0,
                                   INFINITY};
    if (last != NULL)
        spans.since_ended = ended - time_of(last->ended, CL_PROFILING_COMMAND_END);
    if (s->executed != NULL)
        spans.execute = time_of(s->executed, CL_PROFILING_COMMAND_END)
                      - time_of(s->copied, CL_PROFILING_COMMAND_END);
    if (s->executed != NULL && last != NULL && last->executed != NULL)
        spans.since_executed = time_of(s->executed, CL_PROFILING_COMMAND_END)
                             - time_of(last->executed, CL_PROFILING_COMMAND_END);
    *times = plb_lanes_times(&d->lanes, at, &spans);
    return 0;
}

static const char *opencl_failure(const struct plb_device *d)
{
    return d->failure;
}

const struct plb_device_driver plb_device_opencl = {
    .name = "opencl",
    .kind = PLB_GPU,
    .object = "opencl",
    .options = options,
    .entry = opencl_entry,
    .count = plb_opencl_count,
    .identify = opencl_identify,
    .describe = opencl_describe,
    .ops =
        {
            .lanes = PLB_MAX_LANES,
            .near = PLB_GPU_NEAR,
            .open = opencl_open,
            .close = opencl_close,
            .memory = opencl_memory,
            .alloc = opencl_alloc,
            .free = opencl_free,
            .follow = opencl_follow,
            .zero = opencl_zero,
            .copy_in = opencl_copy_in,
            .copy_out = opencl_copy_out,
            .launch = opencl_launch,
            .empty = {.name = "empty", .opencl = plb_no_units},
            .done = opencl_done,
            .sync = opencl_sync,
            .wait = opencl_wait,
            .failure = opencl_failure,
        },
};
