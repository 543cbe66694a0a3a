/* mandelbrot on a GPU: a thread for each point. Each step is rounded as on CPUs, product and sum apart, so
 * that the counts are the same. Threads of a warp wait for the last one of their points.
 *
 * Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { COUNTS, PIXELS };                /* as in mandelbrot.c */
constexpr unsigned wide = 32, high = 8; /* a block of threads */
constexpr int64_t colours = 255;        /* as in mandelbrot.c */

struct window { /* the same as in escape.h */
    double left, top, pixel;
    int64_t width, depth, image;
};

__global__ void __launch_bounds__(wide *high)
    escape(window w, int64_t first, int64_t rows, float *counts, uint8_t *pixels)
{
    const int64_t column = static_cast<int64_t>(blockIdx.x) * wide + threadIdx.x;
    if (column >= w.width)
        return;
    for (int64_t row = static_cast<int64_t>(blockIdx.y) * high + threadIdx.y; row < rows;
         row += static_cast<int64_t>(gridDim.y) * high) {
        const double re = __dadd_rn(w.left, __dmul_rn(w.pixel, static_cast<double>(column) + 0.5));
        const double im = __dsub_rn(w.top, __dmul_rn(w.pixel, static_cast<double>(first + row) + 0.5));
        double x = 0.0, y = 0.0, xx = 0.0, yy = 0.0;
        int64_t n = 0;
        for (; n < w.depth; n++) {
            const double xy = __dmul_rn(x, y);
            x = __dadd_rn(__dsub_rn(xx, yy), re);
            y = __dadd_rn(__dadd_rn(xy, xy), im);
            xx = __dmul_rn(x, x);
            yy = __dmul_rn(y, y);
            if (!(__dadd_rn(xx, yy) <= 4.0))
                break;
        }
        counts[row * w.width + column] = static_cast<float>(n);
        if (pixels != nullptr)
            pixels[row * w.width + column] = n == w.depth ? 0 : static_cast<uint8_t>(1 + n % colours);
    }
}

} // namespace

extern "C" int mandelbrot_cuda(const struct plb_task *task)
{
    const window w = *static_cast<const window *>(task->args);
    const int64_t rows = (task->count + high - 1) / high;
    const dim3 grid(static_cast<unsigned>((w.width + wide - 1) / wide),
                    static_cast<unsigned>(rows < 65535 ? rows : 65535));
    escape<<<grid, dim3(wide, high), 0, static_cast<cudaStream_t>(task->stream)>>>(
        w, task->first, task->count, static_cast<float *>(task->data[COUNTS]),
        w.image != 0 ? static_cast<uint8_t *>(task->data[PIXELS]) : nullptr);
    return static_cast<int>(cudaGetLastError());
}
