/* The cuda entry of test/kernels/modes.c, for the fake. */
#define plb_kernel modes_again
#include "../kernels/modes.c"
#undef plb_kernel
#include "on_stream.h"

int modes_cuda(const struct plb_task *task)
{
    return on_stream(entry, task, REDUCTIONS + 6);
}
