/* A number for the first GPU that failed so, and calls of CUDA. */
#include "device/cuda/process.h"

#include <stdatomic.h>
#include <stdint.h>

#include "base/log.h"

#define NONE (-1)

static atomic_int opened, ended_by = NONE;

void plb_cuda_opened(void)
{
    atomic_fetch_add(&opened, 1);
}

/* The errors of which CUDA's documentation says "the process must be terminated and relaunched". */
bool plb_cuda_ends(cudaError_t status)
{
    switch ((int)status) {
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure: return true;
    default: return false;
    }
}

int plb_cuda_end(int gpu, const char *why)
{
    int first = NONE;
    if (!atomic_compare_exchange_strong(&ended_by, &first, gpu))
        return first;
    if (atomic_load(&opened) > 1)
        plb_log_here(PLB_LOG_WARNING,
                     "after a failure of GPU %d (%s), CUDA no longer works in this process, so that its "
                     "other GPUs are not used either; with one rank per GPU, only that GPU is lost",
                     gpu, why);
    return gpu;
}

/* A pool gives what nobody has back to the system at each wait, unless its threshold is raised. An entry that
 * takes memory in each task would then wait for the system each time. */
cudaMemPool_t plb_cuda_keep_pool(int gpu, double bytes)
{
    cudaMemPool_t pool = NULL;
    uint64_t most = (uint64_t)bytes;
    if (plb_cuda.cudaDeviceGetDefaultMemPool_(&pool, gpu) == cudaSuccess
        && plb_cuda.cudaMemPoolSetAttribute_(pool, cudaMemPoolAttrReleaseThreshold, &most) == cudaSuccess)
        return pool;
    plb_cuda.cudaGetLastError_();
    return NULL;
}

void plb_cuda_trim_pool(cudaMemPool_t pool)
{
    if (pool != NULL && plb_cuda.cudaMemPoolTrimTo_(pool, 0) != cudaSuccess)
        plb_cuda.cudaGetLastError_();
}

const char *plb_cuda_pin(int gpu, void *memory, size_t bytes)
{
    plb_cuda.cudaSetDevice_(gpu); /* any thread may call pin */
    cudaError_t status = plb_cuda.cudaHostRegister_(memory, bytes, cudaHostRegisterPortable);
    if (status == cudaSuccess)
        return NULL;
    plb_cuda.cudaGetLastError_();
    return plb_cuda.cudaGetErrorString_(status);
}

void plb_cuda_unpin(void *memory)
{
    if (plb_cuda.cudaHostUnregister_(memory) != cudaSuccess) /* pinning it had failed too */
        plb_cuda.cudaGetLastError_();
}

int plb_cuda_read(int gpu, int own, cudaStream_t stream, void *to_host, const void *from, size_t bytes)
{
    plb_cuda.cudaSetDevice_(gpu); /* any thread may call it, also one that has no GPU */
    cudaError_t status = plb_cuda.cudaMemcpyAsync_(to_host, from, bytes, cudaMemcpyDeviceToHost, stream);
    if (status == cudaSuccess)
        status = plb_cuda.cudaStreamSynchronize_(stream);
    if (status != cudaSuccess)
        plb_cuda.cudaGetLastError_();
    if (plb_cuda_ends(status))
        plb_cuda_end(gpu, plb_cuda.cudaGetErrorString_(status));
    if (own != gpu)
        plb_cuda.cudaSetDevice_(own);
    return (int)status;
}
