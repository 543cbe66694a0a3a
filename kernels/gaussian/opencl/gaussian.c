/* gaussian by OpenCL: a work-item for each number sums its column, and then one its row. The sums have the
 * same bits as on CPUs. Between the two are float64 rows, in memory that is taken for the task. */
#include "plb/opencl.h"
#include "../rows.h"

enum { IMAGE, WEIGHTS, RESULTS, GROUP = 64 }; /* but for GROUP as in gaussian.c */

/* Modes by their numbers in rows.h. `real` is the type of the image's numbers. */
#define COLUMNS(real) \
    PLB_OPENCL_C( \
        long place_of(int mode, long i, long n) { \
            if (i >= 0 && i < n) \
                return i; \
            if (mode == 2) \
                return i < 0 ? 0 : n - 1; \
            if (mode == 3) \
                return -1; \
            if (n == 1) \
                return 0; \
            const long period = mode == 1 ? 2 * n - 2 : 2 * n; \
            i = (i % period + period) % period; \
            return i < n ? i : mode == 1 ? period - i : period - 1 - i; \
        } \
\
        double number_at(int mode, long height, long length, global const real *rows, long first, long u, \
                         long column) { \
            const long place = place_of(mode, u, height); \
            return place < 0 ? 0.0 : (double)rows[(place - first) * length + column]; \
        } \
\
        kernel void columns(int mode, long height, long length, long radius, long first, long n, \
                            global const real *rows, global const double *weights, global double *sums) { \
            const long i = get_global_id(0); \
            if (i >= n) \
                return; \
            const long u = first + i / length; \
            const long column = i % length; \
            double sum = weights[0] * number_at(mode, height, length, rows, first, u, column); \
            for (long k = 1; k <= radius; k++) \
                sum = fma(weights[k], \
                          number_at(mode, height, length, rows, first, u - k, column) \
                              + number_at(mode, height, length, rows, first, u + k, column), \
                          sum); \
            sums[i] = sum; \
        })

static const char of_bytes[] = COLUMNS(uchar), of_floats[] = COLUMNS(float), of_doubles[] = COLUMNS(double);

static const char source[] = PLB_OPENCL_C(
    long place_of(int mode, long i, long n) {
        if (i >= 0 && i < n)
            return i;
        if (mode == 2)
            return i < 0 ? 0 : n - 1;
        if (mode == 3)
            return -1;
        if (n == 1)
            return 0;
        const long period = mode == 1 ? 2 * n - 2 : 2 * n;
        i = (i % period + period) % period;
        return i < n ? i : mode == 1 ? period - i : period - 1 - i;
    }

    double sum_at(int mode, long width, int channels, global const double *row, long x, long c) {
        const long place = place_of(mode, x, width);
        return place < 0 ? 0.0 : row[place * channels + c];
    }

    kernel void rows(int mode, long width, int channels, long radius, long n, int doubles,
                     global const double *sums, global const double *weights, global void *values,
                     global uchar *pixels) {
        const long i = get_global_id(0);
        if (i >= n)
            return;
        const long length = width * channels;
        global const double *row = sums + i / length * length;
        const long x = i % length / channels;
        const long c = i % channels;
        double sum = weights[0] * sum_at(mode, width, channels, row, x, c);
        for (long k = 1; k <= radius; k++)
            sum = fma(weights[k],
                      sum_at(mode, width, channels, row, x - k, c)
                          + sum_at(mode, width, channels, row, x + k, c),
                      sum);
        if (values != 0 && doubles != 0)
            ((global double *)values)[i] = sum;
        else if (values != 0)
            ((global float *)values)[i] = (float)sum;
        if (pixels != 0)
            pixels[i] = (uchar)(sum <= 0.0 ? 0.0 : sum >= 255.0 ? 255.0 : floor(sum + 0.5));
    });

int gaussian_opencl(const struct plb_task *task);
int gaussian_opencl(const struct plb_task *task)
{
    const struct blur *b = task->args;
    const int64_t length = b->width * b->channels, numbers = task->count * length;
    const int32_t doubles = b->element == DOUBLES;
    double *sums = plb_opencl_alloc(task, (size_t)numbers * sizeof *sums);
    if (sums == NULL)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    const struct plb_opencl_arg down[] = {
        PLB_OPENCL_VALUE(b->mode),    PLB_OPENCL_VALUE(b->height),    PLB_OPENCL_VALUE(length),
        PLB_OPENCL_VALUE(b->radius),  PLB_OPENCL_VALUE(task->first),  PLB_OPENCL_VALUE(numbers),
        PLB_OPENCL_DATA(task, IMAGE), PLB_OPENCL_DATA(task, WEIGHTS), PLB_OPENCL_MEMORY(sums)};
    const struct plb_opencl_arg across[] = {
        PLB_OPENCL_VALUE(b->mode),
        PLB_OPENCL_VALUE(b->width),
        PLB_OPENCL_VALUE(b->channels),
        PLB_OPENCL_VALUE(b->radius),
        PLB_OPENCL_VALUE(numbers),
        PLB_OPENCL_VALUE(doubles),
        PLB_OPENCL_MEMORY(sums),
        PLB_OPENCL_DATA(task, WEIGHTS),
        PLB_OPENCL_MEMORY(b->values != 0 ? task->data[RESULTS] : NULL),
        PLB_OPENCL_MEMORY(b->pixels != 0 ? task->data[RESULTS + b->values] : NULL)};
    const char *of = b->element == BYTES ? of_bytes : b->element == FLOATS ? of_floats : of_doubles;
    const size_t group = GROUP, global = plb_opencl_items(numbers, GROUP);
    int status = plb_opencl_run(task, of, "columns", 1, &global, &group, down, sizeof down / sizeof *down);
    if (status == CL_SUCCESS)
        status = plb_opencl_run(task, source, "rows", 1, &global, &group, across,
                                sizeof across / sizeof *across);
    const int freed = plb_opencl_free(task, sums);
    return status != CL_SUCCESS ? status : freed;
}
