/* spmm on a GPU: cuSPARSE on the task's stream. A plain kernel computes what cuSPARSE declines, or what it is
 * known to compute wrongly.
 *
 * cuSPARSE needs offsets that begin at 0 and are as wide as the column numbers. The offsets of a range are a
 * part of the whole matrix's, in 64 bits. So a kernel subtracts the first one and copies them to 32 bits. The
 * algorithm is CSR_ALG2, the one for row-major B and C. It may add in another order each time. ALG3 adds in
 * the same order, but it analyses the matrix in every call, and a part of a matrix seldom comes twice.
 *
 * There is one handle, with memory, per host thread and stream, because a PU has several tasks in flight.
 * cudaMallocAsync grows the memory: cudaMalloc and cudaFree would make the streams wait for each other. The
 * memory is reused in the order of the stream, so nothing waits, and after the first few tasks nothing is
 * allocated.
 *
 * Returns 0, a cudaError_t, or 2000 + a cusparseStatus_t: "kernel spmm returned 2006" is
 * CUSPARSE_STATUS_EXECUTION_FAILED. */
#include <cuda_runtime.h>
#include <cusparse.h>

#include "plb/kernel.h"

namespace {

enum { OFFSETS, INDICES, VALUES, B, C }; /* the same as in spmm.c */

struct spmm_args { /* the same as in spmm.c */
    int64_t columns, whole;
};

constexpr int threads = 256, warps = threads / 32; /* per block */

/* Above these sizes the plain kernel computes. cuSPARSE before CUDA 13.1 leaves zeros, without an error,
 * where B has more columns than its grids can count, and fails near 2^31 entries. */
constexpr int64_t most_columns = 65535, most_elements = int64_t{1} << 30;

struct memory {
    void *at;
    size_t bytes;
};

/* The objects that one stream of a thread has of its own. */
struct place {
    cudaStream_t stream;
    cusparseHandle_t cusparse;
    memory offsets, workspace;
};

struct places {
    static constexpr int most = 8; /* streams of a thread; a PU has at most 3 tasks in flight */
    place at[most] = {};
    int n = 0;

    ~places()
    {
        if (n > 0)
            cudaDeviceSynchronize(); /* cudaFree does not wait for users of memory from cudaMallocAsync */
        for (int i = 0; i < n; i++) {
            cusparseDestroy(at[i].cusparse);
            cudaFree(at[i].offsets.at);
            cudaFree(at[i].workspace.at);
        }
    }
};

struct operands {
    cusparseConstSpMatDescr_t a = nullptr;
    cusparseConstDnMatDescr_t b = nullptr;
    cusparseDnMatDescr_t c = nullptr;

    ~operands()
    {
        if (a != nullptr)
            cusparseDestroySpMat(a);
        if (b != nullptr)
            cusparseDestroyDnMat(b);
        if (c != nullptr)
            cusparseDestroyDnMat(c);
    }
};

__global__ void rebase(int64_t n, const int64_t *from, int32_t *to)
{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * threads + threadIdx.x;
    if (i < n)
        to[i] = static_cast<int32_t>(from[i] - from[0]);
}

/* One warp for a row and 32 columns of B: reads of B coalesce, and rows of any length keep all lanes busy. */
__global__ void multiply(int64_t rows, int64_t columns, bool whole, const int64_t *offsets,
                         const int32_t *indices, const double *values, const double *b, double *c)
{
    const int64_t row = static_cast<int64_t>(blockIdx.x) * warps + threadIdx.y;
    if (row >= rows)
        return;
    const int64_t base = whole ? 0 : offsets[0];
    const int64_t begin = offsets[row] - base, end = offsets[row + 1] - base;
    for (int64_t j = threadIdx.x + static_cast<int64_t>(blockIdx.y) * 32; j < columns;
         j += 32 * static_cast<int64_t>(gridDim.y)) {
        double sum = 0.0;
        for (int64_t i = begin; i < end; i++)
            sum += values[i] * b[indices[i] * columns + j];
        c[row * columns + j] = sum;
    }
}

int plain(const plb_task *task, int64_t columns, bool whole, const int64_t *offsets)
{
    const int64_t tiles = (columns + 31) / 32;
    const dim3 grid(static_cast<unsigned>((task->count + warps - 1) / warps),
                    static_cast<unsigned>(tiles < 65535 ? tiles : 65535));
    multiply<<<grid, dim3(32, warps), 0, static_cast<cudaStream_t>(task->stream)>>>(
        task->count, columns, whole, offsets, static_cast<const int32_t *>(task->data[INDICES]),
        static_cast<const double *>(task->data[VALUES]), static_cast<const double *>(task->data[B]),
        static_cast<double *>(task->data[C]));
    return static_cast<int>(cudaGetLastError());
}

int code(cusparseStatus_t status)
{
    return status == CUSPARSE_STATUS_SUCCESS ? 0 : 2000 + static_cast<int>(status);
}

/* Whether cuSPARSE declined a task that the plain kernel can compute. Any other status is an error. */
bool declined(int status)
{
    return status == code(CUSPARSE_STATUS_NOT_SUPPORTED)
        || status == code(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES)
        || status == static_cast<int>(cudaErrorMemoryAllocation)
        || status == static_cast<int>(cudaErrorNotSupported);
}

/* The place of this thread and stream, in *found. */
int place_of(cudaStream_t stream, place **found)
{
    static thread_local places p;
    int i = 0;
    while (i < p.n && p.at[i].stream != stream)
        i++;
    if (i == places::most)
        return static_cast<int>(cudaErrorNotSupported);
    if (i == p.n) {
        const int status = code(cusparseCreate(&p.at[i].cusparse));
        if (status != 0)
            return status;
        p.at[i].stream = stream;
        p.n++;
    }
    *found = &p.at[i];
    return code(cusparseSetStream(p.at[i].cusparse, stream));
}

/* Makes room for bytes, and half as much again, so that growing tasks seldom grow it. */
int make_room(memory *m, size_t bytes, cudaStream_t stream)
{
    if (bytes <= m->bytes)
        return 0;
    if (m->at != nullptr)
        cudaFreeAsync(m->at, stream);
    *m = {};
    const int status = static_cast<int>(cudaMallocAsync(&m->at, bytes + bytes / 2, stream));
    if (status == 0)
        m->bytes = bytes + bytes / 2;
    return status;
}

int describe(const plb_task *task, int64_t columns, int64_t entries, const void *offsets, operands *o)
{
    const int64_t inner = static_cast<int64_t>(task->bytes[B] / sizeof(double)) / columns;
    cusparseStatus_t status = cusparseCreateConstCsr(
        &o->a, task->count, inner, entries, offsets, task->data[INDICES], task->data[VALUES],
        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    if (status == CUSPARSE_STATUS_SUCCESS)
        status = cusparseCreateConstDnMat(&o->b, inner, columns, columns, task->data[B], CUDA_R_64F,
                                          CUSPARSE_ORDER_ROW);
    if (status == CUSPARSE_STATUS_SUCCESS)
        status = cusparseCreateDnMat(&o->c, task->count, columns, columns, task->data[C], CUDA_R_64F,
                                     CUSPARSE_ORDER_ROW);
    return code(status);
}

int by_cusparse(const plb_task *task, int64_t columns, int64_t entries, const int64_t *offsets)
{
    const cudaStream_t stream = static_cast<cudaStream_t>(task->stream);
    const cusparseOperation_t as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const int64_t n = task->count + 1;
    const double one = 1.0, zero = 0.0;
    operands o;
    place *p;
    size_t bytes = 0;
    int status = place_of(stream, &p);
    if (status == 0)
        status = make_room(&p->offsets, static_cast<size_t>(n) * sizeof(int32_t), stream);
    if (status == 0)
        status = describe(task, columns, entries, p->offsets.at, &o);
    if (status != 0)
        return status;
    status = code(cusparseSpMM_bufferSize(p->cusparse, as_it_is, as_it_is, &one, o.a, o.b, &zero, o.c,
                                          CUDA_R_64F, CUSPARSE_SPMM_CSR_ALG2, &bytes));
    if (status == 0) /* one byte at least: old releases refuse NULL, even for 0 bytes */
        status = make_room(&p->workspace, bytes + 1, stream);
    if (status != 0)
        return status;
    rebase<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, stream>>>(
        n, offsets, static_cast<int32_t *>(p->offsets.at));
    if ((status = static_cast<int>(cudaGetLastError())) != 0)
        return status;
    return code(cusparseSpMM(p->cusparse, as_it_is, as_it_is, &one, o.a, o.b, &zero, o.c, CUDA_R_64F,
                             CUSPARSE_SPMM_CSR_ALG2, p->workspace.at));
}

} // namespace

extern "C" int spmm_cuda(const struct plb_task *task)
{
    const spmm_args *args = static_cast<const spmm_args *>(task->args);
    const int64_t columns = args->columns;
    const int64_t *offsets = static_cast<const int64_t *>(task->data[OFFSETS]) + task->first;
    const int64_t entries = static_cast<int64_t>(task->bytes[INDICES] / sizeof(int32_t));
    const int64_t of_b = static_cast<int64_t>(task->bytes[B] / sizeof(double)), of_c = task->count * columns;
    if (args->whole != 0) /* cuSPARSE would need the number of entries in these rows */
        return plain(task, columns, true, offsets);
    if (entries == 0)
        return static_cast<int>(
            cudaMemsetAsync(task->data[C], 0, task->bytes[C], static_cast<cudaStream_t>(task->stream)));
    if (columns > most_columns || entries > most_elements || of_b > most_elements || of_c > most_elements)
        return plain(task, columns, false, offsets);
    const int status = by_cusparse(task, columns, entries, offsets);
    if (!declined(status))
        return status;
    cudaGetLastError(); /* clear it: it is not the plain kernel's */
    return plain(task, columns, false, offsets);
}
