/* CUDA C++ for the CPU: included before a kernel's own source, in which kernel.sed has replaced what no C++
 * compiler reads. The fake runtime runs the threads (test/fake-cuda/blocks.c).
 *
 * It has what our kernels use of the language and of the device's functions, and grows with them. Atomic
 * functions are atomic, since streams may run on several host threads. */
#ifndef PLB_TEST_CUDA_ON_CPU_H
#define PLB_TEST_CUDA_ON_CPU_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <type_traits>

#include "../fake-cuda/blocks.h"

#undef __global__
#undef __device__
#undef __launch_bounds__
#define __global__
#define __device__
#define __launch_bounds__(...)

#define __syncthreads() static_cast<void>(cudaFakeBarrier(__FILE__, __LINE__, 0))
#define __syncwarp() cudaFakeWarpBarrier(__FILE__, __LINE__)
#define __syncthreads_or(vote) cudaFakeBarrier(__FILE__, __LINE__, (vote) != 0)

namespace on_cpu {

inline const uint3 &threadIdx()
{
    return cudaFakeThread()->thread;
}
inline const uint3 &blockIdx()
{
    return cudaFakeThread()->block;
}
inline const dim3 &blockDim()
{
    return cudaFakeThread()->block_size;
}
inline const dim3 &gridDim()
{
    return cudaFakeThread()->grid_size;
}

struct shape {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    shape(dim3 g, dim3 b, size_t bytes = 0, cudaStream_t s = nullptr)
        : grid(g), block(b), shared(bytes), stream(s)
    {
    }
};

template <typename closure> void run_thread(const void *c)
{
    (*static_cast<const closure *>(c))();
}

/* kernel<<<...>>>(...). As there, arguments are evaluated and copied now, and an error is found later. */
template <typename kernel, typename... arguments> void launch(kernel k, const shape &s, arguments... a)
{
    const auto thread = [k, a...] { k(a...); };
    static_assert(std::is_trivially_copyable<decltype(thread)>::value, "arguments are copied as bytes");
    const cuda_fake_launch l = {s.grid, s.block, s.shared, s.stream, run_thread<decltype(thread)>};
    cudaFakeLaunch(&l, &thread, sizeof thread);
}

/* A __shared__ variable. Each declaration gives another type of `where`, and so has a key of its own. */
template <typename type, typename where> type &shared(where)
{
    static char key;
    return *static_cast<type *>(cudaFakeShared(&key, sizeof(type)));
}

inline double rsqrt(double x)
{
    return 1.0 / ::sqrt(x);
}
inline float rsqrtf(float x)
{
    return 1.0f / ::sqrtf(x);
}
inline double normcdf(double x)
{
    return 0.5 * ::erfc(-0.70710678118654752440 * x);
}
inline void sincospi(double x, double *sine, double *cosine)
{
    *sine = ::sin(M_PI * x);
    *cosine = ::cos(M_PI * x);
}

} // namespace on_cpu

/* Macros, since some of these are in newer C libraries. */
#define rsqrt(x) on_cpu::rsqrt(x)
#define rsqrtf(x) on_cpu::rsqrtf(x)
#define normcdf(x) on_cpu::normcdf(x)
#define sincospi(x, sine, cosine) on_cpu::sincospi(x, sine, cosine)

/* The compiler is told to fuse no product and sum. */
inline double __dadd_rn(double a, double b)
{
    return a + b;
}
inline double __dsub_rn(double a, double b)
{
    return a - b;
}
inline double __dmul_rn(double a, double b)
{
    return a * b;
}
inline double __ddiv_rn(double a, double b)
{
    return a / b;
}
inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
inline uint32_t __umulhi(uint32_t a, uint32_t b)
{
    return static_cast<uint32_t>(static_cast<uint64_t>(a) * b >> 32);
}
inline double __longlong_as_double(long long x)
{
    double d;
    memcpy(&d, &x, sizeof d);
    return d;
}
inline int atomicAdd(int *at, int value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

#endif
