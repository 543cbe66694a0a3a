/* The entries of test_devices on a real GPU; test/fake-cuda/entries.c is the same for the fake. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

__global__ void twice(int64_t n, double first, const double *in, double *out)
{
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x)
        out[i] = 2.0 * in[i] + first;
}

__global__ void spin(int64_t cycles)
{
    for (const long long began = clock64(); clock64() - began < cycles;) {
    }
}

__global__ void fault()
{
    *reinterpret_cast<volatile int *>(8) = 1;
}

cudaStream_t stream(const struct plb_task *task)
{
    return static_cast<cudaStream_t>(task->stream);
}

} // namespace

/* data[1][i] = 2 · data[0][i] + first */
extern "C" int twice_cuda(const struct plb_task *task)
{
    twice<<<64, 256, 0, stream(task)>>>(task->count, static_cast<double>(task->first),
                                        static_cast<const double *>(task->data[0]),
                                        static_cast<double *>(task->data[1]));
    return static_cast<int>(cudaGetLastError());
}

/* Lasts a while: `count` microseconds or so. */
extern "C" int spin_cuda(const struct plb_task *task)
{
    spin<<<1, 1, 0, stream(task)>>>(task->count * 1500);
    return static_cast<int>(cudaGetLastError());
}

/* Fails where it runs, not where it is launched. */
extern "C" int fault_cuda(const struct plb_task *task)
{
    fault<<<1, 1, 0, stream(task)>>>();
    return static_cast<int>(cudaGetLastError());
}
