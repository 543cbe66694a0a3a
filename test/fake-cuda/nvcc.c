/* The functions that objects compiled by nvcc call. Loading one works; device code cannot run here, so a
 * launch gives cudaErrorInvalidDeviceFunction, as a kernel with no code for the device does. The prototypes
 * of the functions with underscores are in NVIDIA's crt/host_runtime.h, for C++ alone. */
#include "fake.h"

void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
                              size_t size, int constant, int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream);

void **__cudaRegisterFatBinary(void *binary)
{
    static void *handle; /* the same for all: nobody looks behind it */
    (void)binary;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *size)
{
    (void)handle, (void)host, (void)device, (void)name, (void)limit;
    (void)tid, (void)bid, (void)block, (void)grid, (void)size;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global)
{
    (void)handle, (void)host, (void)device, (void)name, (void)external, (void)size, (void)constant,
        (void)global;
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
                              size_t size, int constant, int global)
{
    (void)handle, (void)host, (void)device, (void)name, (void)external, (void)size, (void)constant,
        (void)global;
}

char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

/* The arguments of <<<...>>>, between its two calls; 0 goes on to the launch. */
static _Thread_local struct {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} pushed;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    pushed.grid = grid;
    pushed.block = block;
    pushed.shared = shared;
    pushed.stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    *(cudaStream_t *)stream = pushed.stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    (void)function;
    *kernel = NULL;
    return cudaSuccess;
}

static cudaError_t refuse_launch(const char *call, cudaStream_t stream)
{
    cudaError_t status = fake_enter(call);
    if (status == cudaSuccess)
        status = fake.devices[fake_stream(stream)->device].sticky;
    return fake_leave(status == cudaSuccess ? cudaErrorInvalidDeviceFunction : status);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream)
{
    (void)kernel, (void)grid, (void)block, (void)arguments, (void)shared;
    return refuse_launch("__cudaLaunchKernel", stream);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream)
{
    (void)function, (void)grid, (void)block, (void)arguments, (void)shared;
    return refuse_launch("cudaLaunchKernel", stream);
}
