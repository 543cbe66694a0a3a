/* The cost of an empty task and of a copy on an OpenCL device by our driver, beside plain calls of OpenCL on
 * the same device: a queue that keeps times, a kernel of one work-item or a copy into shared virtual memory,
 * and the wait for it. Seconds; the least of several rounds, in turn, since noise only adds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/driver.h"
#include "plb/opencl.h"

#define ROUNDS 40
#define TASKS 200          /* in a round, one after another, as a thread of a PU does them */
#define LEAST_BYTES 4096.0 /* of a copy */
#define MOST_BYTES 67108864.0
#define COPIED 2e8 /* bytes in a round, at most TASKS copies */

extern const struct plb_device_driver plb_device_opencl;

static const char source[] = PLB_OPENCL_C(kernel void nothing(long n) {
    if (n > 0)
        return;
});

static int nothing(const struct plb_task *task)
{
    const struct plb_opencl_arg args[] = {PLB_OPENCL_VALUE(task->count)};
    const size_t one = 1;
    return plb_opencl_run(task, source, "nothing", 1, &one, NULL, args, 1);
}

struct plain {
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
    void *memory;
};

static void must(int status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "bench: %s: %d\n", what, status);
    exit(1);
}

static void open_plain(struct plain *p)
{
    const cl_queue_properties timed[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const char *text = source;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    must(clGetPlatformIDs(1, &platform, NULL), "no platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no device");
    p->context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status, "context");
    p->queue = clCreateCommandQueueWithProperties(p->context, device, timed, &status);
    must(status, "queue");
    cl_program program = clCreateProgramWithSource(p->context, 1, &text, NULL, &status);
    must(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL), "program");
    p->kernel = clCreateKernel(program, "nothing", &status);
    must(status, "kernel");
    p->memory = clSVMAlloc(p->context, CL_MEM_READ_WRITE, (size_t)MOST_BYTES, 0);
}

static double plain_task(struct plain *p)
{
    const size_t one = 1;
    double began = plb_now();
    for (cl_long i = 0; i < TASKS; i++) {
        cl_event ended;
        must(clSetKernelArg(p->kernel, 0, sizeof i, &i), "argument");
        must(clEnqueueNDRangeKernel(p->queue, p->kernel, 1, NULL, &one, NULL, 0, NULL, &ended), "launch");
        must(clFinish(p->queue), "wait");
        clReleaseEvent(ended);
    }
    return (plb_now() - began) / TASKS;
}

static double our_task(const struct plb_device_ops *ops, struct plb_device *d)
{
    static const struct plb_phase phase = {.name = "nothing", .opencl = nothing};
    struct plb_device_times times;
    double began = plb_now();
    for (int64_t i = 0; i < TASKS; i++) {
        struct plb_task task = {.count = i, .threads = 1};
        must(ops->launch(d, 0, &phase, &task), "launch");
        must(ops->wait(d, 0, &times), "wait");
    }
    return (plb_now() - began) / TASKS;
}

static int copies_of(double bytes)
{
    return (int)fmin(fmax(COPIED / bytes, 1.0), TASKS);
}

static double plain_copy(struct plain *p, const void *from, double bytes)
{
    double began = plb_now();
    for (int i = 0; i < copies_of(bytes); i++) {
        cl_event ended;
        must(clEnqueueSVMMemcpy(p->queue, CL_FALSE, p->memory, from, (size_t)bytes, 0, NULL, &ended), "copy");
        must(clFinish(p->queue), "wait");
        clReleaseEvent(ended);
    }
    return (plb_now() - began) / copies_of(bytes);
}

static double our_copy(const struct plb_device_ops *ops, struct plb_device *d, void *to, const void *from,
                       double bytes)
{
    struct plb_device_times times;
    double began = plb_now();
    for (int i = 0; i < copies_of(bytes); i++) {
        must(ops->copy_in(d, 0, to, from, (size_t)bytes), "copy");
        must(ops->wait(d, 0, &times), "wait");
    }
    return (plb_now() - began) / copies_of(bytes);
}

static void print(const char *what, double ours, double plain)
{
    printf("%-28s %9.1f us   plain OpenCL %9.1f us   ratio %.2f\n", what, 1e6 * ours, 1e6 * plain,
           ours / plain);
}

int main(void)
{
    const struct plb_device_ops *ops = &plb_device_opencl.ops;
    const char *why = NULL;
    struct plb_error err = {.status = PLB_OK};
    struct plb_device *d;
    struct plain plain;
    if (plb_device_opencl.count(&why) == 0) {
        printf("opencl is not measured: %s\n", why);
        return 0;
    }
    struct plb_device_config config = {.threads = 1, .sharers = 1};
    must(ops->open(&config, &d, &err), err.text);
    open_plain(&plain);
    char *from = calloc(1, (size_t)MOST_BYTES);
    void *to = ops->alloc(d, (size_t)MOST_BYTES);
    double ours = INFINITY, theirs = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        ours = fmin(ours, our_task(ops, d));
        theirs = fmin(theirs, plain_task(&plain));
    }
    print("empty task", ours, theirs);
    for (double bytes = LEAST_BYTES; bytes <= MOST_BYTES; bytes *= 128.0) {
        char what[40];
        snprintf(what, sizeof what, "copy of %.0f bytes", bytes);
        ours = theirs = INFINITY;
        for (int round = 0; round < ROUNDS; round++) {
            ours = fmin(ours, our_copy(ops, d, to, from, bytes));
            theirs = fmin(theirs, plain_copy(&plain, from, bytes));
        }
        print(what, ours, theirs);
    }
    free(from);
    ops->free(d, to);
    ops->close(d);
    return 0;
}
