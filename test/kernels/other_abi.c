/* A kernel built for a kernel.h that does not exist yet: nothing after the first two fields counts. */
#include "plb/kernel.h"

const struct plb_kernel plb_kernel = {.abi = PLB_KERNEL_ABI + 41, .size = 4000, .name = "other_abi"};
