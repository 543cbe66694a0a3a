/* binomial on a GPU: a block of threads for each option. A thread has some neighbouring nodes of the tree in
 * registers. It takes them several steps back before it waits for its block once: for that it also computes
 * the first nodes of the thread to its right, which that one has put into shared memory.
 *
 * A tree of more nodes than a block has room for is taken back part by part, from memory of the stream to
 * memory of the stream. A part loses its last nodes, one in each step, which the next part has again.
 *
 * Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { CONTRACTS, PRICES };                                             /* as in binomial.c */
enum { SPOT, STRIKE, RATE, DIVIDEND, VOLATILITY, TIME, TYPE, COLUMNS }; /* as in contracts.h */
enum { CRR, LEISEN_REIMER };                                            /* as in tree.h */

constexpr int most = 512; /* threads of a block, with at most 128 registers each */
constexpr int each = 8;   /* nodes of a thread. More: the last warp has more nodes that are none */
constexpr int ahead = 4;  /* steps between two waits. More: more nodes are computed twice */
constexpr int64_t nodes_of_block = most * each, steps_of_part = 256;
constexpr int64_t most_room = 256 << 20; /* bytes of the stream's memory; more blocks would share no cache */

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

/* Prices and strikes have the sign of the payoff. */
struct option {
    branch b;
    double spot, strike;
};

__device__ double price_at(const option &o, int64_t i)
{
    return o.spot * exp(static_cast<double>(i) * o.b.growth);
}

/* Nodes of a thread, and those of its right neighbour that it computes, too. */
struct nodes {
    double value[each + ahead], price[each + ahead];
};

__device__ void swap(double **one, double **other)
{
    double *of_one = *one;
    *one = *other;
    *other = of_one;
}

/* Takes a thread's nodes `steps` steps back, `ahead` at most. scale: down^t of each step. */
template <bool american> __device__ void take_back(const option &o, int steps, const double *scale, nodes *n)
{
#pragma unroll
    for (int s = 0; s < ahead; s++)
        if (s < steps) {
            const double now = american ? scale[s] : 0.0;
#pragma unroll
            for (int i = 0; i < each + ahead - 1 - s; i++) {
                const double v = fma(o.b.rise, n->value[i + 1], o.b.fall * n->value[i]);
                const double paid = american ? fma(n->price[i], now, -o.strike) : v;
                n->value[i] = v > paid ? v : paid;
            }
        }
}

/* Takes a block's nodes from step `from` of the tree `steps` steps back. The first one is number `low`.
 * Numbers beyond the last node of a step do not matter: a node depends on itself and the one to its right.
 *
 * Threads wait for each other once in `ahead` steps, and use one half of the shared memory while slow ones
 * may still read the other half. shared: for each half `ahead` nodes of each thread; and then, for each half,
 * down^t of as many steps as there are threads. */
template <bool american> __device__ void take_block_back(const option &o, int64_t low, int64_t from,
                                                         int64_t steps, double *shared, nodes *n)
{
    const int threads = blockDim.x, me = threadIdx.x, right = me + 1 < threads ? me + 1 : me;
    const int64_t first = low + static_cast<int64_t>(me) * each;
    double *mine = shared, *other = shared + ahead * threads;
    double *scale = other + ahead * threads, *other_scale = scale + threads;
    for (int64_t done = 0; done < steps; done += threads) {
        const int these = static_cast<int>(steps - done < threads ? steps - done : threads);
        const int64_t left = from - done - first; /* steps until the first node is none */
        if (american)
            scale[me] = exp(static_cast<double>(from - done - 1 - me) * o.b.base);
        for (int s = 0; s < these; s += ahead) {
            if (s <= left)
#pragma unroll
                for (int i = 0; i < ahead; i++)
                    mine[i * threads + me] = n->value[i];
            __syncthreads();
            if (s < left) {
#pragma unroll
                for (int i = 0; i < ahead; i++)
                    n->value[each + i] = mine[i * threads + right];
                take_back<american>(o, these - s, scale + s, n);
            }
            swap(&mine, &other);
        }
        swap(&scale, &other_scale);
    }
}

/* The nodes of a thread at step `t`: payoffs at the end, before that what an earlier part has left. */
__device__ void fill(const option &o, int64_t steps, int64_t t, int64_t first, const double *from, nodes *n)
{
    const double end = exp(static_cast<double>(steps) * o.b.base);
#pragma unroll
    for (int i = 0; i < each + ahead; i++) {
        const bool there = first + i <= t;
        n->price[i] = there ? price_at(o, first + i) : 0.0;
        n->value[i] = 0.0;
        if (there && i < each)
            n->value[i] = t == steps ? fmax(n->price[i] * end - o.strike, 0.0) : from[first + i];
    }
}

/* room: two rows of nodes for each block; NULL where a block has room for a tree. */
template <bool american> __global__ void __launch_bounds__(most)
    trees(tree_args args, int64_t n, const double *contracts, double *prices, double *room)
{
    extern __shared__ double shared[];
    const int64_t row = args.steps + 1, part = room != nullptr ? steps_of_part : args.steps;
    for (int64_t k = blockIdx.x; k < n; k += gridDim.x) {
        const double *c = contracts + k * COLUMNS;
        const double sign = 1.0 - 2.0 * c[TYPE];
        const option o = {branch_of(args, c), sign * c[SPOT], sign * c[STRIKE]};
        double *from = room != nullptr ? room + 2 * blockIdx.x * row : nullptr, *to = from + row;
        nodes mine;
        for (int64_t t = args.steps; t > 0;) {
            const int64_t steps = t < part ? t : part, left = t - steps;
            const int64_t whole = room != nullptr ? nodes_of_block - steps : row;
            for (int64_t low = 0; low <= left; low += whole) {
                const int64_t first = low + static_cast<int64_t>(threadIdx.x) * each;
                fill(o, args.steps, t, first, from, &mine);
                take_block_back<american>(o, low, t, steps, shared, &mine);
#pragma unroll
                for (int i = 0; i < each; i++)
                    if (room != nullptr && first + i < low + whole && first + i <= left)
                        to[first + i] = mine.value[i];
                __syncthreads(); /* the next part, or option, uses the same memory */
            }
            swap(&from, &to);
            t = left;
        }
        if (threadIdx.x == 0)
            prices[k] = mine.value[0];
    }
}

} // namespace

extern "C" int binomial_cuda(const struct plb_task *task)
{
    const tree_args args = *static_cast<const tree_args *>(task->args);
    const cudaStream_t stream = static_cast<cudaStream_t>(task->stream);
    const int64_t nodes = args.steps + 1, row = nodes * static_cast<int64_t>(sizeof(double));
    int64_t blocks = task->count < 4096 ? task->count : 4096, threads = (nodes + each - 1) / each;
    threads = threads < most ? (threads + 31) / 32 * 32 : most;
    void *room = nullptr;
    if (nodes > nodes_of_block) {
        blocks = blocks < most_room / (2 * row) ? blocks : most_room / (2 * row);
        const cudaError_t status = cudaMallocAsync(&room, static_cast<size_t>(blocks * 2 * row), stream);
        if (status != cudaSuccess)
            return static_cast<int>(status);
    }
    const size_t shared = static_cast<size_t>(2 * (ahead + 1) * threads) * sizeof(double);
    const auto *contracts = static_cast<const double *>(task->data[CONTRACTS]);
    auto *prices = static_cast<double *>(task->data[PRICES]);
    if (args.american != 0)
        trees<true><<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), shared, stream>>>(
            args, task->count, contracts, prices, static_cast<double *>(room));
    else
        trees<false><<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), shared, stream>>>(
            args, task->count, contracts, prices, static_cast<double *>(room));
    const cudaError_t status = cudaGetLastError();
    if (room != nullptr)
        cudaFreeAsync(room, stream);
    return static_cast<int>(status);
}
