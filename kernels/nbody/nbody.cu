/* nbody on a GPU: a block adds up what all bodies pull at 32 of them, and moves these. Each warp of a block
 * takes another tile of bodies, some of them at a time through shared memory, and then the tiles' sums are
 * added in the order of the tiles. So there are enough warps where bodies are few. Then a block for each
 * element of the sums adds up the bodies' energies or momenta in a fixed order.
 *
 * Each sum is in the order of the bodies, so all GPUs of a kind give the same bits however bodies are split.
 * Roots are the GPU's own, so CPUs give others. Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { MASSES, POSITIONS, KICKS, VELOCITIES, NEW_POSITIONS, NEW_VELOCITIES, SUMS }; /* as in nbody.c */
enum { KINETIC, POTENTIAL, MOMENTUM, ALL_SUMS = MOMENTUM + 3 };                     /* as in check.h */
constexpr int lanes = 32, warps = 8, threads = lanes * warps, adders = 1024;
constexpr int tile = 256; /* as in pull.h */
constexpr int part = 64;  /* bodies of a tile that are in shared memory at a time */

struct space { /* the same as in pull.h */
    int64_t n;
    double gravity, unit, softening;
    int32_t narrow;
};
struct kicks { /* the same as in nbody.c */
    double before, after, drift;
};
struct moment { /* of a body, at the time of the pass */
    double mass, depth, v[3];
};
template <typename real> struct alignas(4 * sizeof(real)) body {
    real x, y, z, mass;
};

__device__ float root(float square)
{
    return rsqrtf(square);
}
__device__ double root(double square)
{
    return rsqrt(square);
}

template <typename real> struct arrays {
    const real *masses, *positions, *velocities;
    real *new_positions, *new_velocities;
    const kicks *kick;
    moment *moments;
};

/* Adds n bodies to the sums of one at `at`. self: this one is number `own` of them, or of others. */
template <bool self, typename real> __device__ void add_part(const body<real> *bodies, int n, int own,
                                                             const body<real> &at, real softening, real *sum)
{
#pragma unroll 4
    for (int j = 0; j < n; j++) {
        const body<real> b = bodies[j];
        const real dx = b.x - at.x, dy = b.y - at.y, dz = b.z - at.z;
        const real square = fma(dx, dx, fma(dy, dy, fma(dz, dz, softening))), near = root(square);
        const real weight = (self && j == own ? static_cast<real>(0) : b.mass) * near * (near * near);
        sum[0] = fma(weight, dx, sum[0]);
        sum[1] = fma(weight, dy, sum[1]);
        sum[2] = fma(weight, dz, sum[2]);
        sum[3] = fma(weight, square, sum[3]);
    }
}

/* Loads up to `part` bodies from number `begin` on, and adds them to the sums of each lane's body `own`. The
 * lanes of a warp call it together. */
template <typename real> __device__ void pull_part(const space &s, const arrays<real> &a, int64_t begin,
                                                   int64_t own, const body<real> &at, body<real> *bodies,
                                                   real *sum)
{
    const int lane = threadIdx.x % lanes;
    const int here = static_cast<int>(begin > s.n ? 0 : s.n - begin < part ? s.n - begin : part);
    const real softening = static_cast<real>(s.softening);
    __syncwarp();
    for (int j = lane; j < here; j += lanes) {
        const real *from = a.positions + 3 * (begin + j);
        bodies[j] = {from[0], from[1], from[2], a.masses[begin + j]};
    }
    __syncwarp();
    if (own - lane < begin + here && own + lanes > begin) /* the lanes' bodies may be among them */
        add_part<true>(bodies, here, own < begin || own >= begin + here ? -1 : static_cast<int>(own - begin),
                       at, softening, sum);
    else
        add_part<false>(bodies, here, -1, at, softening, sum);
}

/* The sums of pull_block, for the lane's body `own`, at to[...][lane]. All threads of a block call it. */
template <typename real>
__device__ void pull(const space &s, const arrays<real> &a, int64_t own, double (*to)[lanes])
{
    __shared__ body<real> bodies[warps][part];
    __shared__ real of_tile[warps][4][lanes];
    const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    const real *position = a.positions + 3 * own;
    const body<real> at = {position[0], position[1], position[2], 0};
    double total = 0.0; /* number `warp` of the sums, in the first four warps */
    for (int64_t first = 0; first < s.n; first += warps * tile) {
        real sum[4] = {0, 0, 0, 0};
        for (int64_t past = 0; past < tile && first + past < s.n; past += part)
            pull_part(s, a, first + warp * tile + past, own, at, bodies[warp], sum);
        __syncthreads(); /* the tiles before these have been added */
        for (int k = 0; k < 4; k++)
            of_tile[warp][k][lane] = sum[k];
        __syncthreads();
        for (int w = 0; warp < 4 && w < warps && first + w * tile < s.n; w++)
            total += of_tile[w][warp][lane];
    }
    if (warp < 4)
        to[warp][lane] = total;
    __syncthreads();
}

template <typename real> __global__ void __launch_bounds__(threads)
    advance(space s, int64_t first, int64_t count, arrays<real> a)
{
    __shared__ double sum[4][lanes];
    const int lane = threadIdx.x % lanes;
    const double pulls = s.gravity * s.unit;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * lanes + lane,
                  own = first + (i < count ? i : count - 1);
    pull(s, a, own, sum);
    if (i >= count || threadIdx.x >= lanes)
        return;
    moment m = {s.unit * a.masses[own], pulls * sum[3][lane], {}};
    for (int k = 0; k < 3; k++) {
        const double force = pulls * sum[k][lane];
        const double v = a.velocities[3 * i + k] + a.kick->before * force;
        const double leaving = v + a.kick->after * force;
        m.v[k] = v;
        a.new_velocities[3 * i + k] = static_cast<real>(leaving);
        a.new_positions[3 * i + k] = static_cast<real>(a.positions[3 * own + k] + a.kick->drift * leaving);
    }
    a.moments[i] = m;
}

/* Block b makes element b of the sums. */
__global__ void __launch_bounds__(adders) add(int64_t count, const moment *moments, double *sums)
{
    __shared__ double part[adders];
    const int which = static_cast<int>(blockIdx.x);
    double sum = 0.0;
    for (int64_t i = threadIdx.x; i < count; i += adders) {
        const moment &m = moments[i];
        if (which == KINETIC)
            sum += 0.5 * m.mass * (m.v[0] * m.v[0] + m.v[1] * m.v[1] + m.v[2] * m.v[2]);
        else if (which == POTENTIAL)
            sum -= 0.5 * m.mass * m.depth;
        else
            sum += m.mass * m.v[which - MOMENTUM];
    }
    part[threadIdx.x] = sum;
    for (int half = adders / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[which] = part[0];
}

template <typename real> void enqueue(const plb_task *task, moment *moments, cudaStream_t stream)
{
    const int64_t blocks = (task->count + lanes - 1) / lanes;
    const arrays<real> a = {static_cast<const real *>(task->data[MASSES]),
                            static_cast<const real *>(task->data[POSITIONS]),
                            static_cast<const real *>(task->data[VELOCITIES]),
                            static_cast<real *>(task->data[NEW_POSITIONS]),
                            static_cast<real *>(task->data[NEW_VELOCITIES]),
                            static_cast<const kicks *>(task->data[KICKS]),
                            moments};
    advance<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(*static_cast<const space *>(task->args),
                                                                   task->first, task->count, a);
}

} // namespace

extern "C" int nbody_cuda(const struct plb_task *task)
{
    const auto stream = static_cast<cudaStream_t>(task->stream);
    moment *moments;
    cudaError_t error = cudaMallocAsync(&moments, static_cast<size_t>(task->count) * sizeof *moments, stream);
    if (error != cudaSuccess)
        return static_cast<int>(error);
    if (static_cast<const space *>(task->args)->narrow != 0)
        enqueue<float>(task, moments, stream);
    else
        enqueue<double>(task, moments, stream);
    add<<<ALL_SUMS, adders, 0, stream>>>(task->count, moments, static_cast<double *>(task->data[SUMS]));
    error = cudaGetLastError();
    cudaFreeAsync(moments, stream);
    return static_cast<int>(error);
}
