/* The keys of [cluster] that belong to the opencl driver: the same whether OpenCL's headers are there or not,
 * so that a conf file means the same everywhere. */
#ifndef PLB_DEVICE_OPENCL_OPTIONS_H
#define PLB_DEVICE_OPENCL_OPTIONS_H

#include <stddef.h>

#include "plb/option.h"

enum { OPENCL_DEVICES };
enum { OPENCL_GPU, OPENCL_ALL, OPENCL_NONE }; /* values of the key */

static const struct plb_option options[] = {
    [OPENCL_DEVICES] =
        {"opencl", PLB_TEXT, "gpu", 0, 0, "gpu|all|none",
         "OpenCL devices that are PUs: GPUs and accelerators (gpu); all, CPUs included; or none"},
    {0},
};

#endif
