/* A fake of the few cuBLAS calls that kernels/matmul makes: OpenBLAS, in a host function on the stream.
 *
 * As cuBLAS does, it reads the scalars at the call and the matrices when the work runs. An operand that is
 * not wholly inside one live device allocation is a finding, since OpenBLAS is not built for sanitizers.
 * Weak at: OpenBLAS counts in int, so a larger matrix is refused. */
#include <cblas.h>
#include <cublas_v2.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cudaFakeOperand(const char *call, const void *start, size_t bytes); /* of the fake runtime */

struct cublasContext {
    struct cublasContext *next;
    cudaStream_t stream;
    int device;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cublasContext *handles;

struct product {
    enum CBLAS_TRANSPOSE transa, transb;
    int m, n, k, lda, ldb, ldc;
    const void *a, *b;
    void *c;
    double alpha, beta; /* a float fits */
    bool wide, rounds;  /* rounds: float32 factors lose all but 7 bits of their mantissas */
};

static bool is_live(const struct cublasContext *handle)
{
    pthread_mutex_lock(&lock);
    const struct cublasContext *h = handles;
    while (h != NULL && h != handle)
        h = h->next;
    pthread_mutex_unlock(&lock);
    return h != NULL;
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *out)
{
    if (out == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct cublasContext *h = calloc(1, sizeof *h);
    if (h == NULL)
        return CUBLAS_STATUS_ALLOC_FAILED;
    size_t free_bytes = 0, total = 0;
    if (cudaGetDevice(&h->device) != cudaSuccess || cudaMemGetInfo(&free_bytes, &total) != cudaSuccess) {
        free(h);
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    pthread_mutex_lock(&lock);
    h->next = handles;
    handles = h;
    pthread_mutex_unlock(&lock);
    *out = h;
    return CUBLAS_STATUS_SUCCESS;
}

/* Synchronises the handle's device, "implicitly", as its documentation has it. */
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    pthread_mutex_lock(&lock);
    struct cublasContext **at = &handles;
    while (*at != NULL && *at != handle)
        at = &(*at)->next;
    struct cublasContext *h = *at;
    if (h != NULL)
        *at = h->next;
    pthread_mutex_unlock(&lock);
    if (h == NULL)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    int current = 0;
    cudaGetDevice(&current);
    cudaSetDevice(h->device);
    cudaDeviceSynchronize();
    cudaSetDevice(current);
    free(h);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
    if (!is_live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    if (!is_live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return (int)mode < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

/* The factors of a product that is not transposed, as bfloat16: each is cut. In its own memory. */
static const float *cut(const float *from, int rows, int columns, int ld)
{
    float *to = malloc((size_t)ld * (size_t)columns * sizeof *to);
    if (to == NULL)
        abort();
    for (size_t j = 0; j < (size_t)columns; j++)
        for (size_t i = j * (size_t)ld; i < j * (size_t)ld + (size_t)rows; i++) {
            uint32_t bits;
            memcpy(&bits, from + i, sizeof bits);
            bits &= 0xffff0000u;
            memcpy(to + i, &bits, sizeof bits);
        }
    return to;
}

static void CUDART_CB multiply(void *argument)
{
    struct product *p = argument;
    if (p->rounds) {
        p->a = cut(p->a, p->m, p->k, p->lda);
        p->b = cut(p->b, p->k, p->n, p->ldb);
    }
    if (p->wide)
        cblas_dgemm(CblasColMajor, p->transa, p->transb, p->m, p->n, p->k, p->alpha, p->a, p->lda, p->b,
                    p->ldb, p->beta, p->c, p->ldc);
    else
        cblas_sgemm(CblasColMajor, p->transa, p->transb, p->m, p->n, p->k, (float)p->alpha, p->a, p->lda,
                    p->b, p->ldb, (float)p->beta, p->c, p->ldc);
    if (p->rounds) {
        free((void *)(uintptr_t)p->a);
        free((void *)(uintptr_t)p->b);
    }
    free(p);
}

static bool fits(cublasOperation_t op, int64_t rows, int64_t columns, int64_t ld)
{
    const int64_t height = op == CUBLAS_OP_N ? rows : columns;
    return ld >= (height > 1 ? height : 1) && ld <= INT_MAX;
}

static void check_operand(const char *call, const void *start, cublasOperation_t op, int64_t rows,
                          int64_t columns, int64_t ld, bool wide)
{
    const int64_t height = op == CUBLAS_OP_N ? rows : columns, width = op == CUBLAS_OP_N ? columns : rows;
    if (height > 0 && width > 0)
        cudaFakeOperand(call, start,
                        (size_t)((width - 1) * ld + height) * (wide ? sizeof(double) : sizeof(float)));
}

static enum CBLAS_TRANSPOSE transpose(cublasOperation_t op)
{
    return op == CUBLAS_OP_N ? CblasNoTrans : CblasTrans; /* of real numbers the conjugate is that too */
}

/* m, n, k and the leading dimensions are in `sizes`: m, n, k, lda, ldb, ldc. */
static cublasStatus_t enqueue(const char *call, cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, const int64_t sizes[6], struct product p)
{
    const int64_t m = sizes[0], n = sizes[1], k = sizes[2];
    if (!is_live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || k < 0 || m > INT_MAX || n > INT_MAX || k > INT_MAX || (unsigned)transa > CUBLAS_OP_C
        || (unsigned)transb > CUBLAS_OP_C || !fits(transa, m, k, sizes[3]) || !fits(transb, k, n, sizes[4])
        || !fits(CUBLAS_OP_N, m, n, sizes[5]))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUBLAS_STATUS_SUCCESS;
    check_operand(call, p.a, transa, m, k, sizes[3], p.wide);
    check_operand(call, p.b, transb, k, n, sizes[4], p.wide);
    check_operand(call, p.c, CUBLAS_OP_N, m, n, sizes[5], p.wide);
    struct product *job = malloc(sizeof *job);
    if (job == NULL)
        return CUBLAS_STATUS_ALLOC_FAILED;
    p.transa = transpose(transa), p.transb = transpose(transb);
    p.m = (int)m, p.n = (int)n, p.k = (int)k;
    p.lda = (int)sizes[3], p.ldb = (int)sizes[4], p.ldc = (int)sizes[5];
    *job = p;
    if (cudaLaunchHostFunc(handle->stream, multiply, job) != cudaSuccess) {
        free(job);
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemm_v2_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                 int64_t m, int64_t n, int64_t k, const float *alpha, const float *a,
                                 int64_t lda, const float *b, int64_t ldb, const float *beta, float *c,
                                 int64_t ldc)
{
    if (alpha == NULL || beta == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return enqueue("cublasSgemm_v2_64", handle, transa, transb, (const int64_t[]){m, n, k, lda, ldb, ldc},
                   (struct product){.a = a, .b = b, .c = c, .alpha = *alpha, .beta = *beta});
}

cublasStatus_t cublasDgemm_v2_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                 int64_t m, int64_t n, int64_t k, const double *alpha, const double *a,
                                 int64_t lda, const double *b, int64_t ldb, const double *beta, double *c,
                                 int64_t ldc)
{
    if (alpha == NULL || beta == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return enqueue("cublasDgemm_v2_64", handle, transa, transb, (const int64_t[]){m, n, k, lda, ldb, ldc},
                   (struct product){.a = a, .b = b, .c = c, .alpha = *alpha, .beta = *beta, .wide = true});
}

/* Of all that it can do what matmul asks for: float32 by way of bfloat16. */
cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                               int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                               cudaDataType type_a, int64_t lda, const void *b, cudaDataType type_b,
                               int64_t ldb, const void *beta, void *c, cudaDataType type_c, int64_t ldc,
                               cublasComputeType_t how, cublasGemmAlgo_t algorithm)
{
    if (alpha == NULL || beta == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (type_a != CUDA_R_32F || type_b != CUDA_R_32F || type_c != CUDA_R_32F || transa != CUBLAS_OP_N
        || transb != CUBLAS_OP_N || how != CUBLAS_COMPUTE_32F_FAST_16BF || algorithm != CUBLAS_GEMM_DEFAULT)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return enqueue("cublasGemmEx_64", handle, transa, transb, (const int64_t[]){m, n, k, lda, ldb, ldc},
                   (struct product){.a = a,
                                    .b = b,
                                    .c = c,
                                    .alpha = (double)*(const float *)alpha,
                                    .beta = (double)*(const float *)beta,
                                    .rounds = true});
}

__attribute__((destructor)) static void end(void)
{
    if (handles == NULL)
        return;
    fprintf(stderr, "fake cuda: cuBLAS handles never destroyed (at exit, first of device %d)\n",
            handles->device);
    fflush(NULL);
    _exit(86);
}
