/* cuda, where plbrun is built without CUDA's headers: there are no GPUs. */
#include "device/cuda/options.h"
#include "device/driver.h"

static plb_entry_fn cuda_entry(const struct plb_phase *phase)
{
    return phase->cuda;
}

static int cuda_count(const char **why)
{
    if (why != NULL)
        *why = "no GPU is used: plbrun was built without CUDA";
    return 0;
}

const struct plb_device_driver plb_device_cuda = {
    .name = "cuda",
    .kind = PLB_GPU,
    .object = "cuda",
    .options = options,
    .entry = cuda_entry,
    .count = cuda_count,
    .ops = {.lanes = 1},
};
