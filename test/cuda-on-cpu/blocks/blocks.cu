/* Kernels for the test of what runs kernels on the CPU (test/fake-cuda/test_fake_blocks.c). */
#include <cub/block/block_reduce.cuh>
#include <cuda_runtime.h>

namespace {

constexpr int threads = 96;

/* turn[block * threads + k]: the k-th thread of the block that ran after the first barrier. */
__global__ void take_turns(int *turn)
{
    __shared__ int next;
    if (threadIdx.x == 0)
        next = 0;
    __syncthreads();
    turn[blockIdx.x * threads + atomicAdd(&next, 1)] = static_cast<int>(threadIdx.x);
}

/* sums[0]: of the numbers of all threads, by halving; sums[1]: the same by CUB; sums[2]: what another thread
 * than 0 has from CUB; sums[3]: how many threads heard that some thread is the last. */
__global__ void add_up(int *sums)
{
    using reduce = cub::BlockReduce<int, threads>;
    __shared__ typename reduce::TempStorage room;
    __shared__ int part[threads];
    const int mine = static_cast<int>(threadIdx.x);
    part[mine] = mine;
    for (int half = threads / 2; half >= 3; half /= 2) {
        __syncthreads();
        if (mine < half)
            part[mine] += part[mine + half];
    }
    __syncthreads();
    if (mine == 0)
        sums[0] = part[0] + part[1] + part[2];
    const int all = reduce(room).Reduce(mine, [](int a, int b) { return a + b; });
    if (mine < 2)
        sums[1 + mine] = all;
    if (__syncthreads_or(mine == threads - 1) != 0)
        atomicAdd(&sums[3], 1);
    if (__syncthreads_or(mine == threads) != 0)
        atomicAdd(&sums[3], 1);
}

__global__ void read_unwritten(int *seen)
{
    extern __shared__ int unwritten[];
    __shared__ int own;
    seen[0] = unwritten[0];
    seen[1] = own;
    unwritten[0] = own = 7; /* the next block does not find it */
}

__global__ void part_ways(int odd)
{
    if (static_cast<int>(threadIdx.x % 2) != odd)
        __syncthreads();
    else
        __syncthreads();
}

/* Warp w waits 2 w + 2 times. seen[0]: how often a thread has not found what its neighbour wrote, and
 * seen[1]: how often it has. The last threads of each warp end early. */
__global__ void wait_in_warps(int *seen)
{
    __shared__ int written[threads];
    const int me = static_cast<int>(threadIdx.x), warp = me / 32, lane = me % 32;
    if (lane >= 24)
        return;
    for (int round = 0; round <= warp; round++) {
        written[me] = 100 * round + lane;
        __syncwarp();
        atomicAdd(&seen[written[warp * 32 + (lane + 1) % 24] == 100 * round + (lane + 1) % 24], 1);
        __syncwarp();
    }
    __syncthreads();
}

__global__ void part_in_a_warp(int odd)
{
    if (static_cast<int>(threadIdx.x % 2) != odd)
        __syncthreads();
    else
        __syncwarp();
}

__global__ void end_early(int *left)
{
    if (threadIdx.x % 2 == 0)
        return; /* the others wait for each other alone */
    __syncthreads();
    atomicAdd(left, 1);
}

} // namespace

extern "C" void launch_take_turns(cudaStream_t stream, int *turn)
{
    take_turns<<<2, threads, 0, stream>>>(turn);
}

extern "C" void launch_add_up(cudaStream_t stream, int *sums)
{
    add_up<<<1, threads, 0, stream>>>(sums);
}

extern "C" void launch_read_unwritten(cudaStream_t stream, int *seen)
{
    read_unwritten<<<dim3(1, 2), 1, sizeof(int), stream>>>(seen);
}

extern "C" void launch_part_ways(cudaStream_t stream, int *unused)
{
    part_ways<<<1, 2, 0, stream>>>(1);
    static_cast<void>(unused);
}

extern "C" void launch_wait_in_warps(cudaStream_t stream, int *seen)
{
    wait_in_warps<<<1, threads, 0, stream>>>(seen);
}

extern "C" void launch_part_in_a_warp(cudaStream_t stream, int *unused)
{
    part_in_a_warp<<<1, 2, 0, stream>>>(1);
    static_cast<void>(unused);
}

extern "C" void launch_end_early(cudaStream_t stream, int *left)
{
    end_early<<<1, dim3(4, 4, 2), 0, stream>>>(left);
}

extern "C" void launch_too_many(cudaStream_t stream, int *turn)
{
    take_turns<<<1, 1025, 0, stream>>>(turn);
}
