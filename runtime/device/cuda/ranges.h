/* Named ranges in the timelines of NVIDIA's profilers, where the headers of NVTX are. */
#ifndef PLB_DEVICE_CUDA_RANGES_H
#define PLB_DEVICE_CUDA_RANGES_H

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define prepare_ranges() nvtxInitialize(NULL) /* before there are threads */
#define range_begins(text) nvtxRangePushA(text)
#define range_ends() nvtxRangePop()
#else
#define prepare_ranges() (void)0
#define range_begins(text) (void)(text)
#define range_ends() (void)0
#endif

#endif
