/* The keys of [cluster] that belong to the cuda driver: the same whether CUDA's headers are there or not, so
 * that a conf file means the same everywhere. */
#ifndef PLB_DEVICE_CUDA_OPTIONS_H
#define PLB_DEVICE_CUDA_OPTIONS_H

#include <stddef.h>

#include "plb/option.h"

enum { GPU_POWER };

static const struct plb_option options[] = {
    [GPU_POWER] = {"gpu_power", PLB_REAL, "0", 0, 1e9, NULL,
                   "power of each GPU where a CPU thread has 1, for static and until rates are measured; "
                   "0 = a guess"},
    {0},
};

#endif
