/* burn on a GPU: a block per unit, a thread per lane. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

struct burn { /* as in burn.c */
    int64_t steps;
    double a, b;
};

__global__ void iterate(int64_t first, burn k, double *out)
{
    __shared__ double sums[256];
    const int lane = static_cast<int>(threadIdx.x);
    double x = static_cast<double>(lane + (first + blockIdx.x) % 7);
    for (int64_t s = 0; s < k.steps; s++)
        x = x * k.a + k.b;
    sums[lane] = x;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half)
            sums[lane] += sums[lane + half];
    }
    if (lane == 0)
        out[blockIdx.x] = sums[0] / 256;
}

} // namespace

extern "C" int burn_cuda(const struct plb_task *task)
{
    const int64_t most = 1 << 30; /* blocks of one launch */
    for (int64_t done = 0; done < task->count; done += most) {
        const int64_t n = task->count - done < most ? task->count - done : most;
        iterate<<<static_cast<unsigned>(n), 256, 0, static_cast<cudaStream_t>(task->stream)>>>(
            task->first + done, *static_cast<const burn *>(task->args),
            static_cast<double *>(task->data[0]) + done);
    }
    return static_cast<int>(cudaGetLastError());
}
