/* triad on a GPU: one pass over the arrays, with 16 bytes per load and store where the arrays are aligned to
 * that. Each thread folds what it computes. A block folds its threads with CUB, always in one order. Then it
 * adds its part to the task's sum, least and greatest by one atomic operation each, in no fixed order.
 *
 * Returns 0 or a cudaError_t. */
#include <cub/block/block_reduce.cuh>
#include <cuda/atomic>
#include <cuda/std/limits>
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { B, C, A, SUM, LEAST, GREATEST }; /* the same as in triad.c, and so is the chunk */

constexpr int64_t chunk = 4096; /* elements */
constexpr int threads = 256;
constexpr int blocks_per_sm = 6; /* 1536 threads, which every generation holds, with 42 registers each */

struct reduced {
    double sum, least, greatest;
};
using block_reduce = cub::BlockReduce<reduced, threads>;
using shared_double = cuda::atomic_ref<double, cuda::thread_scope_device>;

struct fold {
    __device__ reduced operator()(const reduced &r, const reduced &with) const
    {
        return {r.sum + with.sum, fmin(r.least, with.least), fmax(r.greatest, with.greatest)};
    }
};

__device__ double triad_of(double b, double c, double scale, reduced *r)
{
    const double a = b + scale * c;
    *r = fold()(*r, {a, a, a});
    return a;
}

__device__ double2 triad_of(double2 b, double2 c, double scale, reduced *r)
{
    const double x = triad_of(b.x, c.x, scale, r);
    return make_double2(x, triad_of(b.y, c.y, scale, r));
}

/* Most blocks change neither the least nor the greatest, and a look costs less than an exchange. The value
 * that is seen may be out of date. Then it is too high for the least and too low for the greatest. */
__device__ void lower(double *at, double value)
{
    shared_double least(*at);
    if (value < least.load(cuda::memory_order_relaxed))
        least.fetch_min(value, cuda::memory_order_relaxed);
}

__device__ void raise(double *at, double value)
{
    shared_double greatest(*at);
    if (value > greatest.load(cuda::memory_order_relaxed))
        greatest.fetch_max(value, cuda::memory_order_relaxed);
}

/* T is double or double2; n is the number of Ts. */
template <typename T> __global__ void __launch_bounds__(threads, blocks_per_sm)
    triad(int64_t n, double scale, const T *b, const T *c, T *a, double *sum, double *least, double *greatest)
{
    __shared__ typename block_reduce::TempStorage room;
    constexpr double infinite = cuda::std::numeric_limits<double>::infinity();
    reduced r = {0.0, infinite, -infinite};
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * threads + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * threads)
        a[i] = triad_of(b[i], c[i], scale, &r);
    r = block_reduce(room).Reduce(r, fold());
    if (threadIdx.x != 0)
        return;
    shared_double(*sum).fetch_add(r.sum, cuda::memory_order_relaxed);
    lower(least, r.least);
    raise(greatest, r.greatest);
}

template <typename T> int launch(const plb_task *task, int multiprocessors)
{
    const int64_t n = task->count * chunk / static_cast<int64_t>(sizeof(T) / sizeof(double));
    const int64_t filled = (n + threads - 1) / threads;
    const int64_t most = static_cast<int64_t>(multiprocessors) * blocks_per_sm;
    const unsigned blocks = static_cast<unsigned>(filled < most ? filled : most);
    triad<T><<<blocks, threads, 0, static_cast<cudaStream_t>(task->stream)>>>(
        n, *static_cast<const double *>(task->args), static_cast<const T *>(task->data[B]),
        static_cast<const T *>(task->data[C]), static_cast<T *>(task->data[A]),
        static_cast<double *>(task->data[SUM]), static_cast<double *>(task->data[LEAST]),
        static_cast<double *>(task->data[GREATEST]));
    return static_cast<int>(cudaGetLastError());
}

bool aligned(const void *p)
{
    return reinterpret_cast<uintptr_t>(p) % sizeof(double2) == 0;
}

} // namespace

extern "C" int triad_cuda(const struct plb_task *task)
{
    int device, multiprocessors;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (status != cudaSuccess)
        return static_cast<int>(status);
    return aligned(task->data[A]) && aligned(task->data[B]) && aligned(task->data[C])
             ? launch<double2>(task, multiprocessors)
             : launch<double>(task, multiprocessors);
}
