/* Preloaded: the second kernel that is enqueued fails, and so do all after it, as on a lost device. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local, cl_uint n,
                              const cl_event *events, cl_event *event)
{
    static atomic_int calls;
    __typeof__(&clEnqueueNDRangeKernel) real = NULL;
    void *symbol = dlsym(dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD), "clEnqueueNDRangeKernel");
    memcpy(&real, &symbol, sizeof real);
    if (atomic_fetch_add(&calls, 1) > 0)
        return CL_OUT_OF_RESOURCES;
    return real(queue, kernel, dimensions, offset, global, local, n, events, event);
}
