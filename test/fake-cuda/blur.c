/* The cuda entry of test/kernels/blur.c, for the fake. */
#define plb_kernel blur_again
#include "../kernels/blur.c"
#undef plb_kernel
#include "on_stream.h"

int blur_cuda(const struct plb_task *task)
{
    return on_stream(entry, task, Y + 1);
}
