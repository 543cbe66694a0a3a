/* The cuda entry of test/kernels/heat.c, for the fake. */
#define plb_kernel heat_again
#include "../kernels/heat.c"
#undef plb_kernel
#include "on_stream.h"

static int gpu_entry(const struct plb_task *task)
{
    double *then = task->data[THEN];
    const int status = entry(task);
    for (int64_t i = 0; i < task->count && ((const struct args *)task->args)->unlike; i++)
        then[i] += UNLIKE;
    return status;
}

int heat_cuda(const struct plb_task *task)
{
    return on_stream(gpu_entry, task, ((const struct args *)task->args)->sums ? COUNT + 1 : THEN + 1);
}
