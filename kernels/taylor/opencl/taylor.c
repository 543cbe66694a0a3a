/* taylor by OpenCL: a work-item for each point. Sums are fused as on CPUs, so they have the same bits; the
 * errors come from other functions than there. */
#include "plb/opencl.h"
#include "../series.h"

enum { COEFFICIENTS, VALUES, ERRORS, GROUP = 64 }; /* but for GROUP as in taylor.c */

struct mesh { /* the same as in taylor.c */
    double left, top, step;
    int64_t width, terms;
    int32_t function, errors;
};

/* Functions by their numbers in series.h. */
static const char source[] = PLB_OPENCL_C(
    double log_distance(double x, double y) {
        const double square = (1.0 + x) * (1.0 + x) + y * y;
        return square < 0.5 || square > 2.0 ? 0.5 * log(square) : 0.5 * log1p(x * (2.0 + x) + y * y);
    }

    double2 exactly(int function, double x, double y) {
        if (function == 0)
            return (double2)(exp(x) * cos(y), exp(x) * sin(y));
        if (function == 1)
            return (double2)(sin(x) * cosh(y), cos(x) * sinh(y));
        if (function == 2)
            return (double2)(cos(x) * cosh(y), -sin(x) * sinh(y));
        if (function == 3)
            return (double2)(log_distance(x, y), atan2(y, 1.0 + x));
        const double square = (1.0 - x) * (1.0 - x) + y * y;
        return (double2)((1.0 - x) / square, y / square);
    }

    kernel void sum(double left, double top, double step, long width, long terms, int function, long first,
                    long n, global const double *coefficients, global double *values, global double *errors) {
        const long i = get_global_id(0);
        if (i >= n)
            return;
        const double x = left + step * ((double)((first + i) % width) + 0.5);
        const double y = top - step * ((double)((first + i) / width) + 0.5);
        double re = 0.0;
        double im = 0.0;
        for (long k = terms - 1; k >= 0; k--) {
            const double next = fma(re, x, fma(-im, y, coefficients[k]));
            im = fma(re, y, im * x);
            re = next;
        }
        values[2 * i] = re;
        values[2 * i + 1] = im;
        if (errors != 0) {
            const double2 exact = exactly(function, x, y);
            errors[i] = hypot(re - exact.x, im - exact.y);
        }
    });

int taylor_opencl(const struct plb_task *task);
int taylor_opencl(const struct plb_task *task)
{
    const struct mesh *m = task->args;
    const struct plb_opencl_arg args[] = {PLB_OPENCL_VALUE(m->left),
                                          PLB_OPENCL_VALUE(m->top),
                                          PLB_OPENCL_VALUE(m->step),
                                          PLB_OPENCL_VALUE(m->width),
                                          PLB_OPENCL_VALUE(m->terms),
                                          PLB_OPENCL_VALUE(m->function),
                                          PLB_OPENCL_VALUE(task->first),
                                          PLB_OPENCL_VALUE(task->count),
                                          PLB_OPENCL_DATA(task, COEFFICIENTS),
                                          PLB_OPENCL_DATA(task, VALUES),
                                          PLB_OPENCL_MEMORY(m->errors != 0 ? task->data[ERRORS] : NULL)};
    const size_t group = GROUP, global = plb_opencl_items(task->count, GROUP);
    return plb_opencl_run(task, source, "sum", 1, &global, &group, args, sizeof args / sizeof *args);
}
