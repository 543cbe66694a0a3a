/* The GPUs of a process have these in common: the end of CUDA, and how memory pools are used. Any thread may
 * call these. */
#ifndef PLB_DEVICE_CUDA_PROCESS_H
#define PLB_DEVICE_CUDA_PROCESS_H

#include "device/cuda/library.h"

/* A GPU of this process has been opened. */
void plb_cuda_opened(void);

/* Whether it is an error of the kind after which all further CUDA calls of the process fail, for any GPU. */
bool plb_cuda_ends(cudaError_t status);

/* Such an error has come up at a GPU. Returns the GPU where the first one did; warns with that one, where the
 * process has opened other GPUs. */
int plb_cuda_end(int gpu, const char *why);

/* Has the GPU's pool for cudaMallocAsync keep so many bytes; gives back what nobody uses. NULL: no pool. */
cudaMemPool_t plb_cuda_keep_pool(int gpu, double bytes);
void plb_cuda_trim_pool(cudaMemPool_t pool);

/* Locks pages of host memory for the copies of all GPUs; this one is the thread's afterwards. NULL, or why it
 * has failed. */
const char *plb_cuda_pin(int gpu, void *memory, size_t bytes);
void plb_cuda_unpin(void *memory);

/* Copies from a GPU's memory in a stream of that GPU, and waits for it. own: the GPU that is the thread's
 * afterwards. */
int plb_cuda_read(int gpu, int own, cudaStream_t stream, void *to_host, const void *from, size_t bytes);

#endif
