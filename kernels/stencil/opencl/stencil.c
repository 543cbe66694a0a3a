/* stencil by OpenCL: a step in the rows of a task, a point for each work-item at a time. A group folds the
 * greatest change of its work-items; the order of groups does not matter for a greatest. */
#include "plb/opencl.h"

enum { NOW, THEN, CHANGE };               /* as in stencil.c */
enum { GROUP = 256, MOST_GROUPS = 2048 }; /* GROUP: also in the source */

struct args { /* the same as in stencil.c */
    int64_t rows, columns;
    double rate;
};

static const char source[] = PLB_OPENCL_C(
    void raise(volatile global double *at, double value) {
        volatile global long *bits = (volatile global long *)at;
        for (long seen = *bits; as_double(seen) < value;) {
            const long before = atom_cmpxchg(bits, seen, as_long(value));
            if (before == seen)
                return;
            seen = before;
        }
    }

    kernel void heat(long first, long count, long rows, long columns, double rate, global const double *in,
                     global double *out, global double *change) {
        local double changes[256];
        const int item = get_local_id(0);
        double most = 0.0;
        for (long i = get_global_id(0); i < count * columns; i += get_global_size(0)) {
            const long row = first + i / columns;
            const long column = i % columns;
            const double here = in[i];
            double then = here;
            if (row > 0 && row < rows - 1 && column > 0 && column < columns - 1)
                then = here
                     + rate * ((in[i - columns] + in[i + columns]) + (in[i - 1] + in[i + 1]) - 4.0 * here);
            out[i] = then;
            most = fmax(most, fabs(then - here));
        }
        changes[item] = most;
        for (int reach = 128; reach > 0; reach /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < reach)
                changes[item] = fmax(changes[item], changes[item + reach]);
        }
        if (item == 0)
            raise(change, changes[0]);
    });

int stencil_opencl(const struct plb_task *task);
int stencil_opencl(const struct plb_task *task)
{
    const struct args *a = task->args;
    const int64_t groups = (task->count * a->columns + GROUP - 1) / GROUP;
    const struct plb_opencl_arg args[] = {PLB_OPENCL_VALUE(task->first), PLB_OPENCL_VALUE(task->count),
                                          PLB_OPENCL_VALUE(a->rows),     PLB_OPENCL_VALUE(a->columns),
                                          PLB_OPENCL_VALUE(a->rate),     PLB_OPENCL_DATA(task, NOW),
                                          PLB_OPENCL_DATA(task, THEN),   PLB_OPENCL_DATA(task, CHANGE)};
    const size_t group = GROUP, global = (size_t)(groups < MOST_GROUPS ? groups : MOST_GROUPS) * GROUP;
    return plb_opencl_run(task, source, "heat", 1, &global, &group, args, sizeof args / sizeof *args);
}
