/* rod on a GPU: a thread per cell. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

__global__ void mix(double sign, int64_t first, int64_t count, int64_t cells, const double *now,
                    const double *table, double *then)
{
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < count;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
        const int64_t cell = first + i;
        const double left = cell == 0 ? now[i] : now[i - 1], right = cell == cells - 1 ? now[i] : now[i + 1];
        then[i] = 0.5 * now[i] + 0.25 * (left + right) + sign * table[cell % 1024];
    }
}

int launch(double sign, const struct plb_task *task)
{
    mix<<<256, 256, 0, static_cast<cudaStream_t>(task->stream)>>>(
        sign, task->first, task->count, *static_cast<const int64_t *>(task->args),
        static_cast<const double *>(task->data[0]), static_cast<const double *>(task->data[1]),
        static_cast<double *>(task->data[2]));
    return static_cast<int>(cudaGetLastError());
}

} // namespace

extern "C" int rod_add_cuda(const struct plb_task *task)
{
    return launch(1.0, task);
}

extern "C" int rod_subtract_cuda(const struct plb_task *task)
{
    return launch(-1.0, task);
}
