/* faulty on a GPU: the bad unit's thread writes to an address that is nobody's. With GPU_CHECK_SPARED in the
 * environment, of one rank of several, no unit is bad. */
#include <cstdlib>
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

struct faulty { /* as in faulty.c */
    int64_t bad;
};

__global__ void number(int64_t first, int64_t count, faulty k, double *out)
{
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < count;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x)
        if (first + i == k.bad)
            *reinterpret_cast<volatile double *>(8) = 1.0;
        else
            out[i] = static_cast<double>(first + i);
}

} // namespace

extern "C" int faulty_cuda(const struct plb_task *task)
{
    faulty k = *static_cast<const faulty *>(task->args);
    if (std::getenv("GPU_CHECK_SPARED") != nullptr)
        k.bad = -1;
    number<<<256, 256, 0, static_cast<cudaStream_t>(task->stream)>>>(task->first, task->count, k,
                                                                     static_cast<double *>(task->data[0]));
    return static_cast<int>(cudaGetLastError());
}
