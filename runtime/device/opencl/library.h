/* The OpenCL library, opened while plbrun runs, and the devices that it finds. Only for the files of this
 * folder, and only where OpenCL's headers are. */
#ifndef PLB_DEVICE_OPENCL_LIBRARY_H
#define PLB_DEVICE_OPENCL_LIBRARY_H

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <signal.h>

#include "base/name.h"
#include "plb/balancer.h"

/* The functions of the library that plbrun calls. */
/* clang-format off */
#define PLB_OPENCL_CALLS(X) \
    X(clGetPlatformIDs) X(clGetDeviceIDs) X(clGetDeviceInfo) X(clCreateContext) X(clReleaseContext) \
    X(clCreateCommandQueueWithProperties) X(clReleaseCommandQueue) X(clSVMAlloc) X(clSVMFree) \
    X(clEnqueueSVMMemcpy) X(clEnqueueSVMMemFill) X(clEnqueueMarkerWithWaitList) X(clFlush) X(clFinish) \
    X(clWaitForEvents) X(clRetainEvent) X(clReleaseEvent) X(clGetEventInfo) X(clGetEventProfilingInfo)
/* clang-format on */

/* Their addresses. Set by the first plb_opencl_count that finds the library, and never changed afterwards. */
#define PLB_OPENCL_POINTER(name) __typeof__(&(name)) name##_;
struct plb_opencl_library {
    PLB_OPENCL_CALLS(PLB_OPENCL_POINTER)
};
extern struct plb_opencl_library plb_opencl;

/* How many devices can execute tasks: they have double precision, shared virtual memory, 64-bit addresses and
 * a compiler. Looks once. *why, where not NULL, becomes a phrase on what was found; static storage. Main
 * thread only. */
int plb_opencl_count(const char **why);

struct plb_opencl_device {
    cl_device_id id;
    cl_device_type type;
    enum plb_pu_kind kind;
    char model[PLB_NAME];
    char uuid[41]; /* "" where OpenCL does not tell */
    char pci[16];  /* "0000:18:00.0"; "" where OpenCL does not tell */
    int number;    /* among the devices of its name */
    int compute_units;
    double memory, most; /* bytes of global memory, and of one allocation */
};

/* Device 0 ... count - 1; static storage. */
const struct plb_opencl_device *plb_opencl_device(int device);

/* The name of an error of OpenCL, such as "CL_OUT_OF_RESOURCES", or "an error". Static storage. */
const char *plb_opencl_error(cl_int status);

/* Compilers inside of OpenCL may take the signals that plbrun handles, as LLVM does in its first compilation.
 * A call that may compile stands between these two: they put plbrun's handlers back. Held by one thread at a
 * time. */
void plb_opencl_keep_signals(void);
void plb_opencl_restore_signals(void);

/* A task of a CPU as a device stands between these two, for all devices of the process. PoCL finds a
 * compiled kernel by name, group size and number of groups, but counts its users by the first two. So it
 * aborts where a larger task begins before a smaller one has ended (PoCL 3.1; reported of 5.0, too). */
void plb_opencl_begin_on_cpu(void);
void plb_opencl_end_on_cpu(void);

#endif
