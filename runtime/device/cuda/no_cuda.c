/* cuda, where plbrun is built without CUDA's headers: there are no GPUs. */
#include "device/cuda/cuda.h"
#include "device/device.h"

int plb_cuda_count(const char **why)
{
    if (why != NULL)
        *why = "no GPU is used: plbrun was built without CUDA";
    return 0;
}

void plb_cuda_describe(int gpu, struct plb_cuda_gpu *description)
{
    (void)gpu;
    *description = (struct plb_cuda_gpu){.multiprocessors = 1};
}

const struct plb_device_ops plb_device_cuda = {.name = "cuda", .lanes = 1};
