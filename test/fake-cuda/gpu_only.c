/* The entry of test/kernels/gpu_only.c, for the fake. */
#include "on_stream.h"

int gpu_only_cuda(const struct plb_task *task);

static int entry(const struct plb_task *task)
{
    double *result = task->data[0];
    for (int64_t i = 0; i < task->count; i++)
        result[i] = 3.0 * (double)(task->first + i);
    return 0;
}

int gpu_only_cuda(const struct plb_task *task)
{
    return on_stream(entry, task, 1);
}
