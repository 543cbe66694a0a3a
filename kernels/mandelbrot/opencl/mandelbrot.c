/* mandelbrot by OpenCL: a work-item for each point. Each step is rounded as on CPUs, product and sum apart,
 * so that the counts are the same. */
#include "../escape.h"
#include "plb/opencl.h"

enum { COUNTS, PIXELS };                           /* as in mandelbrot.c */
enum { COLOURS = 255 /* as there */, GROUP = 64 }; /* work-items side by side in a row */

static const char source[] = PLB_OPENCL_C(kernel void escape(double left, double top, double pixel,
                                                             long width, long depth, long colours, long first,
                                                             global float *counts, global uchar *pixels) {
    const long column = get_global_id(0);
    const long row = get_global_id(1);
    if (column >= width)
        return;
    const double re = left + pixel * ((double)column + 0.5);
    const double im = top - pixel * ((double)(first + row) + 0.5);
    double x = 0.0;
    double y = 0.0;
    double xx = 0.0;
    double yy = 0.0;
    long n = 0;
    for (; n < depth; n++) {
        const double xy = x * y;
        x = xx - yy + re;
        y = xy + xy + im;
        xx = x * x;
        yy = y * y;
        if (!(xx + yy <= 4.0))
            break;
    }
    counts[row * width + column] = (float)n;
    if (pixels != 0)
        pixels[row * width + column] = n == depth ? 0 : (uchar)(1 + n % colours);
});

int mandelbrot_opencl(const struct plb_task *task);
int mandelbrot_opencl(const struct plb_task *task)
{
    const struct window *w = task->args;
    const int64_t colours = COLOURS;
    const struct plb_opencl_arg args[] = {PLB_OPENCL_VALUE(w->left),
                                          PLB_OPENCL_VALUE(w->top),
                                          PLB_OPENCL_VALUE(w->pixel),
                                          PLB_OPENCL_VALUE(w->width),
                                          PLB_OPENCL_VALUE(w->depth),
                                          PLB_OPENCL_VALUE(colours),
                                          PLB_OPENCL_VALUE(task->first),
                                          PLB_OPENCL_DATA(task, COUNTS),
                                          {w->image != 0 ? task->data[PIXELS] : NULL, 0}};
    const size_t group[] = {GROUP, 1};
    const size_t global[] = {((size_t)w->width + GROUP - 1) / GROUP * GROUP, (size_t)task->count};
    return plb_opencl_run(task, source, "escape", 2, global, group, args, sizeof args / sizeof *args);
}
