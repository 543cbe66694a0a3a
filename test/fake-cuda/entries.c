/* The entries of test_devices on the fake; scripts/gpu-check.d/entries.cu is the same for a real GPU. */
#include "on_stream.h"

int twice_cuda(const struct plb_task *task);
int spin_cuda(const struct plb_task *task);
int fault_cuda(const struct plb_task *task);

static int twice(const struct plb_task *task)
{
    const double *in = task->data[0];
    double *out = task->data[1];
    for (int64_t i = 0; i < task->count; i++)
        out[i] = 2.0 * in[i] + (double)task->first;
    return 0;
}

static int spin(const struct plb_task *task)
{
    volatile double x = 0.0;
    for (int64_t i = 0; i < task->count * 100; i++)
        x = x + 1.0;
    return 0;
}

int twice_cuda(const struct plb_task *task)
{
    return on_stream(twice, task, 2);
}

int spin_cuda(const struct plb_task *task)
{
    return on_stream(spin, task, 1);
}

/* The fake is told which of them fails. */
int fault_cuda(const struct plb_task *task)
{
    return on_stream(spin, task, 1);
}
