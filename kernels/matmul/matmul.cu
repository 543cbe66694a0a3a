/* matmul on a GPU: cuBLAS on the task's stream.
 *
 * There is one cuBLAS handle per host thread and stream. A PU has one thread and several tasks in flight,
 * each on its own stream. cublasSetStream could move one handle between the streams safely, because cuBLAS
 * guards its default pool of workspaces. But then the workspace of a call, its algorithm and the last bits of
 * C would depend on what the other streams do ("Results Reproducibility" in the cuBLAS manual). For the same
 * reason the handles keep their default workspaces. Creating a handle takes a while, in the first task of
 * each stream.
 *
 * Returns 0, or 1000 + a cublasStatus_t: "kernel matmul returned 1013" is CUBLAS_STATUS_EXECUTION_FAILED. */
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { A, B, C }; /* the same as in matmul.c, and so is struct shape */

struct shape {
    int64_t rows, inner, columns;
    size_t element_bytes;
    int64_t tf32, bf16;
};

struct handles {
    static constexpr int most = 8; /* streams of a thread; a PU has at most 3 tasks in flight */
    cudaStream_t stream[most];
    cublasHandle_t cublas[most];
    int n = 0;

    ~handles()
    {
        for (int i = 0; i < n; i++)
            cublasDestroy(cublas[i]);
    }
};

/* The handle of this thread and stream, in *cublas. */
cublasStatus_t handle_of(cudaStream_t stream, cublasHandle_t *cublas)
{
    static thread_local handles h;
    int i = 0;
    while (i < h.n && h.stream[i] != stream)
        i++;
    if (i == handles::most) /* reuse a handle for another stream: safe, see above */
        i = 0;
    if (i == h.n) {
        const cublasStatus_t status = cublasCreate(&h.cublas[i]);
        if (status != CUBLAS_STATUS_SUCCESS)
            return status;
        h.n++;
    }
    h.stream[i] = stream;
    *cublas = h.cublas[i];
    return cublasSetStream(h.cublas[i], stream);
}

/* CUBLAS_DEFAULT_MATH computes float32 with all its bits. The user's NVIDIA_TF32_OVERRIDE overrides both
 * modes. */
cublasStatus_t multiply(cublasHandle_t cublas, const shape *s, const plb_task *task)
{
    const int64_t m = s->rows, k = s->inner, n = task->count;
    const cublasStatus_t status = cublasSetMathMode(cublas, s->tf32 ? CUBLAS_TF32_TENSOR_OP_MATH
                                                                    : CUBLAS_DEFAULT_MATH);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    if (s->element_bytes == sizeof(float)) {
        const float one = 1.0f, zero = 0.0f;
        if (s->bf16)
            return cublasGemmEx_64(cublas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, task->data[A], CUDA_R_32F,
                                   m, task->data[B], CUDA_R_32F, k, &zero, task->data[C], CUDA_R_32F, m,
                                   CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_GEMM_DEFAULT);
        return cublasSgemm_64(
            cublas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, static_cast<const float *>(task->data[A]), m,
            static_cast<const float *>(task->data[B]), k, &zero, static_cast<float *>(task->data[C]), m);
    }
    const double one = 1.0, zero = 0.0;
    return cublasDgemm_64(
        cublas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, static_cast<const double *>(task->data[A]), m,
        static_cast<const double *>(task->data[B]), k, &zero, static_cast<double *>(task->data[C]), m);
}

} // namespace

extern "C" int matmul_cuda(const struct plb_task *task)
{
    cublasHandle_t cublas;
    cublasStatus_t status = handle_of(static_cast<cudaStream_t>(task->stream), &cublas);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = multiply(cublas, static_cast<const shape *>(task->args), task);
    return status == CUBLAS_STATUS_SUCCESS ? 0 : 1000 + static_cast<int>(status);
}
