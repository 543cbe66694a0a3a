/* The GPUs of this process, found at run time through the CUDA runtime library. Where plbrun was built without
 * CUDA's headers, or there is no library, no driver or no usable GPU, there are none. Call from one thread. */
#ifndef PLB_DEVICE_CUDA_CUDA_H
#define PLB_DEVICE_CUDA_CUDA_H

struct plb_cuda_gpu {
    char model[44];             /* "NVIDIA H200", cut to fit */
    char pci[16];               /* "0000:18:00.0" */
    char uuid[41];              /* "GPU-8a5c…" */
    int multiprocessors;
};

/* How many GPUs of generation 8.0 or later are visible (CUDA_VISIBLE_DEVICES counts). Looks once; *why, where not
 * NULL, becomes a sentence on what was found or why there is none; static storage. */
int plb_cuda_count(const char **why);

/* Describes one of them, 0 … count - 1. */
void plb_cuda_describe(int gpu, struct plb_cuda_gpu *description);

#endif
