/* spmm by OpenCL: a work-item for each element of a row of C, side by side, so that reads of B coalesce. */
#include "plb/opencl.h"

enum { OFFSETS, INDICES, VALUES, B, C, GROUP = 32 }; /* but for GROUP as in spmm.c */

struct spmm_args { /* the same as in spmm.c */
    int64_t columns, whole;
};

static const char source[] = PLB_OPENCL_C(
    kernel void multiply(long columns, long whole, global const long *offsets, global const int *indices,
                         global const double *values, global const double *b, global double *c) {
        const long j = get_global_id(0);
        const long row = get_global_id(1);
        const long from = whole != 0 ? 0 : offsets[0];
        double sum = 0.0;
        if (j >= columns)
            return;
        for (long i = offsets[row] - from; i < offsets[row + 1] - from; i++)
            sum += values[i] * b[indices[i] * columns + j];
        c[row * columns + j] = sum;
    });

int spmm_opencl(const struct plb_task *task);
int spmm_opencl(const struct plb_task *task)
{
    const struct spmm_args *a = task->args;
    const struct plb_opencl_arg args[] = {
        PLB_OPENCL_VALUE(a->columns),
        PLB_OPENCL_VALUE(a->whole),
        PLB_OPENCL_MEMORY((const int64_t *)task->data[OFFSETS] + task->first),
        PLB_OPENCL_DATA(task, INDICES),
        PLB_OPENCL_DATA(task, VALUES),
        PLB_OPENCL_DATA(task, B),
        PLB_OPENCL_DATA(task, C)};
    const size_t group[] = {GROUP, 1}, global[] = {plb_opencl_items(a->columns, GROUP), (size_t)task->count};
    return plb_opencl_run(task, source, "multiply", 2, global, group, args, sizeof args / sizeof *args);
}
