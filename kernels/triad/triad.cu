/* triad on a GPU: one pass over the arrays, with 16 bytes per load and store where the arrays are aligned to
 * that. Each thread folds what it computes. A block folds its threads by shuffles. Then it adds its part to
 * the task's sum, least and greatest by one atomic operation each, in no fixed order.
 *
 * Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { B, C, A, SUM, LEAST, GREATEST }; /* the same as in triad.c, and so is the chunk */

constexpr int64_t chunk = 4096; /* elements */
constexpr int threads = 256, warps = threads / 32;
constexpr int blocks_per_sm = 6; /* 1536 threads, which every generation holds, with 42 registers each */
constexpr unsigned everyone = 0xffffffffu;

struct reduced {
    double sum, least, greatest;
};

__device__ reduced fold(reduced r, const reduced &with)
{
    r.sum += with.sum;
    r.least = fmin(r.least, with.least);
    r.greatest = fmax(r.greatest, with.greatest);
    return r;
}

__device__ double triad_of(double b, double c, double scale, reduced *r)
{
    const double a = b + scale * c;
    *r = fold(*r, {a, a, a});
    return a;
}

__device__ double2 triad_of(double2 b, double2 c, double scale, reduced *r)
{
    const double x = triad_of(b.x, c.x, scale, r);
    return make_double2(x, triad_of(b.y, c.y, scale, r));
}

/* Lane 0 gets the fold over its warp. The values of the other lanes mean nothing. */
__device__ reduced fold_warp(reduced r)
{
    for (int distance = 16; distance > 0; distance /= 2)
        r = fold(r,
                 {__shfl_down_sync(everyone, r.sum, distance), __shfl_down_sync(everyone, r.least, distance),
                  __shfl_down_sync(everyone, r.greatest, distance)});
    return r;
}

/* An atomic minimum or maximum, which CUDA has for whole numbers alone. It exchanges the bits if they are
 * still those of the value that was compared. Bits are never compared as numbers, so signs do not matter. The
 * value read first may be out of date. Then it is too high for a minimum and too low for a maximum; the
 * exchange fails and gives the present value. */
template <typename Better> __device__ void replace(double *at, double value, Better better)
{
    unsigned long long *bits = reinterpret_cast<unsigned long long *>(at), seen = *bits;
    while (better(value, __longlong_as_double(static_cast<long long>(seen)))) {
        const unsigned long long wanted = static_cast<unsigned long long>(__double_as_longlong(value));
        const unsigned long long before = atomicCAS(bits, seen, wanted);
        if (before == seen)
            return;
        seen = before;
    }
}

/* T is double or double2; n is the number of Ts. */
template <typename T> __global__ void __launch_bounds__(threads, blocks_per_sm)
    triad(int64_t n, double scale, const T *b, const T *c, T *a, double *sum, double *least, double *greatest)
{
    __shared__ reduced of_warp[warps];
    const reduced neutral = {0.0, __longlong_as_double(0x7ff0000000000000),
                             __longlong_as_double(static_cast<long long>(0xfff0000000000000))};
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    reduced r = neutral;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * threads + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * threads)
        a[i] = triad_of(b[i], c[i], scale, &r);
    r = fold_warp(r);
    if (lane == 0)
        of_warp[warp] = r;
    __syncthreads();
    if (warp != 0)
        return;
    r = fold_warp(lane < warps ? of_warp[lane] : neutral);
    if (lane != 0)
        return;
    atomicAdd(sum, r.sum);
    replace(least, r.least, [](double x, double y) { return x < y; });
    replace(greatest, r.greatest, [](double x, double y) { return x > y; });
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
