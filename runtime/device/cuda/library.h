/* The CUDA runtime library, opened while plbrun runs, and the GPUs that it finds. Only for the files of this
 * folder, and only where CUDA's headers are. */
#ifndef PLB_DEVICE_CUDA_LIBRARY_H
#define PLB_DEVICE_CUDA_LIBRARY_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "base/name.h"

/* The functions of the library that plbrun calls. */
/* clang-format off */
#define PLB_CUDA_CALLS(X) \
    X(cudaGetDeviceCount) X(cudaGetDeviceProperties) X(cudaDeviceGetPCIBusId) X(cudaSetDevice) \
    X(cudaMemGetInfo) X(cudaMalloc) X(cudaFree) X(cudaHostRegister) X(cudaHostUnregister) X(cudaMemcpyAsync) \
    X(cudaDeviceGetDefaultMemPool) X(cudaMemPoolSetAttribute) X(cudaMemPoolTrimTo) \
    X(cudaMemsetAsync) X(cudaStreamCreateWithFlags) X(cudaStreamDestroy) X(cudaStreamSynchronize) \
    X(cudaStreamWaitEvent) \
    X(cudaEventCreateWithFlags) X(cudaEventDestroy) X(cudaEventRecord) X(cudaEventQuery) \
    X(cudaEventSynchronize) X(cudaEventElapsedTime) X(cudaGetLastError) X(cudaGetErrorString)
/* clang-format on */

/* Their addresses, as pointers of their own types: cuda.cudaMalloc_(...). Set by the first plb_cuda_count
 * that finds the library, and never changed afterwards. */
#define PLB_CUDA_POINTER(name) __typeof__(&(name)) name##_;
struct plb_cuda_library {
    PLB_CUDA_CALLS(PLB_CUDA_POINTER)
};
extern struct plb_cuda_library plb_cuda;

/* How many GPUs of generation 8.0 or later are visible (CUDA_VISIBLE_DEVICES counts). Looks once. *why, where
 * not NULL, becomes a phrase on what was found, or why there is no GPU; static storage. Main thread only. */
int plb_cuda_count(const char **why);

/* Whether the host has a GPU that this process cannot use: the driver is too old, or a call of CUDA has
 * failed. After plb_cuda_count. */
bool plb_cuda_unusable(void);

/* CUDA's own number of GPU 0 … count - 1. */
int plb_cuda_number(int gpu);

/* How CUDA_VISIBLE_DEVICES names GPU 0 … count - 1 for a program that is to see this one alone. */
void plb_cuda_select(int gpu, char text[64]);

struct plb_cuda_gpu {
    char model[PLB_NAME]; /* "NVIDIA H200", cut to fit */
    char pci[16];         /* "0000:18:00.0"; "" where CUDA does not tell */
    char uuid[41];        /* "GPU-8a5c…", or "MIG-…" of a part of one; "" where CUDA does not tell */
    int multiprocessors;  /* at least 1 */
};

/* Describes GPU 0 … count - 1. */
void plb_cuda_describe(int gpu, struct plb_cuda_gpu *description);

#endif
