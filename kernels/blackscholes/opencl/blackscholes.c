/* blackscholes by OpenCL: a work-item for each option by the formula, a group for each one by Monte Carlo.
 * The paths have the same random numbers as on CPUs (paths.c); the sums over them come together in another
 * order. */
#include "plb/opencl.h"
#include "../prices.h"

enum { CONTRACTS, RESULTS, GROUP = 128 }; /* but for GROUP, which is in the source, as in blackscholes.c */

/* A contract's numbers: spot, strike, rate, dividend, volatility, time, type (contracts.h). */
static const char formula[] = PLB_OPENCL_C(
    double below(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

    kernel void closed(long n, global const double *contracts, global double *results) {
        const long i = get_global_id(0);
        if (i >= n)
            return;
        global const double *c = contracts + 7 * i;
        global double *v = results + 6 * i;
        const double spot = c[0];
        const double strike = c[1];
        const double rate = c[2];
        const double dividend = c[3];
        const double sigma = c[4];
        const double time = c[5];
        const double sign = 1.0 - 2.0 * c[6];
        const double root = sqrt(time);
        const double spread = sigma * root;
        const double d1 = (log(spot / strike) + (rate - dividend + 0.5 * sigma * sigma) * time) / spread;
        const double d2 = d1 - spread;
        const double carry = exp(-dividend * time);
        const double paid = strike * exp(-rate * time);
        const double worth = spot * carry;
        const double n1 = below(sign * d1);
        const double n2 = below(sign * d2);
        const double density = exp(-0.5 * d1 * d1) * 0.39894228040143267794;
        v[0] = sign * (worth * n1 - paid * n2);
        v[1] = sign * carry * n1;
        v[2] = carry * density / (spot * spread);
        v[3] = worth * density * root;
        v[4] = sign * (dividend * worth * n1 - rate * paid * n2) - worth * density * sigma / (2.0 * root);
        v[5] = sign * paid * time * n2;
    });

static const char paths[] = PLB_OPENCL_C(
    uint4 philox(uint4 x, uint key0, uint key1) {
        for (int round = 0; round < 10; round++) {
            x = (uint4)(mul_hi(x.z, 0xCD9E8D57u) ^ x.y ^ key0, x.z * 0xCD9E8D57u,
                        mul_hi(x.x, 0xD2511F53u) ^ x.w ^ key1, x.x * 0xD2511F53u);
            key0 += 0x9E3779B9u;
            key1 += 0xBB67AE85u;
        }
        return x;
    }

    double real_of(uint high, uint low) {
        return as_double((((ulong)high << 32 | low) >> 12) | 0x3ff0000000000000ul);
    }

    void add(global const double *c, double normal, double growth, double *s) {
        const double end = c[0] * exp(growth * c[5] + c[4] * sqrt(c[5]) * normal);
        const double payoff = (1.0 - 2.0 * c[6]) * (end - c[1]);
        if (!(payoff > 0.0))
            return;
        s[0] += end;
        s[1] += end * normal;
        s[2] += 1.0;
        s[3] += normal;
        s[4] += payoff * payoff;
    }

    void finish(global const double *c, double n, local const double *s, global double *v) {
        const double sign = 1.0 - 2.0 * c[6];
        const double root = sqrt(c[5]);
        const double sigma = c[4];
        const double growth = c[2] - c[3] - 0.5 * sigma * sigma;
        const double each = exp(-c[2] * c[5]) / n;
        const double mean = sign * (s[0] - c[1] * s[2]) / n;
        const double variance = (s[4] / n - mean * mean) * n / (n - 1.0);
        v[0] = each * n * mean;
        v[1] = each * sign * s[0] / c[0];
        v[2] = each * sign * c[1] * s[3] / (c[0] * c[0] * sigma * root);
        v[3] = each * sign * (root * s[1] - sigma * c[5] * s[0]);
        v[4] = c[2] * v[0] - each * sign * (growth * s[0] + sigma / (2.0 * root) * s[1]);
        v[5] = each * sign * c[1] * c[5] * s[2];
        v[6] = each * n * sqrt(fmax(variance, 0.0) / n);
    }

    kernel void montecarlo(long all, ulong seed, long first, global const double *contracts,
                           global double *results) {
        local double part[5 * 128];
        const int at = get_local_id(0);
        const long i = get_group_id(0);
        global const double *c = contracts + 7 * i;
        const double growth = c[2] - c[3] - 0.5 * c[4] * c[4];
        const ulong unit = (ulong)(first + i);
        double s[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
        for (long pair = at; 2 * pair < all; pair += 128) {
            const uint4 x = philox((uint4)((uint)pair, (uint)(pair >> 32), (uint)unit, (uint)(unit >> 32)),
                                   (uint)seed, (uint)(seed >> 32));
            const double radius = sqrt(-2.0 * log(real_of(x.y, x.x) - (1.0 - 0x1p-53)));
            const double turn = 2.0 * (real_of(x.w, x.z) - 1.0);
            add(c, radius * cospi(turn), growth, s);
            if (2 * pair + 1 < all)
                add(c, radius * sinpi(turn), growth, s);
        }
        for (int k = 0; k < 5; k++)
            part[128 * k + at] = s[k];
        for (int reach = 64; reach > 0; reach /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int k = 0; at < reach && k < 5; k++)
                part[128 * k + at] += part[128 * k + at + reach];
        }
        if (at == 0) {
            for (int k = 0; k < 5; k++)
                part[k] = part[128 * k];
            finish(c, (double)all, part, results + 7 * i);
        }
    });

int blackscholes_opencl(const struct plb_task *task);
int blackscholes_opencl(const struct plb_task *task)
{
    const struct price_args *a = task->args;
    const size_t group = GROUP;
    if (a->paths > 0) {
        const struct plb_opencl_arg args[] = {PLB_OPENCL_VALUE(a->paths), PLB_OPENCL_VALUE(a->seed),
                                              PLB_OPENCL_VALUE(task->first), PLB_OPENCL_DATA(task, CONTRACTS),
                                              PLB_OPENCL_DATA(task, RESULTS)};
        const size_t global = (size_t)task->count * GROUP;
        return plb_opencl_run(task, paths, "montecarlo", 1, &global, &group, args, 5);
    }
    const struct plb_opencl_arg args[] = {PLB_OPENCL_VALUE(task->count), PLB_OPENCL_DATA(task, CONTRACTS),
                                          PLB_OPENCL_DATA(task, RESULTS)};
    const size_t global = plb_opencl_items(task->count, GROUP);
    return plb_opencl_run(task, formula, "closed", 1, &global, &group, args, 3);
}
