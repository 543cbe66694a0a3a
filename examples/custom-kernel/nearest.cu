/* nearest on a GPU: a thread per point. The entry enqueues the work on the task's stream, and plbrun waits
 * for it. */
#include "plb/kernel.h"

__global__ void find(int64_t n, const double *mine, int64_t points, int64_t coordinates, const double *all,
                     double *out)
{
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (i >= n)
        return;
    double best = INFINITY;
    for (int64_t j = 0; j < points; j++) {
        double sum = all + j * coordinates == mine + i * coordinates ? INFINITY : 0.0;
        for (int64_t k = 0; k < coordinates; k++) {
            const double d = mine[i * coordinates + k] - all[j * coordinates + k];
            sum += d * d;
        }
        best = fmin(best, sum);
    }
    out[i] = sqrt(best);
}

extern "C" int nearest_cuda(const struct plb_task *task)
{
    const int64_t *shape = static_cast<const int64_t *>(task->args);
    const double *all = static_cast<const double *>(task->data[0]);
    const unsigned blocks = static_cast<unsigned>((task->count + 127) / 128);
    find<<<blocks, 128, 0, static_cast<cudaStream_t>(task->stream)>>>(
        task->count, all + task->first * shape[1], shape[0], shape[1], all,
        static_cast<double *>(task->data[1]));
    return static_cast<int>(cudaGetLastError());
}
