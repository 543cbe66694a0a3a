/* For kernels that run on the stand-in of the CUDA runtime: an entry for the CPU becomes one for CUDA, since
 * device memory is host memory there. The task is copied and run when the stream comes to it. */
#ifndef PLB_TEST_ON_STREAM_H
#define PLB_TEST_ON_STREAM_H

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "plb/kernel.h"

struct later {
    plb_entry_fn entry;
    struct plb_task task;
    void *data[32];
    size_t bytes[32];
};

static void CUDART_CB run_later(void *argument)
{
    struct later *l = argument;
    l->entry(&l->task);
    free(l);
}

/* n: how many buffers the task has. */
static inline int on_stream(plb_entry_fn cpu, const struct plb_task *task, int n)
{
    struct later *l = malloc(sizeof *l);
    if (l == NULL)
        return -1;
    *l = (struct later){.entry = cpu, .task = *task};
    memcpy(l->data, task->data, (size_t)n * sizeof *l->data);
    memcpy(l->bytes, task->bytes, task->bytes != NULL ? (size_t)n * sizeof *l->bytes : 0);
    l->task.data = l->data;
    l->task.bytes = l->bytes;
    cudaError_t status = cudaLaunchHostFunc((cudaStream_t)task->stream, run_later, l);
    if (status != cudaSuccess)
        free(l);
    return (int)status;
}

#endif
