/* A fake of the few cuSPARSE calls that kernels/spmm makes: C = A * B, A in CSR with 32-bit indices from 0, B
 * and C dense by rows, all float64, in a host function on the stream.
 *
 * As cuSPARSE does, it reads scalars and descriptors at the call and the arrays when the work runs, and uses
 * the workspace meanwhile. An array that is not wholly inside one live device allocation is a finding, and so
 * is a column that B has no row for. PLB_FAKE_CUSPARSE=declines: no product is supported. */
#include <cusparse.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cudaFakeOperand(const char *call, const void *start, size_t bytes); /* of the fake runtime */

enum { FOUND = 86, POISON = 0xff };

struct cusparseContext {
    cudaStream_t stream;
};
struct cusparseSpMatDescr {
    int64_t rows, columns, entries;
    const int32_t *offsets, *indices;
    const double *values;
};
struct cusparseDnMatDescr {
    int64_t rows, columns, stride;
    const double *values;
    double *written; /* NULL: of a constant matrix */
};

struct product {
    struct cusparseSpMatDescr a;
    struct cusparseDnMatDescr b, c;
    double alpha, beta;
    void *workspace;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int live; /* handles and descriptors */

static void *new_object(size_t bytes)
{
    void *object = calloc(1, bytes);
    pthread_mutex_lock(&lock);
    live += object != NULL;
    pthread_mutex_unlock(&lock);
    return object;
}

static cusparseStatus_t free_object(void *object)
{
    if (object == NULL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    free(object);
    pthread_mutex_lock(&lock);
    live--;
    pthread_mutex_unlock(&lock);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    *handle = new_object(sizeof **handle);
    return *handle != NULL ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    return free_object(handle);
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *out, int64_t rows, int64_t columns,
                                        int64_t entries, const void *offsets, const void *indices,
                                        const void *values, cusparseIndexType_t offset_type,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type)
{
    if (rows < 0 || columns < 0 || entries < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (offset_type != CUSPARSE_INDEX_32I || index_type != CUSPARSE_INDEX_32I
        || base != CUSPARSE_INDEX_BASE_ZERO || type != CUDA_R_64F)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    struct cusparseSpMatDescr *m = new_object(sizeof *m);
    if (m == NULL)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    *m = (struct cusparseSpMatDescr){rows, columns, entries, offsets, indices, values};
    *out = m;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t create_dense(struct cusparseDnMatDescr **out, struct cusparseDnMatDescr what,
                                     cudaDataType type, cusparseOrder_t order)
{
    if (what.rows < 0 || what.columns < 0 || what.stride < what.columns)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (type != CUDA_R_64F || order != CUSPARSE_ORDER_ROW)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    *out = new_object(sizeof **out);
    if (*out == NULL)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    **out = what;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *out, int64_t rows, int64_t columns,
                                          int64_t stride, const void *values, cudaDataType type,
                                          cusparseOrder_t order)
{
    struct cusparseDnMatDescr *m = NULL;
    cusparseStatus_t status = create_dense(
        &m, (struct cusparseDnMatDescr){rows, columns, stride, values, NULL}, type, order);
    *out = m;
    return status;
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *out, int64_t rows, int64_t columns, int64_t stride,
                                     void *values, cudaDataType type, cusparseOrder_t order)
{
    return create_dense(out, (struct cusparseDnMatDescr){rows, columns, stride, values, values}, type, order);
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix)
{
    return free_object((void *)(uintptr_t)matrix);
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix)
{
    return free_object((void *)(uintptr_t)matrix);
}

static size_t workspace_bytes(const struct cusparseSpMatDescr *a)
{
    return (size_t)a->rows * sizeof(double);
}

static cusparseStatus_t can_multiply(cusparseOperation_t of_a, cusparseOperation_t of_b,
                                     const struct cusparseSpMatDescr *a, const struct cusparseDnMatDescr *b,
                                     const struct cusparseDnMatDescr *c, cudaDataType type)
{
    const char *told = getenv("PLB_FAKE_CUSPARSE");
    if (told != NULL && strcmp(told, "declines") == 0)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (of_a != CUSPARSE_OPERATION_NON_TRANSPOSE || of_b != CUSPARSE_OPERATION_NON_TRANSPOSE
        || type != CUDA_R_64F)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return a->columns == b->rows && a->rows == c->rows && b->columns == c->columns
             ? CUSPARSE_STATUS_SUCCESS
             : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t of_a,
                                         cusparseOperation_t of_b, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void *beta, cusparseDnMatDescr_t c, cudaDataType type,
                                         cusparseSpMMAlg_t algorithm, size_t *bytes)
{
    (void)handle, (void)alpha, (void)beta, (void)algorithm;
    *bytes = workspace_bytes(a);
    return can_multiply(of_a, of_b, a, b, c, type);
}

static void multiply_row(const struct product *p, int64_t row)
{
    double *out = p->c.written + row * p->c.stride;
    for (int64_t j = 0; j < p->c.columns; j++)
        out[j] = p->beta != 0.0 ? p->beta * out[j] : 0.0;
    for (int64_t i = p->a.offsets[row]; i < p->a.offsets[row + 1]; i++) {
        if (i < 0 || i >= p->a.entries || p->a.indices[i] < 0 || p->a.indices[i] >= p->b.rows) {
            fprintf(stderr, "fake cuda: an entry of a sparse matrix outside it (row %lld, entry %lld)\n",
                    (long long)row, (long long)i);
            _exit(FOUND);
        }
        for (int64_t j = 0; j < p->c.columns; j++)
            out[j] += p->alpha * p->a.values[i] * p->b.values[p->a.indices[i] * p->b.stride + j];
    }
}

static void CUDART_CB multiply(void *argument)
{
    struct product *p = argument;
    memset(p->workspace, POISON, workspace_bytes(&p->a));
    for (int64_t row = 0; row < p->a.rows; row++)
        multiply_row(p, row);
    free(p);
}

static void check_dense(const struct cusparseDnMatDescr *m)
{
    if (m->rows > 0 && m->columns > 0)
        cudaFakeOperand("cusparseSpMM", m->values,
                        (size_t)((m->rows - 1) * m->stride + m->columns) * sizeof(double));
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t of_a, cusparseOperation_t of_b,
                              const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void *beta, cusparseDnMatDescr_t c, cudaDataType type,
                              cusparseSpMMAlg_t algorithm, void *workspace)
{
    (void)algorithm;
    cusparseStatus_t status = can_multiply(of_a, of_b, a, b, c, type);
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    cudaFakeOperand("cusparseSpMM", a->offsets, (size_t)(a->rows + 1) * sizeof *a->offsets);
    cudaFakeOperand("cusparseSpMM", a->indices, (size_t)a->entries * sizeof *a->indices);
    cudaFakeOperand("cusparseSpMM", a->values, (size_t)a->entries * sizeof *a->values);
    cudaFakeOperand("cusparseSpMM", workspace, workspace_bytes(a));
    check_dense(b);
    check_dense(c);
    struct product *p = malloc(sizeof *p);
    if (p == NULL)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    *p = (struct product){*a, *b, *c, *(const double *)alpha, *(const double *)beta, workspace};
    if (cudaLaunchHostFunc(handle->stream, multiply, p) == cudaSuccess)
        return CUSPARSE_STATUS_SUCCESS;
    free(p);
    return CUSPARSE_STATUS_EXECUTION_FAILED;
}

__attribute__((destructor)) static void end(void)
{
    if (live == 0)
        return;
    fprintf(stderr, "fake cuda: %d objects of cuSPARSE never destroyed (at exit)\n", live);
    fflush(NULL);
    _exit(FOUND);
}
