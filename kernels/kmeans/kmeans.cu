/* kmeans on a GPU: a thread for each point finds its centroid, as on CPUs, so that labels have the same bits.
 * Then a block for each element of the sums adds up its points in a fixed order. So sums have the same bits
 * in each run of a task, and others than on CPUs.
 *
 * Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { POINTS, CENTROIDS, SUMS, LABELS }; /* as in kmeans.c */
constexpr int threads = 256;

struct shape { /* the same as in nearest.h */
    int64_t clusters, dimensions;
    int32_t narrow, labels;
};

template <typename real> __global__ void __launch_bounds__(threads)
    nearest(shape s, int64_t count, const real *points, const double *centroids, int32_t *label,
            double *square, int32_t *labels)
{
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * threads + threadIdx.x; i < count;
         i += static_cast<int64_t>(gridDim.x) * threads) {
        double best = INFINITY;
        int32_t which = 0;
        for (int64_t c = 0; c < s.clusters; c++) {
            double sum = 0.0;
            for (int64_t j = 0; j < s.dimensions; j++) {
                const double way = __dsub_rn(static_cast<double>(points[i * s.dimensions + j]),
                                             centroids[c * s.dimensions + j]);
                sum = fma(way, way, sum);
            }
            if (sum < best) {
                best = sum;
                which = static_cast<int32_t>(c);
            }
        }
        label[i] = which;
        square[i] = best;
        if (labels != nullptr)
            labels[i] = which;
    }
}

/* Block b makes element b of the sums: of a cluster a coordinate or the number of points; the last one is the
 * inertia. */
template <typename real> __global__ void __launch_bounds__(threads)
    add(shape s, int64_t count, const real *points, const int32_t *label, const double *square, double *sums)
{
    __shared__ double part[threads];
    const int64_t width = s.clusters * (s.dimensions + 1) + 1;
    for (int64_t at = blockIdx.x; at < width; at += gridDim.x) {
        const int64_t c = at / (s.dimensions + 1), j = at % (s.dimensions + 1);
        double sum = 0.0;
        for (int64_t i = threadIdx.x; i < count; i += threads)
            if (c == s.clusters)
                sum += square[i];
            else if (label[i] == c)
                sum += j == s.dimensions ? 1.0 : static_cast<double>(points[i * s.dimensions + j]);
        part[threadIdx.x] = sum;
        for (int half = threads / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half)
                part[threadIdx.x] += part[threadIdx.x + half];
        }
        if (threadIdx.x == 0)
            sums[at] = part[0];
        __syncthreads();
    }
}

template <typename real> int assign(const plb_task *task, const shape &s, cudaStream_t stream)
{
    const real *points = static_cast<const real *>(task->data[POINTS]);
    const int64_t blocks = (task->count + threads - 1) / threads;
    const int64_t width = s.clusters * (s.dimensions + 1) + 1;
    double *square;
    int32_t *label;
    cudaError_t error = cudaMallocAsync(&square, static_cast<size_t>(task->count) * sizeof *square, stream);
    if (error != cudaSuccess)
        return static_cast<int>(error);
    error = cudaMallocAsync(&label, static_cast<size_t>(task->count) * sizeof *label, stream);
    if (error == cudaSuccess) {
        nearest<<<static_cast<unsigned>(blocks < 65535 ? blocks : 65535), threads, 0, stream>>>(
            s, task->count, points, static_cast<const double *>(task->data[CENTROIDS]), label, square,
            s.labels != 0 ? static_cast<int32_t *>(task->data[LABELS]) : nullptr);
        add<<<static_cast<unsigned>(width < 65535 ? width : 65535), threads, 0, stream>>>(
            s, task->count, points, label, square, static_cast<double *>(task->data[SUMS]));
        error = cudaGetLastError();
        cudaFreeAsync(label, stream);
    }
    cudaFreeAsync(square, stream);
    return static_cast<int>(error);
}

} // namespace

extern "C" int kmeans_cuda(const struct plb_task *task)
{
    const shape s = *static_cast<const shape *>(task->args);
    const auto stream = static_cast<cudaStream_t>(task->stream);
    return s.narrow != 0 ? assign<float>(task, s, stream) : assign<double>(task, s, stream);
}
