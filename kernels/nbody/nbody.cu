/* nbody on a GPU: a thread for each body adds up what all others pull, tile by tile from shared memory, and
 * moves its body. Then a block for each element of the sums adds up the bodies' energies or momenta in a
 * fixed order.
 *
 * Each sum is in the order of the bodies, so all GPUs of a kind give the same bits however bodies are split.
 * Roots are the GPU's own, so CPUs give others. Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { MASSES, POSITIONS, KICKS, VELOCITIES, NEW_POSITIONS, NEW_VELOCITIES, SUMS }; /* as in nbody.c */
enum { KINETIC, POTENTIAL, MOMENTUM, ALL_SUMS = MOMENTUM + 3 };                     /* as in check.h */
constexpr int threads = 128, tile = 256, adders = 256;                              /* tile: as in pull.h */

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

/* The sums of pull_block, for body `own`. All threads of a block call it. */
template <typename real> __device__ void pull(const space &s, const arrays<real> &a, int64_t own, double *sum)
{
    __shared__ body<real> bodies[tile];
    const real x = a.positions[3 * own], y = a.positions[3 * own + 1], z = a.positions[3 * own + 2];
    const real softening = static_cast<real>(s.softening);
    for (int64_t begin = 0; begin < s.n; begin += tile) {
        const int here = static_cast<int>(s.n - begin < tile ? s.n - begin : tile);
        real sum_x = 0, sum_y = 0, sum_z = 0, depth = 0;
        __syncthreads();
        for (int j = threadIdx.x; j < here; j += threads) {
            const real *at = a.positions + 3 * (begin + j);
            bodies[j] = {at[0], at[1], at[2], a.masses[begin + j]};
        }
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < here; j++) {
            const body<real> b = bodies[j];
            const real dx = b.x - x, dy = b.y - y, dz = b.z - z;
            const real square = fma(dx, dx, fma(dy, dy, fma(dz, dz, softening))), near = root(square);
            const real weight = (begin + j == own ? static_cast<real>(0) : b.mass) * near * (near * near);
            sum_x = fma(weight, dx, sum_x);
            sum_y = fma(weight, dy, sum_y);
            sum_z = fma(weight, dz, sum_z);
            depth = fma(weight, square, depth);
        }
        sum[0] += sum_x;
        sum[1] += sum_y;
        sum[2] += sum_z;
        sum[3] += depth;
    }
}

template <typename real> __global__ void __launch_bounds__(threads)
    advance(space s, int64_t first, int64_t count, arrays<real> a)
{
    for (int64_t base = static_cast<int64_t>(blockIdx.x) * threads; base < count;
         base += static_cast<int64_t>(gridDim.x) * threads) {
        const int64_t i = base + threadIdx.x, own = first + (i < count ? i : count - 1);
        const double pulls = s.gravity * s.unit;
        double sum[4] = {0.0, 0.0, 0.0, 0.0};
        pull(s, a, own, sum);
        if (i >= count)
            continue;
        moment m = {s.unit * a.masses[own], pulls * sum[3], {}};
        for (int k = 0; k < 3; k++) {
            const double v = a.velocities[3 * i + k] + a.kick->before * (pulls * sum[k]);
            const double leaving = v + a.kick->after * (pulls * sum[k]);
            m.v[k] = v;
            a.new_velocities[3 * i + k] = static_cast<real>(leaving);
            a.new_positions[3 * i + k] = static_cast<real>(a.positions[3 * own + k]
                                                           + a.kick->drift * leaving);
        }
        a.moments[i] = m;
    }
}

/* Block b makes element b of the sums. */
__global__ void __launch_bounds__(adders) add(int64_t count, const moment *moments, double *sums)
{
    __shared__ double part[adders];
    const int which = static_cast<int>(blockIdx.x);
    double sum = 0.0;
    for (int64_t i = threadIdx.x; i < count; i += adders) {
        const moment m = moments[i];
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
    const int64_t blocks = (task->count + threads - 1) / threads;
    const arrays<real> a = {static_cast<const real *>(task->data[MASSES]),
                            static_cast<const real *>(task->data[POSITIONS]),
                            static_cast<const real *>(task->data[VELOCITIES]),
                            static_cast<real *>(task->data[NEW_POSITIONS]),
                            static_cast<real *>(task->data[NEW_VELOCITIES]),
                            static_cast<const kicks *>(task->data[KICKS]),
                            moments};
    advance<<<static_cast<unsigned>(blocks < 65535 ? blocks : 65535), threads, 0, stream>>>(
        *static_cast<const space *>(task->args), task->first, task->count, a);
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
