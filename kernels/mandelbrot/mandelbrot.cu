/* mandelbrot on a GPU: a thread for each point. Each step is rounded as on CPUs, product and sum apart, so
 * that the counts are the same. A point that is inside after some steps was inside during all of them
 * (escape.c). So threads look after several steps only, and make the last ones again to count them.
 *
 * Threads of a warp wait for the last one of their points, so a warp has points that are near each other.
 *
 * Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { COUNTS, PIXELS };             /* as in mandelbrot.c */
constexpr int colours = 255;         /* as in mandelbrot.c */
constexpr int threads = 256;         /* warps of a block are side by side: tasks may have few rows */
constexpr int lanes = 8, high = 4;   /* a warp's points */
constexpr int wide = threads / high; /* a block's points */
constexpr int looks = 4;             /* steps between two looks. More: more steps are repeated */

struct window { /* the same as in escape.h */
    double left, top, pixel;
    int64_t width, depth, image;
};

struct point {
    double x, y, xx, yy;
};

__device__ point step(const point &z, double re, double im)
{
    const double xy = __dmul_rn(z.x, z.y);
    const double x = __dadd_rn(__dsub_rn(z.xx, z.yy), re), y = __dadd_rn(__dadd_rn(xy, xy), im);
    return {x, y, __dmul_rn(x, x), __dmul_rn(y, y)};
}

__device__ bool inside(const point &z)
{
    return __dadd_rn(z.xx, z.yy) <= 4.0;
}

/* Steps of a point until it is outside, `depth` at most. */
__device__ int count(double re, double im, int depth)
{
    point z = {0.0, 0.0, 0.0, 0.0};
    int n = 0;
    while (n + looks <= depth) {
        point next = z;
#pragma unroll
        for (int k = 0; k < looks; k++)
            next = step(next, re, im);
        if (!inside(next))
            break;
        z = next;
        n += looks;
    }
    for (; n < depth; n++) {
        z = step(z, re, im);
        if (!inside(z))
            break;
    }
    return n;
}

__global__ void __launch_bounds__(threads)
    escape(window w, int64_t across, int64_t first, int64_t rows, float *counts, uint8_t *pixels)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, depth = static_cast<int>(w.depth);
    const int64_t column = blockIdx.x % across * wide + warp * lanes + lane % lanes;
    const int64_t row = blockIdx.x / across * high + lane / lanes;
    if (column >= w.width || row >= rows)
        return;
    const double re = __dadd_rn(w.left, __dmul_rn(w.pixel, static_cast<double>(column) + 0.5));
    const double im = __dsub_rn(w.top, __dmul_rn(w.pixel, static_cast<double>(first + row) + 0.5));
    const int n = count(re, im, depth);
    counts[row * w.width + column] = static_cast<float>(n);
    if (pixels != nullptr)
        pixels[row * w.width + column] = n == depth ? 0 : static_cast<uint8_t>(1 + n % colours);
}

} // namespace

extern "C" int mandelbrot_cuda(const struct plb_task *task)
{
    const window w = *static_cast<const window *>(task->args);
    const int64_t across = (w.width + wide - 1) / wide, rows = (task->count + high - 1) / high;
    escape<<<static_cast<unsigned>(across * rows), threads, 0, static_cast<cudaStream_t>(task->stream)>>>(
        w, across, task->first, task->count, static_cast<float *>(task->data[COUNTS]),
        w.image != 0 ? static_cast<uint8_t *>(task->data[PIXELS]) : nullptr);
    return static_cast<int>(cudaGetLastError());
}
