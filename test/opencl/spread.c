/* spread with an entry for OpenCL: a device has to hear of each part of its copy of a buffer that changed. */
#include "plb/opencl.h"

static const char source[] = PLB_OPENCL_C(
    ulong sum_of(global const ulong *at, long n) {
        ulong sum = 0;
        for (long i = 0; i < n; i++)
            sum = sum * 3 + at[i];
        return sum;
    }

    kernel void spread(global const ulong *buffer, long words, global const ulong *second, long more_words,
                       global ulong *out, long n) {
        const ulong sum = sum_of(buffer, words) + sum_of(second, more_words);
        for (long i = 0; i < n; i++)
            out[i] = sum;
    });

static int spread_opencl(const struct plb_task *task)
{
    enum { BUFFER, OUT, SECOND }; /* as in spread.c */
    const int64_t words = (int64_t)(task->bytes[BUFFER] / 8), more_words = (int64_t)(task->bytes[SECOND] / 8);
    const struct plb_opencl_arg args[] = {PLB_OPENCL_DATA(task, BUFFER), PLB_OPENCL_VALUE(words),
                                          PLB_OPENCL_DATA(task, SECOND), PLB_OPENCL_VALUE(more_words),
                                          PLB_OPENCL_DATA(task, OUT),    PLB_OPENCL_VALUE(task->count)};
    const size_t one = 1;
    return plb_opencl_run(task, source, "spread", 1, &one, &one, args, 6);
}

#define SPREAD_OPENCL spread_opencl
#include "../kernels/spread.c"
