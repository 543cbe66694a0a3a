/* triad by OpenCL: one pass over the arrays. Each work-item folds what it computes, and a group its
 * work-items, always in one order. Then the group adds its part to the task's sum, least and greatest, in no
 * fixed order. */
#include "plb/opencl.h"

enum { B, C, A, SUM, LEAST, GREATEST };                 /* as in triad.c, and so is the chunk */
enum { CHUNK = 4096, GROUP = 256, MOST_GROUPS = 2048 }; /* GROUP: also in the source */

static const char source[] = PLB_OPENCL_C(
    void raise(volatile global double *at, double value, int what) {
        volatile global long *bits = (volatile global long *)at;
        long seen = *bits;
        for (;;) {
            const double was = as_double(seen);
            const double is = what == 0 ? was + value : what == 1 ? fmin(was, value) : fmax(was, value);
            if (what != 0 && is == was)
                return;
            const long before = atom_cmpxchg(bits, seen, as_long(is));
            if (before == seen)
                return;
            seen = before;
        }
    }

    kernel void triad(long n, double scale, global const double *b, global const double *c, global double *a,
                      global double *sum, global double *least, global double *greatest) {
        local double sums[256];
        local double leasts[256];
        local double greatests[256];
        const int at = get_local_id(0);
        double s = 0.0;
        double low = INFINITY;
        double high = -INFINITY;
        for (long i = get_global_id(0); i < n; i += get_global_size(0)) {
            const double x = b[i] + scale * c[i];
            a[i] = x;
            s += x;
            low = fmin(low, x);
            high = fmax(high, x);
        }
        sums[at] = s;
        leasts[at] = low;
        greatests[at] = high;
        for (int reach = 128; reach > 0; reach /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (at < reach) {
                sums[at] += sums[at + reach];
                leasts[at] = fmin(leasts[at], leasts[at + reach]);
                greatests[at] = fmax(greatests[at], greatests[at + reach]);
            }
        }
        if (at == 0) {
            raise(sum, sums[0], 0);
            raise(least, leasts[0], 1);
            raise(greatest, greatests[0], 2);
        }
    });

int triad_opencl(const struct plb_task *task);
int triad_opencl(const struct plb_task *task)
{
    const double scale = *(const double *)task->args;
    const int64_t n = task->count * CHUNK;
    const int64_t groups = n / GROUP < MOST_GROUPS ? n / GROUP : MOST_GROUPS;
    const struct plb_opencl_arg args[] = {PLB_OPENCL_VALUE(n),          PLB_OPENCL_VALUE(scale),
                                          PLB_OPENCL_DATA(task, B),     PLB_OPENCL_DATA(task, C),
                                          PLB_OPENCL_DATA(task, A),     PLB_OPENCL_DATA(task, SUM),
                                          PLB_OPENCL_DATA(task, LEAST), PLB_OPENCL_DATA(task, GREATEST)};
    const size_t group = GROUP, global = (size_t)groups * GROUP;
    return plb_opencl_run(task, source, "triad", 1, &global, &group, args, sizeof args / sizeof *args);
}
