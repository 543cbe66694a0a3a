/* matmul on a GPU: cuBLAS on the task's stream. A handle per host thread, since a PU has one. */
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

struct shape { /* as in matmul.c */
    int64_t rows, inner, columns;
    size_t element_bytes;
};

struct handle {
    cublasHandle_t cublas = nullptr;
    ~handle() { if (cublas) cublasDestroy(cublas); }
};

} // namespace

extern "C" int matmul_cuda(const struct plb_task *task)
{
    static thread_local handle h;
    const shape *s = static_cast<const shape *>(task->args);
    const int64_t m = s->rows, k = s->inner, n = task->count;
    if (h.cublas == nullptr && cublasCreate(&h.cublas) != CUBLAS_STATUS_SUCCESS)
        return -1;
    if (cublasSetStream(h.cublas, static_cast<cudaStream_t>(task->stream)) != CUBLAS_STATUS_SUCCESS)
        return -2;
    const float onef = 1.0f, zerof = 0.0f;
    const double one = 1.0, zero = 0.0;
    cublasStatus_t status = s->element_bytes == sizeof(float)
        ? cublasSgemm_64(h.cublas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &onef, static_cast<const float *>(task->data[0]), m,
                         static_cast<const float *>(task->data[1]), k, &zerof, static_cast<float *>(task->data[2]), m)
        : cublasDgemm_64(h.cublas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, static_cast<const double *>(task->data[0]), m,
                         static_cast<const double *>(task->data[1]), k, &zero, static_cast<double *>(task->data[2]), m);
    return status == CUBLAS_STATUS_SUCCESS ? 0 : static_cast<int>(status);
}
