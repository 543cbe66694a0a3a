/* kmeans by OpenCL: a work-item for each point finds its centroid, as on CPUs, so that labels have the same
 * bits. Then a group for each element of the sums adds up its points in a fixed order. So sums have the same
 * bits in each run of a task, and others than on CPUs. */
#include "../nearest.h"
#include "plb/opencl.h"

enum {
    POINTS,
    CENTROIDS,
    SUMS,
    LABELS,
    GROUP = 128
}; /* but for GROUP, which is in the source, as in kmeans.c */

#define KMEANS(real) \
    PLB_OPENCL_C( \
        kernel void nearest(long clusters, long dimensions, long count, global const real *points, \
                            global const double *centroids, global int *label, global double *square, \
                            global int *labels) { \
            const long i = get_global_id(0); \
            double best = INFINITY; \
            int which = 0; \
            if (i >= count) \
                return; \
            for (long c = 0; c < clusters; c++) { \
                double sum = 0.0; \
                for (long j = 0; j < dimensions; j++) { \
                    const double way = (double)points[i * dimensions + j] - centroids[c * dimensions + j]; \
                    sum = fma(way, way, sum); \
                } \
                if (sum < best) { \
                    best = sum; \
                    which = (int)c; \
                } \
            } \
            label[i] = which; \
            square[i] = best; \
            if (labels != 0) \
                labels[i] = which; \
        } \
\
        kernel void add(long clusters, long dimensions, long count, global const real *points, \
                        global const int *label, global const double *square, global double *sums) { \
            local double part[128]; \
            const int me = get_local_id(0); \
            const long at = get_group_id(0); \
            const long c = at / (dimensions + 1); \
            const long j = at % (dimensions + 1); \
            double sum = 0.0; \
            for (long i = me; i < count; i += 128) { \
                if (c == clusters) \
                    sum += square[i]; \
                else if (label[i] == c) \
                    sum += j == dimensions ? 1.0 : (double)points[i * dimensions + j]; \
            } \
            part[me] = sum; \
            for (int reach = 64; reach > 0; reach /= 2) { \
                barrier(CLK_LOCAL_MEM_FENCE); \
                if (me < reach) \
                    part[me] += part[me + reach]; \
            } \
            if (me == 0) \
                sums[at] = part[0]; \
        })

static const char of_floats[] = KMEANS(float), of_doubles[] = KMEANS(double);

int kmeans_opencl(const struct plb_task *task);
int kmeans_opencl(const struct plb_task *task)
{
    const struct shape *s = task->args;
    const char *source = s->narrow != 0 ? of_floats : of_doubles;
    const size_t group = GROUP, each = plb_opencl_items(task->count, GROUP);
    const size_t elements = (size_t)sums_of(s) * GROUP;
    double *square = plb_opencl_alloc(task, (size_t)task->count * sizeof *square);
    int32_t *label = plb_opencl_alloc(task, (size_t)task->count * sizeof *label);
    int status = square != NULL && label != NULL ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    const struct plb_opencl_arg find[] = {
        PLB_OPENCL_VALUE(s->clusters),    PLB_OPENCL_VALUE(s->dimensions),
        PLB_OPENCL_VALUE(task->count),    PLB_OPENCL_DATA(task, POINTS),
        PLB_OPENCL_DATA(task, CENTROIDS), PLB_OPENCL_MEMORY(label),
        PLB_OPENCL_MEMORY(square),        PLB_OPENCL_MEMORY(s->labels != 0 ? task->data[LABELS] : NULL)};
    const struct plb_opencl_arg fold[] = {PLB_OPENCL_VALUE(s->clusters), PLB_OPENCL_VALUE(s->dimensions),
                                          PLB_OPENCL_VALUE(task->count), PLB_OPENCL_DATA(task, POINTS),
                                          PLB_OPENCL_MEMORY(label),      PLB_OPENCL_MEMORY(square),
                                          PLB_OPENCL_DATA(task, SUMS)};
    if (status == CL_SUCCESS)
        status = plb_opencl_run(task, source, "nearest", 1, &each, &group, find, sizeof find / sizeof *find);
    if (status == CL_SUCCESS)
        status = plb_opencl_run(task, source, "add", 1, &elements, &group, fold, sizeof fold / sizeof *fold);
    if (label != NULL)
        plb_opencl_free(task, label);
    if (square != NULL)
        plb_opencl_free(task, square);
    return status;
}
