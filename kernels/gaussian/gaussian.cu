/* gaussian on a GPU: a thread for each number sums its column, and then one its row. The sums have the same
 * bits as on CPUs. Between the two are float64 rows, in memory that is taken for the task.
 *
 * Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { IMAGE, WEIGHTS, RESULTS };            /* as in gaussian.c */
enum { BYTES, FLOATS, DOUBLES };             /* as in rows.h */
enum { REFLECT, MIRROR, NEAREST, CONSTANT }; /* as in rows.h */
constexpr int threads = 256;

struct blur { /* the same as in rows.h */
    int64_t width, height, radius;
    int32_t channels, element, mode, values, pixels;
};

__device__ int64_t place_of(int mode, int64_t i, int64_t n) /* as in rows.c */
{
    if (i >= 0 && i < n)
        return i;
    if (mode == NEAREST)
        return i < 0 ? 0 : n - 1;
    if (mode == CONSTANT)
        return -1;
    if (n == 1)
        return 0;
    const int64_t period = mode == MIRROR ? 2 * n - 2 : 2 * n;
    i = (i % period + period) % period;
    return i < n ? i : mode == MIRROR ? period - i : period - 1 - i;
}

/* Number `column` of row u; the rows from `first` on are at `rows`. */
template <typename real>
__device__ double number_at(const blur &b, const real *rows, int64_t first, int64_t u, int64_t column)
{
    const int64_t place = place_of(b.mode, u, b.height);
    return place < 0 ? 0.0 : static_cast<double>(rows[(place - first) * b.width * b.channels + column]);
}

/* Number i of a row of sums, channel c of pixel x. */
__device__ double sum_at(const blur &b, const double *row, int64_t x, int64_t c)
{
    const int64_t place = place_of(b.mode, x, b.width);
    return place < 0 ? 0.0 : row[place * b.channels + c];
}

template <typename real> __global__ void __launch_bounds__(threads)
    sum_columns(blur b, int64_t first, int64_t count, const real *rows, const double *weights, double *sums)
{
    const int64_t length = b.width * b.channels, step = static_cast<int64_t>(gridDim.x) * threads;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * threads + threadIdx.x; i < count * length;
         i += step) {
        const int64_t u = first + i / length, column = i % length;
        double sum = __dmul_rn(weights[0], number_at(b, rows, first, u, column));
        for (int64_t k = 1; k <= b.radius; k++)
            sum = fma(
                weights[k],
                __dadd_rn(number_at(b, rows, first, u - k, column), number_at(b, rows, first, u + k, column)),
                sum);
        sums[i] = sum;
    }
}

__global__ void __launch_bounds__(threads)
    sum_rows(blur b, int64_t count, const double *sums, const double *weights, void *values, uint8_t *pixels)
{
    const int64_t length = b.width * b.channels, step = static_cast<int64_t>(gridDim.x) * threads;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * threads + threadIdx.x; i < count * length;
         i += step) {
        const double *row = sums + i / length * length;
        const int64_t x = i % length / b.channels, c = i % b.channels;
        double sum = __dmul_rn(weights[0], sum_at(b, row, x, c));
        for (int64_t k = 1; k <= b.radius; k++)
            sum = fma(weights[k], __dadd_rn(sum_at(b, row, x - k, c), sum_at(b, row, x + k, c)), sum);
        if (values != nullptr && b.element == DOUBLES)
            static_cast<double *>(values)[i] = sum;
        else if (values != nullptr)
            static_cast<float *>(values)[i] = static_cast<float>(sum);
        if (pixels != nullptr)
            pixels[i] = static_cast<uint8_t>(sum <= 0.0     ? 0.0
                                             : sum >= 255.0 ? 255.0
                                                            : floor(__dadd_rn(sum, 0.5)));
    }
}

unsigned blocks_of(int64_t numbers)
{
    const int64_t blocks = (numbers + threads - 1) / threads;
    return static_cast<unsigned>(blocks < 65535 ? blocks : 65535);
}

} // namespace

extern "C" int gaussian_cuda(const struct plb_task *task)
{
    const blur b = *static_cast<const blur *>(task->args);
    const auto stream = static_cast<cudaStream_t>(task->stream);
    const double *weights = static_cast<const double *>(task->data[WEIGHTS]);
    const int64_t numbers = task->count * b.width * b.channels;
    const unsigned blocks = blocks_of(numbers);
    const void *image = task->data[IMAGE];
    double *sums;
    cudaError_t error = cudaMallocAsync(&sums, static_cast<size_t>(numbers) * sizeof *sums, stream);
    if (error != cudaSuccess)
        return static_cast<int>(error);
    if (b.element == BYTES)
        sum_columns<<<blocks, threads, 0, stream>>>(b, task->first, task->count,
                                                    static_cast<const uint8_t *>(image), weights, sums);
    else if (b.element == FLOATS)
        sum_columns<<<blocks, threads, 0, stream>>>(b, task->first, task->count,
                                                    static_cast<const float *>(image), weights, sums);
    else
        sum_columns<<<blocks, threads, 0, stream>>>(b, task->first, task->count,
                                                    static_cast<const double *>(image), weights, sums);
    sum_rows<<<blocks, threads, 0, stream>>>(
        b, task->count, sums, weights, b.values != 0 ? task->data[RESULTS] : nullptr,
        b.pixels != 0 ? static_cast<uint8_t *>(task->data[RESULTS + b.values]) : nullptr);
    error = cudaGetLastError();
    cudaFreeAsync(sums, stream);
    return static_cast<int>(error);
}
