/* binomial by OpenCL: a group of work-items for each option. Values and prices of the nodes are in memory
 * that is taken for the task. A step reads one row of values and writes the other. */
#include "plb/opencl.h"
#include "../tree.h"

enum { CONTRACTS, PRICES }; /* as in binomial.c */
enum { GROUP = 64, ROWS = 3, MOST_GROUPS = 256 };

/* A contract's numbers: spot, strike, rate, dividend, volatility, time, type (contracts.h). */
static const char source[] = PLB_OPENCL_C(
    double inversion(double z, double n) {
        const double x = z / (n + 1.0 / 3.0 + 0.1 / (n + 1.0));
        return 0.5 + copysign(0.5, z) * sqrt(1.0 - exp(-x * x * (n + 1.0 / 6.0)));
    }

    /* discounted chances to rise and to fall, logarithms of up / down and of down */
    double4 branch_of(long steps, int leisen_reimer, global const double *c) {
        const double n = (double)steps;
        const double step = c[5] / n;
        const double sigma = c[4];
        const double growth = (c[2] - c[3]) * step;
        const double spread = sigma * sqrt(c[5]);
        double up = exp(sigma * sqrt(step));
        double down = exp(-sigma * sqrt(step));
        double chance = (exp(growth) - down) / (up - down);
        if (leisen_reimer) {
            const double d2 = (log(c[0] / c[1]) + growth * n) / spread - 0.5 * spread;
            const double with_spot = inversion(d2 + spread, n);
            chance = inversion(d2, n);
            up = exp(growth) * with_spot / chance;
            down = (exp(growth) - chance * up) / (1.0 - chance);
        }
        const double discount = exp(-c[2] * step);
        return (double4)(chance * discount, (1.0 - chance) * discount, log(up / down), log(down));
    }

    kernel void trees(long steps, int leisen_reimer, int american, long n, global const double *contracts,
                      global double *prices, global double *room) {
        const long nodes = steps + 1;
        const int me = get_local_id(0);
        const int items = get_local_size(0);
        global double *price = room + get_group_id(0) * 3 * nodes;
        for (long k = get_group_id(0); k < n; k += get_num_groups(0)) {
            global const double *c = contracts + 7 * k;
            const double4 b = branch_of(steps, leisen_reimer, c);
            const double sign = 1.0 - 2.0 * c[6];
            global double *from = price + nodes;
            global double *to = from + nodes;
            const double end = exp((double)steps * b.w);
            for (long i = me; i < nodes; i += items) {
                price[i] = c[0] * exp((double)i * b.z);
                from[i] = fmax(sign * (price[i] * end - c[1]), 0.0);
            }
            for (long t = steps - 1; t >= 0; t--) {
                const double scale = american ? exp((double)t * b.w) : 0.0;
                barrier(CLK_GLOBAL_MEM_FENCE);
                for (long i = me; i <= t; i += items) {
                    const double v = b.x * from[i + 1] + b.y * from[i];
                    to[i] = american ? fmax(v, sign * (price[i] * scale - c[1])) : v;
                }
                global double *other = from;
                from = to;
                to = other;
            }
            if (me == 0)
                prices[k] = from[0];
            barrier(CLK_GLOBAL_MEM_FENCE);
        }
    });

int binomial_opencl(const struct plb_task *task);
int binomial_opencl(const struct plb_task *task)
{
    const struct tree_args *a = task->args;
    const int32_t leisen_reimer = a->kind == LEISEN_REIMER;
    const int64_t groups = task->count < MOST_GROUPS ? task->count : MOST_GROUPS;
    void *room = plb_opencl_alloc(task, (size_t)(groups * ROWS * (a->steps + 1)) * sizeof(double));
    if (room == NULL)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    const struct plb_opencl_arg args[] = {PLB_OPENCL_VALUE(a->steps),       PLB_OPENCL_VALUE(leisen_reimer),
                                          PLB_OPENCL_VALUE(a->american),    PLB_OPENCL_VALUE(task->count),
                                          PLB_OPENCL_DATA(task, CONTRACTS), PLB_OPENCL_DATA(task, PRICES),
                                          PLB_OPENCL_MEMORY(room)};
    const size_t group = GROUP, global = (size_t)groups * GROUP;
    int status = plb_opencl_run(task, source, "trees", 1, &global, &group, args, sizeof args / sizeof *args);
    const int freed = plb_opencl_free(task, room);
    return status != CL_SUCCESS ? status : freed;
}
