/* binomial on a GPU: a block of threads for each option. Values and prices of the nodes are in shared memory
 * where they fit, else in memory of the stream, which the second-level cache holds. A step reads one row of
 * values and writes the other, so each step waits for the threads of its block once.
 *
 * Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { CONTRACTS, PRICES };                                             /* as in binomial.c */
enum { SPOT, STRIKE, RATE, DIVIDEND, VOLATILITY, TIME, TYPE, COLUMNS }; /* as in contracts.h */
enum { CRR, LEISEN_REIMER };                                            /* as in tree.h */

constexpr int threads = 256;
constexpr int64_t most_shared = 48 << 10; /* bytes that every GPU gives a block unasked */
constexpr int64_t most_room = 256 << 20;  /* bytes of the stream's memory; more blocks would share no cache */

struct tree_args { /* the same as in tree.h */
    int64_t steps;
    int32_t kind, american;
};

__device__ double inversion(double z, double n)
{
    const double x = z / (n + 1.0 / 3.0 + 0.1 / (n + 1.0));
    return 0.5 + copysign(0.5, z) * sqrt(1.0 - exp(-x * x * (n + 1.0 / 6.0)));
}

struct branch {
    double rise, fall, growth, base;
};

__device__ branch branch_of(const tree_args &args, const double *c)
{
    const double n = static_cast<double>(args.steps), step = c[TIME] / n, sigma = c[VOLATILITY];
    const double growth = (c[RATE] - c[DIVIDEND]) * step, spread = sigma * sqrt(c[TIME]);
    double up = exp(sigma * sqrt(step)), down = exp(-sigma * sqrt(step));
    double chance = (exp(growth) - down) / (up - down);
    if (args.kind == LEISEN_REIMER) {
        const double d2 = (log(c[SPOT] / c[STRIKE]) + growth * n) / spread - 0.5 * spread;
        const double with_spot = inversion(d2 + spread, n);
        chance = inversion(d2, n);
        up = exp(growth) * with_spot / chance;
        down = (exp(growth) - chance * up) / (1.0 - chance);
    }
    const double discount = exp(-c[RATE] * step);
    return {chance * discount, (1.0 - chance) * discount, log(up / down), log(down)};
}

__global__ void __launch_bounds__(threads)
    trees(tree_args args, int64_t n, const double *contracts, double *prices, double *global)
{
    extern __shared__ double shared[];
    const int64_t nodes = args.steps + 1;
    double *price = global != nullptr ? global + blockIdx.x * 3 * nodes : shared;
    for (int64_t k = blockIdx.x; k < n; k += gridDim.x) {
        const double *c = contracts + k * COLUMNS;
        const branch b = branch_of(args, c);
        const double sign = 1.0 - 2.0 * c[TYPE];
        double *from = price + nodes, *to = from + nodes;
        const double end = exp(static_cast<double>(args.steps) * b.base);
        for (int64_t i = threadIdx.x; i < nodes; i += threads) {
            price[i] = c[SPOT] * exp(static_cast<double>(i) * b.growth);
            from[i] = fmax(sign * (price[i] * end - c[STRIKE]), 0.0);
        }
        for (int64_t t = args.steps - 1; t >= 0; t--) {
            const double scale = args.american ? exp(static_cast<double>(t) * b.base) : 0.0;
            __syncthreads();
            for (int64_t i = threadIdx.x; i <= t; i += threads) {
                const double v = b.rise * from[i + 1] + b.fall * from[i];
                to[i] = args.american ? fmax(v, sign * (price[i] * scale - c[STRIKE])) : v;
            }
            double *other = from;
            from = to;
            to = other;
        }
        if (threadIdx.x == 0) /* this thread has written it */
            prices[k] = from[0];
        __syncthreads(); /* the next option uses the same memory */
    }
}

} // namespace

extern "C" int binomial_cuda(const struct plb_task *task)
{
    const tree_args args = *static_cast<const tree_args *>(task->args);
    const cudaStream_t stream = static_cast<cudaStream_t>(task->stream);
    const int64_t bytes = 3 * (args.steps + 1) * static_cast<int64_t>(sizeof(double));
    const bool fits = bytes <= most_shared;
    int64_t blocks = task->count < 4096 ? task->count : 4096;
    void *global = nullptr;
    if (!fits) {
        blocks = blocks < most_room / bytes ? blocks : most_room / bytes;
        const cudaError_t status = cudaMallocAsync(&global, static_cast<size_t>(blocks * bytes), stream);
        if (status != cudaSuccess)
            return static_cast<int>(status);
    }
    trees<<<static_cast<unsigned>(blocks), threads, fits ? static_cast<size_t>(bytes) : 0, stream>>>(
        args, task->count, static_cast<const double *>(task->data[CONTRACTS]),
        static_cast<double *>(task->data[PRICES]), static_cast<double *>(global));
    const cudaError_t status = cudaGetLastError();
    if (global != nullptr)
        cudaFreeAsync(global, stream);
    return static_cast<int>(status);
}
