/* The fake cuBLAS computes what is asked for, in the order of its stream, and refuses what cuBLAS refuses. */
#ifndef WITH_CUDA_HEADERS
#include <stdio.h>
int main(void)
{
    puts("ok 1 - the fake cuBLAS # SKIP no CUDA headers\n1..1");
    return 0;
}
#else
#include "cases.h"

#include <cublas_v2.h>

/* C = 2 A B + C, with A 2 x 3, B 3 x 2 given transposed, by columns. */
static void products_are_late_and_right(void)
{
    const double a[] = {1, 2, 3, 4, 5, 6}, bt[] = {1, 4, 2, 5, 3, 6}, c[] = {1, 1, 1, 1};
    const double want[] = {2 * 22 + 1, 2 * 28 + 1, 2 * 49 + 1, 2 * 64 + 1};
    double alpha = 2.0, beta = 1.0, *host = new_pinned(sizeof c);
    double *da = new_device(sizeof a), *db = new_device(sizeof bt), *dc = new_device(sizeof c);
    cudaStream_t s = new_stream();
    cublasHandle_t h = NULL;
    EXPECT(cublasCreate(&h), CUBLAS_STATUS_SUCCESS);
    EXPECT(cublasSetStream(h, s), CUBLAS_STATUS_SUCCESS);
    EXPECT(cublasSetMathMode(h, CUBLAS_DEFAULT_MATH), CUBLAS_STATUS_SUCCESS);
    OK(cudaMemcpyAsync(da, a, sizeof a, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyAsync(db, bt, sizeof bt, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyAsync(dc, c, sizeof c, cudaMemcpyHostToDevice, s));
    EXPECT(cublasDgemm_64(h, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 3, &alpha, da, 2, db, 2, &beta, dc, 2),
           CUBLAS_STATUS_SUCCESS);
    alpha = beta = 0.0; /* read at the call */
    OK(cudaMemcpyAsync(host, dc, sizeof c, cudaMemcpyDeviceToHost, s));
    EXPECT(host[0] == want[0], 0);
    EXPECT(cublasDestroy(h), CUBLAS_STATUS_SUCCESS); /* synchronises the device */
    for (int i = 0; i < 4; i++)
        EXPECT(host[i] == want[i], 1);
    OK(cudaFree(da));
    OK(cudaFree(db));
    OK(cudaFree(dc));
    OK(cudaFreeHost(host));
    OK(cudaStreamDestroy(s));
}

static void floats_and_refusals(void)
{
    const float one = 1.0f, zero = 0.0f, two = 2.0f;
    float *d = new_device(3 * sizeof *d), back = 0.0f;
    cublasHandle_t h = NULL;
    EXPECT(cublasDestroy(h), CUBLAS_STATUS_NOT_INITIALIZED);
    EXPECT(cublasCreate(&h), CUBLAS_STATUS_SUCCESS);
    OK(cudaMemcpy(d, &two, sizeof two, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d + 1, &two, sizeof two, cudaMemcpyHostToDevice));
    EXPECT(cublasSgemm_64(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, d, 1, d + 1, 1, &zero, d + 2, 1),
           CUBLAS_STATUS_SUCCESS);
    OK(cudaMemcpy(&back, d + 2, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back == 4.0f, 1);
    EXPECT(cublasSgemm_64(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &one, d, 1, d, 1, &zero, d, 2),
           CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(cublasSgemm_64(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, NULL, d, 1, d, 1, &zero, d, 1),
           CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(cublasDestroy(h), CUBLAS_STATUS_SUCCESS);
    EXPECT(cublasDestroy(h), CUBLAS_STATUS_NOT_INITIALIZED);
    EXPECT(cublasSetStream(h, NULL), CUBLAS_STATUS_NOT_INITIALIZED);
    OK(cudaFree(d));
}

static void operand_too_short(void)
{
    const float one = 1.0f;
    float *d = new_device(7 * sizeof *d);
    cublasHandle_t h = NULL;
    EXPECT(cublasCreate(&h), CUBLAS_STATUS_SUCCESS);
    cublasSgemm_64(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, d, 2, d, 2, &one, d + 4, 2);
}

static void leaks_handle(void)
{
    cublasHandle_t h = NULL;
    EXPECT(cublasCreate(&h), CUBLAS_STATUS_SUCCESS);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE("products are late and right", products_are_late_and_right, .told = NULL),
        CASE("floats and refusals", floats_and_refusals, .told = NULL),
        CASE("an operand too short", operand_too_short, .status = FOUND,
             .output = "not inside its allocation (cublasSgemm"),
        CASE("leak of a cuBLAS handle", leaks_handle, .status = FOUND,
             .output = "cuBLAS handles never destroyed"),
    };
    if (argc == 2)
        return run_case(tests, sizeof tests / sizeof tests[0], argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
