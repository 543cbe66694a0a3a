/* spmm on a GPU: a warp per row and 32 columns of B, so that reads of B coalesce and rows of any
 * length keep all lanes busy. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

constexpr int warps = 8; /* per block */

__global__ void multiply(int64_t rows, int64_t columns, const int64_t *offsets, const int32_t *indices, const double *values,
                         const double *b, double *c)
{
    const int64_t row = static_cast<int64_t>(blockIdx.x) * warps + threadIdx.y;
    if (row >= rows)
        return;
    const int64_t begin = offsets[row] - offsets[0], end = offsets[row + 1] - offsets[0];
    for (int64_t j = threadIdx.x + static_cast<int64_t>(blockIdx.y) * 32; j < columns; j += 32 * static_cast<int64_t>(gridDim.y)) {
        double sum = 0.0;
        for (int64_t i = begin; i < end; i++)
            sum += values[i] * b[indices[i] * columns + j];
        c[row * columns + j] = sum;
    }
}

} // namespace

extern "C" int spmm_cuda(const struct plb_task *task)
{
    const int64_t columns = *static_cast<const int64_t *>(task->args);
    const int64_t *offsets = static_cast<const int64_t *>(task->data[0]) + task->first;
    const int64_t tiles = (columns + 31) / 32;
    const dim3 grid(static_cast<unsigned>((task->count + warps - 1) / warps), static_cast<unsigned>(tiles < 65535 ? tiles : 65535));
    multiply<<<grid, dim3(32, warps), 0, static_cast<cudaStream_t>(task->stream)>>>(
        task->count, columns, offsets, static_cast<const int32_t *>(task->data[1]), static_cast<const double *>(task->data[2]),
        static_cast<const double *>(task->data[3]), static_cast<double *>(task->data[4]));
    return static_cast<int>(cudaGetLastError());
}
