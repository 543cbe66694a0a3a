/* gaussian on a GPU: one kernel sums along columns and then, since it writes its sums turned, along rows. A
 * block sums a tile: threads of a warp are side by side across, and a thread makes several sums that follow
 * each other, so that each number it reads and each weight serve several of them. Numbers and weights pass
 * through shared memory, some at a time, so that any radius fits.
 *
 * Sums are in the order of the distances, as on CPUs, and have the same bits. Between the two passes are
 * float64 numbers, in memory that is taken for the task. A task of few rows fills few lanes in the second
 * pass. Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { IMAGE, WEIGHTS, RESULTS };            /* as in gaussian.c */
enum { BYTES, FLOATS, DOUBLES };             /* as in rows.h */
enum { REFLECT, MIRROR, NEAREST, CONSTANT }; /* as in rows.h */

constexpr int lanes = 32, warps = 8, threads = lanes * warps;
constexpr int each = 8;            /* sums of a thread: with fewer, loads of numbers limit the speed */
constexpr int tile = warps * each; /* sums of a block along the axis */
constexpr int chunk = 128;         /* numbers along the axis that are in shared memory at a time */
static_assert(lanes * (tile + 1) <= chunk * lanes, "sums are turned where the numbers were");
static_assert(chunk + tile <= threads, "a thread loads a weight");

struct blur { /* the same as in rows.h */
    int64_t width, height, radius;
    int32_t channels, element, mode, values, pixels;
};

/* The way that sums go. Line (p - origin) channels + c of the input has `across` numbers: channel c of pixel
 * p of each column, or row, that is summed. */
struct axis {
    int64_t pixels, first, count; /* all, and those whose sums are wanted */
    int64_t origin, across, radius;
    int32_t channels, mode;
};

struct output { /* sums; or numbers of this element, pixels, or both */
    double *sums;
    void *values;
    uint8_t *pixels;
    int element;
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

__device__ void store(const output &to, int64_t i, double sum)
{
    if (to.sums != nullptr)
        to.sums[i] = sum;
    if (to.values != nullptr && to.element == DOUBLES)
        static_cast<double *>(to.values)[i] = sum;
    else if (to.values != nullptr)
        static_cast<float *>(to.values)[i] = static_cast<float>(sum);
    if (to.pixels != nullptr)
        to.pixels[i] = static_cast<uint8_t>(sum <= 0.0     ? 0.0
                                            : sum >= 255.0 ? 255.0
                                                           : floor(__dadd_rn(sum, 0.5)));
}

/* Adds numbers `from` to `to` - 1 of a chunk to a thread's sums. weight: of number 0 for the first sum; that
 * of a number s for sum v is weight[s - v]. all: each number counts for each sum; else one for sums whose
 * distance from it, `distance` + s - v, is 0 to `most`. */
template <bool all> __device__ void add(const double (*number)[lanes], const double *weight, int from, int to,
                                        int distance, int most, double *sum)
{
    const int lane = threadIdx.x % lanes;
    double w[each];
#pragma unroll
    for (int v = 0; v + 1 < each; v++)
        w[v] = from < to ? weight[from - 1 - v] : 0.0;
#pragma unroll 8
    for (int s = from; s < to; s++) {
        const double x = number[s][lane];
#pragma unroll
        for (int v = each - 1; v > 0; v--)
            w[v] = w[v - 1];
        w[0] = weight[s];
#pragma unroll
        for (int v = 0; v < each; v++)
            if (all || (distance + s - v >= 0 && distance + s - v <= most))
                sum[v] = fma(w[v], x, sum[v]);
    }
}

/* Loads numbers and weights of a chunk: numbers of pixels u to u + n - 1, of 32 lines across; weights of the
 * distances m to m + chunk + tile - 1, counted from the first number of a sum. */
template <typename real> __device__ void load(const axis &g, const real *in, const double *weights,
                                              int64_t line, int64_t u, int n, int c, int m,
                                              double (*number)[lanes], double *weight)
{
    const int lane = threadIdx.x % lanes, radius = static_cast<int>(g.radius), i = threadIdx.x;
    for (int t = threadIdx.x / lanes; t < n; t += warps) {
        const int64_t place = place_of(g.mode, u + t, g.pixels);
        const bool there = place >= 0 && line + lane < g.across;
        number[t][lane] = there ? static_cast<double>(
                              in[((place - g.origin) * g.channels + c) * g.across + line + lane])
                                : 0.0;
    }
    if (i < chunk + tile) {
        const int at = m + i - radius;
        weight[i] = at >= -radius && at <= radius ? weights[at < 0 ? -at : at] : 0.0;
    }
}

/* A block makes the sums of a tile and a channel, for 32 lines across. across: blocks side by side. */
template <typename real> __global__ void __launch_bounds__(threads, 3)
    sum(axis g, int64_t across, const real *in, const double *weights, output out)
{
    __shared__ double number[chunk][lanes];
    __shared__ double weight[chunk + tile];
    double *turned = number[0];
    const int lane = threadIdx.x % lanes, base = threadIdx.x / lanes * each;
    const int reach = 2 * static_cast<int>(g.radius);
    const int64_t line = blockIdx.x % across * lanes, y = blockIdx.x / across;
    const int c = static_cast<int>(y % g.channels);
    const int64_t first = y / g.channels * tile;
    const int here = static_cast<int>(g.count - first < tile ? g.count - first : tile);
    double sums[each] = {};
    for (int t = 0; t < here + reach; t += chunk) {
        const int n = here + reach - t < chunk ? here + reach - t : chunk;
        __syncthreads();
        load(g, in, weights, line, g.first + first - g.radius + t, n, c, t - (tile - 1), number, weight);
        __syncthreads();
        /* The first sum begins at `begin`, and the last one after the first seven numbers. */
        const int begin = base - t, from = begin > 0 ? begin : 0;
        const int end = begin + reach + each < n ? begin + reach + each : n;
        const int full = begin + each - 1 < from ? from : begin + each - 1 < end ? begin + each - 1 : end;
        const int rest = begin + reach + 1 < full ? full : begin + reach + 1 < end ? begin + reach + 1 : end;
        const double *own = weight + tile - 1 - base;
        add<false>(number, own, from, full, -begin, reach, sums);
        add<true>(number, own, full, rest, -begin, reach, sums);
        add<false>(number, own, rest, end, -begin, reach, sums);
    }
    __syncthreads();
#pragma unroll
    for (int v = 0; v < each; v++)
        turned[lane * (tile + 1) + base + v] = sums[v];
    __syncthreads();
    for (int e = threadIdx.x; e < lanes * tile; e += threads) {
        const int across = e / tile, at = e % tile;
        if (line + across < g.across && at < here)
            store(out, ((line + across) * g.count + first + at) * g.channels + c,
                  turned[across * (tile + 1) + at]);
    }
}

template <typename real>
void launch(const axis &g, const real *in, const double *weights, const output &out, cudaStream_t stream)
{
    const int64_t tiles = (g.count + tile - 1) / tile * g.channels, across = (g.across + lanes - 1) / lanes;
    sum<<<static_cast<unsigned>(across * tiles), threads, 0, stream>>>(g, across, in, weights, out);
}

} // namespace

extern "C" int gaussian_cuda(const struct plb_task *task)
{
    const blur b = *static_cast<const blur *>(task->args);
    const auto stream = static_cast<cudaStream_t>(task->stream);
    const double *weights = static_cast<const double *>(task->data[WEIGHTS]);
    const void *image = task->data[IMAGE];
    const int64_t length = b.width * b.channels;
    double *sums;
    cudaError_t error = cudaMallocAsync(&sums, static_cast<size_t>(task->count * length) * sizeof *sums,
                                        stream);
    if (error != cudaSuccess)
        return static_cast<int>(error);
    const axis down = {b.height, task->first, task->count, task->first, length, b.radius, 1, b.mode};
    const axis along = {b.width, 0, b.width, 0, task->count, b.radius, b.channels, b.mode};
    const output between = {sums, nullptr, nullptr, b.element};
    if (b.element == BYTES)
        launch(down, static_cast<const uint8_t *>(image), weights, between, stream);
    else if (b.element == FLOATS)
        launch(down, static_cast<const float *>(image), weights, between, stream);
    else
        launch(down, static_cast<const double *>(image), weights, between, stream);
    launch(along, static_cast<const double *>(sums), weights,
           {nullptr, b.values != 0 ? task->data[RESULTS] : nullptr,
            b.pixels != 0 ? static_cast<uint8_t *>(task->data[RESULTS + b.values]) : nullptr, b.element},
           stream);
    error = cudaGetLastError();
    cudaFreeAsync(sums, stream);
    return static_cast<int>(error);
}
