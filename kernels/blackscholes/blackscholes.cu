/* blackscholes on a GPU: a thread for each option by the formula, a block for each one by Monte Carlo. The
 * paths have the same random numbers as on CPUs (paths.c); the sums over them come together in another order.
 *
 * Returns 0 or a cudaError_t. */
#include <cub/block/block_reduce.cuh>
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { CONTRACTS, RESULTS };                                            /* as in blackscholes.c */
enum { SPOT, STRIKE, RATE, DIVIDEND, VOLATILITY, TIME, TYPE, COLUMNS }; /* as in contracts.h */
enum { PRICE, DELTA, GAMMA, VEGA, THETA, RHO, GREEKS, ERROR = GREEKS, RESULT_COLUMNS }; /* as in prices.h */

constexpr int threads = 256;

struct price_args { /* the same as in prices.h */
    int64_t paths;
    uint64_t seed;
};

/* Sums over the paths that pay. */
struct sums {
    double prices, prices_normal, ones, normals, squares;
};
using block_reduce = cub::BlockReduce<sums, threads>;

struct fold {
    __device__ sums operator()(const sums &a, const sums &b) const
    {
        return {a.prices + b.prices, a.prices_normal + b.prices_normal, a.ones + b.ones,
                a.normals + b.normals, a.squares + b.squares};
    }
};

__global__ void __launch_bounds__(threads) closed(int64_t n, const double *contracts, double *results)
{
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * threads + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * threads) {
        const double *c = contracts + i * COLUMNS;
        double *v = results + i * GREEKS;
        const double spot = c[SPOT], strike = c[STRIKE], rate = c[RATE], dividend = c[DIVIDEND];
        const double sigma = c[VOLATILITY], time = c[TIME], sign = 1.0 - 2.0 * c[TYPE];
        const double root = sqrt(time), spread = sigma * root;
        const double d1 = (log(spot / strike) + (rate - dividend + 0.5 * sigma * sigma) * time) / spread;
        const double d2 = d1 - spread, carry = exp(-dividend * time), paid = strike * exp(-rate * time);
        const double worth = spot * carry, n1 = normcdf(sign * d1), n2 = normcdf(sign * d2);
        const double density = exp(-0.5 * d1 * d1) * 0.39894228040143267794;
        v[PRICE] = sign * (worth * n1 - paid * n2);
        v[DELTA] = sign * carry * n1;
        v[GAMMA] = carry * density / (spot * spread);
        v[VEGA] = worth * density * root;
        v[THETA] = sign * (dividend * worth * n1 - rate * paid * n2) - worth * density * sigma / (2.0 * root);
        v[RHO] = sign * paid * time * n2;
    }
}

__device__ uint4 philox(uint4 x, uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; round++, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u)
        x = make_uint4(__umulhi(x.z, 0xCD9E8D57u) ^ x.y ^ key0, x.z * 0xCD9E8D57u,
                       __umulhi(x.x, 0xD2511F53u) ^ x.w ^ key1, x.x * 0xD2511F53u);
    return x;
}

__device__ void add(const double *c, double normal, double growth, sums *s)
{
    const double end = c[SPOT] * exp(growth * c[TIME] + c[VOLATILITY] * sqrt(c[TIME]) * normal);
    const double payoff = (1.0 - 2.0 * c[TYPE]) * (end - c[STRIKE]);
    if (payoff > 0.0)
        *s = fold()(*s, {end, end * normal, 1.0, normal, payoff * payoff});
}

__device__ double real_of(uint32_t high, uint32_t low) /* 52 random bits, from 1 to 2 */
{
    const uint64_t bits = (static_cast<uint64_t>(high) << 32 | low) >> 12;
    return __longlong_as_double(static_cast<long long>(bits | 0x3ff0000000000000ull));
}

__device__ void finish(const double *c, double n, const sums &s, double *v)
{
    const double sign = 1.0 - 2.0 * c[TYPE], root = sqrt(c[TIME]), sigma = c[VOLATILITY];
    const double growth = c[RATE] - c[DIVIDEND] - 0.5 * sigma * sigma, each = exp(-c[RATE] * c[TIME]) / n;
    const double mean = sign * (s.prices - c[STRIKE] * s.ones) / n;
    const double variance = (s.squares / n - mean * mean) * n / (n - 1.0);
    v[PRICE] = each * n * mean;
    v[DELTA] = each * sign * s.prices / c[SPOT];
    v[GAMMA] = each * sign * c[STRIKE] * s.normals / (c[SPOT] * c[SPOT] * sigma * root);
    v[VEGA] = each * sign * (root * s.prices_normal - sigma * c[TIME] * s.prices);
    v[THETA] = c[RATE] * v[PRICE]
             - each * sign * (growth * s.prices + sigma / (2.0 * root) * s.prices_normal);
    v[RHO] = each * sign * c[STRIKE] * c[TIME] * s.ones;
    v[ERROR] = each * n * sqrt(fmax(variance, 0.0) / n);
}

__global__ void __launch_bounds__(threads)
    montecarlo(price_args args, int64_t first, int64_t n, const double *contracts, double *results)
{
    __shared__ typename block_reduce::TempStorage room;
    for (int64_t i = blockIdx.x; i < n; i += gridDim.x) {
        const double *c = contracts + i * COLUMNS;
        const double growth = c[RATE] - c[DIVIDEND] - 0.5 * c[VOLATILITY] * c[VOLATILITY];
        const uint64_t unit = static_cast<uint64_t>(first + i);
        sums s = {0.0, 0.0, 0.0, 0.0, 0.0};
        for (int64_t pair = threadIdx.x; 2 * pair < args.paths; pair += threads) {
            const uint4 x = philox(make_uint4(static_cast<uint32_t>(pair), static_cast<uint32_t>(pair >> 32),
                                              static_cast<uint32_t>(unit), static_cast<uint32_t>(unit >> 32)),
                                   static_cast<uint32_t>(args.seed), static_cast<uint32_t>(args.seed >> 32));
            const double radius = sqrt(-2.0 * log(real_of(x.y, x.x) - (1.0 - 0x1p-53)));
            double sine, cosine;
            sincospi(2.0 * (real_of(x.w, x.z) - 1.0), &sine, &cosine);
            add(c, radius * cosine, growth, &s);
            if (2 * pair + 1 < args.paths)
                add(c, radius * sine, growth, &s);
        }
        s = block_reduce(room).Reduce(s, fold());
        if (threadIdx.x == 0)
            finish(c, static_cast<double>(args.paths), s, results + i * RESULT_COLUMNS);
        __syncthreads(); /* the next option uses the same shared memory */
    }
}

} // namespace

extern "C" int blackscholes_cuda(const struct plb_task *task)
{
    const price_args args = *static_cast<const price_args *>(task->args);
    const cudaStream_t stream = static_cast<cudaStream_t>(task->stream);
    const double *contracts = static_cast<const double *>(task->data[CONTRACTS]);
    double *results = static_cast<double *>(task->data[RESULTS]);
    const int64_t filled = args.paths > 0 ? task->count : (task->count + threads - 1) / threads;
    const unsigned blocks = static_cast<unsigned>(filled < 65535 ? filled : 65535);
    if (args.paths > 0)
        montecarlo<<<blocks, threads, 0, stream>>>(args, task->first, task->count, contracts, results);
    else
        closed<<<blocks, threads, 0, stream>>>(task->count, contracts, results);
    return static_cast<int>(cudaGetLastError());
}
