/* The entries of test_devices by OpenCL. */
#include "plb/opencl.h"

int twice_opencl(const struct plb_task *task);
int spin_opencl(const struct plb_task *task);
int spin_each_opencl(const struct plb_task *task);

static const char source[] = PLB_OPENCL_C(
    kernel void twice(global const double *in, global double *out, long first) {
        out[get_global_id(0)] = 2.0 * in[get_global_id(0)] + (double)first;
    }

    kernel void spin(global double *x, long steps) {
        volatile double sum = 0.0;
        for (long i = 0; i < 100 * steps; i++)
            sum = sum + 1.0;
        x[0] = sum;
    }

    kernel void spin_each(global double *x) {
        volatile double sum = 0.0;
        for (long i = 0; i < 1000000; i++)
            sum = sum + 1.0;
        if (sum < 0.0)
            x[0] = sum;
    });

int twice_opencl(const struct plb_task *task)
{
    const struct plb_opencl_arg args[] = {PLB_OPENCL_DATA(task, 0), PLB_OPENCL_DATA(task, 1),
                                          PLB_OPENCL_VALUE(task->first)};
    const size_t global = (size_t)task->count;
    return plb_opencl_run(task, source, "twice", 1, &global, NULL, args, 3);
}

int spin_opencl(const struct plb_task *task)
{
    const struct plb_opencl_arg args[] = {PLB_OPENCL_DATA(task, 0), PLB_OPENCL_VALUE(task->count)};
    const size_t global = 1;
    return plb_opencl_run(task, source, "spin", 1, &global, NULL, args, 2);
}

int spin_each_opencl(const struct plb_task *task)
{
    const struct plb_opencl_arg args[] = {PLB_OPENCL_DATA(task, 0)};
    const size_t global = (size_t)task->count, local = 1;
    return plb_opencl_run(task, source, "spin_each", 1, &global, &local, args, 1);
}
