/* The cuda entry of test/kernels/heat.c, for the fake. */
#define plb_kernel heat_again
#include "../kernels/heat.c"
#undef plb_kernel
#include "on_stream.h"

int heat_cuda(const struct plb_task *task)
{
    return on_stream(entry, task, THEN + 1);
}
