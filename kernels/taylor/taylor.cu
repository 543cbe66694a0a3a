/* taylor on a GPU: a thread for each point. Sums are fused as on CPUs, so they have the same bits; the errors
 * come from other functions than there.
 *
 * Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { COEFFICIENTS, VALUES, ERRORS };    /* as in taylor.c */
enum { EXP, SIN, COS, LOG1P, GEOMETRIC }; /* as in series.h */
constexpr int threads = 256;

struct mesh { /* the same as in taylor.c */
    double left, top, step;
    int64_t width, terms;
    int32_t function, errors;
};

__device__ double log_distance(double x, double y) /* as in series.c */
{
    const double square = (1.0 + x) * (1.0 + x) + y * y;
    return square < 0.5 || square > 2.0 ? 0.5 * log(square) : 0.5 * log1p(x * (2.0 + x) + y * y);
}

__device__ double2 exactly(int function, double x, double y)
{
    switch (function) {
    case EXP: return make_double2(exp(x) * cos(y), exp(x) * sin(y));
    case SIN: return make_double2(sin(x) * cosh(y), cos(x) * sinh(y));
    case COS: return make_double2(cos(x) * cosh(y), -sin(x) * sinh(y));
    case LOG1P: return make_double2(log_distance(x, y), atan2(y, 1.0 + x));
    default: {
        const double square = (1.0 - x) * (1.0 - x) + y * y;
        return make_double2((1.0 - x) / square, y / square);
    }
    }
}

__global__ void __launch_bounds__(threads)
    sum(mesh m, int64_t first, int64_t n, const double *coefficients, double *values, double *errors)
{
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * threads + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * threads) {
        const int64_t point = first + i;
        const double x = __dadd_rn(m.left, __dmul_rn(m.step, static_cast<double>(point % m.width) + 0.5));
        const double y = __dsub_rn(m.top, __dmul_rn(m.step, static_cast<double>(point / m.width) + 0.5));
        double re = 0.0, im = 0.0;
        for (int64_t k = m.terms - 1; k >= 0; k--) {
            const double next = fma(re, x, fma(-im, y, coefficients[k]));
            im = fma(re, y, __dmul_rn(im, x));
            re = next;
        }
        values[2 * i] = re;
        values[2 * i + 1] = im;
        if (errors != nullptr) {
            const double2 exact = exactly(m.function, x, y);
            errors[i] = hypot(re - exact.x, im - exact.y);
        }
    }
}

} // namespace

extern "C" int taylor_cuda(const struct plb_task *task)
{
    const mesh m = *static_cast<const mesh *>(task->args);
    const int64_t filled = (task->count + threads - 1) / threads;
    sum<<<static_cast<unsigned>(filled < 65535 ? filled : 65535), threads, 0,
          static_cast<cudaStream_t>(task->stream)>>>(
        m, task->first, task->count, static_cast<const double *>(task->data[COEFFICIENTS]),
        static_cast<double *>(task->data[VALUES]),
        m.errors != 0 ? static_cast<double *>(task->data[ERRORS]) : nullptr);
    return static_cast<int>(cudaGetLastError());
}
