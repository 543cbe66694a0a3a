/* Kernels that were compiled for the CPU, as test/cuda-on-cpu compiles them: what their code calls. C and
 * C++. */
#ifndef PLB_TEST_CUDA_BLOCKS_H
#define PLB_TEST_CUDA_BLOCKS_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cuda_fake_launch {
    dim3 grid, block;
    size_t shared; /* bytes of dynamic shared memory */
    cudaStream_t stream;
    void (*thread)(const void *arguments); /* the kernel, for one thread */
};

/* Where a thread of a kernel is. */
struct cuda_fake_thread {
    uint3 thread, block;
    dim3 block_size, grid_size;
};

/* kernel<<<...>>>(...): copies the arguments, which need no destructor. An error becomes the last one, too.
 */
cudaError_t cudaFakeLaunch(const struct cuda_fake_launch *launch, const void *arguments, size_t bytes);

/* All below: of the thread of a kernel that calls. */
const struct cuda_fake_thread *cudaFakeThread(void);

/* Waits for all threads of the block that have not ended, and returns whether one of them had a vote other
 * than 0. That they wait at different places is a finding. */
int cudaFakeBarrier(const char *file, int line, int vote);

/* The same for the threads of the warp: 32 of the block. */
void cudaFakeWarpBarrier(const char *file, int line);

/* A __shared__ variable: `key` is one address for each. It begins as garbage in each block. */
void *cudaFakeShared(const void *key, size_t bytes);
void *cudaFakeDynamicShared(void);

#ifdef __cplusplus
}
#endif

#endif
