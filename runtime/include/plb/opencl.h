/* For opencl entries: compiles a kernel in OpenCL C and enqueues it. plb/kernel.h has the rest.
 *
 *     static const char source[] = PLB_OPENCL_C(
 *         kernel void scale(global const double *x, global double *y, double by, long n)
 *         {
 *             const long i = get_global_id(0);
 *             if (i < n)
 *                 y[i] = by * x[i];
 *         });
 *     int mine_opencl(const struct plb_task *task)
 *     {
 *         const double by = 2.0;
 *         const struct plb_opencl_arg args[] = {PLB_OPENCL_DATA(task, 0), PLB_OPENCL_DATA(task, 1),
 *                                               PLB_OPENCL_VALUE(by), PLB_OPENCL_VALUE(task->count)};
 *         const size_t group[1] = {64}, global[1] = {plb_opencl_items(task->count, 64)};
 *         return plb_opencl_run(task, source, "scale", 1, global, group, args, 4);
 *     }
 *
 * An entry enqueues its work on task->stream and returns without waiting. Build the file into NAME.opencl.so
 * beside NAME.so, with -lOpenCL, and name the entry in the descriptor by PLB_OPENCL_ENTRY:
 *
 *     cc -O2 -fPIC -shared $(pkg-config --cflags plbrun) -o NAME.opencl.so NAME.opencl.c -lOpenCL
 *
 * The language is OpenCL C 1.2: an int64_t is a long there. Products and sums are rounded one by one
 * (FP_CONTRACT OFF), and double precision is there. Memory of a group is an array that the kernel declares
 * `local`. A reduced buffer begins with the neutral element of its operation: the kernel adds to it, for
 * example with one work-item that sums what the others have left in memory of plb_opencl_alloc.
 *
 * A program is compiled once by each thread that runs it, and released when the thread ends. Some
 * implementations, PoCL for example, compile a kernel again for each size of a group. Thread-safe. */
#ifndef PLB_OPENCL_H
#define PLB_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200
#endif
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "plb/kernel.h"

/* C as a string. It has no lines that begin with #, and no macros of the file around it. */
#define PLB_OPENCL_C(...) #__VA_ARGS__

/* An argument of a kernel: device memory, NULL allowed, where bytes is 0; else a value. */
struct plb_opencl_arg {
    const void *value;
    size_t bytes;
};
#define PLB_OPENCL_DATA(task, buffer) \
    { \
        (task)->data[buffer], 0 \
    }
#define PLB_OPENCL_MEMORY(pointer) \
    { \
        pointer, 0 \
    }
#define PLB_OPENCL_VALUE(variable) \
    { \
        &(variable), sizeof(variable) \
    }

/* A kernel that a thread has compiled. */
struct plb_opencl_kernel {
    struct plb_opencl_kernel *next;
    cl_context context;
    const char *source, *name;
    cl_kernel kernel;
};
static pthread_key_t plb_opencl_kernels; /* a list for each thread */
static pthread_once_t plb_opencl_once = PTHREAD_ONCE_INIT;

static void plb_opencl_release(void *list)
{
    for (struct plb_opencl_kernel *k = (struct plb_opencl_kernel *)list, *next; k != NULL; k = next) {
        next = k->next;
        clReleaseKernel(k->kernel);
        free(k);
    }
}

static void plb_opencl_begin(void)
{
    pthread_key_create(&plb_opencl_kernels, plb_opencl_release);
}

/* Compiles a kernel. The compiler's words on a mistake go to stderr. */
static int plb_opencl_compile(cl_context context, cl_device_id device, struct plb_opencl_kernel *k)
{
    static const char *const first = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                                     "#pragma OPENCL FP_CONTRACT OFF\n";
    const char *parts[] = {first, k->source};
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 2, parts, NULL, &status);
    if (status == CL_SUCCESS)
        status = clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
    if (status == CL_BUILD_PROGRAM_FAILURE) {
        static char log[4000];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "OpenCL: %s\n", log);
    }
    if (status == CL_SUCCESS)
        k->kernel = clCreateKernel(program, k->name, &status);
    if (status == CL_INVALID_KERNEL_NAME)
        fprintf(stderr, "OpenCL: the compiled source has no kernel '%s'\n", k->name);
    if (program != NULL)
        clReleaseProgram(program); /* the kernel holds it */
    return status;
}

/* The kernel `name` of `source` for the device of the queue; the two strings are static storage. Returns 0 or
 * an error of OpenCL. */
static inline int plb_opencl_find(cl_command_queue queue, const char *source, const char *name,
                                  cl_kernel *kernel)
{
    cl_context context;
    cl_device_id device;
    cl_int status = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (status == CL_SUCCESS)
        status = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(device), &device, NULL);
    if (status != CL_SUCCESS)
        return status;
    pthread_once(&plb_opencl_once, plb_opencl_begin);
    struct plb_opencl_kernel *list = (struct plb_opencl_kernel *)pthread_getspecific(plb_opencl_kernels);
    for (struct plb_opencl_kernel *k = list; k != NULL; k = k->next)
        if (k->context == context && k->source == source && k->name == name) {
            *kernel = k->kernel;
            return CL_SUCCESS;
        }
    struct plb_opencl_kernel *k = (struct plb_opencl_kernel *)calloc(1, sizeof *k);
    if (k == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    k->next = list;
    k->context = context;
    k->source = source;
    k->name = name;
    status = plb_opencl_compile(context, device, k);
    if (status != CL_SUCCESS) {
        free(k);
        return status;
    }
    pthread_setspecific(plb_opencl_kernels, k);
    *kernel = k->kernel;
    return CL_SUCCESS;
}

/* Numbers of work-items, in groups of `group`, for n things: n rounded up. */
static inline size_t plb_opencl_items(int64_t n, size_t group)
{
    return ((size_t)n + group - 1) / group * group;
}

/* Device memory for this task alone; NULL: there is none, and the entry returns
 * CL_MEM_OBJECT_ALLOCATION_FAILURE. Kernels that were enqueued before plb_opencl_free may still use it. */
static inline void *plb_opencl_alloc(const struct plb_task *task, size_t bytes)
{
    cl_context context;
    if (clGetCommandQueueInfo((cl_command_queue)task->stream, CL_QUEUE_CONTEXT, sizeof context, &context,
                              NULL)
        != CL_SUCCESS)
        return NULL;
    return clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0);
}

static inline int plb_opencl_free(const struct plb_task *task, void *memory)
{
    return clEnqueueSVMFree((cl_command_queue)task->stream, 1, &memory, NULL, NULL, 0, NULL, NULL);
}

/* Enqueues kernel `name` of `source` on task->stream, over `dimensions` (1 to 3) numbers of work-items.
 * source, name: the same pointers in each call, or the program is compiled again. local: work-items of a
 * group, the same in each task, or a task may wait until the kernel is compiled for its size; global is a
 * multiple of it. NULL: OpenCL chooses, by the size of each task. Arguments in the kernel's order; values are
 * copied. Returns 0 or an error of OpenCL, for the entry to return. */
static inline int plb_opencl_run(const struct plb_task *task, const char *source, const char *name,
                                 unsigned dimensions, const size_t *global, const size_t *local,
                                 const struct plb_opencl_arg *args, unsigned n)
{
    cl_command_queue queue = (cl_command_queue)task->stream;
    cl_kernel kernel = NULL;
    cl_int status = plb_opencl_find(queue, source, name, &kernel);
    for (unsigned i = 0; i < n && status == CL_SUCCESS; i++)
        status = args[i].bytes == 0 ? clSetKernelArgSVMPointer(kernel, i, args[i].value)
                                    : clSetKernelArg(kernel, i, args[i].bytes, args[i].value);
    if (status == CL_SUCCESS)
        status = clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL);
    return status;
}

#endif
